"""Discrete PD control of a planar 2R robot.

The controller samples the joints, takes differences, and holds its forces in between.
"""

from __future__ import annotations

import numpy as np

from polhode import spatial_v2 as sv
from polhode.examples.tutorial import Polyline, Tutorial, integrate

COMMAND = Polyline([0, 1, 1, 0, 0], [0, 2, 2, 0, 0])


def main() -> None:
    run = Tutorial("02_sampled_control", __doc__, 10.0, gain=(800.0, 800.0),
                   time_constant=(0.015, 0.015), period=0.005)  # fmt: skip
    model, period = sv.planar(2), run.options.period
    gain, lead = np.array(run.options.gain), np.array(run.options.time_constant)
    x, before = np.zeros(4), np.zeros(2)
    samples, states, forces = [], [], []
    for k in range(round(run.options.duration / period)):
        push = gain * (COMMAND(k * period) - x[:2])
        tau = push + (lead * push - before) / period
        before = lead * push
        samples.append(k * period)
        states.append(x)
        forces.append(tau)

        def rates(t: float, x: np.ndarray, tau: np.ndarray = tau) -> np.ndarray:
            return np.concatenate((x[2:], sv.FDab(model, x[:2], x[2:], tau)))

        x = integrate(rates, x, (k * period, (k + 1) * period), rtol=1e-3)[1][:, -1]
        if not np.abs(x).max() < 1e3:
            print(f"unstable: the robot spins up after {k * period:.3f} s")
            break
    t, x, tau = np.array(samples), np.array(states).T, np.array(forces).T
    wanted = COMMAND(t)
    run.figure("positions", t, [("command 1", wanted[0]), ("q1", x[0]), ("q2", x[1]),
                                ("command 2", wanted[1])],
               "Commanded and actual joint angles", "angle [rad]")  # fmt: skip
    run.figure("forces", t, [("joint 1", tau[0]), ("joint 2", tau[1])],
               "Forces held between samples", "force [N m]")  # fmt: skip
    print(
        f"largest error {np.abs(wanted - x[:2]).max():.4f} rad, force {np.abs(tau).max():.1f} N m"
    )
    run.animation(model, t, x[:2], "Discrete PD control of a planar 2R robot")


if __name__ == "__main__":
    main()
