"""Results of blocks are written in the block, where what they replace is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from compiler.examples import program, same_bits, states
from polhode.compiler.codegen.joins import joins_of
from polhode.compiler.codegen.layout import lay_out, lay_out_turn
from polhode.compiler.codegen.sections import plan_sections
from polhode.compiler.graph import Graph, lower
from polhode.compiler.graph.loop import TracedGraph
from polhode.scalar import ANYTHING, guard, repeat, sin, when, where


def long(x: Any, y: Any) -> Any:
    """So many operations that they are worth skipping."""
    for _ in range(12):
        x = sin(x) + 0.5 * x * y
    return x


def changed(u: Any, k: int) -> Any:
    """A vector after a block has changed all but one of its entries."""
    return when(u[k] > 0.3 * k, lambda v: [*(long(a, v[k]) for a in v[:-1]), v[-1]], u)


def chain(x: Any) -> Any:
    """Blocks that change the same numbers one after the other."""
    for k in range(4):
        x = changed(x, k)
    return x


def nested(x: Any) -> Any:
    """A block in a block, one under a condition of both, and numbers used around them."""
    far, near, inner = x[0] > 0.0, x[1] > x[2], [0.0]

    def outer(u, v):
        inner[0] = long(u, v)
        return when(near, lambda a: long(a, v), inner[0]), v + u

    u, v = when(far, outer, x[0], x[1])
    w = when(far & near, lambda a: long(a, inner[0]), x[2])
    again = when(far & near, lambda a: long(a, w), w)
    return [u, v, w, again, u + w]


def kept(x: Any) -> Any:
    """What a block replaces is needed later, too; constants and inputs are replaced."""
    old = [long(x[0], x[1]), 1.0, x[2]]
    new = when(x[0] > x[1], lambda v: [long(a, x[3]) for a in v], old)
    return [*new, *(a + b for a, b in zip(old, new, strict=True))]


def looped(x: Any) -> Any:
    """Blocks in a loop, whose carried numbers they change."""

    def turn(s):
        u, n = s
        u = when(u[0] > u[1], lambda v: [long(v[0], v[1]), v[0]], u)
        u = when(u[1] > 0.5, lambda v: [v[1], long(v[1], v[0])], u)
        return u, n + 1.0

    u, n = repeat(turn, (x[:2], 0.0), lambda s: (s[0][0] > 2.0) | (s[1] > 3.0 * x[3]), 6)
    return [*u, n]


def in_a_skipped_loop(x: Any) -> Any:
    """A loop in a block: its results join what is around."""

    def run(u):
        return repeat(lambda v: [long(v[0], v[1]), v[0] - v[1]], u, lambda v: v[0] > 1.0, 4)

    return list(when(x[0] > x[1], run, x[:2]))


def before_the_end_of_a_block(x: Any) -> Any:
    """A loop in a block, which goes on behind it, in a turn of another loop."""

    def run(v, _):
        v = repeat(lambda v: [sin(long(v[0], v[1])), sin(v[0] - v[1])], v, lambda v: v[0] > 0.5, 4)
        return v, long(v[0], v[1])

    def turn(s):
        (a, b), last = s
        return when(last < 3.0, run, [0.5 * a, 0.5 * b * sin(x[2])], last)

    u, last = repeat(turn, (x[:2], x[3]), lambda s: s[1] > s[0][0], 5)
    return [*u, last]


def carried(x: Any) -> Any:
    """Blocks change what a loop carries, also in turns beside lanes that have ended."""

    def turn(s):
        u, n = s
        for k in range(3):
            u = when(x[k] > 0.1 * k, lambda v: [0.1 * long(a, x[2]) for a in v], u)
        return u, n + 1.0

    u, n = repeat(turn, (x[3:], 0.0), lambda s: s[1] > 5.0 * x[1], 6)
    return [*u, n]


FUNCTIONS = [
    chain,
    nested,
    kept,
    looped,
    in_a_skipped_loop,
    before_the_end_of_a_block,
    carried,
]


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_the_numbers_are_those_of_arrays(f, share):
    """Whether a block is run in no lane, in some or in all, with equal states beside others."""
    rng = np.random.default_rng(7)
    x = states(64, 5)
    apart = rng.random(64) > share
    x[apart, 0] = -np.abs(x[apart, 0])
    found = program(f, x=(5,))(x)
    alone = np.array([program(f, x=(5,))(row) for row in x])
    assert same_bits(found, alone)
    expected = np.array([f([float(a) for a in row]) for row in x])
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_a_chain_of_blocks_needs_nothing_where_none_is_run():
    """All joins are in their blocks, and all but the first blocks' take over a slot."""
    graph = Graph()
    u = [long(graph.input(k), 0.5) for k in range(3)]
    for k in range(4):
        u = when(u[k % 2] > 0.1, lambda v: [long(a, v[0]) for a in v], u)
    code = lower(graph, u)
    layout = lay_out(code, [3])
    plan = plan_sections(code, layout, section_ops=2500, in_place=True)
    joins = {k for s in plan.sections for k in s.joins}
    outside = [k for s in plan.sections if not s.branches for k in s.members]
    assert len(joins) == 12
    assert not [k for k in outside if code.ops[k].name == "where"]
    copies = [copy for s in plan.sections for copy in s.copies]
    outputs = set(code.outputs)
    assert {k for _, k in copies} == outputs  # these have slots of their own
    assert len({layout.slot[k] for k in joins}) == 6


def test_what_a_loop_carries_stays_in_its_slots():
    """What blocks change is written there; what is computed outside of blocks has other slots."""
    graph = TracedGraph()
    code = lower(graph, carried([graph.input(k) for k in range(5)]))
    (k,) = (k for k, op in enumerate(code.ops) if op.loop)
    loop, layout = code.ops[k].loop, lay_out(code, [5])
    first = layout.results[k]
    turn, _ = lay_out_turn(loop, layout, first, [0] * len(code.args[k]))
    plan = plan_sections(loop.code, turn, section_ops=2500, in_place=True)
    assert loop.n_carried == 3 and turn.carried.keys() == {0, 1, 2}
    assert turn.outputs[:2] == [first, first + 1] and turn.outputs[2] != first + 2
    joins = {k for s in plan.sections for k in s.carried}
    assert len(joins) == 6 and {turn.slot[k] for k in joins} == {first, first + 1}


def test_a_join_reads_what_stands_before_its_block():
    """One that replaces a number from within the block stays behind it."""
    graph = Graph()
    x, y = graph.input(0), graph.input(1)
    leaked = []

    def block(u):
        leaked.append(long(u, y))
        return long(leaked[0], u)

    first = when(x > y, block, x)
    late = where((x > y).branch(), long(leaked[0], first), first)
    code = lower(graph, [first, late])
    body = [k for k, op in enumerate(code.ops) if op.arity]
    joins = joins_of(code, body, {k: p for k, p in enumerate(code.branches) if p})
    assert sorted(joins.order) == body
    place = {k: n for n, k in enumerate(joins.order)}
    for k, old in joins.old.items():
        assert code.ops[old].arity <= 0 or place[old] < place[joins.start[k]]
    for k in body:
        assert all(place.get(a, -1) < place[k] for a in code.args[k] if code.ops[a].arity)


def test_no_section_reads_a_slot_that_it_writes_but_for_joins():
    """Those are read and written by one address."""
    graph = TracedGraph()
    x = [graph.input(k) for k in range(5)]
    code = lower(graph, [*chain(x[:4]), *nested(x), *kept(x)])
    layout = lay_out(code, [5])
    plan = plan_sections(code, layout, section_ops=40, in_place=True)
    for section in plan.sections:
        written = {layout.slot[k] for k in section.stores if k not in section.joins}
        written |= {layout.slot[k] for _, k in section.copies}
        home = set(section.members)
        read = {layout.slot[a] for k in section.members for a in code.args[k]
                if a in layout.slot and a not in home}  # fmt: skip
        assert not written & read


def test_what_is_never_looked_at_is_not_written():
    """Results in the place of `ANYTHING` need no copies; those that are looked at are right."""

    def f(x):
        holds = guard(x[0] > x[1])
        u, v = when(holds, lambda *_: (long(x[0], x[1]), long(x[1], x[2])), ANYTHING, ANYTHING)
        return [when(holds, lambda w: w + long(u, v), x[2])]

    graph = Graph()
    code = lower(graph, f([graph.input(k) for k in range(3)]))
    plan = plan_sections(code, lay_out(code, [3]), section_ops=2500, in_place=True)
    copied = [old for s in plan.sections for old, _ in s.copies]
    assert all(code.ops[old].name != "const" for old in copied)
    x = states(64, 3)
    expected = [f([float(a) for a in row]) for row in x]
    assert np.allclose(program(f, x=(3,))(x), expected, rtol=1e-12, atol=1e-14)
    assert float(ANYTHING) == 0.0


def test_a_join_that_replaces_nothing_is_written_once():
    """It has the slot of the number that it is, which later blocks may read as well."""

    def f(x):
        holds, inner = x[0] > x[1], []

        def look(_):
            inner.append(long(x[0], x[1]))
            return inner[0]

        u = when(holds, look, ANYTHING)
        later = when(x[0] > x[1] + 0.5, lambda w: long(w, u), x[2])
        return [later, when(holds, lambda w: long(w, inner[0]), later)]

    graph = Graph()
    code = lower(graph, f([graph.input(k) for k in range(3)]))
    layout = lay_out(code, [3])
    plan = plan_sections(code, layout, section_ops=2500, in_place=True)
    alone = [(k, s) for s in plan.sections for k in s.alone]
    assert alone
    for k, section in alone:
        new = code.args[k][1]
        assert layout.slot[k] == layout.slot[new]
        assert (k in section.stores, new in section.stores) == (False, True)
    x = states(64, 3)
    expected = [f([float(a) for a in row]) for row in x]
    assert np.allclose(program(f, x=(3,))(x), expected, rtol=1e-12, atol=1e-14)


def test_a_block_uses_what_another_has_computed():
    """Under a guarded condition and one more, which is computed in the first block."""

    def f(x):
        holds, found = guard(x[0] > 0.0), []

        def look(u):
            found.append(long(x[1], x[2]))
            return u + found[0]

        u = when(holds, look, x[1])
        if not found:
            return [u, x[2]]
        return [u, when(holds & (found[0] > 0.2), lambda v: long(v, found[0]), x[2])]

    graph = Graph()
    code = lower(graph, f([graph.input(k) for k in range(3)]))
    sines = [k for k, op in enumerate(code.ops) if op.name == "sin"]
    assert len(sines) == 24 and all(code.branches[k] for k in sines)
    x = states(64, 3)
    expected = [f([float(a) for a in row]) for row in x]
    assert np.allclose(program(f, x=(3,))(x), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("length", "depth"), [(10, 1), (30, 2)])
def test_a_block_within_another_is_cut_out_if_it_is_long(length, depth):
    """It would cut the outer one in three."""
    graph = Graph()
    x = [graph.input(k) for k in range(4)]

    def steps(u, v):
        for _ in range(length):
            u = u * v + 0.5 * u * u
        return u

    def outer(u, v):
        return steps(u, x[2]), when(x[1] > 0.0, lambda a: steps(a, x[3]), v)

    code = lower(graph, list(when(x[0] > 0.0, outer, x[2], x[3])))
    plan = plan_sections(code, lay_out(code, [4]), section_ops=2500, in_place=True)
    assert max(len(s.branches) for s in plan.sections) == depth
    assert any(len(b) == 2 for b in code.branches)
