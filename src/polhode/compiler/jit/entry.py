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

_Reader = Callable[[tuple[Any, ...]], Any]
_Writer = Callable[[list[Any], Any], bool]


class EntryPoint:
    """A compiled function with the types of its arguments and of its result."""

    def __init__(self, engine: Engine, kinds: tuple[Type, ...], returns: Type):
        self._engine = engine  # its code lives as long as this
        self._writers = [_writer(kind) for kind in kinds]
        registers = [ir for kind in kinds for ir in flat(kind)]
        self._given = _layout(registers)
        self._got = _layout(flat(returns))
        self._read, self._n_out = _reader(returns, 0)
        address = ctypes.c_void_p
        self._entry = ctypes.CFUNCTYPE(None, address, address, address)(engine.address(ENTRY))
        self._end = ctypes.CFUNCTYPE(None, address)(engine.address(END_ARENA))

    def registers(self, arguments: Sequence[Any]) -> list[Any] | None:
        """What the registers of arguments hold; None if they are of other types."""
        found: list[Any] = []
        if len(arguments) != len(self._writers):
            return None
        for write, argument in zip(self._writers, arguments, strict=True):
            if not write(found, argument):
                return None
        return found

    def __call__(self, registers: Sequence[Any]) -> Any:
        """Call the function with what `registers` found."""
        given, got = self._given.pack(*registers), np.empty(self._n_out, np.int64)
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


def _writer(kind: Type) -> _Writer:
    """What appends to a list what the registers of a value hold; False for one of another type."""
    if isinstance(kind, Number):
        return _number_writer(kind)
    if isinstance(kind, Array):
        return _array_writer(kind)
    if isinstance(kind, Reference):
        return _reference_writer(kind.cls)
    return _tuple_writer(kind)


def _number_writer(kind: Number, *, is_declared: bool = False) -> _Writer:
    """For numbers of a kind; also for lower ones where a record declares it."""
    classes = classes_of(kind, with_lower=is_declared)

    def write(registers: list[Any], value: Any) -> bool:
        registers.append(value)
        return type(value) in classes

    return write


def _reference_writer(cls: type) -> _Writer:
    def write(registers: list[Any], value: Any) -> bool:
        if type(value) is not cls:
            return False
        registers.append(value.address)
        return True

    return write


def _array_writer(kind: Array) -> _Writer:
    dtype, ndim = np.dtype(kind.element.dtype), kind.ndim

    def write(registers: list[Any], array: Any) -> bool:
        if type(array) is not np.ndarray or array.ndim != ndim or array.dtype != dtype:
            return False
        if not array.flags.c_contiguous:
            raise ValueError(f"expected a C-contiguous array, got strides {array.strides}")
        registers.append(address_of_data(array) if array.size else 0)
        registers.extend(array.shape)
        return True

    return write


def _tuple_writer(kind: Tuple) -> _Writer:
    cls, names = kind.cls, field_names(kind.cls)
    declared = [None] * len(kind.items) if cls is None else declared_numbers(cls)
    writers = [
        _number_writer(said, is_declared=True) if said is item and said else _writer(item)
        for said, item in zip(declared, kind.items, strict=True)
    ]
    is_record = names is not None and not issubclass(cls, tuple)  # type: ignore[arg-type]

    def write(registers: list[Any], value: Any) -> bool:
        if not is_of(cls, value):
            return False
        items = [getattr(value, name) for name in names] if is_record else value  # type: ignore[union-attr]
        if len(items) != len(writers):
            return False
        for writer, item in zip(writers, items, strict=True):  # noqa: SIM110  # all() takes longer
            if not writer(registers, item):
                return False
        return True

    return write if writers else _write_nothing


def _write_nothing(_: list[Any], value: Any) -> bool:
    return value is None or (is_of(None, value) and not value)


def _reader(kind: Type, at: int) -> tuple[_Reader, int]:
    """What makes a value out of registers, and the register after it."""
    if isinstance(kind, Number):
        return _number_reader(kind, at), at + 1
    if isinstance(kind, Array):
        return _array_reader(kind, at), at + 1 + kind.ndim
    assert isinstance(kind, Tuple)
    readers = []
    for item in kind.items:
        reader, at = _reader(item, at)
        readers.append(reader)
    return _tuple_reader(kind, readers), at


def _number_reader(kind: Number, at: int) -> _Reader:
    if kind is BOOL:
        return lambda got: bool(got[at])
    return lambda got: got[at]


def _array_reader(kind: Array, at: int) -> _Reader:
    first, end, dtype = at + 1, at + 1 + kind.ndim, np.dtype(kind.element.dtype)

    def read(got: tuple[Any, ...]) -> np.ndarray:
        shape = got[first:end]
        if 0 in shape:
            return _empty(shape, dtype)
        array = np.empty(shape, dtype)
        ctypes.memmove(address_of_data(array), got[at], array.nbytes)
        return array

    return read


@lru_cache
def _empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array without entries; results are full of them, and NumPy takes longer to make one."""
    return np.empty(shape, dtype)


def _tuple_reader(kind: Tuple, readers: list[_Reader]) -> _Reader:
    if not readers:
        return lambda _: None
    cls = kind.cls
    if cls is None:
        return lambda got: tuple([read(got) for read in readers])
    return lambda got: cls(*[read(got) for read in readers])
