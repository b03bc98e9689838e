"""Cutting into sections and rolling repeated steps change no bit."""

from __future__ import annotations

import numpy as np
import pytest

from compiler.examples import chain, elementary, program, same_bits, states
from polhode.compiler.codegen import kernel
from polhode.compiler.codegen.kernel import kernel_ir
from polhode.compiler.codegen.layout import lay_out
from polhode.compiler.codegen.machine import Format
from polhode.compiler.codegen.sections import plan_sections
from polhode.compiler.graph import Graph, lower
from polhode.compiler.graph.loop import TracedGraph
from polhode.scalar import cos, gather, guard, repeat, sin, when, where

WHOLE = {"section_ops": 10**9, "roll_from": 10**9, "step_ops": 16}
CUT = WHOLE | {"section_ops": 40}
ROLLED = {"section_ops": 40, "roll_from": 0, "step_ops": 4}


def code_of(build, n):
    """Lowered code of a function of two arrays of ``n``."""
    graph = Graph()
    q = [graph.input(k) for k in range(n)]
    qd = [graph.input(n + k) for k in range(n)]
    result, v = build(q, qd)
    return lower(graph, [*result, *v])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("limits", [CUT, ROLLED], ids=["cut", "rolled"])
@pytest.mark.parametrize("n", [3, 12, 31])
def test_every_form_gives_the_bits_of_one_section(monkeypatch, limits, n, dtype):
    """Alone and in batches, links with constants of their own."""
    rng = np.random.default_rng(n)
    build = chain(n, rng.uniform(1, 2, n).tolist())
    q, qd = states(19, n, dtype=dtype), states(19, n, seed=1, dtype=dtype)
    for name, value in WHOLE.items():
        monkeypatch.setitem(kernel.LIMITS, name, value)
    expected = program(build, q=(n,), qd=(n,))(q, qd)
    for name, value in limits.items():
        monkeypatch.setitem(kernel.LIMITS, name, value)
    p = program(build, q=(n,), qd=(n,))
    for got, want in zip(p(q, qd), expected, strict=True):
        assert same_bits(got, want)
    for got, want in zip(p(q[4], qd[4]), expected, strict=True):
        assert same_bits(got, want[4])


def test_library_calls_in_sections_and_steps(monkeypatch):
    """Elementary functions of computed arguments, in functions of every kind."""

    def build(x, y):
        mark, results = x[0].graph.mark, []
        for a, b in zip(x, y, strict=True):
            mark()
            results.append(sum(elementary(a * 0.5, b), start=results[-1] if results else 0.0))
        return results

    x, y = states(11, 20), states(11, 20, seed=1)
    for name, value in WHOLE.items():
        monkeypatch.setitem(kernel.LIMITS, name, value)
    expected = program(build, x=(20,), y=(20,))(x, y)
    for name, value in (ROLLED | {"section_ops": 9}).items():
        monkeypatch.setitem(kernel.LIMITS, name, value)
    p = program(build, x=(20,), y=(20,))
    assert "@steps" in p.source()
    assert same_bits(p(x, y), expected)
    assert same_bits(p(x[0], y[0]), expected[0])


def test_equal_links_are_emitted_once():
    """Text and functions do not grow with the number of links, only rows do."""
    forms = [
        kernel_ir(code_of(chain(n), n), [n, n], Format("f64", 4), **ROLLED)[0] for n in (40, 80)
    ]
    functions = [text.count("define internal void @step") for text in forms]
    assert functions[0] == functions[1]
    assert 2 <= functions[0] <= 12
    shown = [sum(map(len, (s for s in t.splitlines() if not s.startswith("@rows")))) for t in forms]
    assert shown[1] < 1.2 * shown[0]


def test_no_section_reads_a_slot_that_it_writes():
    """What lets LLVM be told that source and target do not overlap."""
    n = 25
    code = code_of(chain(n), n)
    for limits in (WHOLE, CUT, ROLLED):
        layout = lay_out(code, [n, n])
        plan = plan_sections(code, layout, **limits)
        written = 0
        for section in plan.sections:
            own = set(section.members)
            read = {
                layout.slot[a]
                for k in section.members
                for a in code.args[k]
                if a not in own and code.ops[a].name != "const"
            }
            stored = {layout.slot[k] for k in section.stores}
            assert not read & stored
            written += len(stored)
        assert written >= n


def test_slots_are_used_again():
    """The buffer of a long chain holds what lives, not all that ever passed a cut."""
    n = 60
    code = code_of(chain(n), n)
    layout = lay_out(code, [n, n])
    plan = plan_sections(code, layout, **ROLLED)
    stores = sum(len(s.stores) for s in plan.sections)
    others = 2 * n + 2 * len(layout.trig)
    assert layout.n_slots - others < 0.8 * stores


def test_unequal_steps_are_cut_but_not_rolled():
    """Steps of different structure stay straight-line code."""

    def build(q, qd):
        mark, x = q[0].graph.mark, 0.5
        for k in range(12):
            mark()
            for _ in range(k + 1):
                x = x * q[k] + qd[k]
        return [x], [x * 2.0]

    code = code_of(build, 12)
    plan = plan_sections(code, lay_out(code, [12, 12]), **ROLLED)
    assert plan.n_kinds == 0
    assert len(plan.sections) > 1
    assert max(len(s.members) for s in plan.sections) <= 40


def test_links_of_any_constants_repeat(monkeypatch):
    """A long chain is traced with its signs in place, so that signs do not tell links apart."""
    n = 40
    constants = np.random.default_rng(3).uniform(-1, 1, (n, 3, 3)).tolist()

    def build(q, qd):
        mark, v = q[0].graph.mark, [0.1, 0.2, 0.3]
        for k, rows in enumerate(constants):
            mark()
            v = [sum(c * x for c, x in zip(row, v, strict=True)) + q[k] for row in rows]
            v = [v[0] - v[1] * qd[k], v[1] * 0.5, v[2] / rows[0][0] * 0.25]
        return v, v[0]

    q, qd = states(9, n), states(9, n, seed=1)
    expected = program(build, q=(n,), qd=(n,))(q, qd)
    for name, value in ROLLED.items():
        monkeypatch.setitem(kernel.LIMITS, name, value)
    p = program(build, q=(n,), qd=(n,))
    assert p.graph.keeps_signs
    assert p.source().count("define internal void @steps") == 1
    for got, want in zip(p(q, qd), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


def _repeating(x, y):
    """Steps of one structure, with blocks, loops and tables in some of them."""
    mark, total, results = x[0].graph.mark, 0.0, []
    for a, b in zip(x, y, strict=True):
        mark()
        total = elementary(a * 0.5, total + b)[0] + a * a - b
        mark()
        total = when(a < b, lambda u, a=a, b=b: sum(elementary(u, a)) + b, total)
        mark()
        total = total + gather(y, a) + repeat(lambda v, b=b: 0.5 * v + b, a, lambda v: v > 0.3, 4)
        results.append(total)
    return results


def products(q, qd):
    """Steps with all products of three numbers and three others, in one order or the other."""
    mark, result = q[0].graph.mark, []
    for k in range(0, 30, 3):
        mark()
        x, y = q[k : k + 3], qd[k : k + 3]
        pairs = [(a, b) for a in x for b in y] if k % 2 else [(a, b) for b in y for a in x]
        result.append(sum((a * b for a, b in pairs), start=0.25))
    return result, []


def test_operands_of_a_repeated_step_are_loaded_once():
    """Only steps that read the same operands again in the same places are one function."""
    code = code_of(products, 30)
    text, _ = kernel_ir(code, [30, 30], Format("f64", 4), **ROLLED)
    steps = [f for f in text.split("define ") if f.startswith("internal void @step")]
    loads = [f.count("= load <4 x double>") for f in steps if "@steps" not in f.splitlines()[0]]
    assert loads == [6, 6]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("limits", [CUT, ROLLED], ids=["cut", "rolled"])
def test_blocks_and_loops_between_repeated_steps(monkeypatch, limits, dtype):
    """Steps that repeat are rolled, also under a branch; loops and tables stay as they are."""
    x, y = states(19, 20, dtype=dtype), states(19, 20, seed=1, dtype=dtype)
    for name, value in WHOLE.items():
        monkeypatch.setitem(kernel.LIMITS, name, value)
    expected = program(_repeating, x=(20,), y=(20,))(x, y)
    for name, value in limits.items():
        monkeypatch.setitem(kernel.LIMITS, name, value)
    p = program(_repeating, "again", x=(20,), y=(20,))
    assert same_bits(p(x, y), expected)
    assert same_bits(p(x[4], y[4]), expected[4])
    assert ("@steps" in p.source("llvm", lanes=8)) == (limits is ROLLED)


def pairs(x, y):
    """Blocks of one structure with joins, some with constants of their own, in a loop and out."""

    def turn(state):
        total, chosen = state
        for k, (a, b) in enumerate(zip(x, y, strict=True)):

            def look(total, chosen, a=a, b=b, k=k):
                near = a * total + float(k + 1)
                for _ in range(6):
                    near = near * 0.5 + sin(near) * a - b
                return total + near, where(near > chosen, near + 0.25 * (k + 1), chosen)

            total, chosen = when(a > b, look, total, chosen)
        return total, chosen

    first = turn((0.0, 0.5))
    return [*first, *repeat(turn, first, lambda state: state[0] > 3.0, 3)]


def test_blocks_of_one_structure_share_a_function(monkeypatch):
    """Their slots and constants come from rows; the bits are those of functions of their own."""
    x, y = states(21, 12), states(21, 12, seed=1)
    for name, value in WHOLE.items():
        monkeypatch.setitem(kernel.LIMITS, name, value)
    expected = program(pairs, x=(12,), y=(12,))(x, y)
    for name, value in (WHOLE | {"roll_from": 0, "step_ops": 10**9}).items():
        monkeypatch.setitem(kernel.LIMITS, name, value)
    p = program(pairs, x=(12,), y=(12,))
    text = p.source()
    assert text.count("define internal void @steps") == 2  # out of the loop, and in it
    assert same_bits(p(x, y), expected)
    assert same_bits(p(x[3], y[3]), expected[3])


def test_a_loop_knows_which_of_its_branches_imply_others():
    """A block in another, of conditions from around the loop, is skipped with that."""

    def build(x):
        outer = guard(x[0] > 0.0)
        both = guard(outer & (x[1] > 0.0))

        def turn(v):
            v = when(outer, lambda v: sin(v) + x[2], v)
            return when(both, lambda v: cos(v) * x[2], v)

        return [repeat(turn, x[3], lambda v: v > 9.0, 4)]

    graph = TracedGraph()
    outputs = build([graph.input(k) for k in range(4)])
    code = lower(graph, outputs)
    (loop,) = [op.loop for op in code.ops if op.loop is not None]
    depths = {
        op.name: len(path) for op, path in zip(loop.code.ops, loop.code.branches, strict=True)
    }
    assert depths["sin"] == 1 and depths["cos"] == 2


def test_sines_and_cosines_of_one_and_of_two_angles_are_not_alike(monkeypatch):
    """A step takes both of one angle together; one that has two angles is another step."""

    def build(x, y):
        mark, results = x[0].graph.mark, []
        for k, (a, b) in enumerate(zip(x, y, strict=True)):
            mark()
            angle, other = a * 0.5, b * 0.25
            mark()
            total = angle + other
            part = sin(angle) * cos(other if k % 2 else angle) + total
            results.append(part * total * angle * other)
        return results

    x, y = states(5, 8), states(5, 8, seed=1)
    for name, value in WHOLE.items():
        monkeypatch.setitem(kernel.LIMITS, name, value)
    expected = program(build, x=(8,), y=(8,))(x, y)
    for name, value in ROLLED.items():
        monkeypatch.setitem(kernel.LIMITS, name, value)
    p = program(build, x=(8,), y=(8,))
    assert "@steps" in p.source()
    assert same_bits(p(x, y), expected)
