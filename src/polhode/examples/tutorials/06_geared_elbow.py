"""Controlling a robot with kinematic constraints.

The elbow is two joints that must turn alike.  The controller knows the shoulder and the sum
of the two; how they share it is the constraint's affair, whatever the forces on each.
"""

from __future__ import annotations

import numpy as np

from polhode import spatial_v2 as sv
from polhode.examples.tutorial import Polyline, Tutorial, integrate

COMMAND = Polyline([0, 1, 1, 0, 0], [0, 2.5, 2.5, 0, 0])
J = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]])


def main() -> None:
    run = Tutorial("06_geared_elbow", __doc__, 10.0, gain=(1000.0, 1000.0),
                   time_constant=(0.015, 0.015))  # fmt: skip
    model = sv.doubleElbow()
    gain, lead = np.array(run.options.gain), np.array(run.options.time_constant)

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        q, qd = x[:3], x[3:]
        error, error_rate = COMMAND(t) - J @ q, COMMAND.slope(t) - J @ qd
        tau = J.T @ (gain * (error + lead * error_rate))
        return np.concatenate((qd, sv.FDgq(model, q, qd, tau)))

    stops = COMMAND.stops(run.options.duration)
    t, x = integrate(rates, np.zeros(6), stops, rtol=1e-3, max_step=0.1)
    wanted, got = COMMAND(t), J @ x[:3]
    run.figure("positions", t, [("command 1", wanted[0]), ("shoulder", got[0]), ("elbow", got[1]),
                                ("command 2", wanted[1])],
               "Commanded and actual positions", "angle [rad]")  # fmt: skip
    run.figure(
        "constraint",
        t,
        [("q3 - q2", x[2] - x[1])],
        "How far the two joints of the elbow are from turning alike",
        "angle [rad]",
    )
    print(f"largest error {np.abs(wanted - got).max():.4f} rad; the elbow's joints differ by "
          f"{np.abs(x[2] - x[1]).max():.1e} rad at most")  # fmt: skip
    run.animation(model, t, x[:3], "Robot with a geared elbow")


if __name__ == "__main__":
    main()
