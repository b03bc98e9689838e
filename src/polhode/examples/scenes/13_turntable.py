"""A ball rolls on a turntable, and does not fly off.

The table rotates with Omega.  A ball that rolls on it goes around in a circle with 2/7 of Omega,
wherever it starts and however it is pushed.  So does a charge in a magnetic field.  The table
pulls it along but never carries it away.
"""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode.examples import path
from polhode.examples.stage import Stage

# %%
# The scene is Moby's XML, `turntable.xml`.  A body that is not enabled stays where it is; with a
# velocity its surface moves, which makes it a belt or a turntable.
OMEGA = 2.0


# %%
# *Notice* the rate, and how round the circle is.
def main() -> None:
    stage = Stage("13_turntable", __doc__)
    recording = ph.simulate(ph.load(path("scenes/turntable.xml")), 12.0, progress=False)
    q, qd = recording.of("ball")
    x, z, t = q[:, 0], q[:, 2], recording.times
    angle = np.unwrap(np.arctan2(qd[5:, 0], qd[5:, 2]))
    rate = (angle[-1] - angle[0]) / (t[-1] - t[5])
    print(f"the ball goes around with {rate:.9f} rad/s (formula {2.0 * OMEGA / 7.0:.9f})")
    # The circle through all places: x^2 + z^2 = 2 a x + 2 b z + c.
    system = np.stack((2 * x, 2 * z, np.ones_like(x)), axis=1)
    a, b, _ = np.linalg.lstsq(system, x**2 + z**2, rcond=None)[0]
    radius = np.hypot(x - a, z - b)
    print(
        f"its circle around ({a:.4f}, {b:.4f}) has a radius of {radius.mean():.6f} m, and it "
        f"leaves that by {np.ptp(radius):.1e} m in {t[-1] * rate / (2 * np.pi):.2f} turns"
    )
    stage.figure("place", t, [("x", x), ("z", z)], "A ball on a turntable", "place [m]")
    stage.animation(recording, still=6.0, camera={"direction": (0.2, 1.0, 0.9)})


if __name__ == "__main__":
    main()
