"""From Python into a compiled function and back."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..codegen.machine import Engine
from .arena import address_of_data, take_arena
from .module_names import END_ARENA, ENTRY
from .type_of import classes_of, is_of
from .types import (
    BOOL,
    Array,
    Number,
    Reference,
    Tuple,
    Type,
    declared_numbers,
    field_names,
    flat,
)


class EntryPoint:
    """A compiled function with the types of its arguments and of its result."""

    def __init__(self, engine: Engine, kinds: tuple[Type, ...], returns: Type):
        self._engine = engine  # its code lives as long as this
        self.given: Callable[[Sequence[Any]], bytes | None] = _giver(kinds)
        """What the registers of arguments hold; None if they are of other types."""
        registers = flat(returns)
        self._got, self._n_out = _layout(registers), len(registers)
        self._read = _reader(returns)
        address = ctypes.c_void_p
        self._entry = ctypes.CFUNCTYPE(None, address, address, address)(engine.address(ENTRY))
        self._end = ctypes.CFUNCTYPE(None, address)(engine.address(END_ARENA))

    def __call__(self, given: bytes) -> Any:
        """Call the function with what `given` found."""
        got = np.empty(self._n_out, np.int64)
        arena = take_arena()
        try:
            self._entry(arena.address, given, address_of_data(got))
            arena.check()
            return self._read(self._got.unpack_from(got.data))
        finally:
            arena.end(self._end)


def _layout(registers: Sequence[str]) -> struct.Struct:
    """The bytes of registers, eight for each."""
    return struct.Struct("=" + "".join("d" if ir == "double" else "q" for ir in registers))


class _Source:
    """A function of Python for the types at hand, as text: the quickest way through records."""

    def __init__(self, parameter: str):
        self._lines = [f"def function({parameter}):"]
        self._objects: dict[str, Any] = {}

    def named(self, x: Any) -> str:
        """A name for an object of this module."""
        name = f"x{len(self._objects)}"
        self._objects[name] = x
        return name

    def add(self, line: str) -> None:
        self._lines.append(f"    {line}")

    def unless(self, condition: str) -> None:
        """Leave with None unless a condition holds."""
        self.add(f"if not ({condition}): return None")

    def function(self) -> Callable[[Any], Any]:
        exec("\n".join(self._lines), self._objects)
        return self._objects["function"]


def _giver(kinds: tuple[Type, ...]) -> Callable[[Sequence[Any]], bytes | None]:
    """What packs the registers of arguments; None for arguments of other types."""
    source, registers = _Source("arguments"), [ir for kind in kinds for ir in flat(kind)]
    source.unless(f"len(arguments) == {len(kinds)}")
    found = _of_items(source, "arguments", kinds)
    source.add(f"return {source.named(_layout(registers).pack)}({', '.join(found)})")
    return source.function()


def _of_items(source: _Source, value: str, kinds: Sequence[Type]) -> list[str]:
    """The registers of the items of a sequence."""
    names = [source.named(None) for _ in kinds]
    if names:
        source.add(f"{', '.join(names)}, = {value}")
    return [x for kind, name in zip(kinds, names, strict=True) for x in _of(source, name, kind)]


def _of(source: _Source, x: str, kind: Type) -> list[str]:
    """The registers of a value; lines of the source ask whether it is of the type."""
    if isinstance(kind, Number):
        source.unless(f"type({x}) in {source.named(classes_of(kind))}")
        return [x]
    if isinstance(kind, Array):
        is_array = f"type({x}) is {source.named(np.ndarray)} and {x}.ndim == {kind.ndim}"
        source.unless(f"{is_array} and {x}.dtype == {source.named(np.dtype(kind.element.dtype))}")
        return [f"{source.named(_address)}({x})", f"*{x}.shape"]
    if isinstance(kind, Reference):
        source.unless(f"type({x}) is {source.named(kind.cls)}")
        return [f"{x}.address"]
    if not kind.items:
        source.unless(f"{x} is None or {source.named(is_of)}(None, {x}) and not {x}")
        return []
    return _of_tuple(source, x, kind)


def _of_tuple(source: _Source, x: str, kind: Tuple) -> list[str]:
    names = field_names(kind.cls)
    if kind.cls is None or names is None:
        source.unless(f"{source.named(is_of)}(None, {x}) and len({x}) == {len(kind.items)}")
        return _of_items(source, x, kind.items)
    source.unless(f"type({x}) is {source.named(kind.cls)}")
    found = []
    for name, said, item in zip(names, declared_numbers(kind.cls), kind.items, strict=True):
        field = source.named(None)
        source.add(f"{field} = {x}.{name}")
        if said is item and said:  # a lower kind of number will do
            source.unless(f"type({field}) in {source.named(classes_of(said, with_lower=True))}")
            found.append(field)
        else:
            found += _of(source, field, item)
    return found


def _address(array: np.ndarray) -> int:
    """Where the entries of an argument begin."""
    if not array.flags.c_contiguous:
        raise ValueError(f"expected a C-contiguous array, got strides {array.strides}")
    return address_of_data(array) if array.size else 0


def _reader(kind: Type) -> Callable[[tuple[Any, ...]], Any]:
    """What makes a value out of registers."""
    source = _Source("got")
    value, _ = _value(source, kind, 0)
    source.add(f"return {value}")
    return source.function()


def _value(source: _Source, kind: Type, at: int) -> tuple[str, int]:
    """The expression of a value whose registers begin at a place, and the place after them."""
    if isinstance(kind, Number):
        return (f"bool(got[{at}])" if kind is BOOL else f"got[{at}]"), at + 1
    if isinstance(kind, Array):
        end = at + 1 + kind.ndim
        dtype = source.named(np.dtype(kind.element.dtype))
        shape, read = f"got[{at + 1}:{end}]", source.named(_array)
        empty = f"{source.named(_empty)}({shape}, {dtype})"
        return f"({read}(got[{at}], {shape}, {dtype}) if {_all(at + 1, end)} else {empty})", end
    assert isinstance(kind, Tuple)
    items = []
    for item in kind.items:
        value, at = _value(source, item, at)
        items.append(value)
    if not items:
        return "None", at
    values = ", ".join(items)
    return (f"({values},)" if kind.cls is None else f"{source.named(kind.cls)}({values})"), at


def _all(first: int, end: int) -> str:
    """Whether all of some registers are not zero."""
    return " and ".join(f"got[{k}]" for k in range(first, end)) or "True"


def _array(address: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    array = np.empty(shape, dtype)
    ctypes.memmove(address_of_data(array), address, array.nbytes)
    return array


@lru_cache
def _empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array without entries; results are full of them, and NumPy takes longer to make one."""
    return np.empty(shape, dtype)
