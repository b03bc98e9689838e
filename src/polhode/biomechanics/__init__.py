"""Measured motions: tables of OpenSim, markers to joint positions, positions to accelerations.

`polhode.load` reads the models.  May import `arguments`, `arrays`, `errors`, `namespaces`, `api`,
`binding`, `model`, `formats` and `kinematics`.
"""

from typing import TYPE_CHECKING

from ..formats.osim import MarkerTable, MotionTable, read_table
from ..namespaces import says_where
from .loads import applied_forces
from .markers import MarkerFit, marker_inverse_kinematics
from .motions import Trajectory, coordinate_names, joint_positions, lowpass, trajectory

__all__ = [
    "MarkerFit",
    "MarkerTable",
    "MotionTable",
    "Trajectory",
    "applied_forces",
    "coordinate_names",
    "joint_positions",
    "lowpass",
    "marker_inverse_kinematics",
    "read_table",
    "trajectory",
]

if not TYPE_CHECKING:  # type checkers would take any name
    __getattr__ = says_where(__name__)
