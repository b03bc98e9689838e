"""Elementary functions of floats, arrays and programs: the same of zeros, infinities and NaN."""

from __future__ import annotations

import math

import numpy as np
import pytest

from compiler.examples import program
from polhode import scalar
from polhode.compiler.jit import jit
from polhode.errors import ArgumentError, TraceError
from polhode.scalar import logical_not, maximum, minimum, repeat, when, where

NUMBERS = (0.0, -0.0, 1.0, -1.5, 2.5, 1000.0, -1000.0, math.inf, -math.inf, math.nan)


def bits(value) -> bytes:
    """Those of a float, one for all that are no number."""
    return np.float64(math.nan if value != value else value).tobytes()


@pytest.mark.parametrize("name", ["exp", "floor", "rint", "absolute", "sqrt", "log"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_of_one_scalar(name):
    """Floats raised OverflowError, and ValueError for NaN; IEEE 754 has infinity and NaN."""
    function = getattr(scalar, name)
    compiled = program(function, x=())
    for x in NUMBERS:
        wanted = bits(function(np.array([x]))[0])
        assert bits(function(x)) == wanted, x
        if name not in ("exp", "log"):
            assert bits(compiled(x)) == wanted, x


@jit
def extremes(a: float, b: float):
    return minimum(a, b), maximum(a, b)


@pytest.mark.parametrize("function", [minimum, maximum])
def test_functions_of_two_scalars(function):
    """NaN of either gives NaN, as `np.minimum` has it; floats took the first number."""
    compiled = program(lambda x: function(x[0], x[1]), x=(2,))
    for a in NUMBERS:
        for b in NUMBERS:
            wanted = bits(function(np.array([a]), np.array([b]))[0])
            assert bits(compiled([a, b])) == bits(function(a, b))
            assert bits(extremes(a, b)[function is maximum]) == bits(function(a, b))
            assert a == b == 0.0 or bits(function(a, b)) == wanted


@pytest.mark.parametrize("condition", [~True, ~False, 1, 0.5, None, "a"])
def test_a_condition_is_no_number(condition):
    """``~True`` is -2, which Python takes for true: the other branch was taken."""
    for taken in (
        lambda: where(condition, 1.0, 2.0),
        lambda: when(condition, lambda x: 2.0 * x, 1.0),
        lambda: repeat(lambda x: 2.0 * x, 1.0, lambda _: condition, 3),
    ):
        with pytest.raises(ArgumentError, match=r"expected a condition, got .*logical_not"):
            taken()


def test_not_of_bools_arrays_and_programs():
    assert logical_not(2.0 > 1.0) is False and logical_not(np.bool_(False))
    assert logical_not(np.array([True, False])).tolist() == [False, True]
    compiled = program(
        lambda x: where(logical_not(x > 0.0) & logical_not(2.0 < 1.0), -1.0, 1.0), x=()
    )
    assert compiled([2.0, -2.0]).tolist() == [1.0, -1.0]


@pytest.mark.parametrize("join", [lambda a, b: a & b, lambda a, b: a | b, lambda a, b: b & a])
def test_joined_conditions_are_no_numbers(join):
    """What ``~`` makes of a plain bool was taken for true."""
    with pytest.raises(TraceError, match=r"got -2; .*logical_not"):
        program(lambda x: where(join(x > 0.0, ~True), 1.0, 2.0), x=())(1.0)
