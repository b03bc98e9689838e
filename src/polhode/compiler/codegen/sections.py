"""Cutting a large program: into sections of bounded length, and steps that repeat.

LLVM's time on one long block grows faster than its length.  Code that does not fit the processor's
cache runs slower than code that does.  So a long program becomes several functions with slots
between them.  Steps of the same structure (a chain of links) become one function, called with a row
of slots and constants for each of them.  What a branch may skip is a section of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, cast

from ..graph.code import Code
from .joins import Joins, joins_of
from .layout import BufferLayout

REPEATS = 4  # steps of one structure that are worth a function
LEAST_SKIPPED = 16  # instructions; to test, call and pass values through memory costs about as much
_CALL = 20  # instructions that a library function counts as


@dataclass(slots=True)
class Section:
    """A run of instructions that becomes one function call.

    Attributes
    ----------
    members : list of int
        The instructions, in order.
    stores : list of int
        Members that other sections or the outputs need.
    kind : int
        Number of the repeated step that this is an instance of; -1 if it is none.
    branches : tuple of int
        Conditions, outermost first, each of which must hold in some lane for this to run.
    joins : set of int
        Members that are written where what they replace is (`Joins`).
    alone : set of int
        Those of them that replace nothing.
    copies : list of (int, int)
        Values to put into the slots of later joins, and the joins.
    """

    members: list[int]
    stores: list[int] = field(default_factory=list)
    kind: int = -1
    branches: tuple[int, ...] = ()
    joins: set[int] = field(default_factory=set)
    alone: set[int] = field(default_factory=set)
    copies: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class SectionPlan:
    """The sections of a program in order of execution.

    Attributes
    ----------
    sections : list of Section
    dummy : int
        Slot for values that only other instances of a repeated step have a use for; or -1.
    """

    sections: list[Section]
    dummy: int = -1

    def instances(self, kind: int) -> list[Section]:
        """The sections that are instances of a repeated step."""
        return [s for s in self.sections if s.kind == kind]

    @property
    def n_kinds(self) -> int:
        """Number of repeated steps."""
        return 1 + max((s.kind for s in self.sections), default=-1)


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
    inherited = _join(code, layout, plan, joins) if joins.old else {}
    _allocate(code, layout, plan, inherited)
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

    def look(run: Sequence[int], depth: int) -> None:
        for branch, part in groupby(run, key=lambda k: code.branches[k][depth : depth + 1]):
            members = list(part)
            if branch and sum(map(weight, members)) >= LEAST_SKIPPED:
                found.update((k, (*found.get(k, ()), *branch)) for k in members)
            if branch:
                look(members, depth + 1)

    def weight(k: int) -> int:
        if code.ops[k].loop is not None:
            return LEAST_SKIPPED
        return _CALL if code.ops[k].is_library else 1

    look(body, 0)
    return found


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
    described = []
    for k in piece:
        described.append(code.ops[k].name)
        for a in code.args[k]:
            described.append(local.get(a, -2 if code.ops[a].name == "const" else -1))
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


def _join(code: Code, layout: BufferLayout, plan: SectionPlan, joins: Joins) -> dict[int, int]:
    """Note the joins of sections; return those that take over the slot of what they replace.

    The others get a copy of it before their block.
    """
    home, last_use = _uses(code, plan)
    forever = set(code.outputs)
    inherited: dict[int, int] = {}
    copied: dict[int, list[tuple[int, int]]] = {}
    for n, section in enumerate(plan.sections):
        section.joins = {k for k in section.members if k in joins.old}
        section.alone = {k for k in section.joins if joins.old[k] is None}
        for k in sorted(section.joins - section.alone):
            old = cast(int, joins.old[k])
            is_free = old in home and plan.sections[home[old]].kind < 0 and old not in forever
            if (
                is_free
                and home[old] < home[joins.start[k]]
                and last_use[old] == n
                and old not in inherited.values()
                and k not in layout.slot
            ):
                inherited[k] = old
            else:
                copied.setdefault(home[joins.start[k]], []).append((old, k))
    sections: list[Section] = []
    for n, section in enumerate(plan.sections):
        for depth, copies in _by_depth(copied.get(n, ()), joins):
            before, above = sections[-1] if sections else None, section.branches[:depth]
            if (
                before is None
                or before.branches != above
                or before.kind >= 0
                or _is_loop(code, before)
            ):
                before = Section([], branches=above)
                sections.append(before)
            before.copies += copies
        sections.append(section)
    plan.sections[:] = sections
    return inherited


def _by_depth(
    copies: Iterable[tuple[int, int]], joins: Joins
) -> list[tuple[int, list[tuple[int, int]]]]:
    """Copies by how many branches they are under, outermost first."""
    found: dict[int, list[tuple[int, int]]] = {}
    for old, k in copies:
        found.setdefault(len(joins.outside[k]), []).append((old, k))
    return sorted(found.items())


def _is_loop(code: Code, section: Section) -> bool:
    return bool(section.members) and code.ops[section.members[0]].loop is not None


def _uses(code: Code, plan: SectionPlan) -> tuple[dict[int, int], dict[int, int]]:
    """The section that computes each value, and the last one of the others that needs it."""
    home, last_use = {}, {}
    for n, section in enumerate(plan.sections):
        for k in section.members:
            home[k] = n
        for k in section.members:
            for a in code.args[k]:
                if a in home and home[a] != n:
                    last_use[a] = n
        copied = (old for old, _ in section.copies)
        last_use.update((a, n) for a in (*section.branches, *copied) if home.get(a, n) != n)
    return home, last_use


def _allocate(
    code: Code, layout: BufferLayout, plan: SectionPlan, inherited: Mapping[int, int]
) -> None:
    """Slots of the values that pass between sections; one is used again when it is free."""
    _, last_use = _uses(code, plan)
    forever = {*code.outputs, *inherited.values()}
    stored = {*last_use, *code.outputs, *(k for s in plan.sections for k in s.joins)}
    needed = [{j for j, k in enumerate(s.members) if k in stored} for s in plan.sections]
    shared: dict[int, set[int]] = {}
    for section, places in zip(plan.sections, needed, strict=True):
        if section.kind >= 0:
            shared.setdefault(section.kind, set()).update(places)
    expiring: dict[int, list[int]] = {}
    for k, n in last_use.items():
        if k not in forever:
            expiring.setdefault(n, []).append(k)
    free: list[int] = []

    def give(k: int) -> None:
        if k not in layout.slot:
            layout.slot[k] = free.pop() if free else layout.new()

    for n, (section, places) in enumerate(zip(plan.sections, needed, strict=True)):
        for _, k in section.copies:
            give(k)
        for j in sorted(shared[section.kind] if section.kind >= 0 else places):
            k = section.members[j]
            section.stores.append(k)
            if k in layout.slot:
                continue
            if k in inherited:
                layout.slot[k] = layout.slot[inherited[k]]
            elif j in places:
                give(k)
            else:
                plan.dummy = layout.new() if plan.dummy < 0 else plan.dummy
                layout.slot[k] = plan.dummy
        # only now: a slot that a section reads is never one that it writes
        free.extend(layout.slot[k] for k in reversed(expiring.get(n, [])))
