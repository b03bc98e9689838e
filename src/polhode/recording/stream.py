"""HDF5 files of recordings: those that grow with the run, chunk by chunk, and how all are read.

A file that grows can be read up to its last chunk also when the process that wrote it was killed.
It holds checkpoints in two places that take turns, so that one of them is whole.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..errors import ParseError
from ..files.damage import DAMAGE, brief
from ..files.writing import replacing, sync
from . import hdf5
from .checkpoint import Checkpoint
from .hdf5 import h5py
from .layout import ARRAYS, FORMAT, RAGGED, RECORDS, of_this_format, stored_arrays
from .npz import META, json_array, json_of, read_arrays, to_bytes

_LATEST = "latest"
_ENDING = "ending"  # how the run ended; empty until it does
_CHUNK = 256  # rows
_ATTEMPTS, _PAUSE = 4, 0.05  # to read a file that is being written
Found = TypeVar("Found")


def patiently(read: Callable[[str | Path], Found], path: str | Path) -> Found:
    """What is read of a file; of one that changes meanwhile, in one of some attempts."""
    for attempt in range(_ATTEMPTS):
        try:
            return read(path)
        except ValueError:
            if attempt == _ATTEMPTS - 1 or not hdf5.is_being_written(path):
                raise
            time.sleep(_PAUSE)
    raise AssertionError("unreachable")


def read(path: str | Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What is not an array, and the arrays; of a file that grew as far as all of them reach."""
    with hdf5.reading(path) as file:
        meta = json_of(hdf5.array(file, META))
        arrays = {name: hdf5.array(file, name) for name in stored_arrays(meta)}
        if _ENDING not in file:
            return meta, arrays
        ending = hdf5.array(file, _ENDING)
    meta |= json_of(ending) if len(ending) else {"stopped": "the run was cut short"}
    return meta, _whole_records(arrays)


def _whole_records(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The records that are in all arrays, with the contacts and impulses that are."""
    ragged = {start: [name for name in names if name in arrays]
              for start, names in RAGGED.items() if start in arrays}  # fmt: skip
    others = {*ragged, *(name for names in ragged.values() for name in names)}
    records = [name for name in arrays if name not in others]
    rows = min(*(len(arrays[name]) for name in records), *(len(arrays[x]) - 1 for x in ragged))
    found = {name: arrays[name][:rows] for name in records}
    for first, names in ragged.items():
        most = min(len(arrays[name]) for name in names)
        found[first] = start = np.minimum(arrays[first][: rows + 1], most)
        found |= {name: arrays[name][: int(start[-1])] for name in names}
    return found


def read_checkpoint(path: str | Path) -> Checkpoint:
    """The last whole checkpoint of a file that a run wrote.

    Raises
    ------
    ParseError
        If it has none.
    """
    try:
        return patiently(_read_checkpoint, path)
    except FileNotFoundError:
        raise
    except DAMAGE as error:
        raise ParseError(f"not a run to go on with: {brief(error)}", str(path)) from error


def _read_checkpoint(path: str | Path) -> Checkpoint:
    with hdf5.reading(path) as file:
        turns = hdf5.array(file, "turn")
        for slot in (int(k) for k in np.argsort(-turns)[:2]):
            data = hdf5.array(file, f"checkpoint{slot}").tobytes()
            if turns[slot] and len(data) > 32 and hashlib.sha256(data[32:]).digest() == data[:32]:
                return Checkpoint.from_arrays(read_arrays(data[32:]))
    raise ValueError("expected a checkpoint, found none that is whole")


def _is_earlier(path: str | Path) -> bool:
    with hdf5.reading(path) as file:
        return json_of(hdf5.array(file, META)).get("format") != FORMAT


def _room_for(rows: np.ndarray) -> int:
    """Bytes that a file may grow by for some rows: they come in whole chunks."""
    size = rows[:1].nbytes if len(rows) else 0
    return rows.nbytes + _CHUNK * size


class Stream:
    """An HDF5 file that takes a recording chunk by chunk.

    Its datasets stay open as long as it does. HDF5 writes what is left when a dataset is closed;
    where the disk is full, its error then reaches no caller.
    """

    is_damaged = False

    def __init__(self, path: str | Path, meta: dict[str, Any]):
        self.path: Path = Path(path)
        self.file: Any = h5py().File(self.path, "w", libver=_LATEST)
        self.turn: int = 0
        self.filled: dict[str, int] = dict.fromkeys(RAGGED, 0)
        self.rows: int = 0
        self.data: dict[str, Any] = {}
        self._make(META, data=json_array(meta))
        for name in (_ENDING, "checkpoint0", "checkpoint1"):
            self._make(name, shape=(0,), dtype=np.uint8, maxshape=(None,), chunks=(4096,))
        self._make("turn", data=np.zeros(2, np.int64))
        self.started = False

    def _make(self, name: str, **what: Any) -> None:
        self.data[name] = self.file.create_dataset(name, **what)

    @classmethod
    def reopen(cls, path: str | Path, until: float) -> Stream:
        """Go on with a file, without its records after the time ``until``."""
        if hdf5.is_being_written(path) or _is_earlier(path):
            cls._write_anew(Path(path))
        stream = cls.__new__(cls)
        stream.path = Path(path)
        stream.file = file = h5py().File(stream.path, "r+", libver=_LATEST, locking=False)
        stream.data = data = {name: file[name] for name in file}
        stream.turn = int(data["turn"][:].max())
        rows = int(np.searchsorted(data["times"][:], until, side="right"))
        rows = min(rows, *(len(data[name]) for name in RECORDS),
                   *(len(data[start]) - 1 for start in RAGGED))  # fmt: skip
        stream.rows, stream.started = rows, True
        stream.filled = {start: int(data[start][rows]) for start in RAGGED}
        sizes = {**dict.fromkeys(RECORDS, rows), **dict.fromkeys(RAGGED, rows + 1)}
        for start, names in RAGGED.items():
            sizes |= dict.fromkeys(names, stream.filled[start])
        for name in ARRAYS:
            data[name].resize(sizes[name], axis=0)
        data[_ENDING].resize(0, axis=0)
        file.swmr_mode = True
        return stream

    @classmethod
    def _write_anew(cls, path: Path) -> None:
        """Replace a file of an earlier format, or one whose writer was killed.

        Nothing else can open the latter to write.
        """
        meta, arrays = of_this_format(*read(path))
        checkpoint = read_checkpoint(path)
        with replacing(path) as part, cls(part, meta) as stream:
            stream.append(arrays, checkpoint)

    def append(self, chunk: dict[str, np.ndarray], checkpoint: Checkpoint | None = None) -> None:
        """Add records and their contacts, and bring them to the disk.

        Raises
        ------
        OSError
            If the disk has no room for them: then nothing was written.
        """
        hdf5.require_room(self.path, sum(_room_for(chunk[name]) for name in ARRAYS))
        self.is_damaged = True  # until all is done
        if not self.started:
            self._begin(chunk)
        for name in ARRAYS:
            rows = chunk[name]
            if name in RAGGED:
                rows = rows[1:] - rows[0] + self.filled[name]
            data = self.data[name]
            at = len(data)
            data.resize(at + len(rows), axis=0)
            data[at:] = rows
        for start in RAGGED:
            self.filled[start] += int(chunk[start][-1] - chunk[start][0])
        if checkpoint is not None:
            self._put(checkpoint)
        self.file.flush()
        self.is_damaged: bool = False

    def _begin(self, chunk: dict[str, np.ndarray]) -> None:
        for name in ARRAYS:
            shape, kind = chunk[name].shape[1:], chunk[name].dtype
            self._make(
                name,
                shape=(0, *shape),
                dtype=kind,
                maxshape=(None, *(n or None for n in shape)),  # HDF5 makes no chunks of nothing
                chunks=(_CHUNK, *(max(n, 1) for n in shape)),
            )
        for start in RAGGED:
            self.data[start].resize(1, axis=0)
            self.data[start][:] = 0
        self.started: bool = True
        self.file.flush()
        self.file.swmr_mode = True

    def _put(self, checkpoint: Checkpoint) -> None:
        content = to_bytes(checkpoint.as_arrays())
        data = hashlib.sha256(content).digest() + content
        slot = self.turn % 2
        self._write(f"checkpoint{slot}", data)
        self.file.flush()
        self.turn += 1
        self.data["turn"][slot] = self.turn

    def finish(self, report: dict[str, float], stopped: str) -> None:
        """Say how the run ended."""
        text = json.dumps({"report": report, "stopped": stopped})
        self._write(_ENDING, text.encode())
        self.file.flush()

    def _write(self, name: str, data: bytes) -> None:
        self.data[name].resize(len(data), axis=0)
        self.data[name][:] = np.frombuffer(data, np.uint8)

    def written(self) -> dict[str, np.ndarray]:
        """All that was added, from the open file: it can be read where its name is gone."""
        return _whole_records({name: self.data[name][:] for name in ARRAYS})

    def close(self) -> None:
        """Close the file, and bring it to the disk."""
        self.file.close()
        if self.path.exists():
            sync(self.path)
            sync(self.path.parent)

    def abandon(self, error: BaseException) -> None:
        """Never close a file that could not be written, which HDF5 may not survive.

        Neither it nor the objects of its error's frames are let go of, even when Python ends.
        """
        ctypes.pythonapi.Py_IncRef(ctypes.py_object((self, error)))

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
