"""Three discs roll upright, or fall over.

A disc that rolls upright on its edge is steady from w^2 = g / (3 r) on.  All three start with a
lean of a thousandth of a radian.  A leaning disc changes its heading, and that rights it; below
that speed its heading changes too slowly.
"""

from __future__ import annotations

import math

import numpy as np

import polhode as ph
from polhode import Model
from polhode.examples.stage import GROUND, Stage
from polhode.model import Cylinder, FloatingBase, Link, Plane, RigidBody, Visual
from polhode.spatial import Transform

# %%
# The discs are so thin that what keeps them up is not the width of their edge.  They are drawn
# thicker than they touch, with a stripe.
RADIUS, THICK, LEAN, G = 0.3, 2e-6, 1e-3, 9.81
SHARES = {"slow": 0.5, "fast": 1.3, "faster": 2.5}  # of the least steady speed squared
COLORS = ((0.85, 0.3, 0.2, 1.0), (0.95, 0.7, 0.2, 1.0), (0.2, 0.5, 0.8, 1.0))


def disc(name: str, color: tuple[float, float, float, float]) -> Model:
    """A uniform disc whose axis is z."""
    across = 0.25 * RADIUS**2
    body = RigidBody(1.0, (0, 0, 0), ((across, 0, 0), (0, across, 0), (0, 0, 2 * across)))
    hub = Transform.translation(0.6 * RADIUS, 0, 0)
    visuals = (Visual(Cylinder(RADIUS, 0.012), color=color),
               Visual(Cylinder(0.2 * RADIUS, 0.014), hub, (0.95, 0.95, 0.93, 1.0)))  # fmt: skip
    return Model(name, (Link(name, None, FloatingBase(), body=body, visuals=visuals),))


def scene() -> ph.Scene:
    out = ph.Scene("discs").add_fixed("ground", Plane(), color=GROUND).contact(mu_coulomb=1e3)
    height = RADIUS * math.cos(LEAN) + 0.5 * THICK * math.sin(LEAN)
    turn = 0.5 * (LEAN - math.pi / 2)  # about x: the axis along y, and a little up
    for k, (name, share) in enumerate(SHARES.items()):
        spin = math.sqrt(share * G / (3.0 * RADIUS))
        out = out.add_machine(
            disc(name, COLORS[k]), name,
            q=(0, 1.5 * (k - 1), height, math.sin(turn), 0, 0, math.cos(turn)),
            qd=(spin * RADIUS, 0, 0, 0, 0, spin),
            geometries=[(name, Cylinder(RADIUS, THICK), Transform.identity())],
        )  # fmt: skip
        out = out.disable(name, name)
    return out


def lean(q: np.ndarray) -> np.ndarray:
    """Of a disc, from the height of the tip of its axis."""
    x, y = q[:, 3], q[:, 4]
    return np.arcsin(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0))


# %%
# *Notice* the two that stay up: they sway to theta0 (s + 1) / (s - 1), where s is the share.
def main() -> None:
    stage = Stage("08_rolling_discs", __doc__)
    recording = ph.simulate(scene(), 5.0, dt=5e-4, progress=False)
    lines = []
    for name, share in SHARES.items():
        angle = lean(recording.of(name)[0])
        lines.append((name, np.degrees(angle)))
        most = np.abs(angle).max()
        if share > 1.0:
            known = LEAN * (share + 1.0) / (share - 1.0)
            print(f"{name}: leans {1e3 * most:.3f} mrad at most (theory {1e3 * known:.3f})")
        else:
            down = recording.times[np.flatnonzero(np.abs(angle) > 0.1)[0]]
            print(f"{name}: leans 0.1 rad at {down:.2f} s, {most:.2f} rad at most")
    stage.figure("lean", recording.times, lines, "Three rolling discs", "lean [degrees]")
    stage.animation(recording, still=2.6, camera={"direction": (1.0, -0.9, 0.5)})


if __name__ == "__main__":
    main()
