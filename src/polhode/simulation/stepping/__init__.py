"""Scenes in time, with contact, friction, limits, loops and gears."""

from .finding import Surface
from .run import simulate_scene
from .simulator import Simulator, TimeSteppingSimulator

__all__ = ["Simulator", "Surface", "TimeSteppingSimulator", "simulate_scene"]
