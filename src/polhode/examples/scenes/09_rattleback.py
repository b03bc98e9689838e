"""A stone that turns one way only.

A rattleback that rotates the wrong way begins to rattle, comes to a stop, and turns back.  No
energy is lost and none comes in.  Its principal directions of curvature are oblique to those of
its inertia.  So rotation one way feeds the rocking, and the rocking feeds rotation the other way.
"""

from __future__ import annotations

import math

import numpy as np

import polhode as ph
from polhode import Model
from polhode.examples.stage import GROUND, Stage
from polhode.model import FloatingBase, Link, Plane, RigidBody, Torus, TriangleMesh, Visual
from polhode.spatial import Transform, rotation_y

# %%
# Where it touches, the stone is the outside of a torus: a radius of one metre along, 0.2 m
# across.  So its contact is a closed form, without facets.
ALONG, ACROSS, HEIGHT = 1.0, 0.2, 0.12
INERTIA = ((0.02, 0.003, 0.0), (0.003, 0.004, 0.0), (0.0, 0.0, 0.022))


def hull(rows: int = 24, columns: int = 64) -> TriangleMesh:
    """What is drawn: the lower part of the torus, closed by a lid a little above the centre."""
    points, faces = [], []
    for i in range(1, rows + 1):
        depth = 0.17 * (i / rows) ** 2  # above the lowest point
        for j in range(columns):
            c, s = math.cos(2 * math.pi * j / columns), math.sin(2 * math.pi * j / columns)
            # The section at this depth is nearly an ellipse.
            x = c * math.sqrt(2.0 * ACROSS * depth - depth**2)
            y = s * math.sqrt(2.0 * ALONG * depth - depth**2)
            points.append((x, y, depth - HEIGHT))
    bottom, lid = len(points), len(points) + 1
    points += [(0.0, 0.0, -HEIGHT), (0.0, 0.0, 0.17 - HEIGHT)]
    for j in range(columns):
        k = (j + 1) % columns
        faces.append((bottom, k, j))
        for i in range(rows - 1):
            a, b = i * columns, (i + 1) * columns
            faces += [(a + j, a + k, b + k), (a + j, b + k, b + j)]
        last = (rows - 1) * columns
        faces.append((last + j, last + k, lid))
    return TriangleMesh(tuple(points), tuple(faces))


def scene(spin: float) -> ph.Scene:
    body = RigidBody(1.0, (0.0, 0.0, 0.0), INERTIA)
    drawn = Visual(hull(), color=(0.35, 0.5, 0.45, 1.0))
    stone = Model("stone", (Link("stone", None, FloatingBase(), body=body, visuals=(drawn,)),))
    up = Transform.translation(0.0, 0.0, ALONG - HEIGHT)
    torus = Torus(ALONG - ACROSS, ACROSS)
    # The torus' axis z lies along the stone's x.
    shape = ("stone", torus, Transform.rotation(rotation_y(math.pi / 2)) @ up)
    out = ph.Scene("rattleback").add_fixed("ground", Plane(), color=GROUND).contact(mu_coulomb=1e3)
    return out.add_machine(stone, q=(0, 0, HEIGHT, 0, 0, 0, 1), qd=(0, 0, 0, 1.0, 0, spin),
                           geometries=[shape])  # fmt: skip


def heading_rate(recording: ph.Recording) -> np.ndarray:
    """The angular velocity about the vertical."""
    q, qd = recording.of("stone")
    x, y, z, w = q[:, 3], q[:, 4], q[:, 5], q[:, 6]
    up = np.stack((2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)), axis=1)
    return (up * qd[:, 3:]).sum(axis=1)


# %%
# *Notice* the same push one way and the other.
def main() -> None:
    stage = Stage("09_rattleback", __doc__)
    lines = []
    for spin in (1.5, -1.5):
        recording = ph.simulate(scene(spin), 10.0, progress=False)
        rate = heading_rate(recording)
        lines.append((f"{spin:+} rad/s", rate))
        turns = recording.times[:-1][rate[:-1] * rate[1:] < 0.0]
        what = f"turns back after {turns[0]:.2f} s" if len(turns) else "goes on"
        print(f"from {spin:+.1f} rad/s it {what}, and ends with {rate[-1]:+.2f} rad/s")
    stage.figure("spin", recording.times, lines, "A rattleback", "spin [rad/s]")
    stage.animation(recording, still=4.5, camera={"direction": (1.0, -0.6, 0.45)})


if __name__ == "__main__":
    main()
