"""`repeat` on floats, arrays and traces: what is computed, when it ends, what the slopes are."""

from __future__ import annotations

import numpy as np
import pytest

from compiler.examples import program, same_bits, states, turning
from export.c_code import results
from polhode.compiler.graph import interpret, lower
from polhode.compiler.graph.loop import TracedGraph
from polhode.errors import TraceError
from polhode.scalar import cos, floor, gather, maximum, repeat, sin, sqrt, when, where
from polhode.spatial import Vec3

STEP = 1e-5
DIFFERENCE = 1e-8  # of central differences with that step


def collatz(x):
    """Turns until 1, which differ much between neighbours."""

    def turn(v):
        half = 0.5 * v[0]
        odd = 3.0 * v[0] + 1.0
        return where(floor(half) == half, half, odd), v[1] + 1.0

    return repeat(turn, (x, 0.0), lambda v: v[0] <= 1.0, 200)[1]


def solved(x):
    """Fixed points of one and of two equations, the one with the solution of the other."""
    a, b = x
    y = repeat(lambda v: 0.5 * (v + a / v), 1.0, 1e-14, 50)
    turn = lambda v: [0.3 * cos(v[1]) * a + b, 0.2 * sin(v[0]) + v[1] * 0.1 * y]  # noqa: E731
    return [y, *repeat(turn, [0.0, b], 1e-15, 200)]


def integrated(x):
    """Steps of a pendulum until a time that depends on the state, which it counts."""
    a, b = x
    turn = lambda v: [v[0] + 0.1 * v[1], v[1] - 0.1 * sin(v[0]) * a, v[2] + 1.0]  # noqa: E731
    end = repeat(turn, [a, b, 0.0], lambda v: (v[2] > 11.5) | (v[1] < -9.0), 50)
    return [end[0], end[1] * b]


def test_states_end_when_they_are_done():
    """Each state as if it were alone, in any order and company."""
    x = np.array([1.0, 27.0, 2.0, 97.0, 3.0, 6.0, 871.0, 9.0, 7.0, 1.0, 1.0])
    turns = [0, 111, 1, 118, 7, 8, 178, 19, 16, 0, 0]
    p = program(collatz, x=())
    assert p(x).tolist() == turns
    assert p(x[::-1]).tolist() == turns[::-1]
    assert [float(p(a)) for a in x] == turns
    assert collatz(x).tolist() == turns
    assert [collatz(a) for a in x.tolist()] == turns


def test_floats_arrays_and_programs_agree():
    """One function, three kinds of scalars, records as what is carried."""

    def f(x):
        def turn(v):
            return Vec3(v.y, v.x * 0.5 + x[1], v.z + 1.0)

        return list(repeat(turn, Vec3(x[0], x[1], 0.0), lambda v: v.y > v.x, 9))

    x = states(50, 2)
    compiled = program(f, x=(2,))(x)
    assert np.allclose(compiled, np.array(f(x.T)).T, rtol=1e-14, atol=0)
    assert np.allclose(compiled, [f(row) for row in x.tolist()], rtol=1e-14, atol=0)


NUMBERS = [3, True, np.int64(3), np.float32(3.0), np.float64(3.0), np.array(3.0)]


@pytest.mark.parametrize("start", NUMBERS, ids=lambda x: type(x).__name__)
def test_numbers_of_any_type_are_carried(start):
    """A loop in a loop begins with that number in each turn, and not with what a node has."""

    def inner(x):
        def turn(v):
            return v[0] + 1.0, v[1] - 1.0

        return repeat(turn, (x, start), lambda v: v[1] <= 0.0, 16)[0]

    def f(x):
        return repeat(lambda v: (inner(v[0]), start), (x, 0.0), lambda v: v[0] > 20.0, 6)

    x, number = np.arange(9.0), float(start)
    turns = np.minimum(np.floor((20.0 - x) / number) + 1.0, 6.0)
    first, second = program(f, x=())(x)
    assert first.tolist() == (x + number * turns).tolist()
    assert second.tolist() == [number] * 9


def test_interpreted_as_compiled():
    """The definition of the code gives the same bits, but for sines."""
    p = program(lambda x: repeat(lambda v: v * x + 0.25, x, lambda v: v > 3.0, 20), x=())
    x = states(40)
    assert same_bits(p(x), [interpret(p.code, [a])[0] for a in x.tolist()])
    q = program(turning, x=(2,))
    y = states(40, 2)
    rows = np.array([interpret(q.code, row) for row in y.tolist()])
    assert np.allclose(q(y), rows, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("most", [0, 1, 3])
def test_turns_are_bounded(most):
    """At most so many; none if the condition holds already."""
    for until in (lambda v: v > 1e9, 0.0):
        f = lambda x, until=until: repeat(lambda v: v + 1.0, x, until, most)  # noqa: E731
        assert f(2.0) == 2.0 + most
        assert program(f, x=())([2.0, -5.0]).tolist() == [2.0 + most, -5.0 + most]
    f = lambda x: repeat(lambda v: v + 1.0, x, lambda v: v > 0.0, most)  # noqa: E731
    assert f(2.0) == 2.0
    assert program(f, x=())([2.0, 3.0]).tolist() == [2.0, 3.0]


def test_nan_stays_and_ends():
    """A state that is NaN, or runs away, does not touch others."""
    p = program(lambda x: repeat(lambda v: v * v + x, x, 1e-9, 100), x=())
    x = np.array([0.1, np.nan, 0.2, 5.0, -0.5, np.inf, 0.0, 0.25 - 1e-3, -0.7])
    alone = [p(a) for a in x]
    assert same_bits(p(x), alone)
    assert np.isfinite(alone[0]) and np.isnan(alone[1])


@pytest.mark.parametrize("f", [solved, integrated])
def test_derivatives(f):
    """Of all kinds that there are, first and second, by differences."""
    p = program(f, x=(2,))
    x = np.abs(states(20, 2)) + 0.2
    shifts = np.eye(2) * STEP
    jacobian = p.jacobian()
    expected = np.stack([(p(x + h) - p(x - h)) / (2 * STEP) for h in shifts], -1)
    assert np.allclose(jacobian(x), expected, rtol=DIFFERENCE, atol=DIFFERENCE)
    along = states(2, seed=1)
    assert np.allclose(p.jvp()(x, along), jacobian(x) @ along, rtol=1e-12, atol=1e-12)
    expected = np.stack([(jacobian(x + h) - jacobian(x - h)) / (2 * STEP) for h in shifts], -1)
    assert np.allclose(p.hessian("x")(x), expected, rtol=1e-7, atol=1e-7)


def test_reverse_at_a_fixed_point():
    """Weights go back through the equations, not through the turns."""
    p, x = program(solved, x=(2,)), np.abs(states(20, 2)) + 0.2
    weight = states(3, seed=1)
    got = p.vjp()(x, weight)
    assert np.allclose(got, weight @ p.jacobian()(x), rtol=1e-12, atol=1e-12)
    along = p.vjp().jvp("x")(x, weight, states(2, seed=2))
    assert np.allclose(along, _hessian_product(p, x, weight), rtol=1e-10, atol=1e-10)


def _hessian_product(p, x, weight):
    return np.einsum("nijk,i,k->nj", p.hessian("x")(x), weight, states(2, seed=2))


def test_reverse_with_blocks_and_tables_in_the_turn():
    """The equations of a fixed point may have pieces, and a solution may be part of others."""

    def f(x, t):
        a, b = x

        def turn(v):
            u = when(v[0] > 0.6, lambda u: 0.3 * sin(u) + 0.1 * b * gather(t, 3.0 * u), v[0])
            inner = repeat(lambda w: 0.25 * cos(w) + 0.2 * u, 0.0, 1e-15, 60)
            return [0.5 * u + 0.25 * inner * a + 0.3, 0.3 * v[1] + b * v[0]]

        return repeat(turn, [1.0, 1.0], 1e-15, 200)

    p = program(f, x=(2,), t=(4,))
    x, t, weight = states(30, 2), states(4, seed=1), states(2, seed=2)
    by_x, by_t = p.vjp()(x, t, weight)
    d_x, d_t = states(2, seed=3), states(4, seed=4)
    forward = p.jvp()(x, t, d_x, d_t) @ weight
    assert np.allclose(by_x @ d_x + by_t @ d_t, forward, rtol=1e-11, atol=1e-12)
    assert np.abs(by_x).min() > 0.0 and by_t.any()


def test_reverse_through_turns_is_refused():
    """By name, with what to do; a Jacobian goes forward whatever it costs."""
    p = program(lambda x: sum(integrated(x)), x=(2,))
    with pytest.raises(TraceError, match="has no derivative in reverse; take jvp or jacobian"):
        p.vjp()([1.0, 2.0], 1.0)
    assert p.jacobian()([1.0, 2.0]).shape == (2,)


def test_turns_within_a_fixed_point_are_gone_through_forward():
    """A Jacobian of more inputs than outputs went in reverse, where the inner loop has none."""

    def solved(x, count):
        a = x[0] * x[1] + x[2] * x[3]
        inner = lambda y: repeat(lambda z: 0.5 * sin(z) + y + a * a, 0.1, lambda z: z > 1e9, 3)  # noqa: E731
        turn = lambda y: 0.2 * sin(y + inner(y))  # noqa: E731
        return repeat(turn, 0.0, 1e-15, 200) if count is None else _turned(turn, count)

    p = program(lambda x: solved(x, None), x=(4,))
    q = program(lambda x: solved(x, 80), x=(4,))
    x = states(9, 4)
    assert np.allclose(p.jacobian()(x), q.jacobian()(x), rtol=1e-12, atol=1e-13)
    assert np.allclose(p.hessian("x")(x), q.hessian("x")(x), rtol=1e-11, atol=1e-12)
    with pytest.raises(TraceError, match="has no derivative in reverse"):
        p.vjp()(x, np.ones(9))


def _turned(turn, count):
    y = 0.0
    for _ in range(count):
        y = turn(y)
    return y


def test_a_start_has_no_influence_on_a_fixed_point():
    """The derivative by where the search begins is zero."""
    p = program(lambda x, s: repeat(lambda v: 0.5 * (v + x / v), s, 1e-12, 50), x=(), s=())
    by_x, by_start = p.jacobian()(4.0, [1.0, 3.0])
    assert np.allclose(by_x, 0.25, rtol=1e-12)
    assert by_start.tolist() == [0.0, 0.0]


def test_derivatives_in_blocks():
    """A loop in a block in a loop, forward."""

    def f(x):
        block = lambda u: repeat(lambda w: w * 0.5 + x, u, lambda w: w > 1.5, 6)  # noqa: E731
        return repeat(lambda v: when(v > x, block, v * 0.5) + 0.1 * x, x * x, lambda v: v > 9.0, 4)

    p, x = program(f, x=()), np.linspace(0.3, 1.9, 41)
    slope = (p(x + 1e-7) - p(x - 1e-7)) / 2e-7
    is_smooth = np.abs(slope) < 1e3  # a turn more or less is a jump
    assert is_smooth.sum() > 35
    assert np.allclose(p.jacobian()(x)[is_smooth], slope[is_smooth], rtol=1e-5, atol=1e-5)


def test_programs_in_programs_and_known_numbers():
    """A loop of a program on values is a loop there; on numbers it is run."""
    p = program(turning, x=(2,))
    again = program(lambda y: p([y[0] + 1.0, y[1]]), y=(2,))
    y = states(9, 2)
    assert same_bits(again(y), p(y + np.array([1.0, 0.0])))
    known = program(lambda y: [*p([0.5, 0.25]), y], y=())
    assert not any(op.loop for op in known.code.ops)
    assert np.allclose(known(0.0)[:-1], p([0.5, 0.25]), rtol=1e-12)


def test_op_counts_say_the_most():
    """A loop counts as often as it may turn, a block once."""
    once = program(lambda x: x * 1.5 + 1.0, x=()).ops
    p = program(lambda x: repeat(lambda v: v * 1.5 + 1.0, x, lambda v: v > 9.0, 7), x=())
    assert p.ops == 7 * once


def test_conditions_around_a_loop_are_seen_in_it():
    """A condition of a state outside decides inside."""

    def f(x):
        is_high = x > 0.0
        turn = lambda v: when(is_high, lambda u: u + 2.0, v - 1.0)  # noqa: E731
        return repeat(turn, x, lambda v: (v > 5.0) | (v < -5.0), 20)

    x = states(20)
    assert same_bits(program(f, x=())(x), f(x))


def test_many_numbers_in_many_sections(monkeypatch):
    """A turn that is longer than a section, with blocks and tables in it."""
    from polhode.compiler.codegen import kernel

    expected = results(program(turning, x=(2,)), [states(19, 2)])
    monkeypatch.setitem(kernel.LIMITS, "section_ops", 5)
    got = results(program(turning, "cut", x=(2,)), [states(19, 2)])
    assert all(map(same_bits, got, expected))


def test_mistakes_are_named():
    """What leaves a turn by the back door, other structures, and senseless bounds."""
    graph = TracedGraph()
    x, kept = graph.input(0), []
    repeat(lambda v: kept.append(v * 2.0) or v + 1.0, x, lambda v: v > 1.0, 3)
    with pytest.raises(TraceError, match="a value of a turn of repeat is used outside"):
        _ = x + kept[0]
    with pytest.raises(ValueError, match="expected a result of the structure a scalar, got list"):
        repeat(lambda v: [v], x, 0.1, 3)
    with pytest.raises(ValueError, match="expected a whole number of turns"):
        repeat(lambda v: v, x, 0.1, 3.5)  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match="expected a condition or a tolerance, 0 or more, for until"
    ):
        repeat(lambda v: v, x, -1.0, 3)
    assert lower(graph, [repeat(lambda v: v, x, 0.1, 3)]).outputs


def test_a_turn_leaves_nothing_in_the_graph():
    """The nodes of a turn are in its own graph only."""
    graph = TracedGraph()
    x = graph.input(0)
    before = len(graph.nodes)
    repeat(lambda v: maximum(sqrt(v) * x, v + 1.0), x, lambda v: v > 1.0, 3)
    names = [node.op.name for node in graph.nodes[before:] if node.op.arity]
    assert "sqrt" not in names
    assert names[-2:] == ["repeat", "part 0"]
    assert len(graph.table) == len(graph.nodes) == len(graph.steps)


def test_a_program_is_printed_with_its_blocks_and_loops():
    """Each level is indented, and every operation is a line."""

    def f(x):
        turn = lambda v: when(v > x, lambda u: u * 0.5 + 1.0, v + x)  # noqa: E731
        return when(x > 0.0, lambda u: repeat(turn, u, lambda v: v > 9.0, 5), x)

    text = str(program(f, "rough", x=()))
    assert text.splitlines() == [
        "<Program rough(x())>",
        "v2 = lt(0.0, in0)",
        "when v2:",
        "    v4 = lt(9.0, in0)",
        "    v6 = where(v4, 0.0, 1.0)",
        "    v7 = repeat(v6, in0, in0)",
        "        at most 5 turns, the last result says whether to go on:",
        "        v7.v4 = lt(v7.in1, v7.in0)",
        "        v7.v5 = add(v7.in1, v7.in0)",
        "        when v7.v4:",
        "            v7.v8 = fma(v7.v5, 0.5, 1.0)",
        "        v7.v9 = where(v7.v4, v7.v8, v7.v5)",
        "        v7.v10 = lt(9.0, v7.v9)",
        "        v7.v11 = where(v7.v10, 0.0, 1.0)",
        "        return v7.v9, v7.v11",
        "    v8 = part 0(v7)",
        "v9 = where(v2, v8, in0)",
        "return v9",
    ]
    long = str(program(lambda x: sum(sin(x * k) for k in range(1, 500)), x=()))
    assert long.count("\n") < 210 and "operations in all" in long


def test_a_turn_skips_what_a_condition_before_the_loop_does_not_want():
    """A block under a branch from outside is skipped inside, too."""
    graph = TracedGraph()
    x, wanted = graph.input(0), (graph.input(1) > 0.0).branch()

    def turn(v):
        for _ in range(8):
            v = sin(v) + v * v
        return v

    y = repeat(lambda v: when(wanted, turn, v), x, lambda v: v > 9.0, 5)
    code = lower(graph, [y])
    (loop,) = (op.loop for op in code.ops if op.loop is not None)
    assert sum(map(bool, loop.code.branches)) >= 16
