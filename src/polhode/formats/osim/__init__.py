"""OpenSim's models, of all its versions: bodies, joints, coordinates, markers, couplings.

Not supported: muscles and other forces, controllers, contact, wrapping, meshes, closed loops,
ellipsoid and scapulothoracic joints, functions of several coordinates.  They are named in a note,
or refused where the motion would be another one.
"""

from .reader import parse, read

__all__ = ["parse", "read"]
