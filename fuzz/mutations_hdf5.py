"""Changes that leave an HDF5 file one: of what its datasets hold, are, or point to."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import h5py
import numpy as np

from .mutations import Bytes, Mutation, json_values

_KINDS = ("f8", "f4", "i8", "u1", "?", "c16", "S3", "V4", ">f8")


def datasets(vocabulary: list[str]) -> Mutation:
    """One dataset in a new file changed; sometimes bytes at random."""
    change_json = json_values(vocabulary)

    def mutate(data: bytes, rng: random.Random, at_random: Bytes) -> bytes:
        if rng.random() < 0.3:
            return at_random(data)
        try:
            with h5py.File(io.BytesIO(data), "r") as file:
                found = {name: np.asarray(file[name]) for name in file}
        except Exception:  # whatever a damaged file gives: then its bytes are changed
            return at_random(data)
        if not found:
            return at_random(data)
        name = rng.choice(sorted(found))
        kind = rng.randrange(5)
        if kind < 2:
            found[name] = _values(found[name], rng, at_random, change_json)
        elif kind == 2:
            found[name] = _reshaped(found[name], rng)
        elif kind == 3:
            found[rng.choice(sorted(found))] = found[name]
        out = io.BytesIO()
        with h5py.File(out, "w", libver="latest") as file:
            for key, value in found.items():
                if value.dtype.kind in "UO":
                    continue
                if kind != 4 or key != name:
                    file.create_dataset(key, data=value)
            if kind == 4:
                _odd(file, name, found[name], rng)
        return out.getvalue()

    return mutate


def _values(array: np.ndarray, rng: random.Random, at_random: Bytes, change_json: Any) -> Any:
    raw = array.tobytes()
    if array.dtype == np.uint8 and raw[:1] == b"{":
        return np.frombuffer(change_json(raw, rng, at_random), np.uint8)
    if array.dtype.kind not in "fiub":
        return array
    if not array.size:
        return np.array([rng.choice((0, 1, 7, 100))], array.dtype)
    changed = array.copy().ravel()
    changed[rng.randrange(changed.size)] = rng.choice((0, 1, 3, 100))
    return changed.reshape(array.shape)


def _reshaped(array: np.ndarray, rng: random.Random) -> np.ndarray:
    kind = rng.randrange(3)
    if kind == 0:
        return array.ravel()[: rng.randrange(array.size + 1)]
    if kind == 1:
        return np.concatenate((array, array)) if array.ndim else array.reshape(1, 1)
    return (
        array.astype(str(rng.choice(_KINDS)).replace("U", "S"))
        if array.dtype.kind != "V"
        else array
    )


def _odd(file: h5py.File, name: str, array: np.ndarray, rng: random.Random) -> None:
    """Something in place of a dataset that is not one of numbers, stored here."""
    kind = rng.randrange(7)
    if kind == 0:
        file.create_group(name)
    elif kind == 1:
        file[name] = h5py.ExternalLink("/etc/passwd", "/")
    elif kind == 2:
        file[name] = h5py.SoftLink("/" + rng.choice(sorted(file) or ["x"]))
    elif kind == 3:
        file.create_dataset(name, (4, 3), "u1", external=[("/etc/passwd", 0, 12)])
    elif kind == 4:
        file.create_dataset(name, (10**9, 10**6), "f8", chunks=(256, 3))
    elif kind == 5:
        file.create_dataset(name, data=json.dumps({"a": 1}))
    elif array.size and array.ndim:
        file.create_dataset(name, data=array, compression="gzip", chunks=True)
