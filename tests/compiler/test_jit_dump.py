"""What `dump` shows: Python with types, beside LLVM's text or assembly."""

from __future__ import annotations

import re

import llvmlite.binding as llvm
import numpy as np
import pytest

from polhode.compiler.jit import Floats, Floats2, jit
from polhode.errors import ArgumentError, TraceError
from polhode.spatial import Vec3


@jit
def doubled(x: float, n: int):
    """Twice a number from the third on."""
    if n > 2:
        return x * 2
    return x


@jit
def total(values: Floats, r: Vec3):
    """A sum, as an array, and a length."""
    found = 0
    for i in range(len(values)):
        found += doubled(values[i], i)
    kept = np.zeros(1)
    kept[0] = found
    return kept, r.dot(r)


@jit
def same(x: Floats | Floats2):
    """Its argument."""
    return x


@jit
def unused(x: float):
    """A function that nobody calls."""
    return x


@pytest.fixture
def called():
    """The function, after a call."""
    total(np.arange(5.0), Vec3(1.0, 2.0, 3.0))
    return total


def _after(text: str, line: str) -> str:
    """The instructions that follow a line of Python, up to the next one."""
    return text[text.index(line) :].partition("\n")[2].partition("  ; ")[0]


def test_lines_of_python_stand_before_their_instructions(called):
    """Statements with types; those of called functions as well."""
    text = called.dump()
    assert "total(values: f8[:], r: Vec3) -> (f8[:], float)" in text
    assert "doubled(x: float, n: int) -> float" in text and "dot(self: Vec3, other: Vec3)" in text
    assert "found = 0  # found: float" in text and "for i in range(len(values)):  # i: int" in text
    assert "fmul double" in _after(text, "return x * 2  # x: float")
    assert "icmp sgt i64" in _after(text, "if n > 2:  # n: int")
    sums = _after(text, "found += doubled(values[i], i)  # found: float, values: f8[:], i: int")
    assert re.search(r"call double @.*doubled", sums) and "fadd double" in sums
    assert "Twice a number" not in text


def test_the_text_is_a_module_of_llvm(called):
    """It can be parsed, and holds each function once."""
    module = llvm.parse_assembly(called.dump("llvm"))
    module.verify()
    assert sum("doubled" in function.name for function in module.functions) == 1


def test_assembly_follows_the_lines_of_python(called):
    """Comments first, in the order of the source; then instructions."""
    text = called.dump("assembly")
    assert text.index("found = 0  # found: float") < text.index("return kept, r.dot(r)")
    assert text.index("return kept, r.dot(r)") < text.index("polhode.entry")
    assert "define " not in text


def test_each_set_of_types_is_shown():
    """Types are those of the calls."""
    same(np.zeros(1))
    same(np.zeros((1, 1)))
    text = same.dump()
    assert "same(x: f8[:]) -> f8[:]" in text and "same(x: f8[:, :]) -> f8[:, :]" in text


def test_what_cannot_be_shown():
    """A function that was never called, and a form that there is not."""
    with pytest.raises(TraceError, match="expected a call of 'unused' before dump"):
        unused.dump()
    with pytest.raises(ArgumentError, match="expected form 'llvm' or 'assembly', got 'c'"):
        unused.dump("c")
