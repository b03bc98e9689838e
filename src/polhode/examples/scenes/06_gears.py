"""A weight swings and drives a train of gears.

Three wheels of 0.4, 0.2 and 0.1 m roll on each other: each turns twice as fast as the one
before, and the other way round.  A gear is a relation of positions, so the marks meet after any
number of turns.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ellipk

import polhode as ph
from polhode.examples import path
from polhode.examples.stage import Stage

# %%
# The scene is Moby's XML, `gears.xml`.  Seen from the weight, a wheel that turns n times as fast
# weighs n^2 times what it does: the small wheel of a quarter of a kilogram is as hard to swing as
# the large one of four.
G, WEIGHT, ARM, START = 9.81, 2.0, 0.3, 2.5


def period() -> float:
    """Of a pendulum with the inertia of all three wheels, from its start at rest."""
    wheels = [0.5 * m * r * r * n**2 for m, r, n in ((4, 0.4, 1), (1, 0.2, 2), (0.25, 0.1, 4))]
    own = sum(wheels) + WEIGHT * (ARM**2 + 0.4 * 0.08**2)
    return 4.0 * math.sqrt(own / (WEIGHT * G * ARM)) * float(ellipk(math.sin(START / 2.0) ** 2))


# %%
# *Notice* the period, which the gears make longer, and that nothing slips.
def main() -> None:
    stage = Stage("06_gears", __doc__)
    recording = ph.simulate(ph.load(path("scenes/gears.xml")), 12.0, record=1, progress=False)
    q = recording.of("train")[0] - recording.of("train")[0][0]
    a = q[:, 0] + START
    down = np.flatnonzero((a[:-1] > 0.0) & (a[1:] <= 0.0))
    crossings = recording.times[down] + 1e-3 * a[down] / (a[down] - a[down + 1])
    print(f"period {np.diff(crossings).mean():.6f} s (formula {period():.6f} s)")
    slip = max(np.abs(q[:, 1] + 2.0 * q[:, 0]).max(), np.abs(q[:, 2] + 2.0 * q[:, 1]).max())
    print(f"after {np.abs(np.diff(q[:, 2])).sum() / (2 * math.pi):.1f} turns of the small wheel, "
          f"back and forth, the marks are off by {slip:.1e} rad at most")  # fmt: skip
    lines = [("large", q[::20, 0]), ("middle", q[::20, 1]), ("small", q[::20, 2])]
    stage.figure("angles", recording.times[::20], lines, "A train of gears", "angle [rad]")
    stage.animation(recording, still=0.9, camera={"direction": (0.1, 0.1, 1.0)})


if __name__ == "__main__":
    main()
