"""A free-floating 'vee' of two rods turns its joint.

Hybrid dynamics: the joint's acceleration is given, the six degrees of freedom of the
base have no force.  After a revolution of the joint the rods have changed places, and after two
they are back.  On the way they do not stay in a plane.
"""

from __future__ import annotations

import numpy as np

from polhode import spatial_v2 as sv
from polhode.examples.tutorial import Tutorial, integrate

FORWARD = [1, 1, 1, 1, 1, 1, 0]


def main() -> None:
    run = Tutorial("03_free_floating_vee", __doc__, 20.0, length=1.0, speed=np.pi)
    model, speed = sv.vee(run.options.length), run.options.speed

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        q, qd = x[:7], x[7:]
        qdd = np.zeros(7)
        qdd[6] = 10000.0 * (speed * t - q[6]) + 140.0 * (speed - qd[6])
        return np.concatenate((qd, sv.HD(model, FORWARD, q, qd, qdd, np.zeros(7))[0]))

    t, x = integrate(rates, np.zeros(14), (0.0, run.options.duration), rtol=1e-4, max_step=0.02)
    run.figure("place", t, [("x", x[0]), ("y", x[1]), ("z", x[2])],
               "The first rod's end", "place [m]")  # fmt: skip
    run.figure("angles", t, [("about x", x[3]), ("about y", x[4]), ("about z", x[5])],
               "The first rod's orientation", "angle [rad]")  # fmt: skip
    momentum = [
        sv.EnerMo(model, *column.reshape(2, 7)).htot for column in x.T[:: max(len(t) // 50, 1)]
    ]
    print(f"momentum stays zero within {np.abs(momentum).max():.1e}")
    run.animation(model, t, x[:7], "Free-floating vee")


if __name__ == "__main__":
    main()
