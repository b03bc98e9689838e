"""Compiled code of random expressions equals the interpreter, bit for bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.examples import program, same_bits
from export.c_code import call, library, needs_gcc
from polhode.compiler.codegen import kernel
from polhode.compiler.graph import interpret, lower
from polhode.compiler.graph.loop import TracedGraph
from polhode.compiler.program.export import export_c
from polhode.scalar import repeat, when

N_INPUTS = 4


def many(x, y):
    """A value of so many operations that they are worth skipping."""
    for _ in range(12):
        x = x * 0.5 + abs(y - x)
    return x


UNARY = {
    "neg": lambda x: -x,
    "sqrt": lambda x: x.sqrt(),
    "abs": lambda x: abs(x),
    "floor": lambda x: x.floor(),
    "rint": lambda x: x.rint(),
    "square": lambda x: x * x,
    "half": lambda x: x * 0.5,
    "third": lambda x: x / 3.0,
    "shift": lambda x: x - 1.25,
    "from one": lambda x: 1.0 - x,
    "inverse": lambda x: 1.0 / x,
}
BINARY = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "min": lambda x, y: x.minimum(y),
    "max": lambda x, y: x.maximum(y),
    "less": lambda x, y: (x < y).where(x, y * 2.0),
    "not both": lambda x, y: ~((x <= 0.0) & (y > 0.5)),
    "when": lambda x, y: (x < y).branch().where(many(x, y), y),
    "when in when": lambda x, y: (
        (x < y).branch().where(many((y < 0.5).branch().where(many(y, x), x), y), y)
    ),
    "entry": lambda x, y: x.gather([y, 1.0, x * 2.0, x]),
    "constant entry": lambda x, y: (x + 0.75).gather([0.5, -0.0, 3.0]),
    "either": lambda x, y: ((x < 0.0) | y.equal(x)).where(1.0, x),
}

LOOPS = {
    "repeat": lambda x, y: repeat(lambda v: v * 0.5 + y, x, lambda v: (v < y) | (v > 9.0), 5),
    "fixed point": lambda x, y: repeat(
        lambda v: (v[1] * 0.25 + y, when(v[0] < 0.0, lambda u: many(u, x), v[0])), (x, y), 1e-3, 4
    )[1],
}
"""Loops, whose turns are graphs of their own."""
LIBRARY = {
    "sin": lambda x, y: x.sin(),
    "cos": lambda x, y: (x * 3.0).cos(),
    "exp": lambda x, y: (x.minimum(30.0)).exp(),
    "log": lambda x, y: (x * x + 1e-3).log(),
    "atan2": lambda x, y: x.atan2(y),
}
"""Functions that compiled code computes by itself, and the interpreter by the C library."""

instructions = st.lists(
    st.tuples(st.sampled_from([*UNARY, *BINARY, *LOOPS]), st.integers(0, 999), st.integers(0, 999)),
    min_size=1,
    max_size=60,
)
inputs = st.lists(
    st.lists(
        st.floats(-1e6, 1e6) | st.sampled_from([0.0, math.nan, math.inf]), min_size=4, max_size=4
    ),
    min_size=1,
    max_size=9,
)


def expressions(recipe, values):
    """Outputs that a list of instructions makes from the inputs, as any list of values."""
    known, conditions = list(values), []
    for name, i, j in recipe:
        x, y = known[i % len(known)], known[j % len(known)]
        if isinstance(x, float) or isinstance(y, float):
            continue
        if name in UNARY:
            known.append(UNARY[name](x))
        elif name in LOOPS:
            known.append(LOOPS[name](x, y))
        elif name in LIBRARY:
            known.append(LIBRARY[name](x, y))
        elif name == "not both":
            conditions.append(BINARY[name](x, y))
            known.append(conditions[-1].where(x, y) if not isinstance(conditions[-1], bool) else x)
        else:
            known.append(BINARY[name](x, y))
    return known[len(values) :] or [known[0]]


def check(recipe, rows):
    """One recipe on these inputs: interpreted, scalar code, vector code."""

    def build(x):
        return expressions(recipe, x)

    graph = TracedGraph()
    code = lower(graph, build([graph.input(k) for k in range(N_INPUTS)]))
    expected = np.array([interpret(code, row) for row in rows])
    p = program(build, x=(N_INPUTS,))
    x = np.array(rows)
    assert same_bits(p(x), expected)
    assert same_bits(p(x[0]), expected[0])
    assert same_bits(p(np.repeat(x, 3, axis=0))[::3].copy(), expected)


@given(instructions, inputs)
def test_random_expressions(recipe, rows):
    """Short code: one section."""
    check(recipe, rows)


@pytest.mark.parametrize("n", [150])
def test_random_expressions_in_many_sections(n, monkeypatch):
    """The same in sections of a few instructions, so that values pass through slots."""
    monkeypatch.setitem(kernel.LIMITS, "section_ops", 7)
    rng = np.random.default_rng(8)
    names = [*UNARY, *BINARY, *LOOPS]
    for _ in range(4):
        recipe = [(names[rng.integers(len(names))], *rng.integers(0, 999, 2)) for _ in range(n)]
        check(recipe, rng.standard_normal((9, 4)).tolist())


def random_programs(n, names, seed):
    """Programs of random expressions of up to 60 operations."""
    rng = np.random.default_rng(seed)
    made = {}
    for k in range(n):
        size = int(rng.integers(1, 60))
        recipe = [(names[rng.integers(len(names))], *rng.integers(0, 999, 2)) for _ in range(size)]
        made[f"graph{k}"] = program(lambda x, r=recipe: expressions(r, x), f"graph{k}", x=(4,))
    return made


@needs_gcc
@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("has_library", [False, True], ids=["arithmetic", "library"])
def test_every_way_gives_the_same_bits(has_library, dtype, lanes, tmp_path):
    """Interpreted, as scalar code, in vectors, and as C, one state or several at a time."""
    names = [*UNARY, *BINARY, *LOOPS, *(LIBRARY if has_library else ())]
    programs = random_programs(12, names, [lanes, has_library])
    functions = library(export_c(programs, dtype=dtype, lanes=lanes).source, tmp_path)
    rng = np.random.default_rng(9)
    x = rng.standard_normal((24, N_INPUTS)) * 10.0 ** rng.integers(-3, 4, (24, N_INPUTS))
    x[5, 1], x[11, 0], x[17] = math.nan, math.inf, 0.0
    x = x.astype(dtype)
    for name, p in programs.items():
        with np.errstate(all="ignore"):
            in_vectors, alone = p(x), np.array([p(row) for row in x])
        (as_c,) = call(getattr(functions, name), p, [x], lanes)
        assert same_bits(in_vectors, alone), name
        assert same_bits(in_vectors, as_c), name
        if dtype == "float64" and not has_library:
            interpreted = np.array([interpret(p.code, row) for row in x.tolist()])
            assert same_bits(in_vectors, interpreted), name
