"""URDF reader.

Read: links (inertial, visual), joints of all six types with axis, limits and mimic relation,
materials.  Recorded as notes: joint damping and friction.  For scenes, in modules of their own:
``collision``, ``friction`` and ``placing``.  Xacro files are expanded first, by ``xacro_files``.
Not read: transmissions, sensors, simulator extensions.
"""

from .reader import parse, read

__all__ = ["parse", "read"]
