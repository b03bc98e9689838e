"""Each row of the op table, compiled, against arithmetic of many digits."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from compiler.examples import program
from polhode.compiler.graph import OPS
from polhode.compiler.graph.replay import constructor

N = 400
VALUES = [op for op in OPS.values() if op.arity and not op.is_condition and op.name != "where"]
EXACT = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sqrt": mpmath.sqrt,
    "fma": lambda a, b, c: a * b + c,
    "fms": lambda a, b, c: a * b - c,
    "fnma": lambda a, b, c: c - a * b,
    "fnms": lambda a, b, c: -a * b - c,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "exp": mpmath.exp,
    "log": mpmath.log,
    "atan2": mpmath.atan2,
    "abs": abs,
    "min": min,
    "max": max,
    "floor": mpmath.floor,
    "rint": mpmath.nint,
    "gather": lambda place, *table: table[int(min(max(mpmath.floor(place), 0), len(table) - 1))],
}
FUSED = {
    "fma": lambda a, b, c: a * b + c,
    "fms": lambda a, b, c: a * b - c,
    "fnma": lambda a, b, c: c - a * b,
    "fnms": lambda a, b, c: -(a * b) - c,
}
"""Expressions that lowering makes these ops of."""


def operands(name: str, arity: int, dtype: type) -> np.ndarray:
    """Numbers of every size at which the op is finite, and some near its difficult places."""
    rng = np.random.default_rng([len(name), arity])
    if name in ("sin", "cos"):
        near = np.array([k * math.pi / 2 for k in range(-40, 40)])
        x = np.concatenate([rng.uniform(-100, 100, N), rng.uniform(-1e5, 1e5, N), near])
    elif name == "exp":
        x = np.concatenate([rng.uniform(-80, 80, N), rng.uniform(-1e-3, 1e-3, N)])
    elif name in ("log", "sqrt"):
        x = np.concatenate([10 ** rng.uniform(-30, 30, N), 1 + rng.uniform(-0.3, 0.5, N)])
    elif name in ("floor", "rint"):
        x = np.concatenate([rng.uniform(-1e6, 1e6, N), np.arange(-20, 20) / 2])
    else:
        x = rng.standard_normal((arity, N)) * 10 ** rng.uniform(-8, 8, (arity, N))
        close = x[:1] * (1 + 1e-9 * rng.standard_normal((arity, N)))
        x = np.concatenate([x, close, rng.standard_normal((arity, N))], axis=1)
    return np.atleast_2d(x).astype(dtype)


def error(got: float, exact: mpmath.mpf, dtype: type) -> float:
    """The error of a number in units in the last place of the exact result."""
    if exact == 0:
        return 0.0 if got == 0 else math.inf
    unit = mpmath.mpf(float(np.spacing(dtype(abs(float(exact))))))
    return float(abs(mpmath.mpf(float(got)) - exact) / unit)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("op", VALUES, ids=str)
def test_compiled_code_keeps_the_bound_of_the_table(op, dtype):
    """No error above ``op.ulps``; single precision may miss the nearest by a hair."""
    make = FUSED.get(op.name) or constructor(op)
    arity = op.arity if op.arity > 0 else 4
    x = operands(op.name, arity, dtype)
    inputs = {f"x{k}": () for k in range(arity)}
    compiled = program(make, op.name, **inputs)
    if op.name not in ("neg", "abs"):  # signs are written as others are
        assert op.name in [o.name for o in compiled.code.ops]
    got = compiled(*x)
    with mpmath.workprec(400):
        rows = zip(got, *x, strict=True)
        worst = max(
            error(y, EXACT[op.name](*(mpmath.mpf(float(v)) for v in row)), dtype)
            for y, *row in rows
        )
    assert worst <= op.ulps + (1e-4 if op.is_library else 0.0), worst
    assert worst > 0.0 or op.ulps == 0


def test_the_table_is_whole():
    """Every op with a value has an exact twin here, and a bound."""
    assert set(EXACT) == {op.name for op in VALUES}
    assert OPS["sin"].ulps <= 1.0 and OPS["cos"].ulps <= 1.0
