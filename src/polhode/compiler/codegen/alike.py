"""Sections of one structure: one function computes them all.

Blocks of a robot's pairs are alike but for the slots and constants that they take.  LLVM's time is
linear in the instructions that it is given, so each structure is written once.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..graph.code import Code
from ..graph.ops import GATHER
from .layout import BufferLayout
from .section import Section

ALIKE = 4  # sections of one structure that are worth a function with rows
LEAST = 24  # instructions of such a section; a call with a row costs about a quarter as much


def alike(code: Code, layout: BufferLayout, sections: Sequence[Section]) -> list[list[Section]]:
    """Those of some sections that one function can compute, in groups."""
    found: dict[Hashable, list[Section]] = {}
    for section in sections:
        is_long = section.kind < 0 and len(section.members) >= LEAST
        if is_long and not section.copies and not section.is_loop(code):
            found.setdefault(_structure(code, layout, section), []).append(section)
    return [group for group in found.values() if len(group) >= ALIKE]


def _structure(code: Code, layout: BufferLayout, section: Section) -> Hashable:
    """What two sections have in common if one function can compute both."""
    local = {k: n for n, k in enumerate(section.members)}
    outer: dict[int, int] = {}
    kept = set(section.stores)
    replaced = {layout.slot[k] for k in section.joins}
    described: list[Hashable] = []
    for k in section.members:
        op, args = code.ops[k], code.args[k]
        described.append(
            (op.name, k in kept, k in section.joins, k in section.alone, k in section.carried)
        )
        if op is GATHER:
            described.append(_table(code, args[1:]))
            args = args[:1]
        for a in args:
            if a in local:
                described.append(local[a])
            elif code.ops[a].name == "const":
                described.append("const")
            else:
                number = outer.setdefault(a, len(outer))
                described.append((number, layout.slot[a] in replaced, code.ops[a].is_condition))
    return tuple(described)


def _table(code: Code, entries: Sequence[int]) -> Hashable:
    """A table of constants by its numbers, any other by its entries, which no other section has."""
    if all(code.ops[a].name == "const" for a in entries):
        return tuple(code.args[a][0] for a in entries)
    return tuple(entries)
