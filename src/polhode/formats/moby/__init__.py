"""Moby scenes: XML to `Scene` and back.

`reader` and `writer` are the entry points; the rest is by element: `bodies`, `joints`, `poses`,
`primitives`, `meshes`, `couplings`, `forces`, `simulator`.  Not run: plug-ins in C++, for which
functions of Python can be given.
"""

from .reader import parse, read
from .writer import dumps, write

__all__ = ["dumps", "parse", "read", "write"]
