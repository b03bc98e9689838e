"""MuJoCo's XML (MJCF) to `Scene` and back.

`reader` is the entry point.  `files` and `source` find the files of a model.  `compiler`,
`defaults` and `frames` interpret numbers.  `tree` finds the bodies; `joints`, `geoms`, `assets`,
`fitting`, `solids`, `inertia` and `springdampers` read their parts; `machines` puts them together.
`contacts` and `equality` couple them; `vocabulary` notes elements that are not read.  `flexes`
makes bodies and tendons of flexible bodies, `distance_fields` reads a torus.  Refused: elasticity,
composites, other plug-ins, frames that scale, mass from built-in meshes but spheres.

`writer` is the entry point of the other way; `body_writer`, `joint_writer`, `inertia_writer`,
`geom_writer`, `site_writer`, `contact_writer`, `equality_writer`, `drive_writer`, `law_writer` and
`sensor_writer` write the parts.
"""

from .files import ROOTS
from .reader import parse, read
from .writer import dumps, write

__all__ = ["ROOTS", "dumps", "parse", "read", "write"]
