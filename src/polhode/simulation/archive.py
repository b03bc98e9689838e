"""Recordings of models as files: arrays, and one JSON text with the model and settings."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ParseError
from ..model import Model
from . import hdf5
from .damage import DAMAGE, brief
from .file_kinds import HDF5, FileKind
from .files import write_atomically
from .model_json import model_from_json, model_to_json
from .npz import META, json_array, json_of, read_arrays, to_bytes

FORMAT = "polhode recording 1"
_ARRAYS = ("times", "q", "qd", "tau", "work")
_SETTINGS = {"method": str, "dt": float, "is_controlled": bool, "is_loaded": bool, "stopped": str}


def write_archive(path: str | Path, kind: FileKind, fields: Mapping[str, Any]) -> Path:
    """Write the fields of a recording, as HDF5 or as an ``.npz`` file."""
    meta = {"format": FORMAT, "model": model_to_json(fields["model"]), "seed": fields["seed"]}
    meta |= {name: fields[name] for name in _SETTINGS}
    arrays = {name: fields[name] for name in _ARRAYS}
    content = _hdf5_bytes(arrays, meta) if kind is HDF5 else to_bytes(arrays, meta)
    return write_atomically(path, content)


def read_archive(path: str | Path) -> dict[str, Any]:
    """The fields of a recording, checked.

    Raises
    ------
    ParseError
        If the file is not a whole recording.
    """
    try:
        return _checked(*_read(path))
    except FileNotFoundError:
        raise FileNotFoundError(f"no recording at '{path}'") from None
    except DAMAGE as error:
        raise ParseError(f"not a recording of polhode: {brief(error)}", str(path)) from error


def _hdf5_bytes(arrays: Mapping[str, np.ndarray], meta: Mapping[str, Any]) -> bytes:
    buffer = io.BytesIO()
    with hdf5.h5py().File(buffer, "w") as file:
        file.create_dataset(META, data=json_array(meta))
        for name, array in arrays.items():
            file.create_dataset(name, data=array)
    return buffer.getvalue()


def _read(path: str | Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    if not hdf5.is_hdf5(path):
        arrays = read_arrays(path, (META, *_ARRAYS))
        return json_of(arrays.pop(META)), arrays
    with hdf5.reading(path) as file:
        meta = json_of(hdf5.array(file, META))
        if meta.get("format") != FORMAT:
            raise ValueError(f"expected the format '{FORMAT}'")
        return meta, {name: hdf5.array(file, name) for name in _ARRAYS}


def _checked(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    if meta.get("format") != FORMAT:
        raise ValueError(f"expected the format '{FORMAT}'")
    model = model_from_json(meta["model"])
    _check(arrays, model)
    settings = {name: kind(meta[name]) for name, kind in _SETTINGS.items()}
    seed = None if meta["seed"] is None else int(meta["seed"])
    return {"model": model, **arrays, **settings, "seed": seed}


def _check(arrays: Mapping[str, np.ndarray], model: Model) -> None:
    times, worlds = arrays["times"], arrays["work"].shape[1:]
    count = len(times)
    expected = {
        "times": (count,),
        "q": (count, *worlds, model.nq),
        "qd": (count, *worlds, model.nv),
        "tau": (count, *worlds, model.nv),
        "work": (count, *worlds),
    }
    for name, shape in expected.items():
        array = arrays[name]
        if array.shape != shape or array.dtype != float:
            raise ValueError(f"expected {name} of shape {shape}, got {array.shape}")
    if count == 0 or not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
        raise ValueError("expected increasing times")
