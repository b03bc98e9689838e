"""OpenSim's models, of all its versions, and its tables of motions, forces and markers.

Not supported: muscles and other forces, controllers, contact, wrapping, meshes, closed loops,
ellipsoid and scapulothoracic joints, functions of several coordinates.  They are named in a note,
or refused where the motion would be another one.
"""

from .reader import parse, read
from .tables import MarkerTable, MotionTable, parse_table, read_table

__all__ = ["MarkerTable", "MotionTable", "parse", "parse_table", "read", "read_table"]
