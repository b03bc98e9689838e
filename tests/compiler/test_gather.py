"""`gather` on floats, arrays and traces: entries of tables, and their derivatives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from compiler.examples import program, same_bits, states
from polhode.compiler.codegen.layout import BufferLayout
from polhode.compiler.codegen.llvm import tables
from polhode.compiler.graph import Graph
from polhode.scalar import gather

TABLE = [0.5, -0.0, 3.0, math.inf, -7.25]
PLACES = [-math.inf, -5.0, -0.5, 0.0, 0.99, 1.0, 2.5, 4.0, 4.5, 1e300, math.inf]
ENTRIES = [0, 0, 0, 0, 0, 1, 2, 4, 4, 4, 4]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_index_is_rounded_down_and_kept_inside(dtype):
    """Floats, arrays and compiled code, one state and many."""
    expected = np.array(TABLE)[ENTRIES]
    with np.errstate(over="ignore"):
        places = np.array(PLACES, dtype)
    assert same_bits(np.array([gather(TABLE, x) for x in PLACES]), expected)
    assert same_bits(gather(TABLE, np.array(PLACES)), expected)
    assert same_bits(gather(np.array(TABLE), np.array(PLACES)), expected)
    p = program(lambda x: gather(TABLE, x), x=())
    assert same_bits(p(places), expected.astype(dtype))
    assert same_bits(np.array([p(x) for x in places]), expected.astype(dtype))


@pytest.mark.parametrize("table", [TABLE, [1.0]])
def test_nan_gives_nan(table):
    """Also of a table with one entry."""
    assert math.isnan(gather(table, math.nan))
    assert np.isnan(gather(table, np.array([math.nan, 0.0]))).tolist() == [True, False]
    assert np.isnan(program(lambda x: gather(table, x), x=())([math.nan, 0.0])).tolist() == [
        True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "table",
    [
        lambda x: x,
        lambda x: x[1:],
        lambda x: x[::-1],
        lambda x: [x[0] * 2.0, 1.0, x[2], x[2] + x[1]],
        lambda x: list(TABLE),
    ],
    ids=["input", "part", "turned", "computed", "constant"],
)
def test_tables_of_every_kind(table):
    """Entries of one input lie side by side already; others are put there."""
    x = states(40, 4) * 3.0

    def f(x, scale):
        return [gather(table(x), scale * x[0]), gather(table(x), x[1] + 1.0)]

    compiled = program(f, x=(4,), scale=())(x, 0.7)
    assert same_bits(compiled, np.array(f(x.T, 0.7)).T)
    assert same_bits(compiled, np.array([f(row, 0.7) for row in x.tolist()]))


def test_long_tables_are_constants_of_the_module():
    """A table is there once, however often it is used, and zeros keep their signs."""
    table = list(np.sin(np.arange(5000.0)))
    p = program(lambda x: gather(table, x) + gather(table, x + 1.0), x=())
    x = np.arange(-3.0, 5010.0)
    first, second = np.clip(x, 0, 4999).astype(int), np.clip(x + 1, 0, 4999).astype(int)
    assert same_bits(p(x), np.array(table)[first] + np.array(table)[second])
    assert p.source("llvm").count("= internal constant [40000 x i8]") == 1
    layout = BufferLayout([])
    assert layout.table([0.0, 1.0], "f64") != layout.table([-0.0, 1.0], "f64")
    assert tables([layout]).count("internal constant") == 2


def test_derivatives_by_the_entries():
    """One at the entry that was found, in reverse and forward, and zero by the index."""
    p = program(lambda t, x: gather([t[0], t[1] * t[2], 5.0, t[2]], x), t=(3,), x=())
    t, x = np.array([2.0, 3.0, 4.0]), np.array([-1.0, 0.5, 1.0, 2.0, 3.5, 9.0])
    rows = [[1, 0, 0], [1, 0, 0], [0, 4, 3], [0, 0, 0], [0, 0, 1], [0, 0, 1]]
    by_table, by_index = p.jacobian()(t, x)
    assert by_table.tolist() == rows
    assert not by_index.any()
    along = np.array([1.0, 10.0, 100.0])
    assert p.jvp("t")(t, x, along).tolist() == (np.array(rows) @ along).tolist()
    assert p.vjp("t")(t, x, 2.0).tolist() == (2.0 * np.array(rows)).tolist()


def test_the_change_of_a_whole_table_is_looked_up():
    """Not added up entry by entry: its cost does not grow with the table's."""
    short, long = (program(lambda t, x: gather(t, x), t=(n,), x=()) for n in (3, 300))
    assert short.jvp("t").ops == long.jvp("t").ops
    d = states(300)
    assert long.jvp("t")(states(300), 17.0, d) == d[17]


def test_second_derivatives_of_interpolation():
    """A height map of one dimension, by the place and by the heights."""

    def height(t, x):
        place = x.floor()
        a, b = gather(t, place), gather(t, place + 1.0)
        return a + (x - place) * (b - a)

    p = program(height, t=(4,), x=())
    t = np.array([0.0, 2.0, 1.0, 5.0])
    assert p.jacobian("x")(t, [0.5, 1.25, 2.5]).tolist() == [2.0, -1.0, 4.0]
    assert p.hessian("x", "t")(t, 1.25).tolist() == [0.0, -1.0, 1.0, 0.0]


def test_conditions_are_one_or_zero():
    """As outputs of programs are."""
    p = program(lambda x: gather([x[0] < x[1], x[0]], x[1]), x=(2,))
    assert p([[0.25, 0.5], [0.5, 0.25], [0.5, 1.0]]).tolist() == [1.0, 0.0, 0.5]


def test_known_indices_need_no_table():
    """An index that is known while tracing is that entry."""
    graph = Graph()
    x, y = graph.input(0), graph.input(1)
    assert gather([x, y], 1.0) is y
    with pytest.raises(ValueError, match="expected a table with entries"):
        gather([], x)
