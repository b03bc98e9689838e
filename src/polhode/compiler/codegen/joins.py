"""Joins in place: a block that may be skipped writes what it changes where that already is.

Where a ``when`` ends, each result is the new number in lanes whose condition holds, and the old one
elsewhere.  Written behind the block, that choice costs two loads and a store a result, in every
state in which the block is skipped, too.  Written as the block's last instructions, into the slot
of the old number, it costs nothing where the block is skipped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...scalar import Anything
from ..graph.code import Code
from ..graph.ops import WHERE

Path = tuple[int, ...]


@dataclass(slots=True)
class Joins:
    """Joins of some code, and an order of its instructions in which they end their blocks.

    Attributes
    ----------
    order : list of int
        The instructions; a join is the last but for other joins of its block.
    path : dict
        The branches of each instruction that has any; of a join those of its block.
    old : dict
        The number that each join replaces; none if that is never looked at.
    start : dict
        The first instruction of each join's block.
    outside : dict
        The branches of each join where the block is left.
    """

    order: list[int]
    path: dict[int, Path]
    old: dict[int, int | None] = field(default_factory=dict)
    start: dict[int, int] = field(default_factory=dict)
    outside: dict[int, Path] = field(default_factory=dict)


def joins_of(code: Code, body: Sequence[int], path: Mapping[int, Path]) -> Joins:
    """The joins of ``body``, whose instructions have the branches ``path``."""
    found = Joins([], dict(path))
    if not path:
        return Joins(list(body), dict(path))
    blocks: dict[Path, list[int]] = {}  # the last block under some branches: first, last
    open_path: Path = ()
    opened: list[list[int]] = []  # the blocks that the last instruction is in
    moved: dict[int, list[int]] = {}
    previous = -1
    for k in body:
        under = _joined_block(code, k, path) if code.ops[k] is WHERE else ()
        first, last = blocks.get(under, (-1, -1)) if under else (-1, -1)
        if under and (_is_anything(code, code.args[k][2]) or code.args[k][2] < first):
            _, new, old = code.args[k]
            new = _instruction(code, new)
            moved.setdefault(new if first <= new <= last else last, []).append(k)
            found.old[k], found.start[k] = None if _is_anything(code, old) else old, first
            found.path[k], found.outside[k] = under, path.get(k, ())
        under = path.get(k, ())
        if under is not open_path:
            open_path, opened = under, []
            for depth in range(1, len(under) + 1):
                block = blocks.get(under[:depth])
                if block is None or block[1] != previous:
                    block = blocks[under[:depth]] = [k, k]
                opened.append(block)
        for block in opened:
            block[1] = k
        previous = k
    for k in body:
        if k not in found.old:
            found.order.append(k)
        found.order += moved.get(k, ())
    return found


def _is_anything(code: Code, k: int) -> bool:
    return code.ops[k].name == "const" and isinstance(code.args[k][0], Anything)


def _joined_block(code: Code, k: int, path: Mapping[int, Path]) -> Path:
    """The branches of the block that the choice ``k`` joins; none if it joins none."""
    condition, new, _ = code.args[k]
    outside, inside = path.get(k, ()), _path_of(code, new, path)
    depth = len(outside)
    if inside[:depth] != outside or condition not in inside[depth:]:
        return ()
    return inside[: inside.index(condition, depth) + 1]


def _path_of(code: Code, k: int, path: Mapping[int, Path]) -> Path:
    """The branches of a value; of what a loop results in those of the loop."""
    return path.get(_instruction(code, k), ())


def _instruction(code: Code, k: int) -> int:
    """What computes a value: of what a loop results in, the loop."""
    return code.args[k][0] if code.ops[k].part >= 0 else k
