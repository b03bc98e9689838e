"""Parameters that differ from world to world."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...api.parameters import check_frames, check_inertias
from ...arguments import as_mapping
from ...arrays import as_array
from ...errors import ModelError, ShapeError, shown, suggestion

_POSITIVE = ("mass", "armature", "damping", "friction", "stiffness", "mu_coulomb")
_RANGES = {**dict.fromkeys(_POSITIVE, (0.0, math.inf)), "restitution": (0.0, 1.0)}

_CHECKS = {"frame": check_frames, "inertia": check_inertias}


def parameter_arrays(
    shapes: Mapping[str, tuple[int, ...]], given: Mapping[str, Any] | None, where: str
) -> dict[str, np.ndarray]:
    """Parameters as arrays, axes of worlds first; ``shapes`` are those of `ContactModel`.

    Raises
    ------
    ModelError
        If there is none of a name, or a number is out of the range of models and contact.
        Also for frames that are no poses, and inertias that are not symmetric.
    ShapeError
        If one does not have its shape after the axes of worlds, or is not finite.
    """
    if given is None:
        return {}
    found = {}
    for name, x in as_mapping("parameters", given).items():
        if name not in shapes:
            known = ", ".join(shapes) or "none"
            raise ModelError(f"expected parameters among {known}, got {shown(name)}"
                             f"{suggestion(name, shapes)} ({where})")  # fmt: skip
        array, core = as_array(name, x, f" ({where})", finite=True), shapes[name]
        if array.shape[array.ndim - len(core) :] != core or array.ndim < len(core):
            wanted = ", ".join(["...", *map(str, core)])
            raise ShapeError(f"expected {name} of shape ({wanted}), got {array.shape} ({where})")
        _check_range(name, array, where)
        if name in _CHECKS:
            _CHECKS[name](array, f" ({where})")
        found[name] = array
    return found


def _check_range(name: str, values: np.ndarray, where: str) -> None:
    """Refuse what models and contact refuse."""
    least, most = _RANGES.get(name, (-math.inf, math.inf))
    beyond = values[(values < least) | (values > most)]
    if beyond.size:
        wanted = f"of at least {least:g}" if most == math.inf else f"from {least:g} to {most:g}"
        raise ModelError(f"expected {name} {wanted}, got {beyond[0]:g} ({where})")


def of_worlds(
    values: Mapping[str, np.ndarray],
    shapes: Mapping[str, tuple[int, ...]],
    batch: tuple[int, ...],
    where: str,
) -> list[np.ndarray]:
    """Parameters of all worlds, one row for each world, in the order of ``shapes``.

    Raises
    ------
    ShapeError
        If one has other axes of worlds.
    """
    n, rows = math.prod(batch), []
    for name, core in shapes.items():
        x, whole = values[name], (*batch, *core)
        try:
            spread = np.broadcast_to(x, whole)
        except ValueError:
            raise ShapeError(
                f"expected {name} of shape {whole}, or {core} for all worlds, got {x.shape} "
                f"({where})"
            ) from None
        rows.append(np.array(spread).reshape(n, *core))
    return rows
