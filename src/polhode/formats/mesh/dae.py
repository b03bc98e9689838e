"""Collada, through the optional library ``trimesh`` with ``pycollada``."""

from __future__ import annotations

import io
from typing import Any

from ...errors import ModelError, ParseError
from ...model.shapes import Face, Triple


def read_dae(data: bytes, file: str) -> tuple[list[Triple], list[Face]]:
    """Vertices and triangles of all nodes, in metres with z up as the file declares."""
    try:
        import collada  # type: ignore[import-not-found]  # noqa: F401
        import trimesh  # type: ignore[import-not-found]
    except ImportError:
        raise ModelError(
            f"expected the libraries trimesh and pycollada to read '{file}', which are not "
            "installed: pip install 'polhode[mesh]', or convert the mesh to OBJ or STL"
        ) from None
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ParseError("expected a DAE without a document type", file)
    try:
        loaded: Any = trimesh.load(io.BytesIO(data), file_type="dae", force="mesh")
        vertices = [(float(x), float(y), float(z)) for x, y, z in loaded.vertices]
        faces = [(int(a), int(b), int(c)) for a, b, c in loaded.faces]
    except Exception as error:  # whatever a third-party reader raises on a damaged file
        raise ParseError(f"expected a DAE mesh: {error}", file) from None
    return vertices, faces
