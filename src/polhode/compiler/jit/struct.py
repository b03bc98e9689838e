"""Mutable records of arrays and numbers, by address: ``s.velocity``, ``report.islands += 1``.

A compiled function gets the address of a table with four integers for each field.  These are the
address and lengths of an array, the address of another struct, or a number itself.  So a function
of a hundred arrays is as quick to compile and to call as one of a single array.
"""

from __future__ import annotations

import typing
from typing import Annotated, Any, ClassVar

import numpy as np

from .types import BOOL, FLOAT, NUMBERS, Array, Number, Reference, Type

SLOT = 4  # integers of a field in the table
VALUE = 1  # which of these is a number itself


class Struct:
    """Arrays, numbers and other structs by name, for Python and for compiled functions alike.

    The annotations of a subclass say what its fields are: ``float``, ``int``, ``bool``,
    ``Floats`` and the other types of arrays, or another subclass.  Numbers that are not given
    are zero.
    """

    FIELDS: ClassVar[dict[str, tuple[int, Type]]] = {}  # first integer in the table, and type

    def __init_subclass__(cls) -> None:
        hints = typing.get_type_hints(cls, include_extras=True)
        names = [name for name, hint in hints.items() if typing.get_origin(hint) is not ClassVar]
        cls.FIELDS = {
            name: (SLOT * k, _kind_of(cls, name, hints[name])) for k, name in enumerate(names)
        }

    def __init__(self, **values: Any):
        table = np.zeros(SLOT * len(self.FIELDS), np.int64)
        self.__dict__.update(table=table, address=table.ctypes.data)
        unknown = sorted(set(values) - set(self.FIELDS))
        missing = [
            name
            for name, (_, kind) in self.FIELDS.items()
            if name not in values and not isinstance(kind, Number)
        ]
        if unknown or missing:
            raise TypeError(f"{type(self).__name__}: unknown {unknown}, missing {missing}")
        for name, value in values.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field; compiled functions see it at once."""
        if name not in self.FIELDS:
            raise AttributeError(f"{type(self).__name__} has no field '{name}'")
        at, kind = self.FIELDS[name]
        if isinstance(kind, Number):
            self._numbers(kind)[at + VALUE] = value
        elif isinstance(kind, Reference):
            self.__dict__[name] = value
            self.table[at] = value.address
        else:
            assert isinstance(kind, Array)
            array = np.require(np.asarray(value, kind.element.dtype), None, ["C", "A", "W"])
            if array.ndim != kind.ndim:
                raise TypeError(f"expected {kind.ndim} axes of {name}, got {array.ndim}")
            self.__dict__[name] = array
            self.table[at] = array.ctypes.data
            self.table[at + 1 : at + 1 + kind.ndim] = array.shape

    def __getattr__(self, name: str) -> Any:
        """A number: these are in the table, arrays and structs are attributes as any."""
        at, kind = self.FIELDS.get(name, (0, None))
        if not isinstance(kind, Number):
            raise AttributeError(f"{type(self).__name__} has no field '{name}'")
        value = self._numbers(kind)[at + VALUE].item()
        return bool(value) if kind is BOOL else value

    def _numbers(self, kind: Number) -> np.ndarray:
        return self.table.view(np.float64) if kind is FLOAT else self.table

    def clear(self) -> None:
        """Set all numbers to zero."""
        for name, (_, kind) in self.FIELDS.items():
            if isinstance(kind, Number):
                setattr(self, name, 0)

    def copy(self) -> typing.Self:
        """Another struct with the same arrays, and numbers of its own."""
        return type(self)(**{name: getattr(self, name) for name in self.FIELDS})


def _kind_of(cls: type, name: str, hint: Any) -> Type:
    if hint in NUMBERS:
        return NUMBERS[hint]
    if typing.get_origin(hint) is Annotated and isinstance(typing.get_args(hint)[1], Array):
        return typing.get_args(hint)[1]
    if isinstance(hint, type) and issubclass(hint, Struct):
        return Reference(hint)
    raise TypeError(f"expected a number, an array or a struct as {cls.__name__}.{name}, got {hint}")


def size_of(cls: type[Struct]) -> int:
    """Bytes of the table."""
    return 8 * SLOT * len(cls.FIELDS)
