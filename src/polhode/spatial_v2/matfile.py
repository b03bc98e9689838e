"""System models in MATLAB files: structs, cells of bodies, columns of contact points."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelWarning, ParseError
from ..files.reading import read_regular
from ..files.writing import write_atomically
from .matreader import MOST_BYTES, variables

_CELLS = ("jtype", "Xtree", "I")


def write_variables(path: str | Path, variables: Mapping[str, Any]) -> Path:
    """Write variables of a MATLAB file, ``.mat`` being added to a name without it."""
    from scipy.io import savemat

    path = _named(path)
    buffer = io.BytesIO()
    savemat(buffer, dict(variables), oned_as="row", long_field_names=True)
    return write_atomically(path, buffer.getvalue())


def struct_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a system model as values that a MATLAB file can hold."""
    fields = dict(fields)
    if fields.pop("gamma_q", None) is not None:
        warnings.warn("gamma_q is a function and is not written", ModelWarning, stacklevel=4)
    struct = {name: _value(name, value) for name, value in fields.items()}
    struct["NB"], struct["parent"] = float(fields["NB"]), np.array(fields["parent"], float)
    return struct


def _value(name: str, value: Any) -> Any:
    if name in _CELLS:
        return _cell([_value("", x) for x in list(value)])
    if isinstance(value, Mapping):
        return {key: _value(key, x) for key, x in value.items()}
    if name in ("base", "body") and isinstance(value, list):
        return _drawing(value)
    return value if isinstance(value, str) else np.asarray(value, float)


def _drawing(value: Any) -> Any:
    """A drawing list as a cell; arrays of numbers stay arrays."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not (value and _is_numeric(value)):
        return _cell([_drawing(x) for x in list(value)])
    return np.asarray(value, float)


def _is_numeric(value: list) -> bool:
    try:
        return np.asarray(list(value), float).size > 0
    except (TypeError, ValueError):
        return False


def _cell(values: list) -> np.ndarray:
    cell = np.empty((1, len(values)), dtype=object)
    for k, value in enumerate(values):
        cell[0, k] = value
    return cell


def read_struct(path: str | Path) -> Any:
    """The fields of the variable ``model``, or of the only model, of a MATLAB file.

    Raises
    ------
    ParseError
        If there is none.
    """
    variables = read_variables(path)
    models = {name: x for name, x in variables.items() if isinstance(x, dict) and "NB" in x}
    if "model" not in models and len(models) != 1:
        raise ParseError(f"expected a system model named 'model', got {list(variables)}",
                         str(path))  # fmt: skip
    return models.get("model") or next(iter(models.values()))


def read_variables(path: str | Path) -> dict[str, Any]:
    """The variables of a MATLAB file as numbers, text, lists and dicts.

    Raises
    ------
    ParseError
        If the file is not a MATLAB file.
    """
    path = _named(path)
    data = read_regular(path, MOST_BYTES)
    try:
        return variables(data)
    except ValueError as error:
        raise ParseError(f"not a readable MATLAB file: {error}", str(path)) from None


def _named(path: str | Path) -> Path:
    path = Path(path)
    return path if path.suffix == ".mat" else path.with_name(path.name + ".mat")
