"""The record through which compiled drivers learn of a program: fields of eight bytes each."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence

from .emitter import IR

FIELDS = (
    "kernel",  # address of the function that runs the sections; 0 until it is made
    "loop",  # address of the loop over states
    "library",  # address of the table of elementary functions
    "buffer_bytes",
    "n_inputs",  # array arguments
    "n_outputs",  # array results
    "n_trig",
    "trig",  # address: i64 slot of each angle
    "trig_slot",  # first slot of their sines and cosines
    "n_constants",
    "constants",  # address: pairs of i64 slot and double
    "arguments",  # address: one ARGUMENT record per array, inputs before outputs
    "output_slots",  # address: i64 slot of each scalar output
    "n_elements",  # scalars in all arrays
    "allocate",  # address: void* (size_t)
    "allocate_zeros",  # address: void* (size_t, size_t)
    "kept",  # address: pointers to memory that no loop uses now
    "release",  # address: void (void*)
    "no_memory",  # address: PyErr_NoMemory
    "take_gil",  # address: PyGILState_Ensure
    "give_gil",  # address: PyGILState_Release
    "has_error",  # address: PyErr_Occurred
    "call",  # address: PyObject_CallNoArgs
    "decref",  # address: Py_DecRef
    "threshold",  # batches up to this long take the scalar loop
    "scalar",  # descriptor of the scalar kernel; 0 until it is made
    "make_scalar",  # what Python calls to make it
    "wide",  # the same of the wide kernel
    "make_wide",
    "pool",  # address of the record of the threads that may share the wide loop
    "share_from",  # batches at least this long are shared
)
ARGUMENT = (
    "size",  # scalars in the core
    "n_axes",  # core axes
    "shape",  # address: i64 lengths of the core axes
    "first",  # input: its first slot; output: its first entry of output_slots
    "stride",  # where its core strides begin in the loop's list of steps
    "element",  # scalars in the arrays before this one
)
_OFFSET = {name: 8 * k for k, name in enumerate(FIELDS)}
_ARGUMENT_OFFSET = {name: 8 * k for k, name in enumerate(ARGUMENT)}
ARGUMENT_BYTES = 8 * len(ARGUMENT)


def offset(field: str) -> int:
    """Bytes from the start of a descriptor to a field."""
    return _OFFSET[field]


def field(record: IR, name: str, type: str = "i64") -> IR:
    """What a descriptor, at an address that compiled code has, holds in a field."""
    return record.at(offset(name)).load(type)


def argument(record: IR, number: IR) -> IR:
    """The address of the ARGUMENT record of an array."""
    return field(record, "arguments", "ptr").at(number, ARGUMENT_BYTES)


def argument_field(record: IR, name: str) -> IR:
    """What an ARGUMENT record holds in a field."""
    return record.at(_ARGUMENT_OFFSET[name]).load("i64")


class Descriptor:
    """A descriptor in memory, with the tables that it points to."""

    def __init__(self) -> None:
        self._fields = (ctypes.c_int64 * len(FIELDS))()
        self._tables: list = []

    @property
    def address(self) -> int:
        """Where it lies, for as long as this object lives."""
        return ctypes.addressof(self._fields)

    def __setitem__(self, field: str, value: int) -> None:
        self._fields[_OFFSET[field] // 8] = value

    def __getitem__(self, field: str) -> int:
        return self._fields[_OFFSET[field] // 8]

    def place(self, field: str) -> int:
        """The address of a field."""
        return self.address + _OFFSET[field]

    def copy(self, other: Descriptor) -> None:
        """Take over every field but the kernel of another descriptor, which must outlive this."""
        self._fields[1:] = list(other._fields)[1:]

    def table(self, values: Sequence[int]) -> int:
        """The address of a table of 64-bit integers, kept alive by this descriptor."""
        memory = (ctypes.c_int64 * max(1, len(values)))(*values)
        self._tables.append(memory)
        return ctypes.addressof(memory)

    def arguments(self, records: Sequence[Mapping[str, int]]) -> int:
        """The address of a table of ARGUMENT records."""
        return self.table([record[name] for record in records for name in ARGUMENT])
