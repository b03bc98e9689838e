"""Painleve's rod: chalk that hops.

A rod is pushed along a board with its upper end in front.  Above mu = 4/3, at the right angle,
no forces satisfy the laws of rigid bodies and of friction.  Any force that keeps the foot out of
the board makes friction press it in harder.  The way out is an impulse without a
collision: the foot jams, and the rod is thrown over it.
"""

from __future__ import annotations

import math

import numpy as np

import polhode as ph
from polhode import Model
from polhode.examples.stage import GROUND, Stage
from polhode.model import Capsule, FloatingBase, Link, Plane, RigidBody, Visual
from polhode.spatial import Transform

# %%
# Two rods slide the same way with the same lean, tan of it 2; only their friction differs.
HALF, THIN, SLIP, ANGLE = 0.5, 1e-4, 3.0, math.atan(2.0)
COLORS = {"slides": (0.2, 0.5, 0.8, 1.0), "jams": (0.85, 0.3, 0.2, 1.0)}
MU = {"slides": 1.2, "jams": 1.6}


def rod(name: str) -> Model:
    own = (2 * HALF) ** 2 / 12
    body = RigidBody(1.0, (0, 0, 0), ((own, 0, 0), (0, own, 0), (0, 0, 1e-4)))
    drawn = Visual(Capsule(0.015, 2 * HALF), color=COLORS[name])
    return Model(name, (Link(name, None, FloatingBase(), body=body, visuals=(drawn,)),))


def scene() -> ph.Scene:
    out = ph.Scene("chalk").add_fixed("board", Plane(), color=GROUND)
    tilt = 0.5 * (math.pi / 2 - ANGLE)
    for k, name in enumerate(COLORS):
        # It leans towards +x and slides towards -x: the foot digs in.
        q = (0, 0.5 * k, HALF * math.sin(ANGLE) + THIN, 0, math.sin(tilt), 0, math.cos(tilt))
        touching = (name, Capsule(THIN, 2 * HALF), Transform.identity())
        start = {"q": q, "qd": (-SLIP, 0, 0, 0, 0, 0)}
        out = out.add_machine(rod(name), name, geometries=[touching], **start)
        out = out.contact(name, "board", mu_coulomb=MU[name])
    return out


def foot(recording: ph.Recording, name: str) -> np.ndarray:
    """Velocity of the lower end along the board."""
    q, _ = recording.of(name)
    x, y, z, w = q[:, 3], q[:, 4], q[:, 5], q[:, 6]
    axis = np.stack((2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)), axis=1)
    return np.gradient((q[:, :3] - HALF * axis)[:, 0], recording.times)


# %%
# *Notice* the first step: one rod loses what friction takes in that time, the other everything.
def main() -> None:
    stage = Stage("10_painleves_rod", __doc__)
    recording = ph.simulate(scene(), 1.2, record=1, progress=False)
    for name, mu in MU.items():
        c, s = math.cos(ANGLE), math.sin(ANGLE)
        sign = 1.0 + 3.0 * c * (c - mu * s)
        energy = 0.5 * SLIP**2
        _, qd = recording.of(name)
        own = (2 * HALF) ** 2 / 12
        after = 0.5 * (qd[2, :3] @ qd[2, :3]) + 0.5 * own * (qd[2, 3:5] @ qd[2, 3:5])
        speed = foot(recording, name)
        print(
            f"mu = {mu}: 1 + 3 cos (cos - mu sin) = {sign:+.3f}; after two steps the foot slides "
            f"with {abs(speed[3]):.3f} m/s, and {after / energy:.0%} of the energy is left"
        )
    lines = [(f"mu = {mu}", foot(recording, name)) for name, mu in MU.items()]
    stage.figure("foot", recording.times, lines, "Painleve's rod", "speed of the foot [m/s]")
    stage.animation(recording, still=0.12, camera={"direction": (0.2, -1.0, 0.3)})


if __name__ == "__main__":
    main()
