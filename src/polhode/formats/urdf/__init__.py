"""URDF reader.

Read: links (inertial, visual), joints of all six types with axis, limits and mimic relation,
materials.  Recorded as notes: joint damping and friction.  For scenes, in modules of their own:
``collision`` and ``friction``.  Not read: transmissions, sensors, simulator extensions; xacro
must be expanded first.
"""

from .reader import parse, read

__all__ = ["parse", "read"]
