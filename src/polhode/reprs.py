"""What `repr` prints of records: short for a reader, exact for a digest."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

DIGITS = 6


def short(value: Any) -> str:
    """``repr`` of a value, with the numbers in it to six digits."""
    if isinstance(value, Real) and not isinstance(value, Integral):
        return f"{float(value):.{DIGITS}g}"
    if type(value) is tuple:
        return f"({', '.join(map(short, value))}{',' * (len(value) == 1)})"
    return repr(value)


def short_repr(self: Any) -> str:
    """The ``__repr__`` of a dataclass: without what is at its default, numbers to six digits."""
    named = ((f, getattr(self, f.name)) for f in fields(self) if f.repr)
    parts = (f"{f.name}={short(value)}" for f, value in named if not _is_default(f, value))
    return f"{type(self).__name__}({', '.join(parts)})"


def _is_default(field: Field[Any], value: Any) -> bool:
    if field.default_factory is not MISSING:
        return value == field.default_factory()
    return field.default is not MISSING and value == field.default


def exact(value: Any) -> str:
    """A text that is the same for records of the same fields, to the last digit, and no others.

    That of all fields which dataclasses show in their ``repr``, whatever ``repr`` prints of them.
    """
    if type(value) is float:  # nearly all of them
        return repr(value)
    kind = type(value)
    if is_dataclass(kind):
        parts = [getattr(value, name) for name in _shown(kind)]
    elif isinstance(value, (tuple, list)):
        parts = value
    elif isinstance(value, (dict, MappingProxyType)):
        parts = [part for item in value.items() for part in item]
    else:
        return repr(value)
    return f"{kind.__qualname__}({', '.join(map(exact, parts))})"


@cache
def _shown(kind: Any) -> tuple[str, ...]:
    """Names of the fields of a dataclass that belong into its ``repr``."""
    return tuple(f.name for f in fields(kind) if f.repr)
