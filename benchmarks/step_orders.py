"""Errors of contacts that roll and of machines, each time the step is halved.

    python benchmarks/step_orders.py [--only NAME]

The scenes are those of `tests/contact/test_rolling.py` and `tests/simulation/test_steps.py`; a
row has the error at each step, and below the factor by which halving the step divided it: 4 at
second order.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from contact.test_rolling import WAY, coin_energy_lost, energy_lost_inside, off_turntable
from reference.contact_scenes import G
from simulation.test_steps import MACHINES, STEPS, errors

LEAN = math.pi / 4
ROUND = math.sqrt(G * math.tan(LEAN) * WAY * math.sin(LEAN))  # speed of a level circle [m/s]
# What a scene is wrong by at a step: metres, a share of the energy, joules.
ROLLING: dict[str, Callable[[float], float]] = {
    "box on a turntable, 2 s [m]": lambda dt: off_turntable(dt, 2.0),
    "coin at 10 degrees, 0.3 s [of E]": lambda dt: coin_energy_lost(dt, 0.3),
    "ball in a bowl, 1 s [J]": lambda dt: energy_lost_inside(True, 0.0, (0, ROUND, 0), dt, 1.0),
    "ball in a tube, 4 s [J]": lambda dt: energy_lost_inside(False, 10.0, (0, 0, 0), dt, 4.0),
}
ROLLING_STEPS = 4e-3 / 2.0 ** np.arange(6)


def show(name: str, found: np.ndarray) -> None:
    ratio = found[:-1] / np.maximum(found[1:], 1e-300)
    print(f"{name:34s}" + "".join(f"{x:9.1e}" for x in found))
    print(" " * 43 + "".join(f"{x:9.3g}" for x in ratio), flush=True)


def heading(steps: np.ndarray) -> None:
    print(f"{'step [ms]':34s}" + "".join(f"{1e3 * dt:9.3g}" for dt in steps))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="a part of the names to run")
    only = parser.parse_args().only
    heading(ROLLING_STEPS)
    for name, error in ROLLING.items():
        if only in name:
            show(name, np.array([abs(error(dt)) for dt in ROLLING_STEPS]))
    heading(STEPS)
    for name, start in MACHINES.items():
        if only in name:
            show(f"{name} [m]", errors(*start(), duration=0.5))


if __name__ == "__main__":
    main()
