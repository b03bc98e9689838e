"""Whether a function and its parameters are those of an earlier sweep."""

from __future__ import annotations

import functools
import hashlib
import pickle
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ...model import Model


def digest(*values: Any) -> str:
    """A hash that is equal in every process for values that are equal.

    Of a function its code, defaults and closure count, but not the functions it calls.
    """
    hashed = hashlib.sha256()
    for value in values:
        for part in _parts(value, ()):
            hashed.update(len(part).to_bytes(8, "little") + part)
    return hashed.hexdigest()


def _parts(value: Any, above: tuple[int, ...]) -> Iterator[bytes]:
    if id(value) in above:  # a function that calls itself
        return
    yield type(value).__qualname__.encode()
    inner = _inner(value)
    if isinstance(inner, bytes):
        yield inner
        return
    for part in inner:
        yield from _parts(part, (*above, id(value)))


def _inner(value: Any) -> bytes | Sequence[Any]:
    """Bytes that tell a value, or the values it is made of."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value).encode()
    if isinstance(value, np.generic):
        return value.dtype.str.encode() + value.tobytes()
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return f"{value.dtype.str}{value.shape}".encode() + value.tobytes()
    if isinstance(value, Model):
        return value.fingerprint.encode()
    if isinstance(value, Mapping):
        return [item for pair in value.items() for item in pair]
    if isinstance(value, (tuple, list)):
        return value
    if isinstance(value, (set, frozenset)):
        return sorted(digest(item) for item in value)
    return _inner_of_callable(value)


def _inner_of_callable(value: Any) -> bytes | Sequence[Any]:
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, types.MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, types.FunctionType):
        cells = [_content(cell) for cell in value.__closure__ or ()]
        return [value.__code__, value.__defaults__, value.__kwdefaults__, cells]
    if isinstance(value, types.CodeType):
        return [value.co_code, value.co_names, value.co_varnames, value.co_consts]
    if isinstance(value, (type, types.BuiltinFunctionType, types.ModuleType)):
        return f"{getattr(value, '__module__', '')}.{value.__name__}".encode()
    if is_dataclass(value):
        return [getattr(value, f.name) for f in fields(value)]
    return pickle.dumps(value, 4)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None
