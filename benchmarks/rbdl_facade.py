"""What a call through `polhode.rbdl` costs beyond the same call of polhode's own function.

Run it as ``python benchmarks/rbdl_facade.py``; both sides of a line are timed by turns in one run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from timeit import Timer

import numpy as np

import polhode as ph
from polhode import rbdl

CALLS, ROUNDS = 5000, 9
LIMIT = 3.0  # microseconds


def arm(n: int = 7) -> rbdl.Model:
    """A chain of ``n`` links."""
    model = rbdl.Model()
    body = rbdl.Body(1.0, (0.0, 0.0, 0.1), (0.1, 0.1, 0.1))
    for k in range(n):
        axis = np.eye(6)[k % 3]
        model.AppendBody(rbdl.Xtrans([0.0, 0.0, 0.2]), rbdl.Joint(axis), body, f"link{k}")
    return model


def pairs(model: rbdl.Model) -> dict[str, tuple[Callable, Callable]]:
    """By function: the call through the facade, and the direct one with the same output array."""
    core, rng = model.core, np.random.default_rng(0)
    q, qd, qdd = rng.standard_normal((3, model.dof_count))
    n, body, point = model.dof_count, len(model.mBodies) - 1, np.array([0.1, 0.2, 0.3])
    tau, H, G = np.zeros(n), np.zeros((n, n)), np.zeros((3, n))
    return {
        "InverseDynamics": (
            lambda: rbdl.InverseDynamics(model, q, qd, qdd, tau),
            lambda: ph.inverse_dynamics(core, q, qd, qdd, out=tau),
        ),
        "ForwardDynamics": (
            lambda: rbdl.ForwardDynamics(model, q, qd, qdd, tau),
            lambda: ph.forward_dynamics(core, q, qd, qdd, out=tau),
        ),
        "NonlinearEffects": (
            lambda: rbdl.NonlinearEffects(model, q, qd, tau),
            lambda: ph.bias_forces(core, q, qd, out=tau),
        ),
        "CompositeRigidBodyAlgorithm": (
            lambda: rbdl.CompositeRigidBodyAlgorithm(model, q, H),
            lambda: ph.mass_matrix(core, q, out=H),
        ),
        "CalcMInvTimesTau": (
            lambda: rbdl.CalcMInvTimesTau(model, q, qd, tau),
            lambda: ph.solve_mass_matrix(core, q, qd, out=tau),
        ),
        "CalcBodyToBaseCoordinates": (
            lambda: rbdl.CalcBodyToBaseCoordinates(model, q, body, point),
            lambda: ph.point_position(core, q, body, point),
        ),
        "CalcPointVelocity": (
            lambda: rbdl.CalcPointVelocity(model, q, qd, body, point),
            lambda: ph.point_velocity(core, q, qd, body, point),
        ),
        "CalcPointAcceleration": (
            lambda: rbdl.CalcPointAcceleration(model, q, qd, qdd, body, point),
            lambda: ph.point_acceleration(core, q, qd, qdd, body, point),
        ),
        "CalcPointJacobian": (
            lambda: rbdl.CalcPointJacobian(model, q, body, point, G),
            lambda: ph.point_jacobian(core, q, body, point, out=G),
        ),
    }


def measure(facade: Callable, direct: Callable) -> tuple[float, float]:
    """The shortest time of each [us], over rounds in which they take turns."""
    assert np.array_equal(facade(), direct())
    timers, best = (Timer(facade), Timer(direct)), [np.inf, np.inf]
    for _ in range(ROUNDS):
        for k, timer in enumerate(timers):
            best[k] = min(best[k], timer.timeit(CALLS) / CALLS * 1e6)
    return best[0], best[1]


def main() -> int:
    print(f"{'function':32s} {'facade':>8s} {'direct':>8s} {'overhead':>9s}   [us]")
    worst = 0.0
    for name, (facade, direct) in pairs(arm()).items():
        ours, theirs = measure(facade, direct)
        worst = max(worst, ours - theirs)
        print(f"{name:32s} {ours:8.2f} {theirs:8.2f} {ours - theirs:9.2f}")
    print(f"largest overhead {worst:.2f} us, limit {LIMIT:g} us")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
