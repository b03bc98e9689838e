"""The types of values of Python, as compiled functions take them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...errors import TraceError
from .struct import Struct
from .types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    Array,
    Number,
    Reference,
    Tuple,
    Type,
    element_of,
    field_names,
    record_type,
)  # fmt: skip

_OF_CLASS: dict[type, Type] = {
    bool: BOOL, np.bool_: BOOL, int: INT, np.int64: INT, float: FLOAT, np.float64: FLOAT,
    type(None): NONE,
}  # fmt: skip


@cache
def _array_of(dtype: np.dtype, ndim: int) -> Array:
    return Array(element_of(dtype), ndim)


@cache
def _reference_of(cls: type) -> Reference | None:
    return Reference(cls) if issubclass(cls, Struct) else None


@cache
def _record_of(cls: type, *items: Type) -> Tuple:
    return record_type(cls, [*items])


def classes_of(kind: Number, *, with_lower: bool = False) -> frozenset[type]:
    """The classes of numbers that are of a type, or of one of a lower rank, too."""
    kinds = [x for x in (BOOL, INT, FLOAT) if x is kind or (with_lower and x.rank < kind.rank)]
    return frozenset(cls for cls, known in _OF_CLASS.items() if known in kinds)


def is_of(cls: type | None, value: Any) -> bool:
    """Whether a value is a record of a class, or a plain tuple where that is None."""
    if cls is not None:
        return type(value) is cls
    return isinstance(value, tuple) and field_names(type(value)) is None


def type_of(value: Any) -> Type:
    """The type that a value of Python has in a compiled function."""
    cls = type(value)
    known = _OF_CLASS.get(cls)
    if known is not None:
        return known
    if cls is np.ndarray:
        return _array_of(value.dtype, value.ndim)
    names = field_names(cls)
    if names is not None and isinstance(value, tuple):
        return _record_of(cls, *map(type_of, value))
    if names is not None:
        return _record_of(cls, *[type_of(getattr(value, name)) for name in names])
    if isinstance(value, tuple):
        return Tuple(tuple([type_of(v) for v in value]))
    reference = _reference_of(cls)
    if reference is None:
        raise TraceError(
            f"expected numbers, arrays, tuples, records or structs, got {cls.__name__}"
        )
    return reference
