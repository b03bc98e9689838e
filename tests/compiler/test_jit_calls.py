"""Compiled functions that call each other answer the same whether they are inlined or not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from polhode.compiler.codegen.machine import Engine, compile_ir
from polhode.compiler.jit import Floats, jit
from polhode.compiler.jit.entry import EntryPoint
from polhode.compiler.jit.module import Module
from polhode.compiler.jit.type_of import type_of
from polhode.spatial import Mat3, Vec3


@jit
def _slopes(data: Floats, k: int):
    a, b = data[k], data[k + 1]
    return a + b, a - b, a * b, 2.0 * a


@jit
def _height(data: Floats, k: int):
    """The first of four numbers, by a call that LLVM puts in the place of the return."""
    return _slopes(data, k + 1)[0]


@jit
def heights(data: Floats):
    total = 0.0
    for k in range(len(data) - 2):
        a, b, c, d = _slopes(data, k)
        total = total + _height(data, k) * (a + b + c + d)
    return total


@jit
def _turned(R: Mat3, v: Vec3, n: int):
    return R @ R, R @ v, n + 1, v.x > 0.0


@jit
def turns(R: Mat3, v: Vec3):
    """Records of many numbers, integers and truths, through calls in a loop."""
    S, n, positive = R, 0, 0
    for _ in range(20):
        S, v, n, is_positive = _turned(S, v, n)
        positive = positive + (1 if is_positive else 0)
    return S, v, n, positive


def without_inlining(function, *arguments):
    kinds = tuple(map(type_of, arguments))
    text, returns = Module().text(function, kinds)
    code = compile_ir(text.replace(" nounwind {", " nounwind noinline {"), speed=1)
    entry = EntryPoint(Engine(code), kinds, returns)
    return entry(entry.given(arguments))


def test_many_calls_that_return_four_numbers():
    data = np.linspace(0.1, 1.7, 40)
    assert without_inlining(heights.function, data) == heights(data) == heights.function(data)


def test_records_returned_in_a_loop():
    c, s = np.cos(0.1), np.sin(0.1)
    R = Mat3(Vec3(c, -s, 0.0), Vec3(s, c, 0.0), Vec3(0.0, 0.0, 1.0))
    got = without_inlining(turns.function, R, Vec3(1.0, 2.0, 3.0))
    assert got == turns(R, Vec3(1.0, 2.0, 3.0))
    assert got[2] == 20
    assert 0 < got[3] < 20


class Span(NamedTuple):
    """A record whose first field takes whole numbers, too."""

    length: float
    count: int


class Mark(NamedTuple):
    """Another record of the same numbers."""

    length: float
    count: int


@jit
def same(x: Any):
    """The argument itself, whatever it is."""
    return x


VALUES = [
    True, 3, 2.5, (1, 2.0), (1.0, 2), Span(1.5, 2), Span(1, 2), Mark(1.5, 2), None,
    np.arange(3), np.arange(3.0), np.ones((2, 3)), np.zeros(0), np.zeros((0, 4)),
    (np.arange(2.0), 1), (np.zeros((0, 2)), True),
]  # fmt: skip


@pytest.mark.parametrize("before", range(len(VALUES)))
def test_types_from_call_to_call(before):
    """The form of the call before is taken only for arguments of the same types."""
    for value in VALUES:
        same(VALUES[before])
        got = same(value)
        assert type(got) is type(value)
        wanted, found = ((x,) if not isinstance(x, tuple) else x for x in (value, got))
        for a, b in zip(wanted, found, strict=True):
            assert np.array_equal(a, b) if a is not None else b is None
            assert np.shape(a) == np.shape(b)
            if isinstance(a, np.ndarray):
                assert a.dtype == b.dtype


def test_arrays_that_are_not_contiguous_are_refused_in_every_call():
    same(np.arange(4.0))
    for _ in range(2):
        with pytest.raises(ValueError, match="C-contiguous"):
            same(np.arange(8.0)[::2])
