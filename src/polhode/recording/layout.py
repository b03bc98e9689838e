"""The one format of recordings: its arrays, and what stands beside them as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import Model
from . import earlier
from .model_json import model_from_json, model_to_json

if TYPE_CHECKING:
    from .recording import Recording

FORMAT = "polhode recording 6"
RECORDS = ("times", "q", "qd", "tau", "tau_passive", "tau_constraint", "work", "controls",
           "activation", "impulse_is_known")  # a row of each  # fmt: skip
START, IMPULSE_START = "contact_start", "impulse_start"
CONTACTS = ("contact_pair", "contact_point", "contact_normal", "contact_force", "contact_torque",
            "contact_gap")  # fmt: skip
IMPULSES = ("impulse_geometry", "impulse")
RAGGED: dict[str, tuple[str, ...]] = {START: CONTACTS, IMPULSE_START: IMPULSES}
"""Arrays of which a record has any number of rows, by the array that says where each begins."""
ARRAYS = (*RECORDS, START, *CONTACTS, IMPULSE_START, *IMPULSES)
_KINDS = {START: "i", "contact_pair": "i", IMPULSE_START: "i", "impulse_geometry": "i",
          "impulse_is_known": "b"}  # fmt: skip
_SETTINGS = {"integrator": str, "contact": str, "dt": float, "is_controlled": bool,
             "is_loaded": bool, "stopped": str}  # fmt: skip


def meta_of(recording: Recording) -> dict[str, Any]:
    """All of a recording but its arrays and its scene, as plain data."""
    settings = {name: getattr(recording, name) for name in (*_SETTINGS, "seed")}
    return {
        "format": FORMAT,
        "model": model_to_json(recording.model),
        **settings,
        "notes": list(recording.notes),
        "geometry_names": list(recording.geometry_names),
        "geometry_bodies": [list(body) for body in recording.geometry_bodies],
        "report": dict(recording.report),
    }


def stored_arrays(meta: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of a file's arrays, by the format that it says it has.

    Raises
    ------
    ValueError
        If there is no such format.
    """
    name = meta.get("format")
    if name == FORMAT:
        return ARRAYS
    if name in earlier.ARRAYS:
        return earlier.ARRAYS[name]
    raise ValueError(f"expected the format '{FORMAT}'")


def of_this_format(
    meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What a file holds, in the present format whatever its own."""
    if meta["format"] != FORMAT:
        meta, arrays = earlier.upgraded(meta, arrays)
    return {**meta, "format": FORMAT}, dict(arrays)


def joined(chunks: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The arrays of parts of a run, one after the other, as those of the whole."""
    whole = {name: np.concatenate([chunk[name] for chunk in chunks])
             for name in ARRAYS if name not in RAGGED}  # fmt: skip
    for name in RAGGED:
        counts = np.concatenate([np.diff(chunk[name]) for chunk in chunks])
        whole[name] = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return whole


def fields_of(meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The fields of a `Recording`, checked.

    Raises
    ------
    ModelError, ValueError, LookupError, TypeError, AttributeError
        If they do not fit together.
    """
    meta, arrays = of_this_format(meta, arrays)
    model = model_from_json(meta["model"])
    names = tuple(str(name) for name in meta["geometry_names"])
    bodies = tuple((str(machine), str(link)) for machine, link in meta["geometry_bodies"])
    if len(bodies) not in (0, len(names)):
        raise ValueError(f"expected bodies of {len(names)} geometries, got {len(bodies)}")
    _check_shapes(arrays, model)
    _check_indices(arrays, len(names))
    return {
        "model": model,
        **arrays,
        **{name: kind(meta[name]) for name, kind in _SETTINGS.items()},
        "seed": None if meta["seed"] is None else int(meta["seed"]),
        "notes": tuple(str(note) for note in meta["notes"]),
        "geometry_names": names,
        "geometry_bodies": bodies,
        "report": {str(key): _number(x) for key, x in dict(meta["report"]).items()},
    }


def _number(value: Any) -> float:
    if isinstance(value, (int, float)):
        return value
    raise TypeError(f"expected a number in the report, got {value!r}")


def _check_shapes(arrays: Mapping[str, np.ndarray], model: Model) -> None:
    times, worlds = arrays["times"], arrays["work"].shape[1:]
    count, total = len(times), len(arrays["contact_gap"])
    of_points, of_joints = (total, 3), (count, *worlds, model.nv)
    n_impulses = len(arrays["impulse_geometry"])
    expected = {
        "times": (count,),
        "q": (count, *worlds, model.nq),
        **dict.fromkeys(("qd", "tau", "tau_passive", "tau_constraint"), of_joints),
        "work": (count, *worlds),
        "controls": (count, *worlds, model.n_controls),
        "activation": (count, *worlds, model.n_activations),
        "impulse_is_known": (count,),
        **dict.fromkeys(RAGGED, (count + 1,)),
        "impulse_geometry": (n_impulses,),
        "impulse": (n_impulses, 3),
        "contact_pair": (total, 2),
        **dict.fromkeys(CONTACTS[1:-1], of_points),
        "contact_gap": (total,),
    }
    for name, shape in expected.items():
        array = arrays[name]
        if array.shape != shape or array.dtype.kind != _KINDS.get(name, "f"):
            raise ValueError(f"expected {name} of shape {shape}, got {array.shape}")
    if count == 0 or not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
        raise ValueError("expected increasing times")


def _check_indices(arrays: Mapping[str, np.ndarray], n_geometries: int) -> None:
    for name, (of_geometries, *_) in RAGGED.items():
        start, index = arrays[name], arrays[of_geometries]
        if (np.diff(start) < 0).any() or start[0] < 0 or start[-1] > len(index):
            raise ValueError(f"expected {name} to rise from 0 to {len(index)}")
        if index.size and not 0 <= index.min() <= index.max() < n_geometries:
            raise ValueError(f"expected {of_geometries} from 0 to {n_geometries - 1}")
