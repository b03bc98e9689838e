"""Readers of mesh files: OBJ and STL, and DAE where the library for it is installed.

Supported: triangles and polygons of OBJ; STL as text and binary; the triangles of all
nodes of a DAE.  Not supported: curves and surfaces of OBJ, materials, textures.
"""

from .read import read_mesh

__all__ = ["read_mesh"]
