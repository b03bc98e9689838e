"""Recordings as ``.npz`` files: arrays, and one JSON text with the model and settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ParseError
from ..model import Model
from .files import write_atomically
from .model_json import model_from_json, model_to_json
from .npz import META, json_of, read_arrays, to_bytes

_FORMAT = "polhode recording 1"
_ARRAYS = ("times", "q", "qd", "tau", "work")
_SETTINGS = {"method": str, "dt": float, "is_controlled": bool, "is_loaded": bool, "stopped": str}
_DAMAGE = (
    *(ValueError, LookupError, TypeError, AttributeError, OSError, ArithmeticError),
    RecursionError,
)


def write_archive(path: str | Path, fields: Mapping[str, Any]) -> Path:
    """Write the fields of a recording."""
    meta = {"format": _FORMAT, "model": model_to_json(fields["model"]), "seed": fields["seed"]}
    meta |= {name: fields[name] for name in _SETTINGS}
    return write_atomically(path, to_bytes({name: fields[name] for name in _ARRAYS}, meta))


def read_archive(path: str | Path) -> dict[str, Any]:
    """The fields of a recording, checked.

    Raises
    ------
    ParseError
        If the file is not a whole recording.
    """
    try:
        return _read(path)
    except FileNotFoundError:
        raise FileNotFoundError(f"no recording at '{path}'") from None
    except _DAMAGE as error:
        raise ParseError(f"not a recording of polhode: {error}", str(path)) from error


def _read(path: str | Path) -> dict[str, Any]:
    arrays = read_arrays(path, (META, *_ARRAYS))
    meta = json_of(arrays.pop(META))
    if meta.get("format") != _FORMAT:
        raise ValueError(f"expected the format '{_FORMAT}'")
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
