"""The memory of compiled functions: taken from the front of one piece, given back at once.

Arrays made in a function, or in one pass of a loop, are gone when it ends.  Those that it returns,
or that a variable carries on, move to the front.  Nothing is counted, and a step of a simulation
asks the system for nothing.

Where the system has no memory, the arena keeps how much was asked for and by which function.  That
function returns at once, and so does each function that called it.  The caller in Python raises the
error.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable

import numpy as np

from ..codegen.emitter import IR, Emitter
from .module_names import END_ARENA

FIRST = 1 << 16  # bytes that a thread has at first
_COUNTABLE = 1 << 62  # bytes that nobody asks for in earnest
_DATA = object.__basicsize__  # NumPy's array objects begin with the address of their entries

# Fields of the arena: next free byte, end, newest further piece, how much of the system's it has,
# the most it had; bytes that there was no memory for, or 0, and the name of the function that
# asked for them.
NEXT, END, PIECE, TOTAL, MOST, ASKED, ASKED_BY = range(7)
_Fields = ctypes.c_int64 * (ASKED_BY + 1)
# A further piece begins with the piece, the free byte and the end before it, and its own size.
_PIECE, _NEXT, _END, _SIZE, _HEADER = range(5)


class _Record:
    """The arena, or a piece, as its functions see it."""

    def __init__(self, address: IR):
        self.address = address

    def load(self, field: int, type: str = "ptr") -> IR:
        return self.address.at(8 * field).load(type)

    def store(self, field: int, x: IR) -> None:
        self.address.at(8 * field).store(x)


def _asked() -> tuple[Emitter, _Record, IR, IR]:
    """What functions that are asked for memory are given: the arena, bytes, whose name."""
    e = Emitter()
    return e, _Record(IR(e, "ptr", "%arena")), IR(e, "i64", "%bytes"), IR(e, "ptr", "%name")


def _none() -> str:
    """``arena.none(arena, bytes, name)``: note that there is no memory for a function."""
    e, arena, n_bytes, name = _asked()
    arena.store(ASKED, n_bytes)
    arena.store(ASKED_BY, name)
    e.leave("ptr null")
    return e.function(
        "internal ptr @arena.none(ptr %arena, i64 %bytes, ptr %name)", "noinline cold nounwind"
    )


def _further() -> str:
    """``arena.further(arena, size, bytes, name)``: memory from a new piece, or null."""
    e, arena, n_bytes, name = _asked()
    size = IR(e, "i64", "%size")

    def refuse_if(condition: IR) -> None:
        with e.when(condition):
            e.leave(str(e.call("ptr", "@arena.none", arena.address, n_bytes, name)))

    total = arena.load(TOTAL, "i64")
    least = size + total + FIRST
    refuse_if(_is_countable(n_bytes) ^ "true")
    new = e.call("ptr", "@malloc", least)
    refuse_if(new.equals("null"))
    piece, more, most = _Record(new), total + least, arena.load(MOST, "i64")
    for its_field, field in ((_PIECE, PIECE), (_NEXT, NEXT), (_END, END)):
        piece.store(its_field, arena.load(field))
    piece.store(_SIZE, least)
    arena.store(TOTAL, more)
    arena.store(MOST, (more > most).select(more, most))
    front = new.at(8 * _HEADER)
    for field, x in ((PIECE, new), (END, new.at(least)), (NEXT, front.at(size))):
        arena.store(field, x)
    e.leave(str(front))
    signature = "internal ptr @arena.further(ptr %arena, i64 %size, i64 %bytes, ptr %name)"
    return e.function(signature, "noinline nounwind")


def _take() -> str:
    """``arena.take(arena, bytes, name)``: memory, or null."""
    e, arena, n_bytes, name = _asked()
    size = (n_bytes + 15) & -16
    front = arena.load(NEXT)
    room = arena.load(END).to("ptrtoint", "i64") - front.to("ptrtoint", "i64")
    with e.when((room >= size) & _is_countable(n_bytes)):
        arena.store(NEXT, front.at(size))
        e.leave(str(front))
    e.leave(str(e.call("ptr", "@arena.further", arena.address, size, n_bytes, name)))
    return e.function("internal ptr @arena.take(ptr %arena, i64 %bytes, ptr %name)")


def _is_countable(n: IR) -> IR:
    return (n >= 0) & (n < _COUNTABLE)


def _back() -> str:
    """``arena.back(arena, next, piece)``: give back what was taken since a mark."""
    e = Emitter()
    arena, mark = _Record(IR(e, "ptr", "%arena")), IR(e, "ptr", "%piece")
    with e.repeat() as go_on_if:
        newest = arena.load(PIECE)
        go_on_if(newest.differs(mark))
        piece = _Record(newest)
        arena.store(PIECE, piece.load(_PIECE))
        arena.store(END, piece.load(_END))
        arena.store(TOTAL, arena.load(TOTAL, "i64") - piece.load(_SIZE, "i64"))
        e.call("void", "@free", newest)
    arena.store(NEXT, IR(e, "ptr", "%next"))
    e.leave()
    return e.function("internal void @arena.back(ptr %arena, ptr %next, ptr %piece)")


def end() -> str:
    """What Python calls when it has read the results; once, beside `functions`."""
    e = Emitter()
    arena, null = IR(e, "ptr", "%arena"), e.constant("ptr", "null")
    e.call("void", "@arena.back", arena, null, null)
    e.leave()
    return e.function(f"void @{END_ARENA}(ptr %arena)")


def functions() -> str:
    """The functions of the arena, as LLVM's text."""
    external = "declare ptr @malloc(i64)\ndeclare void @free(ptr)"
    return "\n".join([external, _none(), _further(), _take(), _back()])


def address_of_data(array: np.ndarray) -> int:
    """Where an array's entries begin; NumPy's own ways to ask take five times as long."""
    return ctypes.c_int64.from_address(id(array) + _DATA).value


class Arena:
    """The memory of one call."""

    def __init__(self, size: int = FIRST):
        self.data: np.ndarray = np.empty(size, np.uint8)
        start = address_of_data(self.data)
        self._front: int = (start + 15) & ~15
        self.fields: ctypes.Array[ctypes.c_int64] = _Fields(self._front, start + size)
        self.address: int = ctypes.addressof(self.fields)

    def check(self) -> None:
        """Raise a MemoryError if there was no memory for a function."""
        asked = self.fields[ASKED]
        if asked:
            size = f"{asked} bytes" if asked > 0 else "over 2**63 bytes or of a negative length"
            name = ctypes.string_at(self.fields[ASKED_BY]).decode()
            raise MemoryError(f"no memory for an array of {size}, asked for by {name}")

    def end(self, give_back: Callable[[int], None]) -> None:
        """Give everything back, to the thread's next call; results must be read before."""
        fields, arena = self.fields, self
        most = fields[MOST]
        if most:
            give_back(self.address)
            with contextlib.suppress(MemoryError):  # less will do: the next call asks for more
                arena = Arena(max(2 * len(self.data), most))
        if arena is self:
            fields[NEXT], fields[MOST], fields[ASKED] = self._front, 0, 0
        _free.arena = arena


class _FreeArena(threading.local):
    """The arena that the next call of a thread takes, larger after one that needed more."""

    arena: Arena | None = None


_free = _FreeArena()


def take_arena() -> Arena:
    """An arena for one call; calls inside calls have arenas of their own."""
    arena, _free.arena = _free.arena, None
    return arena or Arena()
