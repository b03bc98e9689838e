"""What runs the sections of a program: calls, branches around them, loops of them.

A branch is taken if its condition holds in some lane, a loop goes on while some lane does.  A lane
that does not go on keeps its numbers, whatever is computed beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.code import Code
from .layout import BufferLayout, lay_out_turn
from .section import Section

Slots = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """Instructions that call a section, and slots of the conditions under which to run them.

    The instructions are whatever the printer writes: text, or bytes.
    """

    branches: Slots
    lines: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Turns:
    """A loop of calls.

    Attributes
    ----------
    branches : tuple of int
        Slots of the conditions under which to run it.
    most : int
        Turns at most.
    start : list of (int, int or float)
        Slots to fill before, each with another slot's number or a constant.
    carried : list of (int, int)
        Slots of carried numbers, and of what they become in a turn.
    goes, again : int
        Slots of whether lanes go on, and of whether they do after a turn.
    calls : list of Call or Turns
        One turn.
    """

    branches: Slots
    most: int
    start: list[tuple[int, int | float]]
    carried: list[tuple[int, int]]
    goes: int
    again: int
    calls: Sequence[Call | Turns]


Body = Callable[[Code, BufferLayout], Sequence[Call | Turns]]


def turns_of(code: Code, layout: BufferLayout, section: Section, body: Body) -> Turns:
    """The loop that is the one member of a section; ``body`` writes the sections of a turn."""
    (k,) = section.members
    loop = code.ops[k].loop
    assert loop is not None
    operands = [
        code.args[a][0] if code.ops[a].name == "const" else layout.slot[a] for a in code.args[k]
    ]
    turn, start = lay_out_turn(loop, layout, layout.results[k], operands)
    calls = body(loop.code, turn)
    layout.n_slots = turn.n_slots
    *new, again = turn.outputs
    first = layout.results[k]
    return Turns(
        slots_of(section, layout),
        loop.most,
        [*start, *turn.constants],
        list(zip(range(first, first + len(new)), new, strict=True)),
        first + len(new),
        again,
        calls,
    )


def slots_of(section: Section, layout: BufferLayout) -> Slots:
    """Slots of the conditions of a section's branches."""
    return tuple(layout.slot[c] for c in section.branches)
