"""From Python into a compiled function and back."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..codegen.machine import Engine
from .arena import Arena, address_of_data
from .module_names import END_ARENA, ENTRY
from .types import BOOL, FLOAT, Array, Number, Reference, Tuple, Type, field_names, flat


class EntryPoint:
    """A compiled function with the types of its arguments and of its result."""

    def __init__(self, engine: Engine, kinds: tuple[Type, ...], returns: Type):
        self._engine = engine  # its code lives as long as this
        self._kinds, self._returns = kinds, returns
        registers = [ir for kind in kinds for ir in flat(kind)]
        self._given = struct.Struct("=" + "".join("d" if x == "double" else "q" for x in registers))
        self._n_out = len(flat(returns))
        address = ctypes.c_void_p
        self._entry = ctypes.CFUNCTYPE(None, address, address, address)(engine.address(ENTRY))
        self._end = ctypes.CFUNCTYPE(None, address)(engine.address(END_ARENA))

    def __call__(self, arguments: Sequence[Any]) -> Any:
        registers: list[Any] = []
        _pack(arguments, self._kinds, registers)
        given, got = self._given.pack(*registers), np.empty(self._n_out, np.int64)
        arena = Arena()
        try:
            self._entry(arena.address, given, address_of_data(got))
            arena.check()
            return _unpack(self._returns, got, got.view(np.float64), 0)[0]
        finally:
            arena.end(self._end)


def _pack(values: Sequence[Any], kinds: Sequence[Type], registers: list[Any]) -> None:
    """Append what the registers of values hold."""
    for value, kind in zip(values, kinds, strict=True):
        if isinstance(kind, Array):
            if not value.flags.c_contiguous:
                raise ValueError(f"expected a C-contiguous array, got strides {value.strides}")
            registers.append(address_of_data(value))
            registers.extend(value.shape)
        elif isinstance(kind, Number):
            registers.append(value)
        elif isinstance(kind, Reference):
            registers.append(value.address)
        elif kind.items:
            names = field_names(kind.cls)
            items = value if names is None else [getattr(value, name) for name in names]
            _pack(items, kind.items, registers)


def _unpack(kind: Type, whole: Any, real: Any, at: int) -> tuple[Any, int]:
    """A value out of registers' places, and the place after it."""
    if isinstance(kind, Number):
        if kind is FLOAT:
            return float(real[at]), at + 1
        return (bool(whole[at]) if kind is BOOL else int(whole[at])), at + 1
    if isinstance(kind, Array):
        shape = [int(n) for n in whole[at + 1 : at + 1 + kind.ndim]]
        array = np.empty(shape, kind.element.dtype)
        if array.size:
            ctypes.memmove(array.ctypes.data, int(whole[at]), array.nbytes)
        return array, at + 1 + kind.ndim
    assert isinstance(kind, Tuple)
    if not kind.items:
        return None, at
    items = []
    for item in kind.items:
        value, at = _unpack(item, whole, real, at)
        items.append(value)
    return (tuple(items) if kind.cls is None else kind.cls(*items)), at
