"""A disc bounces and rolls on a horizontal surface.

Compliant ground with friction under its 32 corners.  It bounces, rolls with its own rattle,
and leans more and more; thrown with a little more twist (--twist 0.22) it falls over.
"""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode import spatial_v2 as sv
from polhode.examples.tutorial import Tutorial, integrate
from polhode.spatial_v2.convert import floating_core

K, D, MU = 1e6, 2000.0, 0.1


def start(twist: float) -> np.ndarray:
    """The disc 0.1 m up, thrown along x."""
    return np.array([*sv.rq(sv.rz(twist)), 0, 0, 0.1, 0, 0, 0, 0.6, 0, 0], float)


def watched(model: sv.SystemModel, t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The normal force, and how many points slide, at each sample."""
    push, sliding = np.zeros(len(t)), np.zeros(len(t))
    for k, column in enumerate(x.T):
        motion = sv.gcPosVel(model, column[:13])
        u = column[13:].reshape(2, -1)
        f, _, cone = sv.gcontact(K, D, MU, motion[:3], motion[3:], u)
        push[k], sliding[k] = f[2].sum(), np.sum((f[2] > 0) & (cone > 1))
    return push, sliding


def many(model: sv.SystemModel, n: int, twist: float, duration: float) -> None:
    """The same throw with ``n`` twists at once: how many discs lie on their side at the end?"""
    core = floating_core(model)
    ground = ph.contact.compliant_ground(
        K, D, MU, core, [(2, p) for p in model.gc.point.T.tolist()]
    )
    x = np.array([start(angle) for angle in np.linspace(0.5 * twist, 1.5 * twist, n)])
    q, qd = ph.floating_base.floating_base_state(core, x, np.empty((n, 0)), np.empty((n, 0)))
    step = 2e-4
    end = ph.rollout(core, ground, q, qd, steps=round(duration / step), dt=step)
    across = np.abs(ph.body_poses(core, end.q[-1])[:, -1, 2, 1])
    lean = np.degrees(np.arcsin(np.minimum(across, 1.0)))
    print(f"of {n} discs with twists around {twist} rad, {np.sum(lean > 45)} have fallen over")


def main() -> None:
    run = Tutorial("07_rolling_disc", __doc__, 1.5, npoly=16, twist=0.18, worlds=64)
    model = sv.rollingdisc(run.options.npoly)

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        motion, u = sv.gcPosVel(model, x[:13]), x[13:].reshape(2, -1)
        f, ud, _ = sv.gcontact(K, D, MU, motion[:3], motion[3:], u)
        forces = sv.Fpt(f, motion[:3]).ravel(order="F")
        return np.concatenate((sv.gcFD(model, sv.FDfb, np.append(x[:13], forces)), ud.ravel()))

    x0 = np.concatenate((start(run.options.twist), np.zeros(4 * run.options.npoly)))
    t, x = integrate(rates, x0, (0.0, run.options.duration), rtol=1e-3, max_step=0.01)
    push, sliding = watched(model, t, x)
    run.figure(
        "place", t, [("x", x[4]), ("y", x[5]), ("z", x[6])], "The disc's centre", "place [m]"
    )
    run.figure("force", t, [("normal force", push)], "Force of the ground", "force [N]")
    run.figure("sliding", t, [("points", sliding)], "Points that slide", "number")
    if run.options.worlds:
        many(model, run.options.worlds, run.options.twist, run.options.duration)
    run.animation(model, t, sv.fbanim(x[:13]), "A disc bounces and rolls")


if __name__ == "__main__":
    main()
