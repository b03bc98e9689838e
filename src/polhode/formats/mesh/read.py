"""From a mesh file to triangles."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ...errors import ModelError, ParseError
from ...model import TriangleMesh
from ...model.shapes import Triple
from ..source import read_bytes
from .dae import read_dae
from .obj import read_obj
from .stl import read_stl

MAX_BYTES = 256 * 2**20
MAX_TRIANGLES = 2_000_000

_READERS = {".obj": read_obj, ".stl": read_stl, ".dae": read_dae}


def read_mesh(
    path: str | os.PathLike[str], scale: Sequence[float] = (1.0, 1.0, 1.0)
) -> TriangleMesh:
    """Read the triangles of an OBJ, STL or DAE file.

    Parameters
    ----------
    path : str or path
    scale : sequence of 3 floats
        Factors on x, y and z; with an odd number of negative ones the faces are turned
        round, so that they still look outwards.

    Returns
    -------
    TriangleMesh

    Raises
    ------
    FileNotFoundError
        With names in that folder that are like the one asked for.
    ParseError
        With file and line, if the content is not a mesh.
    ModelError
        If the kind of file is not known, or the scale is not three factors.
    """
    name = os.fspath(path)
    reader = _READERS.get(Path(name).suffix.lower())
    if reader is None:
        known = ", ".join(_READERS)
        raise ModelError(f"expected a mesh file ({known}), got '{name}'")
    factors = tuple(float(x) for x in scale)
    if len(factors) != 3 or 0.0 in factors:
        raise ModelError(f"expected three factors that are not zero as scale, got {factors}")
    vertices, faces = reader(read_bytes(name, limit=MAX_BYTES), name)
    if not faces:
        raise ParseError("expected triangles, found none", name)
    if len(faces) > MAX_TRIANGLES:
        raise ParseError(f"expected at most {MAX_TRIANGLES} triangles, found {len(faces)}", name)
    x, y, z = factors
    scaled: list[Triple] = [(a * x, b * y, c * z) for a, b, c in vertices]
    if x * y * z < 0.0:
        faces = [(a, c, b) for a, b, c in faces]
    return TriangleMesh(tuple(scaled), tuple(faces))
