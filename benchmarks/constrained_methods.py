"""The four methods of constrained dynamics, through polhode and through `polhode.rbdl`.

Run it as ``python benchmarks/constrained_methods.py``; a machine of 36 degrees of freedom on four
points, 12 rows.  RBDL's own wrapper takes 51 us for its direct method there; more is a failure.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from timeit import Timer

import numpy as np

import polhode as ph
from polhode import rbdl

CALLS, ROUNDS, BATCH = 20, 400, 200
LIMIT = 51.0  # microseconds
LIMBS, LINKS, FEET = 5, 6, 4
METHODS = {
    "range_space": "RangeSpaceSparse",
    "kokkevis": None,
    "direct": "Direct",
    "null_space": "NullSpace",
}


def machine() -> rbdl.Model:
    """A floating trunk with five limbs of six joints each."""
    model, at = rbdl.Model(), np.random.default_rng(1)
    body = rbdl.Body(1.0, (0.0, 0.0, 0.1), (0.1, 0.1, 0.1))
    model.AppendBody(rbdl.Xtrans([0.0] * 3), rbdl.Joint("JointTypeFloatingBase"), body, "trunk")
    for limb in range(LIMBS):
        parent, place = model.GetBodyId("trunk"), at.uniform(-0.3, 0.3, 3)
        for k in range(LINKS):
            joint, name = rbdl.Joint(np.eye(6)[k % 3]), f"limb{limb} link{k}"
            parent = model.AddBody(parent, rbdl.Xtrans(place), joint, body, name)
            place = np.array([0.02, 0.0, 0.25])
    return model


def on_feet(model: rbdl.Model) -> rbdl.ConstraintSet:
    """The tips of four limbs held in all directions."""
    constraints = rbdl.ConstraintSet()
    for limb in range(FEET):
        tip = model.GetBodyId(f"limb{limb} link{LINKS - 1}")
        for normal in np.eye(3):
            constraints.AddContactConstraint(tip, (0.0, 0.0, 0.25), normal)
    constraints.Bind(model)
    return constraints


def microseconds(call: Callable[[], object], calls: int = CALLS) -> float:
    """Of the fastest of many rounds."""
    return min(Timer(call).repeat(ROUNDS, calls)) / calls * 1e6


def main() -> int:
    model = machine()
    core, constraints = model.core, on_feet(model)
    rows, rng = constraints.on(model), np.random.default_rng(0)
    q = ph.random_configuration(core, rng, BATCH)
    qd, tau = rng.standard_normal((2, BATCH, core.nv))
    one, out = (q[0].copy(), qd[0].copy(), tau[0].copy()), np.zeros(core.nv)
    print(f"{core.nv} degrees of freedom, {rows.n_rows} rows; microseconds")
    print(f"{'method':12} {'polhode':>8} {'rbdl':>8} {'in a batch':>11} {'first call':>11}")
    expected = ph.constrained_dynamics(core, rows, *one).qdd
    slowest = 0.0
    for method, name in METHODS.items():
        begun = perf_counter()
        found = ph.constrained_dynamics(core, rows, *one, method=method)
        first = perf_counter() - begun
        np.testing.assert_allclose(found.qdd, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
        times = [microseconds(lambda m=method: ph.constrained_dynamics(core, rows, *one, method=m))]
        if name is not None:
            function = getattr(rbdl, f"ForwardDynamicsConstraints{name}")
            times.append(microseconds(lambda f=function: f(model, *one, constraints, out)))
        batch = microseconds(
            lambda m=method: ph.constrained_dynamics(core, rows, q, qd, tau, method=m), 1
        )
        slowest = max(slowest, *times)
        through = f"{times[1]:8.1f}" if name else " " * 8
        print(f"{method:12} {times[0]:8.1f} {through} {batch / BATCH:11.1f} {first:9.2f} s")
    return slowest > LIMIT


if __name__ == "__main__":
    sys.exit(main())
