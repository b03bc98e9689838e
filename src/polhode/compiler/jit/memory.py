"""Memory for arrays of compiled functions, as these ask for it and give it back (see `arena`)."""

from __future__ import annotations

import math

from ..codegen.literals import bytes_text
from .arena import ASKED, END, PIECE
from .block_writer import BlockWriter, TypedValue, Variable
from .types import Array, Tuple, Type, flat, has_arrays

UNLIKELY = "!prof !9"
LIKELINESS = '!9 = !{!"branch_weights", i32 1, i32 1048576}'


def take(code: BlockWriter, bytes_: str, name: str) -> tuple[str, str]:
    """Ask for memory by the name of a function; its address, and whether there is none."""
    place = code.op(f"call ptr @arena.take(ptr %arena, i64 {bytes_}, ptr {name})")
    return place, code.op(f"icmp eq ptr {place}, null")


def was_refused(code: BlockWriter) -> str:
    """Whether there was no memory for a function that was called."""
    at = code.op(f"getelementptr i8, ptr %arena, i64 {8 * ASKED}")
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
    at = code.op(f"getelementptr i8, ptr %arena, i64 {8 * PIECE}")
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
    at = code.op(f"getelementptr i8, ptr %arena, i64 {8 * PIECE}")
    same = code.op(f"icmp eq ptr {code.op(f'load ptr, ptr {at}')}, {piece}")
    top = code.op("load ptr, ptr %arena")
    low, high = code.op(f"ptrtoint ptr {start} to i64"), code.op(f"ptrtoint ptr {top} to i64")
    total, moves = "0", []
    for k, array in _arrays(value):
        place = code.op(f"ptrtoint ptr {array.parts[0]} to i64")
        above = code.op(f"icmp uge i64 {place}, {low}")
        below = code.op(f"icmp ult i64 {place}, {high}")
        new = code.op(f"and i1 {above}, {below}")
        size = code.op(f"select i1 {new}, i64 {code.bytes_in(array)}, i64 0")
        moves.append((k, array.parts[0], new, total, size))
        rounded = code.op(f"and i64 {code.op(f'add i64 {size}, 15')}, -16")
        total = code.op(f"add i64 {total}, {rounded}")
    used = code.op(f"sub i64 {high}, {low}")
    wasted = code.op(f"icmp ne i64 {used}, {total}")
    end_at = code.op(f"getelementptr i8, ptr %arena, i64 {8 * END}")
    end = code.op(f"load ptr, ptr {end_at}")
    room = code.op(f"sub i64 {code.op(f'ptrtoint ptr {end} to i64')}, {high}")
    fits = code.op(f"icmp ule i64 {total}, {room}")
    both = code.op(f"and i1 {code.op(f'and i1 {same}, {wasted}')}, {fits}")
    before, move, after = code.here, code.block("move"), code.block("kept")
    code.branch(both, move, after)
    code.enter(move)
    for _, source, _, offset, size in moves:
        to = code.op(f"getelementptr i8, ptr {top}, i64 {offset}")
        code.move(to, source, size)
    code.move(start, top, total)
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
