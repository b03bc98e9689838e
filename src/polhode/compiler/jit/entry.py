"""From Python into a compiled function and back."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..codegen.machine import Engine
from .arena import Arena, address_of_data
from .module_names import END_ARENA, ENTRY
from .types import BOOL, FLOAT, Array, Number, Reference, Tuple, Type, field_names, flat

_Reader = Callable[[list[int], list[float]], Any]
_Writer = Callable[[list[Any], Any], None]


class EntryPoint:
    """A compiled function with the types of its arguments and of its result."""

    def __init__(self, engine: Engine, kinds: tuple[Type, ...], returns: Type):
        self._engine = engine  # its code lives as long as this
        self._writers = [_writer(kind) for kind in kinds]
        registers = [ir for kind in kinds for ir in flat(kind)]
        self._given = struct.Struct("=" + "".join("d" if x == "double" else "q" for x in registers))
        self._read, self._n_out = _reader(returns, 0)
        address = ctypes.c_void_p
        self._entry = ctypes.CFUNCTYPE(None, address, address, address)(engine.address(ENTRY))
        self._end = ctypes.CFUNCTYPE(None, address)(engine.address(END_ARENA))

    def __call__(self, arguments: Sequence[Any]) -> Any:
        registers: list[Any] = []
        for write, argument in zip(self._writers, arguments, strict=True):
            write(registers, argument)
        given, got = self._given.pack(*registers), np.empty(self._n_out, np.int64)
        arena = Arena()
        try:
            self._entry(arena.address, given, address_of_data(got))
            arena.check()
            return self._read(got.tolist(), got.view(np.float64).tolist())
        finally:
            arena.end(self._end)


def _writer(kind: Type) -> _Writer:
    """What appends to a list what the registers of a value hold."""
    if isinstance(kind, Number):
        return list.append
    if isinstance(kind, Array):
        return _write_array
    if isinstance(kind, Reference):
        return lambda registers, value: registers.append(value.address)
    return _tuple_writer(kind.cls, [_writer(item) for item in kind.items])


def _write_array(registers: list[Any], array: np.ndarray) -> None:
    if not array.flags.c_contiguous:
        raise ValueError(f"expected a C-contiguous array, got strides {array.strides}")
    registers.append(address_of_data(array))
    registers.extend(array.shape)


def _tuple_writer(cls: type | None, writers: list[_Writer]) -> _Writer:
    names = field_names(cls)
    is_record = names is not None and not issubclass(cls, tuple)  # type: ignore[arg-type]

    def write(registers: list[Any], value: Any) -> None:
        items = [getattr(value, name) for name in names] if is_record else value  # type: ignore[union-attr]
        for writer, item in zip(writers, items, strict=True):
            writer(registers, item)

    return write if writers else lambda _, __: None


def _reader(kind: Type, at: int) -> tuple[_Reader, int]:
    """What makes a value out of registers, and the register after it.

    Registers are given as integers and as floats.
    """
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
    if kind is FLOAT:
        return lambda _, real: real[at]
    if kind is BOOL:
        return lambda whole, _: bool(whole[at])
    return lambda whole, _: whole[at]


def _array_reader(kind: Array, at: int) -> _Reader:
    first, end, dtype = at + 1, at + 1 + kind.ndim, np.dtype(kind.element.dtype)

    def read(whole: list[int], _: list[float]) -> np.ndarray:
        array = np.empty(whole[first] if kind.ndim == 1 else whole[first:end], dtype)
        if array.size:
            ctypes.memmove(address_of_data(array), whole[at], array.nbytes)
        return array

    return read


def _tuple_reader(kind: Tuple, readers: list[_Reader]) -> _Reader:
    if not readers:
        return lambda _, __: None
    cls = kind.cls
    if cls is None:
        return lambda whole, real: tuple([read(whole, real) for read in readers])
    return lambda whole, real: cls(*[read(whole, real) for read in readers])
