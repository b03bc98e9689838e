"""Recordings of scenes as files: ``.npz`` at once, or HDF5, which can grow with the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ParseError, one_line
from ..files import path_text
from .damage import DAMAGE, brief
from .file_kinds import HDF5, FileKind
from .files import replacing, write_atomically
from .hdf5 import is_hdf5
from .model_json import model_from_json, model_to_json
from .npz import META, json_of, read_arrays, to_bytes
from .scene_recording import ARRAYS, SceneRecording
from .scene_stream import Stream, patiently, read_stream

FORMAT = "polhode scene recording 1"


def meta_of(recording: SceneRecording) -> dict[str, Any]:
    """All of a recording but its arrays, as plain data."""
    return {
        "format": FORMAT,
        "model": model_to_json(recording.model),
        "geometry_names": list(recording.geometry_names),
        "method": recording.method,
        "dt": recording.dt,
        "seed": recording.seed,
        "stopped": recording.stopped,
        "report": dict(recording.report),
    }


def save(recording: SceneRecording, path: str | Path, kind: FileKind) -> Path:
    """Write a whole recording, as HDF5 or as an ``.npz`` file."""
    arrays = {name: getattr(recording, name) for name in ARRAYS}
    if kind is HDF5:
        with replacing(path) as part, Stream(part, meta_of(recording)) as stream:
            stream.append(arrays)
            stream.finish(dict(recording.report), recording.stopped)
        return Path(path)
    return write_atomically(path, to_bytes(arrays, meta_of(recording)))


def load(path: str | Path) -> SceneRecording:
    """Read a recording.

    Raises
    ------
    ParseError
        If the file is none.
    """
    path = path_text(path)
    try:
        is_stream = is_hdf5(path)
        meta, arrays = patiently(read_stream, path) if is_stream else _read_npz(path)
        return _recording(meta, arrays)
    except FileNotFoundError:
        raise FileNotFoundError(one_line(f"no recording at '{path}'")) from None
    except DAMAGE as error:
        raise ParseError(f"not a recording of a scene: {brief(error)}", str(path)) from error


def _recording(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> SceneRecording:
    if meta.get("format") != FORMAT:
        raise ValueError(f"expected the format '{FORMAT}'")
    model = model_from_json(meta["model"])
    names = tuple(str(name) for name in meta["geometry_names"])
    count = _check(arrays, model.nq, model.nv, len(names))
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
        seed=None if meta["seed"] is None else int(meta["seed"]),
        stopped=str(meta["stopped"]),
        geometry_names=names,
        report={str(key): _number(x) for key, x in dict(meta["report"]).items()},
        **contacts,
    )


def _number(value: Any) -> float:
    if isinstance(value, (int, float)):
        return value
    raise TypeError(f"expected a number in the report, got {value!r}")


def _check(arrays: dict[str, np.ndarray], nq: int, nv: int, n_geometries: int) -> int:
    """The number of records; the shapes of all arrays fit it."""
    count, total = len(arrays["times"]), len(arrays["contact_gap"])
    shapes = {"times": (count,), "q": (count, nq), "qd": (count, nv),
              "contact_start": (count + 1,), "contact_pair": (total, 2),
              "contact_gap": (total,)}  # fmt: skip
    for name, array in arrays.items():
        shape = shapes.get(name, (total, 3))
        kind = "i" if name in ("contact_start", "contact_pair") else "f"
        if array.shape != shape or array.dtype.kind != kind:
            raise ValueError(f"expected {name} of shape {shape}, got {array.shape}")
    start, pair = arrays["contact_start"], arrays["contact_pair"]
    if (np.diff(start) < 0).any() or start[0] < 0 or start[-1] > total:
        raise ValueError(f"expected contact_start to rise from 0 to {total}")
    if pair.size and not 0 <= pair.min() <= pair.max() < n_geometries:
        raise ValueError(f"expected contact_pair from 0 to {n_geometries - 1}")
    return count


def _read_npz(path: str | Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    arrays = read_arrays(path, (META, *ARRAYS))
    return json_of(arrays.pop(META)), arrays
