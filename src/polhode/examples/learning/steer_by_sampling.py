"""A robot that looks ahead: predictive sampling, fifty times a second.

    python examples/learning/steer_by_sampling.py [--seconds 12] [--live] [--output FOLDER]

The robot of ``learn_to_walk.py`` is to go forth and back.  Nothing is learned.  Fifty times a
second it tries changes of its plan in worlds side by side, from where it is, and keeps the best.
The method is predictive sampling (Howell, Gileadi, Tunyasuvunakool and others 2022).  ``--live``
shows it in the browser, where it can be pulled with the mouse.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from learn_to_walk import (  # type: ignore[import-not-found]  # beside this file
    CAMERA,
    HEIGHT,
    scene,
)

import polhode as ph

# %%
# A plan has controls at a few times from now on, and goes straight between them.
PERIOD, STEP = 0.02, 0.01  # between plans, and of the worlds that try them [s]
AHEAD, KNOTS, SAMPLES, NOISE = 0.5, 6, 128, 0.5
SPEED, LEG = 1.2, 4.0  # how fast [m/s], and after which time it turns back [s]


def wanted_speed(t: float) -> float:
    return SPEED if t % (2.0 * LEG) < LEG else -SPEED


def cost(q: np.ndarray, qd: np.ndarray, controls: np.ndarray, speed: float) -> np.ndarray:
    """Of each world: its speed is to be right, the trunk level and high, and effort small."""
    error = np.abs(qd[..., 0] - speed) + 2.0 * np.abs(q[..., 2]) + 0.1 * np.abs(qd[..., 2])
    low = np.maximum(HEIGHT - 0.06 - q[..., 1], 0.0)
    return (error + 20.0 * low).mean(axis=0) + 0.02 * (controls**2).mean(axis=(-2, -1))


class Planner:
    """Controls of the actuators, from plans that it makes anew whenever it is asked."""

    def __init__(self, seed: int, speed: Any = wanted_speed):
        self.world: ph.Scene = scene()
        self.speed = speed
        self.rng: np.random.Generator = np.random.default_rng(seed)
        self.plan: np.ndarray = np.zeros((KNOTS, self.world.n_controls))
        self.since: float = 0.0
        self.seconds: list[float] = []

    def __call__(self, t: float, state: ph.simulation.State) -> np.ndarray:
        began = perf_counter()
        self._move_on(t)
        tried = self._changed()
        controls = self._along(tried)
        ends = ph.rollout(
            self.world, q=state.q, qd=state.qd, controls=controls, steps=controls.shape[1],
            dt=STEP, start="keep", record_every=2,
        )  # fmt: skip
        costs = cost(ends.q[1:], ends.qd[1:], controls, self.speed(t))
        self.plan = tried[np.nanargmin(costs)]
        self.seconds.append(perf_counter() - began)
        return self.plan[0]

    def _move_on(self, t: float) -> None:
        """Let the plan begin now."""
        times = np.linspace(0.0, AHEAD, KNOTS)
        later = times + (t - self.since)
        self.plan = np.stack([np.interp(later, times, each) for each in self.plan.T], axis=1)
        self.since = t

    def _changed(self) -> np.ndarray:
        """The plan as it is, and with changes at random."""
        noise = NOISE * self.rng.normal(size=(SAMPLES, *self.plan.shape))
        noise[0] = 0.0
        noise[1 : SAMPLES // 2] *= 0.4
        return np.clip(self.plan + noise, -1.0, 1.0)

    def _along(self, plans: np.ndarray) -> np.ndarray:
        """Controls of each step of the worlds, shape (samples, steps, controls)."""
        place = np.arange(round(AHEAD / STEP)) * STEP / AHEAD * (KNOTS - 1)
        k = np.minimum(place.astype(int), KNOTS - 2)
        part = (place - k)[:, None]
        return (1.0 - part) * plans[:, k] + part * plans[:, k + 1]


# %%
# The robot itself moves by event-driven steps of 2 ms, so its plans are made with another model.
def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=12.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--live", action="store_true", help="in the browser, without end")
    parser.add_argument("--output", type=Path, help="a folder for the animation")
    options = parser.parse_args()
    planner = Planner(options.seed)
    held = ph.simulation.zero_order_hold(planner, PERIOD)
    if options.live:
        ph.show(ph.Simulator(scene(), dt=2e-3, controls=held), live=True, camera=CAMERA)
        return
    run = ph.simulate(scene(), options.seconds, dt=2e-3, controls=held, record=PERIOD)
    took = np.array(planner.seconds[1:])
    print(f"{len(took)} plans, {1.0 / np.median(took):.0f} a second in the median, "
          f"{1.0 / np.quantile(took, 0.99):.0f} in the slowest hundredth")  # fmt: skip
    for k in range(0, len(run.times), round(LEG / PERIOD)):
        print(f"at {run.q[k, 0]:5.2f} m after {run.times[k]:4.1f} s")
    print(f"leans by at most {np.abs(run.q[:, 2]).max():.2f} rad")
    if options.output is not None:
        options.output.mkdir(parents=True, exist_ok=True)
        ph.show(run, options.output / "steer.html", open_browser=False, camera=CAMERA)


if __name__ == "__main__":
    main()
