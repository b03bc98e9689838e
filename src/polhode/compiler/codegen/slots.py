"""Slots of the values that pass between sections, and of joins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import cast

from ..graph.code import Code
from .joins import Joins
from .layout import BufferLayout
from .section import Section, SectionPlan

_Uses = tuple[dict[int, int], dict[int, int]]


def join(code: Code, layout: BufferLayout, plan: SectionPlan, joins: Joins) -> dict[int, int]:
    """Note the joins of sections; return those that take over the slot of what they replace.

    The others get a copy of it before their block.
    """
    home, last_use = uses = _uses(code, plan, layout.carried)
    inherited = _carried(code, layout, joins, uses)
    carried = set(inherited)
    forever = {*code.outputs, *inherited.values()}
    copied: dict[int, list[tuple[int, int]]] = {}

    def is_free(k: int, old: int, n: int) -> bool:
        """Whether nobody else needs the number or the slot that a join of section n replaces."""
        return (
            old in home
            and old not in layout.carried
            and home[old] < home[joins.start[k]]
            and last_use[old] == n
            and plan.sections[home[old]].kind < 0
            and old not in forever
            and k not in layout.slot
        )

    for n, section in enumerate(plan.sections):
        section.joins = {k for k in section.members if k in joins.old}
        section.alone = {k for k in section.joins if joins.old[k] is None}
        section.carried = section.joins & carried
        for k in sorted(k for k in section.joins - section.alone if k not in inherited):
            old = cast(int, joins.old[k])
            if is_free(k, old, n):
                inherited[k] = old
                forever.add(old)
            else:
                copied.setdefault(home[joins.start[k]], []).append((old, k))
    plan.sections[:] = _with_copies(code, plan, joins, copied)
    return inherited


def _carried(code: Code, layout: BufferLayout, joins: Joins, found_uses: _Uses) -> dict[int, int]:
    """The joins of a turn of a loop that take over the slots of carried numbers; and these slots.

    They are those that make the next turn's number out of a carried one, join after join.
    """
    if not layout.carried:
        return {}
    home, last_use = found_uses
    claims = Counter((old, home[k]) for k, old in joins.old.items())
    uses = Counter(code.outputs)
    found: dict[int, int] = {}

    def may_replace(k: int, old: int) -> bool:
        """Whether nobody else needs the number or the slot that a join replaces."""
        is_there = old in layout.carried or home[old] < home[joins.start[k]]
        return is_there and last_use.get(old) == home[k] and claims[old, home[k]] == 1

    def chain_to(first: int, k: int) -> dict[int, int]:
        """The joins from a carried number to what it becomes; none if others are between."""
        chain: dict[int, int] = {}
        while k != first:
            old = joins.old.get(k)
            if old is None or (old != first and old not in joins.old):
                return {}
            if uses[old] or not may_replace(k, old):
                return {}
            chain[k], k = old, old
        return chain

    for first, slot in layout.carried.items():
        place = code.args[first][0]
        last = code.outputs[place]
        chain = chain_to(first, last) if uses[last] == 1 else {}
        if chain:
            found |= chain
            layout.slot[last] = layout.outputs[place] = slot
    return found


def _with_copies(
    code: Code,
    plan: SectionPlan,
    joins: Joins,
    copied: Mapping[int, Sequence[tuple[int, int]]],
) -> list[Section]:
    """The sections; copies for the joins of each are made before it, by one more if need be."""
    found: list[Section] = []
    for n, section in enumerate(plan.sections):
        for depth, copies in _by_depth(copied.get(n, ()), joins):
            before, above = found[-1] if found else None, section.branches[:depth]
            is_other = before is None or before.branches != above or before.kind >= 0
            if is_other or cast(Section, before).is_loop(code):
                before = Section([], branches=above)
                found.append(before)
            cast(Section, before).copies += copies
        found.append(section)
    return found


def _by_depth(
    copies: Iterable[tuple[int, int]], joins: Joins
) -> list[tuple[int, list[tuple[int, int]]]]:
    """Copies by how many branches they are under, outermost first."""
    found: dict[int, list[tuple[int, int]]] = {}
    for old, k in copies:
        found.setdefault(len(joins.outside[k]), []).append((old, k))
    return sorted(found.items())


def _uses(code: Code, plan: SectionPlan, given: Iterable[int] = ()) -> _Uses:
    """The section that computes each value, and the last one of the others that needs it.

    Some values are there before the first section.
    """
    home, last_use = dict.fromkeys(given, -1), {}
    for n, section in enumerate(plan.sections):
        for k in section.members:
            for a in code.args[k]:
                if home.get(a, n) != n:
                    last_use[a] = n
            home[k] = n
        copied = (old for old, _ in section.copies)
        last_use.update((a, n) for a in (*section.branches, *copied) if home.get(a, n) != n)
    return home, last_use


def allocate(
    code: Code, layout: BufferLayout, plan: SectionPlan, inherited: Mapping[int, int]
) -> None:
    """Slots of the values that pass between sections; one is used again when it is free."""
    _, last_use = _uses(code, plan)
    forever = {*code.outputs, *inherited.values()}
    same = _same(code, layout, plan, forever)
    for k in same.keys() & last_use.keys():
        last_use[same[k]] = max(last_use.get(same[k], -1), last_use.pop(k))
    joined = {k for s in plan.sections for k in s.joins} - same.keys()
    stored = {*last_use, *code.outputs, *joined}
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
        layout.slot.update((k, layout.slot[same[k]]) for k in section.members if k in same)
        # only now: a slot that a section reads is never one that it writes
        free.extend(layout.slot[k] for k in reversed(expiring.get(n, [])))


def _same(
    code: Code, layout: BufferLayout, plan: SectionPlan, forever: Collection[int]
) -> dict[int, int]:
    """Joins that replace nothing, and the values that they are: both may have one slot."""
    found: dict[int, int] = {}
    for section in plan.sections:
        own = {k for k in section.members if k not in layout.slot and k not in forever}
        for k in section.members:
            new = code.args[k][1] if k in section.alone & own else -1
            if new in own:
                found[k] = found.get(new, new)
    return found
