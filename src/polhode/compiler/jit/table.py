"""Many arrays behind one pointer: ``s.velocity`` and the like, for compiled functions.

A compiled function gets the address of a table of addresses and lengths; an attribute is the
array (or number) there.  So a function of a hundred arrays is as quick to compile and to call
as one of a single array.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .types import ELEMENTS, Array, Number

SLOT = 4  # integers of a field in the table: address and up to three lengths
_KINDS = {"f": "f8", "i": "i8", "b": "u1"}


class FieldTable:
    """Arrays by the names of `FIELDS`, for Python and for compiled functions alike.

    A subclass says in ``FIELDS`` what its fields are: ``"f2"`` is an array of floats with two
    axes, ``"i0"`` one integer; f, i and b are float64, int64 and uint8.
    """

    FIELDS: ClassVar[dict[str, str]] = {}

    def __init__(self, **arrays: Any):
        self._arrays: dict[str, np.ndarray] = {}
        self.table: np.ndarray = np.zeros(SLOT * len(self.FIELDS), np.int64)
        self.address: int = self.table.ctypes.data
        for name in self.FIELDS:
            self.put(name, arrays.pop(name))
        if arrays:
            raise TypeError(f"unknown fields {sorted(arrays)}")

    def put(self, name: str, value: Any) -> None:
        """Set a field; compiled functions see it at once."""
        place = list(self.FIELDS).index(name)
        kind, ndim = self.FIELDS[name][0], int(self.FIELDS[name][1])
        array = np.require(np.asarray(value, _KINDS[kind]), None, ["C", "A", "W"])
        if array.ndim != ndim:
            raise TypeError(f"expected {ndim} axes of {name}, got {array.ndim}")
        self._arrays[name] = array
        self.table[SLOT * place] = array.ctypes.data
        self.table[SLOT * place + 1 : SLOT * place + 1 + ndim] = array.shape

    def __getattr__(self, name: str) -> np.ndarray:
        try:
            return self.__dict__["_arrays"][name]
        except KeyError:
            raise AttributeError(name) from None


def field(cls: type[FieldTable], name: str) -> tuple[int, Array | Number] | None:
    """Where a field's entry begins in the table, in bytes, and its type."""
    if name not in cls.FIELDS:
        return None
    kind, ndim = cls.FIELDS[name][0], int(cls.FIELDS[name][1])
    element = ELEMENTS[_KINDS[kind]]
    place = 8 * SLOT * list(cls.FIELDS).index(name)
    return place, Array(element, ndim) if ndim else element.number
