"""What a task may return, as flat arrays by name, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

Flat = dict[str, np.ndarray]
KINDS = "biufcUS"


def flatten(value: Any, name: str = "") -> Flat:
    """Arrays by name: ``{"": array}`` for a number or an array, ``"a/b"`` for nested mappings.

    Raises
    ------
    TypeError
        For anything else than numbers, texts, arrays and mappings of these.
    """
    if value is None and not name:
        return {}
    if isinstance(value, Mapping):
        flat: Flat = {}
        for key, part in value.items():
            if not isinstance(key, str) or not key or "/" in key:
                raise TypeError(f"expected names without '/' in a result, got {key!r}")
            flat |= flatten(part, f"{name}/{key}" if name else key)
        return flat
    return {name: _array(value, name)}


def _array(value: Any, name: str) -> np.ndarray:
    try:
        array = np.array(value)
    except ValueError:  # rows of different lengths
        array = np.empty(0, object)
    if array.dtype.kind in KINDS:
        array.flags.writeable = False
        return array
    where = f" as '{name}'" if name else ""
    raise TypeError(
        f"expected a number, a text, an array or a mapping of these{where}, got "
        f"{type(value).__name__}; return what you need of it, such as recording.q[-1]"
    )


def restore(flat: Flat) -> Any:
    """What `flatten` was given; numbers are NumPy's, arrays read-only."""
    if not flat:
        return None
    if "" in flat:
        return flat[""][()]
    nested: dict[str, Any] = {}
    for name, array in flat.items():
        *outer, last = name.split("/")
        place = nested
        for key in outer:
            place = place.setdefault(key, {})
        place[last] = array[()]
    return nested


def grouped(flats: Iterable[tuple[int, Flat]]) -> list[tuple[np.ndarray, Flat]]:
    """Tasks whose results have the same names, types and shapes, stacked."""
    groups: dict[tuple, tuple[list[int], list[Flat]]] = {}
    for index, flat in flats:
        key = tuple((name, x.dtype.str, x.shape) for name, x in flat.items())
        indices, rows = groups.setdefault(key, ([], []))
        indices.append(index)
        rows.append(flat)
    return [
        (np.array(indices, np.int64), {name: np.stack([r[name] for r in rows]) for name in rows[0]})
        for indices, rows in groups.values()
    ]


def plain(task: Mapping[str, Any]) -> Flat:
    """A task's parameters as arrays; of what is none, a description."""
    flat: Flat = {}
    for name, value in task.items():
        try:
            flat |= flatten(value, name)
        except TypeError:
            flat[name] = np.array(f"<{type(value).__name__}>")
    return flat
