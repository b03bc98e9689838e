"""MuJoCo's XML (MJCF) to `Scene`.

`reader` is the entry point.  `files` and `source` find the files of a model, `compiler` and
`defaults` say how their numbers are meant, `frames` where things stand, `tree` which bodies there
are; `joints`, `geoms`, `assets`, `solids` and `inertia` read what bodies have, `machines` puts them
together, `contacts` and `equality` read what couples them, `vocabulary` tells what is not read.
Refused: flexible bodies, composites, plug-ins, frames that scale, primitives fitted to meshes, mass
from built-in meshes.
"""

from .files import ROOTS
from .reader import parse, read

__all__ = ["ROOTS", "parse", "read"]
