"""What RBDL reads from a Lua file besides the model: points, frames, markers, phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..formats.lua.fields import TableFields
from ..formats.lua.process import run_lua
from ..formats.lua.text import Lines
from ..formats.reading import Notes
from ..formats.source import read_bytes
from .errors import RBDLFileParseError
from .filling import Path_, path_text, rbdl_errors
from .model import Model
from .vocabulary import described


@dataclass(frozen=True)
class Point:
    """A named point of a body, in body coordinates; also a marker."""

    name: str
    body_id: int
    body_name: str
    point_local: np.ndarray


@dataclass(frozen=True)
class LocalFrame:
    """A named frame on a body; ``E`` as in the file, from the frame to the body."""

    name: str
    body_id: int
    body_name: str
    r: np.ndarray
    E: np.ndarray


@described("points")
def LuaModelReadPoints(filename: Path_, model: Model) -> list[Point]:
    """The named points of a Lua file, on the bodies of the model read from it."""
    points = []
    for entry in _table(filename).entries("points"):
        body = entry.text("body")
        place = np.array(entry.triple("point", (0.0, 0.0, 0.0)))
        points.append(Point(entry.text("name", ""), _body_id(model, body, entry), body, place))
    return points


@described("local_frames")
def LuaModelReadLocalFrames(filename: Path_, model: Model) -> list[LocalFrame]:
    """The named frames of a Lua file, on the bodies of the model read from it."""
    eye = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    frames = []
    for entry in _table(filename).entries("local_frames"):
        body = entry.text("body")
        r, E = np.array(entry.triple("r", (0.0, 0.0, 0.0))), np.array(entry.square("E", eye))
        number = _body_id(model, body, entry)
        frames.append(LocalFrame(entry.text("name", ""), number, body, r, E))
    return frames


@described("points")
def LuaModelReadMotionCaptureMarkers(filename: Path_, model: Model) -> list[Point]:
    """The markers of all frames, those of a frame by name; RBDL leaves the last frame out."""
    markers = []
    for frame in _table(filename).entries("frames"):
        body, own = frame.text("name", ""), frame.fields("markers")
        for name in sorted(own.table.keys) if own is not None else ():
            place = np.array(own.triple(name))  # type: ignore[union-attr]
            markers.append(Point(name, _body_id(model, body, frame), body, place))
    return markers


@described("names")
def LuaModelGetConstraintSetNames(filename: Path_) -> list[str]:
    """The names of the constraint sets of a Lua file, sorted."""
    sets = _table(filename).fields("constraint_sets")
    return [] if sets is None else sorted(sets.table.keys)


@described("phases")
def LuaModelGetConstraintSetPhases(
    filename: Path_, constraint_set_names: Sequence[str]
) -> list[int]:
    """The phases of a Lua file, as places in ``constraint_set_names``.

    RBDL leaves the last phase at 0.
    """
    fields = _table(filename)
    phases = fields.fields("constraint_set_phases")
    names = list(constraint_set_names)
    numbers = []
    for k, name in enumerate(phases.table.array if phases is not None else (), 1):
        if name not in names:
            at = f"constraint_set_phases[{k}]"
            error = fields.error(at, f"'{name}' is not among the names given: {names}")
            raise RBDLFileParseError(error.message, error.file, error.line)
        numbers.append(names.index(name))
    return numbers


def _table(filename: Path_) -> TableFields:
    path = Path(path_text(filename))
    with rbdl_errors(str(path)):
        source = read_bytes(path)
        chunk = run_lua(source, str(path), path.parent.resolve(), False)
    return TableFields(chunk.table, str(path), Notes(), Lines(source.decode("utf-8", "replace")))


def _body_id(model: Model, name: str, entry: TableFields) -> int:
    if name not in model.mBodyNameMap:
        error = entry.error("body", f"no body '{name}' in the model")
        raise RBDLFileParseError(error.message, error.file, error.line)
    return model.mBodyNameMap[name]
