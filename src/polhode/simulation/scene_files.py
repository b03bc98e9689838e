"""Recordings of scenes as files: ``.npz`` at once, or HDF5 that grows with the run.

An HDF5 file can be read up to its last chunk also when the process that wrote it was
killed.  It holds checkpoints in two places that take turns, so that one of them is whole.
"""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ParseError
from .checkpoint import Checkpoint
from .files import write_atomically
from .model_json import model_from_json, model_to_json
from .scene_recording import ARRAYS, SceneRecording

_FORMAT = "polhode scene recording 1"
_LATEST = "latest"


def is_hdf5(path: str | Path) -> bool:
    """Whether a file of this name is to be HDF5."""
    return Path(path).suffix.lower() in (".h5", ".hdf5")


def h5py() -> Any:
    """The library, or an error that says how to get it."""
    try:
        import h5py as library
    except ImportError:
        raise ImportError(
            "HDF5 files need h5py, which is not installed: pip install 'polhode[hdf5]', "
            "or record to an .npz file"
        ) from None
    return library


def meta_of(recording: SceneRecording) -> dict[str, Any]:
    """All of a recording but its arrays, as plain data."""
    return {
        "format": _FORMAT,
        "model": model_to_json(recording.model),
        "geometry_names": list(recording.geometry_names),
        "method": recording.method,
        "dt": recording.dt,
        "seed": recording.seed,
        "stopped": recording.stopped,
        "report": dict(recording.report),
    }


def save(recording: SceneRecording, path: str | Path) -> Path:
    """Write a whole recording."""
    if is_hdf5(path):
        with Stream(path, meta_of(recording)) as stream:
            stream.append({name: getattr(recording, name) for name in ARRAYS})
            stream.finish(dict(recording.report), recording.stopped)
        return Path(path)
    text = np.frombuffer(json.dumps(meta_of(recording)).encode(), np.uint8)
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {name: getattr(recording, name) for name in ARRAYS}
    np.savez(buffer, meta=text, **arrays)
    return write_atomically(path, buffer.getvalue())


def load(path: str | Path) -> SceneRecording:
    """Read a recording.

    Raises
    ------
    ParseError
        If the file is none.
    """
    if not Path(path).exists():
        raise FileNotFoundError(f"no recording at '{path}'")
    try:
        meta, arrays = _read_hdf5(path) if is_hdf5(path) else _read_npz(path)
        return _recording(meta, arrays)
    except (ValueError, KeyError, TypeError, OSError, EOFError) as error:
        raise ParseError(f"not a recording of a scene: {error}", str(path)) from error


def _recording(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> SceneRecording:
    if meta.get("format") != _FORMAT:
        raise ValueError(f"expected the format '{_FORMAT}'")
    model = model_from_json(meta["model"])
    count = len(arrays["times"])
    if arrays["q"].shape != (count, model.nq) or arrays["qd"].shape != (count, model.nv):
        raise ValueError(f"expected q and qd of {count} records, got {arrays['q'].shape}")
    contacts: dict[str, Any] = {name: arrays[name] for name in ARRAYS[3:]}
    return SceneRecording(
        model,
        arrays["times"],
        arrays["q"],
        arrays["qd"],
        tau=np.zeros((count, model.nv)),
        work=np.zeros(count),
        method=str(meta["method"]),
        dt=float(meta["dt"]),
        seed=meta["seed"],
        stopped=str(meta["stopped"]),
        geometry_names=tuple(meta["geometry_names"]),
        report=meta["report"],
        **contacts,
    )


def _read_npz(path: str | Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    with np.load(path, allow_pickle=False) as file:
        meta = json.loads(np.asarray(file["meta"]).tobytes().decode())
        return meta, {name: np.asarray(file[name]) for name in ARRAYS}


def _open(path: str | Path) -> Any:
    library = h5py()
    try:
        return library.File(path, "r")
    except OSError:
        # A file whose writer was killed is still marked as being written.
        return library.File(path, "r", libver=_LATEST, swmr=True, locking=False)


def _read_hdf5(path: str | Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    with _open(path) as file:
        meta = json.loads(bytes(file["meta"][:]).decode())
        counts = [len(file[name]) for name in ("times", "q", "qd")]
        rows = min(*counts, len(file["contact_start"]) - 1)
        arrays = {name: file[name][:rows] for name in ("times", "q", "qd")}
        start = file["contact_start"][: rows + 1]
        last = min(len(file[name]) for name in ARRAYS[4:])
        arrays["contact_start"] = np.minimum(start, last)
        for name in ARRAYS[4:]:
            arrays[name] = file[name][: int(arrays["contact_start"][-1])]
        ending = bytes(file["ending"][:]).decode()
    meta |= json.loads(ending) if ending else {"stopped": "the run was cut short"}
    return meta, arrays


def read_checkpoint(path: str | Path) -> Checkpoint:
    """The last whole checkpoint of a file that a run wrote."""
    with _open(path) as file:
        turns = file["turn"][:]
        for slot in np.argsort(-turns):
            data = bytes(file[f"checkpoint{slot}"][:])
            if turns[slot] and len(data) > 32 and hashlib.sha256(data[32:]).digest() == data[:32]:
                with np.load(io.BytesIO(data[32:]), allow_pickle=False) as arrays:
                    return Checkpoint.from_arrays(dict(arrays))
    raise ParseError("expected a checkpoint, found none that is whole", str(path))


class Stream:
    """An HDF5 file that takes a recording chunk by chunk."""

    def __init__(self, path: str | Path, meta: dict[str, Any]):
        self.path = Path(path)
        self.file = h5py().File(self.path, "w", libver=_LATEST)
        self.turn, self.contacts, self.rows = 0, 0, 0
        make = self.file.create_dataset
        make("meta", data=np.frombuffer(json.dumps(meta).encode(), np.uint8))
        for name in ("ending", "checkpoint0", "checkpoint1"):
            make(name, (0,), np.uint8, maxshape=(None,), chunks=(4096,))
        make("turn", data=np.zeros(2, np.int64))
        self.started = False

    @classmethod
    def reopen(cls, path: str | Path, until: float) -> Stream:
        """Go on with a file, without its records after the time ``until``."""
        stream = cls.__new__(cls)
        stream.path = Path(path)
        stream.file = file = h5py().File(stream.path, "r+", libver=_LATEST, locking=False)
        stream.turn = int(file["turn"][:].max())
        rows = int(np.searchsorted(file["times"][:], until, side="right"))
        rows = min(rows, len(file["q"]), len(file["qd"]), len(file["contact_start"]) - 1)
        stream.rows, stream.started = rows, True
        stream.contacts = int(file["contact_start"][rows])
        for name in ARRAYS:
            is_start, is_contact = name == "contact_start", name in ARRAYS[4:]
            size = rows + is_start if not is_contact else stream.contacts
            file[name].resize(size, axis=0)
        file["ending"].resize(0, axis=0)
        file.swmr_mode = True
        return stream

    def append(self, chunk: dict[str, np.ndarray], checkpoint: Checkpoint | None = None) -> None:
        """Add records and their contacts, and bring them to the disk."""
        if not self.started:
            self._begin(chunk)
        for name in ARRAYS:
            rows = chunk[name]
            if name == "contact_start":
                rows = rows[1:] - rows[0] + self.contacts
            data = self.file[name]
            at = len(data)
            data.resize(at + len(rows), axis=0)
            data[at:] = rows
        self.contacts += int(chunk["contact_start"][-1] - chunk["contact_start"][0])
        if checkpoint is not None:
            self._put(checkpoint)
        self.file.flush()

    def _begin(self, chunk: dict[str, np.ndarray]) -> None:
        for name in ARRAYS:
            shape, kind = chunk[name].shape[1:], chunk[name].dtype
            self.file.create_dataset(
                name,
                (0, *shape),
                kind,
                maxshape=(None, *shape),
                chunks=(256, *(max(n, 1) for n in shape)),
            )
        self.file["contact_start"].resize(1, axis=0)
        self.file["contact_start"][:] = 0
        self.started = True
        self.file.flush()
        self.file.swmr_mode = True

    def _put(self, checkpoint: Checkpoint) -> None:
        buffer = io.BytesIO()
        arrays: dict[str, Any] = dict(checkpoint.as_arrays())
        np.savez(buffer, **arrays)
        content = buffer.getvalue()
        data = hashlib.sha256(content).digest() + content
        slot = self.turn % 2
        self._write(f"checkpoint{slot}", data)
        self.file.flush()
        self.turn += 1
        self.file["turn"][slot] = self.turn

    def finish(self, report: dict[str, float], stopped: str) -> None:
        """Say how the run ended."""
        text = json.dumps({"report": report, "stopped": stopped})
        self._write("ending", text.encode())
        self.file.flush()

    def _write(self, name: str, data: bytes) -> None:
        self.file[name].resize(len(data), axis=0)
        self.file[name][:] = np.frombuffer(data, np.uint8)

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
