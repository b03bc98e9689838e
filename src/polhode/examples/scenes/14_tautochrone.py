"""Three balls on a cycloid arrive together.

Down a hanging cycloid it takes as long from anywhere: pi sqrt(a / g) without friction, and
sqrt(7/5) times that for a ball that rolls.  Huygens built his clock on it.  The ball's centre runs
on a curve a little shorter, of a - r/4 instead of a near the bottom.
"""

from __future__ import annotations

import math

import numpy as np

import polhode as ph
from polhode.examples.stage import Stage
from polhode.model import Heightmap, Sphere

# %%
# The ground is a height field that is drawn and touched alike.  Each ball starts a ball's radius
# above it.
A, RADIUS, G = 1.0, 0.04, 9.81
STARTS = {"high": 2.0, "middle": 1.3, "low": 0.6}  # parameter of the cycloid
COLORS = ((0.85, 0.3, 0.2, 1.0), (0.95, 0.7, 0.2, 1.0), (0.2, 0.5, 0.8, 1.0))


def valley(columns: int = 801) -> Heightmap:
    phi = np.linspace(-math.pi, math.pi, 20001)
    x = np.linspace(-3.05, 3.05, columns)
    heights = np.interp(x, A * (phi + np.sin(phi)), A * (1.0 - np.cos(phi)))
    return Heightmap(tuple((float(z),) * 3 for z in heights), (6.1, 1.2))


def scene() -> ph.Scene:
    out = ph.Scene("cycloid").add_fixed("ground", valley(), color=(0.75, 0.77, 0.8, 1.0))
    out = out.contact(mu_coulomb=1e3)
    for k, (name, phi) in enumerate(STARTS.items()):
        up = np.array([-math.sin(phi / 2), 0.0, math.cos(phi / 2)])
        place = np.array([A * (phi + math.sin(phi)), 0.3 * (k - 1), A * (1.0 - math.cos(phi))])
        out = out.add_body(
            name, Sphere(RADIUS), position=tuple(place + RADIUS * up), mass=0.1, color=COLORS[k]
        )  # fmt: skip
    return out


# %%
# *Notice* when each is at the bottom.
def main() -> None:
    stage = Stage("14_tautochrone", __doc__)
    recording = ph.simulate(scene(), 5.0, record=2, progress=False)
    print(f"theory: {math.pi * math.sqrt(1.4 * (A - RADIUS / 4.0) / G):.4f} s")
    lines = []
    for name in STARTS:
        x = recording.of(name)[0][:, 0]
        k = np.flatnonzero(x < 0.0)[0]
        step = recording.times[k] - recording.times[k - 1]
        t = recording.times[k - 1] + step * x[k - 1] / (x[k - 1] - x[k])
        print(f"{name}: starts {x[0]:.2f} m away, is at the bottom after {t:.4f} s")
        lines.append((name, x))
    stage.figure("place", recording.times, lines, "Three balls on a cycloid", "x [m]")
    stage.animation(recording, still=0.75, camera={"direction": (0.2, -1.0, 0.45)})


if __name__ == "__main__":
    main()
