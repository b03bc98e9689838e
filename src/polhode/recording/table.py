"""A recording as a CSV table."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..files.kinds import TABLES, kind_of
from ..files.writing import write_atomically

if TYPE_CHECKING:
    from .recording import Recording

_OF_JOINTS = ("qd", "tau", "tau_passive", "tau_constraint")


def write_table(recording: Recording, path: str | Path) -> Path:
    """A row for each record (and world), a column for each coordinate."""
    kind_of(path, TABLES, "a table")
    names, is_batch = recording.coordinate_names, recording.work.ndim > 1
    header = ["world"] * is_batch + ["t"] + [f"q:{name}" for name in names]
    header += [f"{kind}:{name}" for kind in _OF_JOINTS for name in names[: recording.model.nv]]
    header += ["kinetic", "potential", "work"]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    for t, worlds in zip(recording.times.tolist(), _rows(recording).tolist(), strict=True):
        for w, row in enumerate(worlds):
            writer.writerow([w, t, *row] if is_batch else [t, *row])
    return write_atomically(path, text.getvalue().encode("utf-8", "replace"))


def _rows(recording: Recording) -> np.ndarray:
    """All numbers but the times, shape (T, worlds, columns)."""
    count = len(recording.times)
    tables = [recording.q, *(getattr(recording, name) for name in _OF_JOINTS)]
    columns = [x.reshape(count, -1, x.shape[-1]) for x in tables]
    scalars = (recording.kinetic, recording.potential, recording.work)
    return np.concatenate([*columns, *(x.reshape(count, -1, 1) for x in scalars)], axis=-1)
