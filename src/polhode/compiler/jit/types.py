"""The types of compiled functions: numbers, arrays, tuples of them, and structs."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, get_type_hints

import numpy as np

from ...errors import TraceError


@dataclass(frozen=True)
class Number:
    """A number in a register; a higher rank holds every value of a lower one."""

    name: str
    ir: str
    rank: int

    def __str__(self) -> str:
        return self.name


BOOL, INT, FLOAT = Number("bool", "i1", 0), Number("int", "i64", 1), Number("float", "double", 2)


@dataclass(frozen=True)
class ElementType:
    """A number in an array."""

    dtype: str
    ir: str
    size: int
    number: Number


ELEMENTS = {
    "f8": ElementType("f8", "double", 8, FLOAT),
    "i8": ElementType("i8", "i64", 8, INT),
    "i4": ElementType("i4", "i32", 4, INT),
    "i1": ElementType("i1", "i8", 1, INT),
    "u1": ElementType("u1", "i8", 1, INT),
    "b1": ElementType("b1", "i8", 1, BOOL),
}


@dataclass(frozen=True)
class Array:
    """A C-contiguous array: its address and its lengths."""

    element: ElementType
    ndim: int

    def __hash__(self) -> int:
        """Of two fields: every call of a compiled function looks its types up."""
        return hash((self.element.dtype, self.ndim))

    def __str__(self) -> str:
        return f"array of {self.element.dtype} with {self.ndim} axes"


@dataclass(frozen=True)
class Tuple:
    """A tuple; ``cls`` is the class of a record: a named tuple or a frozen dataclass."""

    items: tuple[Type, ...]
    cls: type | None = None

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True)
class Reference:
    """A `Struct`, by its address."""

    cls: type

    def __str__(self) -> str:
        return self.cls.__name__


Type = Number | Array | Tuple | Reference
NONE = Tuple(())


@cache
def field_names(cls: type | None) -> tuple[str, ...] | None:
    """The fields of a class of records; None for other classes."""
    if cls is None:
        return None
    if issubclass(cls, tuple):
        return getattr(cls, "_fields", None)
    if is_dataclass(cls) and cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return tuple(f.name for f in fields(cls))
    return None


@cache
def field_defaults(cls: type) -> dict[str, Any]:
    """The fields of a record that have a default."""
    if issubclass(cls, tuple):
        return dict(cls._field_defaults)  # type: ignore[attr-defined]
    return {f.name: f.default for f in fields(cls) if f.default is not MISSING}


@cache
def declared_numbers(cls: type) -> tuple[Number | None, ...]:
    """For each field of a record the kind of number that its annotation names, if it does."""
    names = field_names(cls)
    assert names is not None
    try:
        hints = get_type_hints(cls)
    except NameError:  # a name that is imported for type checkers only
        hints = {}
    return tuple(NUMBERS.get(hints.get(name)) for name in names)


def flat(kind: Type) -> list[str]:
    """LLVM's types of the registers that hold a value."""
    if isinstance(kind, Number):
        return [kind.ir]
    if isinstance(kind, Array):
        return ["ptr"] + ["i64"] * kind.ndim
    if isinstance(kind, Reference):
        return ["ptr"]
    return [ir for item in kind.items for ir in flat(item)]


def has_arrays(kind: Type) -> bool:
    """Whether a value refers to memory that compiled functions asked for."""
    if isinstance(kind, Tuple):
        return any(map(has_arrays, kind.items))
    return isinstance(kind, Array)


def has_structs(kind: Type) -> bool:
    """Whether a value refers to a struct."""
    if isinstance(kind, Tuple):
        return any(map(has_structs, kind.items))
    return isinstance(kind, Reference)


def join(a: Type, b: Type) -> Type | None:
    """The type that holds the values of both, or None."""
    if a == b:
        return a
    if isinstance(a, Number) and isinstance(b, Number):
        return a if a.rank > b.rank else b
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        items = tuple(join(x, y) for x, y in zip(a.items, b.items, strict=True))
        if a.cls is b.cls and None not in items:
            return Tuple(items, a.cls)  # type: ignore[arg-type]
    return None


def element_of(dtype: Any) -> ElementType:
    """The element of a NumPy type."""
    name = np.dtype(dtype).str[1:]
    if name not in ELEMENTS or not np.dtype(dtype).isnative:
        raise TraceError(f"expected an array of {', '.join(ELEMENTS)}, got {np.dtype(dtype)}")
    return ELEMENTS[name]


NUMBERS: dict[Any, Number] = {bool: BOOL, int: INT, float: FLOAT}


def record_type(cls: type, items: list[Type]) -> Tuple:
    """The type of a record with such fields; numbers are what the class says they are."""
    return Tuple(
        tuple(
            said if said is not None and isinstance(t, Number) and t.rank < said.rank else t
            for said, t in zip(declared_numbers(cls), items, strict=True)
        ),
        cls,
    )
