"""Memory of loops, kept from call to call by the program's descriptor.

Lanes that skip a branch compute with whatever their slots hold.  Fresh memory may hold pointers and
small integers, which are subnormal numbers: arithmetic with those takes a hundred times as long.
Memory is zero at first, and holds numbers of the program alone from then on.  Each thread that is
in a loop has its own.
"""

from __future__ import annotations

import ctypes
from functools import partial

from . import descriptor
from .emitter import IR
from .late_release import LateRelease

PLACES = 16  # the same on all computers: code that is stored has this number in it
"""Pieces of memory that are kept at most; threads beyond these ask for theirs in each call."""

_NULL = "ptr null"


def taken(data: IR, size: IR) -> IR:
    """Memory of a thread's own, null if there is none."""
    e = data.e
    places = descriptor.field(data, "kept", "ptr")
    found = e.alloca("ptr", 8)
    found.store(e.constant("ptr", "null"))
    with e.loop(PLACES) as k, e.when(found.load("ptr").equals("null")):
        found.store(e("ptr", f"atomicrmw xchg {places.at(k, 8)}, {_NULL} acq_rel, align 8"))
    with e.when(found.load("ptr").equals("null")):
        allocate = descriptor.field(data, "allocate_zeros", "ptr")
        found.store(e.call("ptr", allocate, e.constant("i64", 1), size))
    return found.load("ptr")


def give_back(data: IR, memory: IR) -> None:
    """Keep memory for the next call, or release it if enough is kept."""
    e = data.e
    places = descriptor.field(data, "kept", "ptr")
    left = e.alloca("ptr", 8)
    left.store(memory)
    with e.loop(PLACES) as k, e.when(left.load("ptr").differs("null")):
        exchange = f"cmpxchg {places.at(k, 8)}, {_NULL}, {memory} acq_rel monotonic, align 8"
        pair = e("{ptr, i1}", exchange)
        with e.when(e("i1", f"extractvalue {pair}, 1")):
            left.store(e.constant("ptr", "null"))
    with e.when(left.load("ptr").differs("null")):
        e.call("void", descriptor.field(data, "release", "ptr"), memory)


class KeptMemory:
    """The places of a descriptor's kept memory, which is released after this object."""

    def __init__(self) -> None:
        self._places = (ctypes.c_void_p * PLACES)()
        LateRelease.after(self, partial(_release, self._places))

    @property
    def address(self) -> int:
        """Where the places lie."""
        return ctypes.addressof(self._places)


def _release(places: ctypes.Array) -> None:
    for memory in places:
        if memory:
            ctypes.pythonapi.PyMem_RawFree(ctypes.c_void_p(memory))
