"""Recordings in the formats of earlier versions, brought to the present one.

Models and scenes had one each: that of models without contacts, that of scenes of one world and
without forces in the joints.  The one after those had no controls of actuators, the third no
torques of contacts, and the fourth no impulses of contacts.  The fifth had a row of impulses for
each geometry, whether it touched anything or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .impulses import of_touched

_OF_MODELS, _OF_SCENES = "polhode recording 1", "polhode scene recording 1"
_WITHOUT_CONTROLS, _WITHOUT_TORQUES = "polhode recording 2", "polhode recording 3"
_WITHOUT_IMPULSES, _OF_ALL_GEOMETRIES = "polhode recording 4", "polhode recording 5"
_CONTACTS: dict[str, tuple[tuple[int, ...], type]] = {
    "contact_pair": ((2,), np.int64),
    "contact_point": ((3,), np.float64),
    "contact_normal": ((3,), np.float64),
    "contact_force": ((3,), np.float64),
    "contact_gap": ((), np.float64),
}
_JOINTS = ("times", "q", "qd", "tau", "tau_passive", "tau_constraint", "work")
ARRAYS: dict[Any, tuple[str, ...]] = {
    _OF_MODELS: ("times", "q", "qd", "tau", "work"),
    _OF_SCENES: ("times", "q", "qd", "contact_start", *_CONTACTS),
    _WITHOUT_CONTROLS: (*_JOINTS, "contact_start", *_CONTACTS),
    _WITHOUT_TORQUES: (*_JOINTS, "controls", "activation", "contact_start", *_CONTACTS),
    _WITHOUT_IMPULSES: (*_JOINTS, "controls", "activation", "contact_start", *_CONTACTS,
                        "contact_torque"),
    _OF_ALL_GEOMETRIES: (*_JOINTS, "controls", "activation", "contact_impulse", "contact_start",
                         *_CONTACTS, "contact_torque"),
}  # fmt: skip
_SINCE_CONTROLS = (_WITHOUT_CONTROLS, _WITHOUT_TORQUES, _WITHOUT_IMPULSES, _OF_ALL_GEOMETRIES)


def upgraded(
    meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Plain data and arrays of the present format; forces that were not recorded are zero.

    Impulses of contacts are unknown in the first four formats.

    Raises
    ------
    ValueError
        If impulses do not fit the records.
    """
    forces = np.zeros_like(arrays["qd"])
    none = np.zeros((*forces.shape[:-1], 0))
    torques = np.zeros((len(arrays.get("contact_gap", ())), 3))
    count = len(arrays["times"])
    unknown = np.full((count, len(meta.get("geometry_names", ())), 3), np.nan)
    of_all = arrays.get("contact_impulse", unknown)
    if of_all.shape != unknown.shape:
        raise ValueError(f"expected contact_impulse of shape {unknown.shape}, got {of_all.shape}")
    arrays = {name: x for name, x in arrays.items() if name != "contact_impulse"}
    later = {"controls": none, "activation": none.copy(), "contact_torque": torques,
             **of_touched(of_all)}  # fmt: skip
    if meta["format"] in _SINCE_CONTROLS:
        return {**meta}, {**later, **arrays}
    known = {
        "tau": forces,
        "tau_passive": forces.copy(),
        "tau_constraint": forces.copy(),
        "work": np.zeros(forces.shape[:-1]),
        "contact_start": np.zeros(count + 1, np.int64),
        **{name: np.zeros((0, *shape), kind) for name, (shape, kind) in _CONTACTS.items()},
    }
    is_scene = meta["format"] == _OF_SCENES
    ways = {
        "integrator": "event_driven" if is_scene else meta["method"],
        "contact": meta["method"] if is_scene else "none",
    }
    settings = {"is_controlled": False, "is_loaded": False, "notes": [], "geometry_names": [],
               "geometry_bodies": [], "report": {}}  # fmt: skip
    return {**settings, **meta, **ways}, {**known, **later, **arrays}
