"""Scenes in time, with contact, friction, limits, loops and gears."""

from .plugin_contacts import PlacedGeometry
from .simulator import Simulator, TimeSteppingSimulator

__all__ = ["PlacedGeometry", "Simulator", "TimeSteppingSimulator"]
