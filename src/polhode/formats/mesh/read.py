"""From a mesh file to triangles."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ...errors import ModelError, ParseError
from ...files.reading import path_text, require_size
from ...model import TriangleMesh
from ..source import open_file
from .dae import read_dae
from .obj import read_obj
from .stl import read_stl
from .triangles import Triangles

MAX_BYTES = 64 * 2**20

_READERS = {".obj": read_obj, ".stl": read_stl, ".dae": read_dae}


def is_readable(path: str) -> bool:
    """Whether there is a mesh file of a kind that can be read; it is not opened."""
    suffix = Path(path).suffix.lower()
    has_reader = suffix in _READERS and (suffix != ".dae" or find_spec("collada") is not None)
    return has_reader and os.path.isfile(path)


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
    name = path_text(path)
    factors = _factors(scale)
    read = read_triangles(name)
    faces = read.faces
    if sum(x < 0.0 for x in factors) % 2:
        faces = faces[:, [0, 2, 1]]
    with np.errstate(over="ignore"):  # what is not finite is refused with the other values
        scaled = read.vertices * factors
    return TriangleMesh(scaled, faces)  # type: ignore[arg-type]


def read_triangles(name: str) -> Triangles:
    """The triangles of a mesh file that are no lines, with their colours; errors as above."""
    reader = _READERS.get(Path(name).suffix.lower())
    if reader is None:
        known = ", ".join(_READERS)
        raise ModelError(f"expected a mesh file ({known}), got '{name}'")
    with open_file(name) as stream:
        require_size(os.fstat(stream.fileno()).st_size, name, MAX_BYTES)
        read = reader(stream, name)
    proper = (read.faces != np.roll(read.faces, 1, axis=1)).all(axis=1)
    if not proper.any():
        raise ParseError("expected triangles, found none", name)
    materials = None if read.materials is None else read.materials[proper]
    return replace(read, faces=read.faces[proper], materials=materials)


def _factors(scale: Sequence[float]) -> tuple[float, ...]:
    try:
        factors = tuple(float(x) for x in scale)
    except (TypeError, ValueError, OverflowError):
        factors = ()
    if len(factors) != 3 or 0.0 in factors or not all(map(math.isfinite, factors)):
        raise ModelError(f"expected three factors that are not zero as scale, got {scale!r}")
    return factors
