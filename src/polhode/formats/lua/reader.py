"""Lua text to a `Model`."""

from __future__ import annotations

import os
from pathlib import Path

from ...arrays import Numbers
from ...model import Model
from ..reading import Notes, Reading
from ..source import read_bytes
from .constraints import read_constraint_sets
from .fields import TableFields
from .frames import ROOT, read_frames
from .process import Chunk, run_lua
from .text import Lines

GRAVITY = (0.0, -9.81, 0.0)  # of RBDL: y points up unless the file says otherwise
MODEL_KEYS = (
    *("gravity", "frames", "constraint_sets", "points", "local_frames"),
    # of viewers and of other add-ons
    *("configuration", "animation_settings", "constraint_set_phases", "human_meta_data"),
    "millard2016_torque_muscles",
)


def read(
    path: str | os.PathLike[str],
    *,
    gravity: Numbers | None = None,
    name: str | None = None,
    trusted: bool = False,
) -> Reading[Model]:
    """Read a Lua model file; options as in `polhode.formats.load`."""
    path = Path(path)
    folder = path.parent.resolve()
    return _read_text(
        read_bytes(path), str(path), folder, name or path.stem, gravity=gravity, trusted=trusted
    )


def parse(
    text: str | bytes,
    *,
    file: str = "<string>",
    gravity: Numbers | None = None,
    name: str | None = None,
    trusted: bool = False,
) -> Model:
    """The model of a Lua text; ``file`` is its name in errors, the rest as in `load`."""
    source = text.encode("utf-8", "replace") if isinstance(text, str) else text
    return _read_text(source, file, None, name or "model", gravity=gravity, trusted=trusted).warn()


def _read_text(
    source: bytes,
    file: str,
    folder: Path | None,
    name: str,
    *,
    gravity: Numbers | None,
    trusted: bool,
) -> Reading[Model]:
    chunk = run_lua(source, file, folder, trusted)
    return model_of(chunk, Lines(source.decode("utf-8", "replace")), file, name, gravity)


def model_of(
    chunk: Chunk, lines: Lines, file: str, name: str, gravity: Numbers | None = None
) -> Reading[Model]:
    """The model of the table that a file returned; ``lines`` are those of the file."""
    notes = Notes()
    for line in chunk.printed:
        notes.add("printed", line)
    fields = TableFields(chunk.table, file, notes, lines)
    fields.note_unknown(MODEL_KEYS)
    links = read_frames(fields)
    if gravity is None:
        gravity = fields.vector("gravity", 3, GRAVITY)
    model = Model(
        name=name,
        links=links,
        gravity=gravity,  # type: ignore[arg-type]
        base=ROOT,
        constraint_sets=read_constraint_sets(fields, frozenset(link.name for link in links)),
    )
    return Reading(model, notes.ordered(), file)
