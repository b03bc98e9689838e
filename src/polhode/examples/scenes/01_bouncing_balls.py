"""Three balls bounce, and come to rest.

A ball that gives back the share e of the speed it strikes with rises to e^2 of the height it
fell from.  Its bounces get shorter and shorter: infinitely many of them take the finite time
t0 (1 + e) / (1 - e), where t0 is the first fall's.  A simulator that goes from bounce to bounce
never gets past that moment.  This one does.
"""

from __future__ import annotations

import math

import numpy as np

import polhode as ph
from polhode.examples import path
from polhode.examples.stage import Stage

# %%
# The scene is Moby's XML, `bouncing_balls.xml`: ``polhode sim bouncing_balls.xml --show`` runs
# it without any Python.  Each ball has contact parameters of its own with the ground.
RESTITUTION = {"dull": 0.4, "fair": 0.6, "lively": 0.8}
RADIUS, FALL, G = 0.2, 1.0, 9.81


def heights(recording: ph.Recording, name: str) -> np.ndarray:
    """Of a ball above the ground; in Moby's file y is up."""
    return recording.of(name)[0][:, 1] - RADIUS


def apexes(z: np.ndarray) -> np.ndarray:
    """The local maxima."""
    return z[1:-1][(z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:])]


# %%
# *Notice* the heights of the bounces, e^2 apart, and when each ball lies still.
def main() -> None:
    stage = Stage("01_bouncing_balls", __doc__)
    recording = ph.simulate(
        ph.load(path("scenes/bouncing_balls.xml")), 5.0, record=1, progress=False
    )
    first = math.sqrt(2.0 * FALL / G)
    lines = []
    for name, e in RESTITUTION.items():
        z = heights(recording, name)
        moves = np.flatnonzero(np.abs(recording.of(name)[1][:, 1]) > 1e-6)
        stops, ends = recording.times[moves[-1]], first * (1.0 + e) / (1.0 - e)
        print(
            f"e = {e}: rises to {apexes(z)[0]:.4f} and {apexes(z)[1]:.4f} m (e^2 {e**2:.4f}, "
            f"e^4 {e**4:.4f}); lies still from {stops:.3f} s on (formula {ends:.3f} s)"
        )
        lines.append((f"e = {e}", z[::10]))
    stage.figure("height", recording.times[::10], lines, "Three balls bounce", "height [m]")
    stage.animation(recording, still=0.75, camera={"direction": (0.15, 0.2, 1.0)})


if __name__ == "__main__":
    main()
