"""Compiled loops do what Python does with the same functions."""

from __future__ import annotations

import ctypes
import linecache
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler import loop_functions as f
from polhode.compiler.loops import Floats, Loop, loop
from polhode.errors import TraceError

whole = st.integers(-1000, 1000)
real = st.floats(-1e3, 1e3).map(lambda x: round(x, 6))


def plain(function, *arguments):
    """What Python makes of it, loops in loops too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLHODE_LOOPS", "python")
        return function(*arguments)


def same(a, b):
    """Equal to the last bit, in kind and shape too."""
    if isinstance(b, tuple):
        assert type(a) is type(b) and len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same(x, y)
    elif isinstance(b, np.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_array_equal(a, b)
    else:
        assert a == b or (a != a and b != b), (a, b)


@settings(max_examples=50, deadline=None)
@given(whole, whole.filter(bool), real, real.filter(bool))
def test_operators_and_comparisons(a, b, x, y):
    same(f.arithmetic(a, b, x, y), plain(f.arithmetic, a, b, x, y))
    same(f.comparisons(a, b, x, y), plain(f.comparisons, a, b, x, y))
    same(f.chosen(a, x), plain(f.chosen, a, x))
    same(f.both((x, y)), plain(f.both, (x, y)))


@settings(max_examples=50, deadline=None)
@given(whole, real, real)
def test_functions_of_math(a, x, y):
    """Those of the C library are the same to rounding, all others exactly."""
    got, expected = f.functions(a, x, y), plain(f.functions, a, x, y)
    assert got[:5] == pytest.approx(expected[:5], rel=1e-15, abs=1e-16)
    same(got[5:], tuple(expected[5:]))


@pytest.mark.parametrize("n", [0, 3, 4, 9])
def test_a_variable_becomes_a_float_for_all_of_the_function(n):
    assert f.widened(n) == plain(f.widened, n) and type(f.widened(n)) is float


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(0, 9))
def test_searches(values, wanted):
    same(f.searched(np.array(values), wanted), plain(f.searched, np.array(values), wanted))


@pytest.mark.parametrize(("n", "m"), [(2, 1), (3, 4), (7, 2)])
def test_arrays(n, m):
    same(f.arrays(n, m), plain(f.arrays, n, m))


@pytest.mark.parametrize("n", [1, 5, 300])
@pytest.mark.parametrize("rounds", [0, 1, 40, 700])
def test_memory_that_passes_hand_on(n, rounds):
    """Large and small; more than a piece of memory holds, and many times as much in all."""
    same(f.carried(n, rounds), plain(f.carried, n, rounds))


def test_memory_asked_of_the_system_is_given_back():
    """More than a piece holds, a hundred times: each time as much as the first."""
    assert f.often(40_000, 100) == 100.0
    assert f.often(70_000, 100) == 100.0


def test_results_do_not_change_with_later_calls():
    first = f.carried(50, 30)
    kept = [np.array(x) for x in (first[0].first, first[1], first[2])]
    for _ in range(20):
        f.carried(60, 31)
    for got, expected in zip((first[0].first, first[1], first[2]), kept, strict=True):
        np.testing.assert_array_equal(got, expected)


def test_integers_of_what_is_none():
    """Where Python raises an error, loops go on with a number."""
    whole = [f.whole(x) for x in (np.nan, np.inf, -np.inf, 1e300, -2.9)]
    assert whole == [0, 2**63 - 1, -(2**63), 2**63 - 1, -2]


def test_tables_of_fields():
    def table():
        return f.Store(x=np.arange(3.0), m=np.ones((3, 2)), count=2, on=[1, 0, 1], scale=0.5)

    a, b = table(), table()
    same(f.fields(a, 3.0), plain(f.fields, b, 3.0))
    np.testing.assert_array_equal(a.x, b.x)
    np.testing.assert_array_equal(a.m, b.m)
    a.put("x", np.full(5, 1.0))
    a.put("on", np.ones(5))
    a.put("m", np.zeros((5, 3)))
    assert f.fields(a, 1.0) == (5, 3)
    assert a.x == pytest.approx(2.5)


def test_nothing_returned():
    x = np.array([0.0])
    assert f.ending(x) is None and x[0] == 5.0
    assert f.ending(x) is None and x[0] == 5.0


def test_calls_of_python_and_loops_in_them():
    seen = []

    @ctypes.CFUNCTYPE(None, ctypes.c_int64)
    def called(i):
        seen.append((i, f.widened(5 + i), f.carried(4, 3)[1].sum()))

    address = ctypes.cast(called, ctypes.c_void_p).value
    f.back(address, 4)
    assert [s[0] for s in seen] == [0, 1, 2, 3]
    assert [s[1] for s in seen] == [5.5 + i for i in range(4)]
    assert len({s[2] for s in seen}) == 1


def test_threads_share_a_loop():
    expected, wrong = f.carried(40, 50), []

    def work():
        for _ in range(30):
            got = f.carried(40, 50)
            if not np.array_equal(got[0].first, expected[0].first):
                wrong.append(got)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_arrays_must_be_contiguous():
    with pytest.raises(ValueError, match="C-contiguous"):
        f.searched(np.arange(10)[::2], 4)


@loop
def undefined(x: int):
    return x + missing  # noqa: F821


@loop
def dictionary(x: int):
    return {x: 1}


@loop
def changed(x: float):
    y = x
    y = np.zeros(3)
    return y  # noqa: RET504


@loop
def itself(n: int):
    return itself(n - 1) if n else 0


@loop
def printing(x: int):
    print(x)


@loop
def indexed(x: Floats):
    return x[0.5]


@loop
def two_kinds(x: int):
    if x > 0:
        return x
    return (x, x)


@pytest.mark.parametrize(
    ("function", "argument", "message"),
    [
        (undefined, 1, "'missing' is not known"),
        (dictionary, 1, "loops know no Dict"),
        (changed, 1.0, "expected 'y' to be float as before, got array of f8"),
        (itself, 1, "loops cannot call themselves"),
        (printing, 1, "loops cannot call print"),
        (indexed, np.zeros(2), "expected an integer, got float"),
        (two_kinds, 1, "expected int to be returned as before"),
        (printing, "text", "expected numbers, arrays, tuples or tables, got str"),
        (indexed, np.zeros(2, np.complex128), "expected an array of f8"),
    ],
)
def test_what_loops_do_not_know_is_said_with_its_place(function, argument, message):
    with pytest.raises(TraceError, match=message) as caught:
        function(argument)
    if not isinstance(argument, str) and "expected an array" not in message:
        assert "test_loops.py:" in str(caught.value)
        assert f"in {function.__name__}" in str(caught.value)


def test_a_process_that_comes_later_compiles_nothing(tmp_path, monkeypatch):
    """And one whose source has changed compiles anew."""
    source = tmp_path / "some_loops.py"
    text = (
        "import sys\nfrom polhode.compiler.loops import loop\n"
        "WEIGHT = 2.0\n@loop\ndef inner(x: float):\n    return WEIGHT * x\n"
        "@loop\ndef outer(x: float):\n    return inner(x) + 1.0\n"
        "print(outer(3.0), 'polhode.compiler.loops.module' in sys.modules)\n"
    )
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("POLHODE_LOOPS", raising=False)

    def run():
        done = subprocess.run(
            [sys.executable, "-W", "error", str(source)], capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    source.write_text(text)
    assert run() == ["7.0", "True"]
    assert run() == ["7.0", "False"]
    source.write_text(text.replace("2.0", "5.0"))
    assert run() == ["16.0", "True"]


def test_loops_keep_their_names_and_words():
    assert isinstance(f.carried, Loop)
    assert f.carried.__name__ == "carried" and "passes of a loop" in f.carried.__doc__


def test_a_function_that_was_typed_in(monkeypatch):
    """A notebook keeps the lines of its cells; what keeps none is refused."""
    text = "@loop\ndef raised(x: float):\n    return x + 1.5\n"
    lines = text.splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, "<cell 1>", (len(text), None, lines, "<cell 1>"))
    cell, nowhere = {"loop": loop}, {"loop": loop}
    exec(compile(text, "<cell 1>", "exec"), cell)
    assert cell["raised"](2) == 3.5
    exec(compile(text, "<nowhere>", "exec"), nowhere)
    with pytest.raises(TraceError, match="write it in a file"):
        nowhere["raised"](2)
