"""From Python into a compiled loop and back."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..codegen.machine import Engine
from .memory import Arena
from .module_names import END, ENTRY
from .types import BOOL, FLOAT, Array, Number, Table, Tuple, Type, flat


class Door:
    """A compiled function with the types of its arguments and of its result."""

    def __init__(self, engine: Engine, kinds: tuple[Type, ...], returns: Type):
        self._engine = engine  # its code lives as long as this
        self._kinds, self._returns = kinds, returns
        self._n_in, self._n_out = sum(len(flat(k)) for k in kinds), len(flat(returns))
        address = ctypes.c_void_p
        self._entry = ctypes.CFUNCTYPE(None, address, address, address)(engine.address(ENTRY))
        self._end = ctypes.CFUNCTYPE(None, address)(engine.address(END))

    def __call__(self, arguments: Sequence[Any]) -> Any:
        given, got = np.empty(self._n_in, np.int64), np.empty(self._n_out, np.int64)
        _pack(arguments, self._kinds, given, given.view(np.float64), 0)
        arena = Arena()
        try:
            self._entry(arena.address, given.ctypes.data, got.ctypes.data)
            return _unpack(self._returns, got, got.view(np.float64), 0)[0]
        finally:
            arena.end(self._end)


def _pack(values: Sequence[Any], kinds: Sequence[Type], whole: Any, real: Any, at: int) -> int:
    """Write values into registers' places, from one on; the place after them."""
    for value, kind in zip(values, kinds, strict=True):
        if isinstance(kind, Number):
            (real if kind is FLOAT else whole)[at] = value
            at += 1
        elif isinstance(kind, Array):
            if not value.flags.c_contiguous:
                raise ValueError(f"expected a C-contiguous array, got strides {value.strides}")
            whole[at] = value.__array_interface__["data"][0]
            at += 1
            for length in value.shape:
                whole[at] = length
                at += 1
        elif isinstance(kind, Table):
            whole[at] = value.address
            at += 1
        else:
            at = _pack(value, kind.items, whole, real, at)
    return at


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
