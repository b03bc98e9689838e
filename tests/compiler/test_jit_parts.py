"""Functions cut into modules that call each other do what they do in one."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from polhode.compiler.codegen.machine import IN_ONE_PIECE, Engine
from polhode.compiler.jit import Floats, jit
from polhode.compiler.jit import parts as cutting
from polhode.compiler.jit.decorator import CompiledFunction
from polhode.compiler.jit.module import Module
from polhode.compiler.jit.type_of import type_of
from polhode.spatial import Mat3, Vec3


@jit
def turned(R: Mat3, v: Vec3, n: int):
    """A record in memory, one in registers, an integer and a truth."""
    return R @ R, R @ v, n + 1, v.x > 0.0


@jit
def smoothed(x: Floats, rounds: int):
    """Memory that is taken, and given back to the caller."""
    y = x.copy()
    for _ in range(rounds):
        z = np.zeros(len(x))
        for i in range(1, len(x) - 1):
            z[i] = math.hypot(y[i - 1], y[i + 1]) * 0.5 + math.sin(y[i])
        y = z
    return y


@jit
def changed(x: Floats, n: int):
    """Nothing but a change of its argument."""
    for i in range(len(x)):
        x[i] += smoothed(x, n)[i]


@jit
def one_way(R: Mat3, v: Vec3, x: Floats):
    """Calls of what is called elsewhere, too."""
    S, w, n, is_positive = turned(R, v, 3)
    changed(x, n)
    return S, w, is_positive


@jit
def other_way(R: Mat3, v: Vec3, x: Floats):
    """The same functions in another order."""
    y = smoothed(x, 2)
    S, w, n, _ = turned(R, v, 1)
    changed(y, n)
    return S @ R, w, y


@jit
def whole(R: Mat3, v: Vec3, x: Floats):
    """Both, and what they return."""
    S, w, is_positive = one_way(R, v, x)
    T, u, y = other_way(S, w, x)
    return T, u + w, y, is_positive


@jit
def much(n: int):
    """A call of what asks for memory."""
    return smoothed(np.zeros(n), 1)[0] + smoothed(np.zeros(3), 1)[0]


@pytest.fixture
def short(monkeypatch, tmp_path):
    """Parts of a few functions, in a cache of their own."""
    monkeypatch.setattr(cutting, "LONG", 6000)
    monkeypatch.setattr(cutting, "SHARED", 1500)
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / "cache"))


def arguments():
    c, s = np.cos(0.3), np.sin(0.3)
    R = Mat3(Vec3(c, -s, 0.0), Vec3(s, c, 0.0), Vec3(0.0, 0.0, 1.0))
    return R, Vec3(1.0, 2.0, 3.0), np.linspace(-1.0, 2.0, 9)


def parts_of(function, *given):
    module = Module()
    module.texts(function.function, tuple(map(type_of, given)), may_cut=True)
    return module.finished, cutting.parts_of(module.finished)


@pytest.mark.skipif(not IN_ONE_PIECE, reason="elsewhere all is one module")
def test_parts_give_the_bits_of_one_module(short, monkeypatch):
    """Records, arrays that are returned, and arguments that are changed."""
    prepare, objects = Engine.__init__, []

    def count(self, *data):
        objects.append(len(data))
        prepare(self, *data)

    monkeypatch.setattr(Engine, "__init__", count)
    given, again = arguments(), arguments()
    found = CompiledFunction(whole.function)(*given)
    assert objects[-1] > 2
    monkeypatch.undo()
    expected = CompiledFunction(whole.function)(*again)
    for got, want in zip((*found, given[2]), (*expected, again[2]), strict=True):
        assert np.array_equal(got, want) if isinstance(want, np.ndarray) else got == want
    plain = arguments()
    assert np.allclose(whole.function(*plain)[2], expected[2], rtol=1e-12)


def test_every_call_finds_its_function(short):
    """In its own part, or once in another, under a name that others can see."""
    functions, parts = parts_of(whole, *arguments())
    assert len(parts) > 2
    home = Counter(written for part in parts for written in part.functions)
    assert set(home) == set(functions)
    outside = {written for part in parts for written in part.outside()}
    assert outside and all(home[written] == 1 for written in outside)
    assert functions[-1] in parts[-1].functions
    for part in parts:
        known = set(part.functions)
        for written in part.functions:
            assert all(y in known or y in outside for y in written.callees)
    texts = ["\n".join(part.texts(outside)) for part in parts]
    for written in outside:
        assert sum(written.text("hidden") in text for text in texts) == 1


def test_a_short_module_is_one_part():
    """As a thread would cost more than it saves."""
    _, parts = parts_of(whole, *arguments())
    assert len(parts) == 1
    assert not parts[0].outside()


def test_missing_memory_is_named_in_every_part(short):
    """The function that asked is the one in the message."""
    function = CompiledFunction(much.function)
    with pytest.raises(MemoryError, match=r"asked for by .*much$"):
        function(2**50)
    assert function(4) == much.function(4)


def test_parts_are_read_from_the_cache(short, monkeypatch):
    """By a later process, as it were, which writes nothing anew."""
    first = CompiledFunction(whole.function)(*arguments())
    monkeypatch.delattr(Module, "texts")
    second = CompiledFunction(whole.function)(*arguments())
    assert np.array_equal(first[2], second[2])
