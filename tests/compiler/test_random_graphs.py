"""Compiled code of random expressions equals the interpreter, bit for bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.examples import program, same_bits
from polhode.compiler.codegen import kernel
from polhode.compiler.graph import Graph, interpret, lower

N_INPUTS = 4
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
    "either": lambda x, y: ((x < 0.0) | y.equal(x)).where(1.0, x),
}

instructions = st.lists(
    st.tuples(st.sampled_from([*UNARY, *BINARY]), st.integers(0, 999), st.integers(0, 999)),
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

    graph = Graph()
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
    names = [*UNARY, *BINARY]
    for _ in range(4):
        recipe = [(names[rng.integers(len(names))], *rng.integers(0, 999, 2)) for _ in range(n)]
        check(recipe, rng.standard_normal((9, 4)).tolist())
