"""Memory for arrays of compiled functions: taken from the front of one piece, given back at once.

Arrays made in a function, or in one pass of a loop, are gone when it ends, but for those that
it returns, or that a variable carries on: these move to the front.  Nothing is counted, and a
step of a simulation asks the system for nothing.

Where the system has no memory, the arena keeps how much was asked for and by which function; that
returns at once, and so does each function that called it.  The caller in Python raises the error.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import threading
from collections.abc import Callable

import numpy as np

from ..codegen.literals import bytes_text
from .block_writer import BlockWriter, TypedValue, Variable
from .types import Array, Tuple, Type, flat, has_arrays

FIRST = 1 << 16  # bytes that a thread has at first
_DATA = object.__basicsize__  # NumPy's array objects begin with the address of their entries

# The arena: next free byte, end, newest further piece, how much of the system's it has, the most
# it had; bytes that there was no memory for, or 0, and the name of the function that asked for
# them.  A further piece begins with the piece, the free byte and the end before it, and its own
# size.
_N_FIELDS, _MOST, _ASKED, _ASKED_BY = 7, 4, 5, 6
UNLIKELY = "!prof !9"
RUNTIME = """
declare ptr @malloc(i64)
declare void @free(ptr)
!9 = !{!"branch_weights", i32 1, i32 1048576}

define internal ptr @arena.none(ptr %arena, i64 %bytes, ptr %name) noinline cold nounwind {
entry:
  %asked.at = getelementptr i8, ptr %arena, i64 40
  %name.at = getelementptr i8, ptr %arena, i64 48
  store i64 %bytes, ptr %asked.at
  store ptr %name, ptr %name.at
  ret ptr null
}

define internal ptr @arena.further(ptr %arena, i64 %size, i64 %bytes, ptr %name) noinline nounwind {
entry:
  %end.at = getelementptr i8, ptr %arena, i64 8
  %piece.at = getelementptr i8, ptr %arena, i64 16
  %total.at = getelementptr i8, ptr %arena, i64 24
  %next = load ptr, ptr %arena
  %end = load ptr, ptr %end.at
  %piece = load ptr, ptr %piece.at
  %total = load i64, ptr %total.at
  %double = add i64 %size, %total
  %least = add i64 %double, 65536
  %is.known = icmp ult i64 %bytes, 4611686018427387904
  br i1 %is.known, label %ask, label %none
ask:
  %new = call ptr @malloc(i64 %least)
  %is.none = icmp eq ptr %new, null
  br i1 %is.none, label %none, label %got
none:
  %null = call ptr @arena.none(ptr %arena, i64 %bytes, ptr %name)
  ret ptr null
got:
  %size.at = getelementptr i8, ptr %new, i64 24
  store i64 %least, ptr %size.at
  %more = add i64 %total, %least
  store i64 %more, ptr %total.at
  %most.at = getelementptr i8, ptr %arena, i64 32
  %before = load i64, ptr %most.at
  %is.more = icmp ugt i64 %more, %before
  %most = select i1 %is.more, i64 %more, i64 %before
  store i64 %most, ptr %most.at
  store ptr %piece, ptr %new
  %new.next = getelementptr i8, ptr %new, i64 8
  store ptr %next, ptr %new.next
  %new.end = getelementptr i8, ptr %new, i64 16
  store ptr %end, ptr %new.end
  store ptr %new, ptr %piece.at
  %last = getelementptr i8, ptr %new, i64 %least
  store ptr %last, ptr %end.at
  %front = getelementptr i8, ptr %new, i64 32
  %after = getelementptr i8, ptr %front, i64 %size
  store ptr %after, ptr %arena
  ret ptr %front
}

define internal ptr @arena.take(ptr %arena, i64 %bytes, ptr %name) nounwind {
entry:
  %up = add i64 %bytes, 15
  %size = and i64 %up, -16
  %end.at = getelementptr i8, ptr %arena, i64 8
  %next = load ptr, ptr %arena
  %end = load ptr, ptr %end.at
  %from = ptrtoint ptr %next to i64
  %to = ptrtoint ptr %end to i64
  %room = sub i64 %to, %from
  %fits = icmp ule i64 %size, %room
  %is.known = icmp ult i64 %bytes, 4611686018427387904
  %both = and i1 %fits, %is.known
  br i1 %both, label %here, label %further
here:
  %after = getelementptr i8, ptr %next, i64 %size
  store ptr %after, ptr %arena
  ret ptr %next
further:
  %new = call ptr @arena.further(ptr %arena, i64 %size, i64 %bytes, ptr %name)
  ret ptr %new
}

define internal void @arena.back(ptr %arena, ptr %next, ptr %piece) nounwind {
entry:
  %end.at = getelementptr i8, ptr %arena, i64 8
  %piece.at = getelementptr i8, ptr %arena, i64 16
  br label %look
look:
  %now = load ptr, ptr %piece.at
  %done = icmp eq ptr %now, %piece
  br i1 %done, label %out, label %drop
drop:
  %older = load ptr, ptr %now
  store ptr %older, ptr %piece.at
  %its.end = getelementptr i8, ptr %now, i64 16
  %end = load ptr, ptr %its.end
  store ptr %end, ptr %end.at
  %its.size = getelementptr i8, ptr %now, i64 24
  %size = load i64, ptr %its.size
  %total.at = getelementptr i8, ptr %arena, i64 24
  %total = load i64, ptr %total.at
  %less = sub i64 %total, %size
  store i64 %less, ptr %total.at
  call void @free(ptr %now)
  br label %look
out:
  store ptr %next, ptr %arena
  ret void
}

define void @arena.end(ptr %arena) nounwind {
entry:
  call void @arena.back(ptr %arena, ptr null, ptr null)
  ret void
}
"""


def take(code: BlockWriter, bytes_: str, name: str) -> tuple[str, str]:
    """Ask for memory by the name of a function; its address, and whether there is none."""
    place = code.op(f"call ptr @arena.take(ptr %arena, i64 {bytes_}, ptr {name})")
    return place, code.op(f"icmp eq ptr {place}, null")


def was_refused(code: BlockWriter) -> str:
    """Whether there was no memory for a function that was called."""
    at = code.op(f"getelementptr i8, ptr %arena, i64 {8 * _ASKED}")
    return code.op(f"icmp ne i64 {code.op(f'load i64, ptr {at}')}, 0")


def bytes_of(code: BlockWriter, size: int, lengths: list[str]) -> str:
    """Bytes of an array of elements of a size; negative if they are too many to be counted."""
    if all(n.isdecimal() for n in lengths):
        return str(min(math.prod([size, *map(int, lengths)]), 2**63 - 1))
    total, is_over = str(size), "false"
    for n in lengths:
        pair = code.op(f"call {{ i64, i1 }} @llvm.umul.with.overflow.i64(i64 {total}, i64 {n})")
        total = code.op(f"extractvalue {{ i64, i1 }} {pair}, 0")
        over = code.op(f"extractvalue {{ i64, i1 }} {pair}, 1")
        is_over = code.op(f"or i1 {is_over}, {over}")
    return code.op(f"select i1 {is_over}, i64 -1, i64 {total}")


def name_constant(symbol: str, name: str) -> str:
    """A text of LLVM's that a function gives when it asks for memory."""
    data = name.encode() + b"\0"
    return f"{symbol} = private constant {bytes_text(data)}\n"


def mark(code: BlockWriter) -> tuple[str, str]:
    """Where the memory that is taken from now on begins."""
    at = code.op("getelementptr i8, ptr %arena, i64 16")
    return code.op("load ptr, ptr %arena"), code.op(f"load ptr, ptr {at}")


def give_back(code: BlockWriter, since: tuple[str, str]) -> None:
    """Give back what was taken since a mark."""
    code.put(f"call void @arena.back(ptr %arena, ptr {since[0]}, ptr {since[1]})")


def keep(code: BlockWriter, since: tuple[str, str], value: TypedValue) -> TypedValue:
    """Give back all but the arrays of a value, which move to the front.

    Where further pieces were needed since, or there is no room to move, all stays until
    something outside is given back.
    """
    start, piece = since
    at = code.op("getelementptr i8, ptr %arena, i64 16")
    same = code.op(f"icmp eq ptr {code.op(f'load ptr, ptr {at}')}, {piece}")
    top = code.op("load ptr, ptr %arena")
    low, high = code.op(f"ptrtoint ptr {start} to i64"), code.op(f"ptrtoint ptr {top} to i64")
    total, moves = "0", []
    for k, array in _arrays(value):
        place = code.op(f"ptrtoint ptr {array.parts[0]} to i64")
        above = code.op(f"icmp uge i64 {place}, {low}")
        below = code.op(f"icmp ult i64 {place}, {high}")
        new = code.op(f"and i1 {above}, {below}")
        assert isinstance(array.type, Array)
        size = code.product([str(array.type.element.size), code.size(array)])
        size = code.op(f"select i1 {new}, i64 {size}, i64 0")
        moves.append((k, array.parts[0], new, total, size))
        rounded = code.op(f"and i64 {code.op(f'add i64 {size}, 15')}, -16")
        total = code.op(f"add i64 {total}, {rounded}")
    used = code.op(f"sub i64 {high}, {low}")
    wasted = code.op(f"icmp ne i64 {used}, {total}")
    end = code.op(f"load ptr, ptr {code.op('getelementptr i8, ptr %arena, i64 8')}")
    room = code.op(f"sub i64 {code.op(f'ptrtoint ptr {end} to i64')}, {high}")
    fits = code.op(f"icmp ule i64 {total}, {room}")
    both = code.op(f"and i1 {code.op(f'and i1 {same}, {wasted}')}, {fits}")
    before, move, after = code.here, code.block("move"), code.block("kept")
    code.branch(both, move, after)
    code.enter(move)
    for _, source, _, offset, size in moves:
        to = code.op(f"getelementptr i8, ptr {top}, i64 {offset}")
        code.put(f"call void @llvm.memmove.p0.p0.i64(ptr {to}, ptr {source}, i64 {size}, i1 false)")
    code.put(f"call void @llvm.memmove.p0.p0.i64(ptr {start}, ptr {top}, i64 {total}, i1 false)")
    code.put(f"store ptr {code.op(f'getelementptr i8, ptr {start}, i64 {total}')}, ptr %arena")
    moved = list(value.parts)
    for k, source, new, offset, _ in moves:
        place = code.op(f"getelementptr i8, ptr {start}, i64 {offset}")
        moved[k] = code.op(f"select i1 {new}, ptr {place}, ptr {source}")
    code.jump(after)
    code.enter(after)
    parts = list(value.parts)
    for k, source, *_ in moves:
        parts[k] = code.op(f"phi ptr [ {source}, %{before} ], [ {moved[k]}, %{move} ]")
    return TypedValue(value.type, tuple(parts))


def keep_variables(code: BlockWriter, since: tuple[str, str], variables: list[Variable]) -> None:
    """The same for the arrays of variables."""
    if not variables:
        give_back(code, since)
        return
    values = [code.load(v) for v in variables]
    whole = TypedValue(
        Tuple(tuple(v.type for v in values)), tuple(p for v in values for p in v.parts)
    )
    whole = keep(code, since, whole)
    for k, variable in enumerate(variables):
        code.store(whole.item(k), variable)


def _arrays(value: TypedValue) -> list[tuple[int, TypedValue]]:
    """Arrays in a value, with the places of their addresses among its registers."""
    found: list[tuple[int, TypedValue]] = []

    def visit(kind: Type, at: int) -> None:
        if isinstance(kind, Array):
            found.append((at, TypedValue(kind, value.parts[at : at + 1 + kind.ndim])))
        elif isinstance(kind, Tuple) and has_arrays(kind):
            for item in kind.items:
                visit(item, at)
                at += len(flat(item))

    visit(value.type, 0)
    return found


def address_of_data(array: np.ndarray) -> int:
    """Where an array's entries begin; NumPy's own ways to ask take five times as long."""
    return ctypes.c_int64.from_address(id(array) + _DATA).value


class _Pieces(threading.local):
    """The memory of a thread, made larger after a call that needed more."""

    def __init__(self) -> None:
        self.data = np.empty(FIRST, np.uint8)


_pieces = _Pieces()


class Arena:
    """The memory of one call; calls inside calls have pieces of their own."""

    def __init__(self) -> None:
        self.data: np.ndarray = _pieces.data
        _pieces.data = np.empty(0, np.uint8)
        if not len(self.data):
            self.data = np.empty(FIRST, np.uint8)
        start = address_of_data(self.data)
        front = (start + 15) & ~15
        self.fields: ctypes.Array[ctypes.c_int64] = (ctypes.c_int64 * _N_FIELDS)(
            front, start + len(self.data)
        )
        self.address: int = ctypes.addressof(self.fields)

    def check(self) -> None:
        """Raise a MemoryError if there was no memory for a function."""
        asked = self.fields[_ASKED]
        if asked:
            size = f"{asked} bytes" if asked > 0 else "over 2**63 bytes or of a negative length"
            name = ctypes.string_at(self.fields[_ASKED_BY]).decode()
            raise MemoryError(f"no memory for an array of {size}, asked for by {name}")

    def end(self, give_back: Callable[[int], None]) -> None:
        """Give everything back; results must be read before."""
        most = int(self.fields[_MOST])
        if most:
            give_back(self.address)
            with contextlib.suppress(MemoryError):  # less will do: the next call asks for more
                self.data = np.empty(max(2 * len(self.data), most), np.uint8)
        _pieces.data = self.data
