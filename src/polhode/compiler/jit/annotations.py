"""What annotations of compiled functions mean: the types that arguments must have."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from ...errors import TraceError
from .struct import Struct
from .types import ELEMENTS, NONE, NUMBERS, Array, Number, Reference, Tuple, Type, field_names

Floats = Annotated[np.ndarray, Array(ELEMENTS["f8"], 1)]
Floats2 = Annotated[np.ndarray, Array(ELEMENTS["f8"], 2)]
Floats3 = Annotated[np.ndarray, Array(ELEMENTS["f8"], 3)]
Ints = Annotated[np.ndarray, Array(ELEMENTS["i8"], 1)]
Ints2 = Annotated[np.ndarray, Array(ELEMENTS["i8"], 2)]
Ints3 = Annotated[np.ndarray, Array(ELEMENTS["i8"], 3)]
ShortInts = Annotated[np.ndarray, Array(ELEMENTS["i4"], 1)]
ShortInts2 = Annotated[np.ndarray, Array(ELEMENTS["i4"], 2)]
Bytes = Annotated[np.ndarray, Array(ELEMENTS["u1"], 1)]
Bytes2 = Annotated[np.ndarray, Array(ELEMENTS["u1"], 2)]
Bools = Annotated[np.ndarray, Array(ELEMENTS["b1"], 1)]


def require_annotations(function: Callable[..., Any]) -> None:
    """Refuse a function with a parameter that has no annotation."""
    code = function.__code__
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        if name not in function.__annotations__:
            raise TraceError(
                f"{code.co_filename}:{code.co_firstlineno}: expected a type of parameter "
                f"'{name}' of {function.__name__}, got none; write for instance '{name}: float' "
                f"or '{name}: Floats'"
            )


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function's parameters."""
    try:
        return typing.get_type_hints(function, include_extras=True)
    except NameError as e:
        code = function.__code__
        raise TraceError(
            f"{code.co_filename}:{code.co_firstlineno}: expected annotations of "
            f"{function.__name__} that are known when it is compiled; {e}"
        ) from None


def fitted(kind: Type, hint: Any) -> Type | None:
    """The type that an annotated parameter has for an argument, or None if it does not fit."""
    if isinstance(hint, typing.NewType):
        hint = hint.__supertype__
    if hint is Any or hint is None or isinstance(hint, typing.TypeVar):
        return kind
    if hint in NUMBERS:
        said = NUMBERS[hint]
        return said if isinstance(kind, Number) and kind.rank <= said.rank else None
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return kind if kind == arguments[1] else None
    if origin in (types.UnionType, typing.Union):
        return next((f for h in arguments if (f := fitted(kind, h)) is not None), None)
    if hint is np.ndarray:
        return kind if isinstance(kind, Array) else None
    if hint is type(None):
        return kind if kind == NONE else None
    if origin is tuple:
        return _fitted_tuple(kind, arguments)
    if origin is Sequence:
        return kind if isinstance(kind, Tuple) else None
    return kind if isinstance(hint, type) and _is_of(kind, hint) else None


def _fitted_tuple(kind: Type, items: tuple[Any, ...]) -> Type | None:
    if not isinstance(kind, Tuple) or kind.cls is not None or len(kind.items) != len(items):
        return None
    found = [fitted(k, h) for k, h in zip(kind.items, items, strict=True)]
    return None if None in found else Tuple(tuple(f for f in found if f is not None))


def _is_of(kind: Type, cls: type) -> bool:
    """Whether a record or a struct is of a class."""
    if issubclass(cls, Struct):
        return isinstance(kind, Reference) and issubclass(kind.cls, cls)
    if isinstance(kind, Tuple) and field_names(cls) is not None:
        return kind.cls is not None and issubclass(kind.cls, cls)
    return cls is tuple and isinstance(kind, Tuple)


def in_words(hint: Any) -> str:
    """An annotation as messages name it."""
    if typing.get_origin(hint) is Annotated:
        return str(typing.get_args(hint)[1])
    return getattr(hint, "__name__", None) or str(hint)
