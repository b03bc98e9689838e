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
from typing import Any

from ..graph.code import Code
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
    """

    members: list[int]
    stores: list[int] = field(default_factory=list)
    kind: int = -1
    branches: tuple[int, ...] = ()


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
    """
    body = [k for k, op in enumerate(code.ops) if op.arity and k not in layout.given]
    branches = _worth_skipping(code, body)
    if len(body) <= section_ops and not branches and not layout.results:
        plan = SectionPlan([Section(body)])
    else:
        pieces = _pieces(code, body, branches)
        kinds = _kinds(code, pieces, step_ops) if len(body) >= roll_from else [-1] * len(pieces)
        plan = SectionPlan(list(_sections(code, pieces, kinds, branches, section_ops)))
    _allocate(code, layout, plan)
    return plan


def repetition(code: Code, *, step_ops: int) -> float:
    """The part of a program, 0 to 1, that repeated steps make up."""
    body = [k for k, op in enumerate(code.ops) if op.arity]
    pieces = _pieces(code, body, _worth_skipping(code, body))
    kinds = _kinds(code, pieces, step_ops)
    repeated = sum(len(p) for p, kind in zip(pieces, kinds, strict=True) if kind >= 0)
    return repeated / max(1, len(body))


def _pieces(
    code: Code, body: Sequence[int], branches: Mapping[int, tuple[int, ...]]
) -> list[list[int]]:
    """Runs of instructions of one step, under the same branches; loops alone."""
    runs = groupby(body, key=lambda k: (code.steps[k], branches.get(k, ()), code.ops[k].loop and k))
    return [list(run) for _, run in runs]


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


def _kinds(code: Code, pieces: Sequence[list[int]], step_ops: int) -> list[int]:
    """The repeated step that each piece is an instance of, or -1."""
    by_structure: dict[tuple, list[int]] = {}
    for n, piece in enumerate(pieces):
        may_repeat = not any(code.ops[k].arity < 0 or code.ops[k].loop for k in piece)
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
    branches: Mapping[int, tuple[int, ...]],
    section_ops: int,
) -> Iterable[Section]:
    current: list[int] = []
    above: tuple[int, ...] = ()
    for piece, kind in zip(pieces, kinds, strict=True):
        under = branches.get(piece[0], ())
        is_whole = kind >= 0 or code.ops[piece[0]].loop is not None
        if current and (is_whole or under != above or len(current) + len(piece) > section_ops):
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


def _allocate(code: Code, layout: BufferLayout, plan: SectionPlan) -> None:
    """Slots of the values that pass between sections; one is used again when it is free."""
    home, last_use = {}, {}
    for n, section in enumerate(plan.sections):
        for k in section.members:
            home[k] = n
        for k in section.members:
            for a in code.args[k]:
                if a in home and home[a] != n:
                    last_use[a] = n
        last_use.update((c, n) for c in section.branches if c in home)
    forever = set(code.outputs)
    needed = [
        {j for j, k in enumerate(s.members) if k in last_use or k in forever} for s in plan.sections
    ]
    shared: dict[int, set[int]] = {}
    for section, places in zip(plan.sections, needed, strict=True):
        if section.kind >= 0:
            shared.setdefault(section.kind, set()).update(places)
    expiring: dict[int, list[int]] = {}
    for k, n in last_use.items():
        if k not in forever:
            expiring.setdefault(n, []).append(k)
    free: list[int] = []
    for n, (section, places) in enumerate(zip(plan.sections, needed, strict=True)):
        for j in sorted(shared[section.kind] if section.kind >= 0 else places):
            k = section.members[j]
            section.stores.append(k)
            if k in layout.slot:
                continue
            if j in places:
                layout.slot[k] = free.pop() if free else layout.new()
            else:
                plan.dummy = layout.new() if plan.dummy < 0 else plan.dummy
                layout.slot[k] = plan.dummy
        # only now: a slot that a section reads is never one that it writes
        free.extend(layout.slot[k] for k in reversed(expiring.get(n, [])))
