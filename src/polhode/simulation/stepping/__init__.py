"""Scenes in time, with contact, friction, limits, loops and gears."""

from .plugin_contacts import PlacedGeometry
from .run import simulate_scene
from .simulator import Simulator, TimeSteppingSimulator

__all__ = ["PlacedGeometry", "Simulator", "TimeSteppingSimulator", "simulate_scene"]
