"""Readers of mesh files: OBJ and STL, and DAE where the library for it is installed.

Supported: triangles and polygons of OBJ; STL as text and binary; the triangles of all nodes of a
DAE.  The diffuse colours of a DAE's materials are read, too.  Not supported: curves and surfaces of
OBJ and its materials; textures; the up axis of a DAE, which other readers of URDF ignore, too.
"""

from .read import is_readable, read_mesh, read_triangles

__all__ = ["is_readable", "read_mesh", "read_triangles"]
