"""A tippe top turns over.

A ball whose centre of mass is a little below its middle rotates on a table.  It slides where it
touches, and friction lifts it: it ends upside down, slower, with its centre of mass above the
middle.  Whatever the friction, Jellett's constant stays: the angular momentum along the line from
the point of contact to the centre of mass.
"""

from __future__ import annotations

import math

import polhode as ph
from polhode import Model
from polhode.examples.stage import GROUND, Stage
from polhode.model import FloatingBase, Link, Plane, RigidBody, Sphere, Visual
from polhode.spatial import Transform

# %%
# A pale cap shows which side is up; the ball alone touches.
RADIUS, BELOW, MASS = 0.02, 0.002, 0.015
INERTIA = 0.4 * MASS * RADIUS**2
SPIN, LEAN = 200.0, 0.1


def scene() -> ph.Scene:
    body = RigidBody(MASS, (0, 0, -BELOW), ((INERTIA, 0, 0), (0, INERTIA, 0), (0, 0, INERTIA)))
    above = Transform.translation(0, 0, 0.6 * RADIUS)
    ball = Visual(Sphere(RADIUS), color=(0.8, 0.35, 0.2, 1.0))
    cap = Visual(Sphere(0.45 * RADIUS), above, (0.95, 0.9, 0.8, 1.0))
    top = Model("top", (Link("top", None, FloatingBase(), body=body, visuals=(ball, cap)),))
    half, c, s = LEAN / 2, math.cos(LEAN), math.sin(LEAN)
    out = ph.Scene("tippe top").add_fixed("table", Plane(), color=GROUND).contact(mu_coulomb=0.1)
    return out.add_machine(
        top, q=(0, 0, RADIUS, math.sin(half), 0, 0, math.cos(half)),
        qd=(0, 0, 0, 0, SPIN * s, SPIN * c),  # about the vertical
        geometries=[("top", Sphere(RADIUS), Transform.identity())],
    )  # fmt: skip


# %%
# *Notice* the angular velocity of the end, which Jellett's constant tells.
def main() -> None:
    stage = Stage("15_tippe_top", __doc__)
    recording = ph.simulate(scene(), 8.0, dt=2.5e-4, record=0.005, progress=False)
    poses = recording.poses[:, -1]
    height = 1e3 * (poses[:, 2, 3] - BELOW * poses[:, 2, 2])
    rate = (poses[:, 2, :3] * recording.qd[:, 3:]).sum(axis=1)
    first = rate[0] * (1.0 - BELOW / RADIUS * math.cos(LEAN))
    end = first / (1.0 + BELOW / RADIUS)
    print(f"its centre of mass rises from {height[0]:.2f} to {height[-1]:.2f} mm")
    print(f"it ends with {rate[-1]:.1f} rad/s (by Jellett's constant {end:.1f})")
    lines = [("centre of mass", height)]
    stage.figure("height", recording.times, lines, "A tippe top", "height [mm]")
    stage.animation(recording, still=2.0, camera={"direction": (1.0, -0.6, 0.35)})


if __name__ == "__main__":
    main()
