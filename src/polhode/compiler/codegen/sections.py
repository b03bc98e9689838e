"""Cutting a large program: into sections of bounded length, and steps that repeat.

LLVM's time on one long block grows faster than its length.  Code that does not fit the processor's
cache runs slower than code that does.  So a long program becomes several functions with slots
between them.  Steps of the same structure (a chain of links) become one function, called with a row
of slots and constants for each of them.  What a branch may skip is a section of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ..graph.code import Code
from .joins import Joins, joins_of
from .layout import BufferLayout
from .section import Section, SectionPlan
from .slots import allocate, join

REPEATS = 4  # steps of one structure that are worth a function
LEAST_SKIPPED = 16  # instructions; to test, call and pass values through memory costs about as much
LEAST_WITHIN = 48  # the same in another branch, which is cut in three by it
_CALL = 20  # instructions that a library function counts as


def plan_sections(
    code: Code,
    layout: BufferLayout,
    *,
    section_ops: int,
    roll_from: float = math.inf,
    step_ops: int = 1,
    in_place: bool = False,
) -> SectionPlan:
    """Cut a program, and give a slot to every value that passes between its sections.

    Parameters
    ----------
    code : Code
    layout : Layout
        Gets the slots.
    section_ops : int
        Instructions of a section at most, and of a program that is not cut at all.
    roll_from : int
        Instructions of a program from which repeated steps become one function; never by default.
    step_ops : int
        Instructions of such a step at least.
    in_place : bool
        Whether blocks write their results where what these replace is.
    """
    body = [k for k, op in enumerate(code.ops) if op.arity and k not in layout.given]
    branches = _worth_skipping(code, body)
    joins = joins_of(code, body, branches) if in_place else Joins(body, branches)
    if len(body) <= section_ops and not branches and not layout.results:
        plan = SectionPlan([Section(body)])
    else:
        pieces = _pieces(code, joins)
        kinds = _kinds(code, pieces, joins, step_ops) if len(body) >= roll_from else None
        sections = _sections(code, pieces, kinds or [-1] * len(pieces), joins, section_ops)
        plan = SectionPlan(list(sections))
    inherited = join(code, layout, plan, joins) if joins.old else {}
    allocate(code, layout, plan, inherited)
    return plan


def repetition(code: Code, *, step_ops: int) -> float:
    """The part of a program, 0 to 1, that repeated steps make up."""
    body = [k for k, op in enumerate(code.ops) if op.arity]
    joins = Joins(body, _worth_skipping(code, body))
    pieces = _pieces(code, joins)
    kinds = _kinds(code, pieces, joins, step_ops)
    repeated = sum(len(p) for p, kind in zip(pieces, kinds, strict=True) if kind >= 0)
    return repeated / max(1, len(body))


def _pieces(code: Code, joins: Joins) -> list[list[int]]:
    """Runs of instructions of one step, under the same branches; joins apart, loops alone."""
    starts = set(joins.start.values())
    pieces: list[list[int]] = []
    last = None
    for k in joins.order:
        key = code.steps[k], joins.path.get(k, ()), k in joins.old, code.ops[k].loop and k
        if key == last and k not in starts:
            pieces[-1].append(k)
        else:
            pieces.append([k])
        last = key
    return pieces


def _worth_skipping(code: Code, body: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """The branches of each instruction that has any, without those that skip too little."""
    if not any(code.branches):
        return {}
    found: dict[int, tuple[int, ...]] = {}

    def look(run: Sequence[int], above: tuple[int, ...], worth: tuple[int, ...]) -> None:
        first = 0
        while first < len(run):
            branch, last = _longest_branch(code, run, first, above)
            members = run[first:last]
            if branch is not None:
                least, within = LEAST_WITHIN if above else LEAST_SKIPPED, worth
                if sum(map(weight, members)) >= least:
                    within = (*worth, branch)
                    found.update(dict.fromkeys(members, within))
                look(members, (*above, branch), within)
            first = last

    def weight(k: int) -> int:
        if code.ops[k].loop is not None:
            return LEAST_WITHIN
        return _CALL if code.ops[k].is_library else 1

    look(body, (), ())
    return found


def _longest_branch(
    code: Code, run: Sequence[int], first: int, above: Sequence[int]
) -> tuple[int | None, int]:
    """The branch, of those that are not above, that goes on longest from a place of a run.

    And where it ends; none if the instruction there has no other.
    """
    best, last = None, first + 1
    for branch in code.branches[run[first]]:
        if branch in above:
            continue
        end = first + 1
        while end < len(run) and branch in code.branches[run[end]]:
            end += 1
        if best is None or end > last:
            best, last = branch, end
    return best, last


def _kinds(code: Code, pieces: Sequence[list[int]], joins: Joins, step_ops: int) -> list[int]:
    """The repeated step that each piece is an instance of, or -1."""
    by_structure: dict[tuple, list[int]] = {}
    for n, piece in enumerate(pieces):
        may_repeat = piece[0] not in joins.old and not any(
            code.ops[k].arity < 0 or code.ops[k].loop for k in piece
        )
        if len(piece) >= step_ops and may_repeat:
            by_structure.setdefault(structure(code, piece), []).append(n)
    kinds, number = [-1] * len(pieces), 0
    for instances in by_structure.values():
        if len(instances) >= REPEATS:
            for n in instances:
                kinds[n] = number
            number += 1
    return kinds


def structure(code: Code, piece: Sequence[int]) -> tuple[Any, ...]:
    """What two pieces have in common if one function can compute both."""
    local = {k: n for n, k in enumerate(piece)}
    others: dict[int, int] = {}
    described: list[Any] = []
    for k in piece:
        described.append(code.ops[k].name)
        for a in code.args[k]:
            if a in local:
                described.append(local[a])
            elif code.ops[a].name == "const":
                described.append("constant")
            else:  # what is read twice is loaded once
                described.append(-1 - others.setdefault(a, len(others)))
    return tuple(described)


def _sections(
    code: Code,
    pieces: Sequence[list[int]],
    kinds: Sequence[int],
    joins: Joins,
    section_ops: int,
) -> Iterable[Section]:
    current: list[int] = []
    above: tuple[int, ...] = ()
    starts = set(joins.start.values())
    for piece, kind in zip(pieces, kinds, strict=True):
        under = joins.path.get(piece[0], ())
        is_whole = kind >= 0 or code.ops[piece[0]].loop is not None
        begins = under != above or piece[0] in starts
        if current and (is_whole or begins or len(current) + len(piece) > section_ops):
            yield Section(current, branches=above)
            current = []
        above = under
        if is_whole:
            yield Section(piece, kind=kind, branches=above)
            continue
        current += piece
        while len(current) > section_ops:
            yield Section(current[:section_ops], branches=above)
            current = current[section_ops:]
    if current:
        yield Section(current, branches=above)
