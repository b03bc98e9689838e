"""PD control of a planar 2R robot.

The controller sees positions alone; damping comes from the derivative of the error.
"""

from __future__ import annotations

import numpy as np

from polhode import spatial_v2 as sv
from polhode.examples.tutorial import Polyline, Tutorial, integrate

COMMAND = Polyline([0, 1, 1, 0, 0], [0, 2, 2, 0, 0])


def main() -> None:
    run = Tutorial("01_pd_control", __doc__, 10.0, gain=(800.0, 800.0), time_constant=0.015)
    model = sv.planar(2)
    gain, lead = np.array(run.options.gain), run.options.time_constant

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        q, qd = x[:2], x[2:]
        error, error_rate = COMMAND(t) - q, COMMAND.slope(t) - qd
        tau = gain * (error + lead * error_rate)
        return np.concatenate((qd, sv.FDab(model, q, qd, tau)))

    stops = COMMAND.stops(run.options.duration)
    t, x = integrate(rates, np.zeros(4), stops, rtol=1e-3, max_step=0.2)
    wanted = COMMAND(t)
    run.figure("positions", t, [("command 1", wanted[0]), ("q1", x[0]), ("q2", x[1]),
                                ("command 2", wanted[1])],
               "Commanded and actual joint angles", "angle [rad]")  # fmt: skip
    run.figure("errors", t, [("joint 1", wanted[0] - x[0]), ("joint 2", wanted[1] - x[1])],
               "Tracking errors", "error [rad]")  # fmt: skip
    print(f"largest error {np.abs(wanted - x[:2]).max():.4f} rad")
    run.animation(model, t, x[:2], "PD control of a planar 2R robot")


if __name__ == "__main__":
    main()
