"""Modules compiled on threads, and called by each other: the code of one module."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from compiler.examples import chain, program, same_bits, states
from polhode import set_num_threads
from polhode.compiler.codegen import kernel, modules
from polhode.compiler.codegen.machine import Engine, Format, compile_ir
from polhode.compiler.codegen.side_by_side import SideBySide
from polhode.once import making
from polhode.scalar import gather, repeat, sin, when

MODULE = """
declare double @llvm.fma.f64(double, double, double)
define hidden double @f{n}(double %x) {{
  %y = call double @llvm.fma.f64(double %x, double {n}.0, double 1.0)
  ret double %y
}}
"""
TABLE = [float(k * k % 11) for k in range(40)]


@pytest.fixture
def cut(monkeypatch, tmp_path):
    """Short sections, repeated steps from the first instruction on, and short modules.

    With a new cache each time, whose keys know nothing of the length of modules.
    """
    for name, value in {"section_ops": 40, "roll_from": 0, "step_ops": 4}.items():
        monkeypatch.setitem(kernel.LIMITS, name, value)

    def choose(part):
        monkeypatch.setattr(modules, "PART", part)
        monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / str(part)))

    return choose


@pytest.fixture
def objects(monkeypatch):
    """How many objects of code each engine was given."""
    prepare, found = Engine.__init__, []

    def count(self, *data):
        found.append(len(data))
        prepare(self, *data)

    monkeypatch.setattr(Engine, "__init__", count)
    return found


def turning(x, y):
    """A loop of blocks that look into tables, on numbers that links of a chain have made."""
    heights = [a * 0.25 for a in x]

    def turn(v):
        for k in range(30):
            v = when(v < 1e3, lambda u, k=k: sin(u) + gather(TABLE, u + k) * y[k % len(y)], v)
            v = v + gather(heights, v)
        return v

    return [repeat(turn, a, lambda v: abs(v) > 50.0, 4) for a in x[:3]], y


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("build", [chain(31), turning], ids=["links", "loop"])
def test_modules_that_call_each_other_have_the_bits_of_one(cut, objects, build, n_threads):
    """Rows, tables and loops; the last block of a batch, and one state alone."""
    x, y = states(19, 31), states(19, 31, seed=1)
    cut(1 << 30)
    whole = program(build, x=(31,), y=(31,))
    expected = whole(x, y)
    assert max(objects) == 1
    cut(1 << 12)
    set_num_threads(n_threads)
    try:
        p = program(build, x=(31,), y=(31,))
        found, alone = p(x, y), p(x[4], y[4])
    finally:
        set_num_threads(None)
    assert max(objects) > 2
    for got, one, want in zip(found, alone, expected, strict=True):
        assert same_bits(got, want)
        assert same_bits(one, want[4])
    assert p.source() == whole.source()  # what is shown is one module


def test_code_does_not_depend_on_threads():
    """Byte for byte, in the order in which modules were added."""
    texts = [MODULE.format(n=n) for n in range(12)]
    expected = [compile_ir(text) for text in texts]
    for n_threads in (1, 2, 5):
        with making, SideBySide(n_threads, 1) as compiler:
            for text in texts[:-1]:
                compiler.add(text)
            assert compiler.objects(texts[-1]) == expected
    with making, SideBySide(2, 1) as compiler:
        assert compiler.objects(texts[3]) == [expected[3]]


def test_a_module_that_llvm_refuses_is_an_error():
    """With what LLVM says of it."""
    with making, SideBySide(2, 1) as compiler:
        compiler.add("define nonsense")
        with pytest.raises(RuntimeError, match="nonsense"):
            compiler.objects(MODULE.format(n=1))


def test_a_system_without_threads_compiles_all_the_same(monkeypatch):
    """One module after the other."""

    def refuse(self, *work):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(ThreadPoolExecutor, "submit", refuse)
    texts = [MODULE.format(n=n) for n in range(3)]
    with making, SideBySide(2, 1) as compiler:
        for text in texts[:-1]:
            compiler.add(text)
        assert compiler.objects(texts[-1]) == [compile_ir(text) for text in texts]


def test_an_interrupt_leaves_no_thread(cut, monkeypatch):
    """Nor does it keep the program from being made later."""
    cut(1 << 12)
    p = program(chain(31), x=(31,), y=(31,))
    last = modules.Modules.last

    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(modules.Modules, "last", interrupted)
    with pytest.raises(KeyboardInterrupt):
        p(np.ones((9, 31)), np.ones((9, 31)))
    assert not [t for t in threading.enumerate() if t.name.startswith("polhode-llvm")]
    monkeypatch.setattr(modules.Modules, "last", last)
    assert np.isfinite(p(np.ones((9, 31)), np.ones((9, 31)))[0]).all()


def test_short_programs_are_one_module():
    """As a thread for each would cost more than it saves."""
    given = []
    p = program(chain(3), x=(3,), y=(3,))
    kernel.kernel_ir(p.code, [3, 3], Format("f64", 4), given.append)
    assert not given
