"""Five boxes on a slope: which of them slide?

A box stays where it is while mu is at least the tangent of the slope, 0.364 at 20 degrees.
Otherwise it slides down with a = g (sin - mu cos).  Between sticking and sliding there is nothing:
no creeping, however near the limit.
"""

from __future__ import annotations

import math

import polhode as ph
from polhode.examples import path
from polhode.examples.stage import Stage

# %%
# The scene is Moby's XML, `ramp.xml`.  Nothing about a cone is said there, so friction has the
# true round one.
MUS = ("0.1", "0.2", "0.3", "0.36", "0.37")
G, SLOPE = 9.81, math.radians(20.0)


# %%
# *Notice* the last two: mu of 0.36 slides, 41 mm in a second and a half, and 0.37 does not stir.
def main() -> None:
    stage = Stage("02_ramp", __doc__)
    recording = ph.simulate(ph.load(path("scenes/ramp.xml")), 1.5, progress=False)
    lines = []
    for mu in MUS:
        q = recording.of(f"mu {mu}")[0]
        way = (q[:, :2] - q[0, :2]) @ [math.cos(SLOPE), -math.sin(SLOPE)]
        a = max(0.0, G * (math.sin(SLOPE) - float(mu) * math.cos(SLOPE)))
        known = 0.5 * a * recording.times[-1] ** 2
        print(f"mu = {mu}: slides {way[-1]:.9f} m (formula {known:.9f} m)")
        lines.append((f"mu = {mu}", way))
    stage.figure("way", recording.times, lines[:4], "Down the slope", "way [m]")
    stage.animation(recording, still=1.0, camera={"direction": (1.0, 0.55, 1.0)})


if __name__ == "__main__":
    main()
