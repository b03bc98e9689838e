"""Scenes in time, with contact, friction, limits, loops and gears.

Importing this package imports numba.
"""

from .run import simulate_scene
from .simulators import Simulator, TimeSteppingSimulator

__all__ = ["Simulator", "TimeSteppingSimulator", "simulate_scene"]
