"""Compiled functions do what Python does with the same functions."""

from __future__ import annotations

import ctypes
import linecache
import math
import subprocess
import sys
import threading
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler import jit_functions as f
from polhode.compiler.jit import CompiledFunction, Floats, jit
from polhode.errors import TraceError
from polhode.spatial import Force, Inertia, Mat3, Motion, Quaternion, Sym3, Transform, Vec3

whole = st.integers(-1000, 1000)
real = st.floats(-1e3, 1e3).map(lambda x: round(x, 6))


def plain(function, *arguments):
    """What Python makes of it, called functions too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLHODE_JIT", "python")
        return function(*arguments)


def same(a, b):
    """Equal to the last bit, in kind and shape too."""
    if is_dataclass(b):
        assert type(a) is type(b)
        for field in fields(b):
            same(getattr(a, field.name), getattr(b, field.name))
    elif isinstance(b, tuple):
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


@pytest.mark.parametrize("x", [2.5, -0.5, 0.3, -0.0, 1e300, -1e300, math.inf, math.nan])
def test_rounded_scalars_are_floats(x):
    """With the sign of a zero, halves to the even number, and no bound on what is large."""
    got, expected = f.rounded(x), plain(f.rounded, x)
    assert all(isinstance(value, float) for value in got)
    for a, b in zip(got, expected, strict=True):
        same(a, b)
        assert math.isnan(a) or math.copysign(1.0, a) == math.copysign(1.0, b)


@pytest.mark.parametrize("x", [0.0, 3e-200, 4e200, math.inf, math.nan])
def test_lengths_whose_squares_have_no_digits(x):
    """Squares that underflow or overflow, and what is no number."""
    for y in (x, -0.75 * x, 1.0):
        got, expected = f.functions(1, x, y)[4], math.hypot(x, y)
        assert got == pytest.approx(expected, rel=1e-15, abs=0.0, nan_ok=True)


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
    """Where Python raises an error, compiled functions go on with a number."""
    whole = [f.whole(x) for x in (np.nan, np.inf, -np.inf, 1e300, -2.9)]
    assert whole == [0, 2**63 - 1, -(2**63), 2**63 - 1, -2]


def store():
    parts = {"x": np.arange(3.0), "m": np.ones((3, 2)), "on": [1, 0, 1]}
    return f.Store(**parts, count=2, scale=0.5, tally=f.Tally())


def test_structs():
    """Arrays and numbers change in place, compiled and plain; new arrays are seen at once."""
    a, b = store(), store()
    same(f.fields(a, 3.0), plain(f.fields, b, 3.0))
    same((a.x, a.m, a.count), (b.x, b.m, b.count))
    assert a.count == 4 and a.tally.passes == b.tally.passes == 7
    assert a.tally.greatest == b.tally.greatest == a.x.max()
    assert a.tally.is_done is b.tally.is_done is True
    a.x, a.on, a.m, a.count = np.full(5, 1.0), np.ones(5), np.zeros((5, 3)), 2
    assert f.fields(a, 1.0) == (5, 3)
    assert a.x == pytest.approx(2.5)


def test_structs_refuse_what_they_do_not_have():
    a = store()
    with pytest.raises(AttributeError, match="Store has no field 'y'"):
        a.y = 1.0
    with pytest.raises(AttributeError, match="Store has no field 'y'"):
        _ = a.y
    with pytest.raises(TypeError, match="expected 1 axes of x, got 2"):
        a.x = np.zeros((2, 2))
    with pytest.raises(TypeError, match=r"unknown \['z'\], missing \['x', 'm', 'on', 'tally'\]"):
        f.Store(z=1)


@jit
def left_behind(s: f.Store):
    return s.tally


@jit
def in_a_loop(n: int):
    for _ in range(n):
        own = f.Tally()
        own.passes = 1


@jit
def no_number(s: f.Store):
    s.scale = s.x


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (left_behind, "compiled code cannot return a struct, only fill one"),
        (no_number, "expected float for 'scale', got array of f8"),
    ],
)
def test_structs_stay_where_they_are(function, message):
    with pytest.raises(TraceError, match=message):
        function(store())
    with pytest.raises(TraceError, match="expected a struct to be made outside of loops"):
        in_a_loop(3)


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


vector = st.builds(Vec3, real, real, real)
rotation = st.builds(Quaternion.exp, vector).map(Quaternion.matrix)


@settings(max_examples=30, deadline=None)
@given(vector, vector, real, rotation)
def test_records_with_methods_and_operators(point, normal, gap, R):
    """Compiled and plain, the same to the last bit."""
    touch = f.Touch(point, normal, gap, 3)
    same(f.touched(touch, R), plain(f.touched, touch, R))


@settings(max_examples=30, deadline=None)
@given(rotation, vector, vector, vector, vector)
def test_spatial_algebra(R, r, a, b, h):
    """The records of `polhode.spatial`, compiled and plain."""
    I = Inertia.about_com(2.0, h, Sym3(3.0, 0.1, 0.2, 4.0, 0.3, 5.0))
    arguments = Transform(R, r), Motion(a, b), Force(b, a), I
    same(f.spatial(*arguments), plain(f.spatial, *arguments))


@settings(max_examples=30, deadline=None)
@given(vector, vector)
def test_functions_of_scalars(u, v):
    """Sines may differ by rounding between the C library and Python's own."""
    got = f.oriented(Quaternion.exp(u), v)
    expected = plain(f.oriented, Quaternion.exp(u), v)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(_numbers(a), _numbers(b), rtol=1e-12, atol=1e-12)


def _numbers(record):
    return (
        [x for part in record for x in (part if isinstance(part, Vec3) else [part])]
        if (isinstance(record, Mat3))
        else [getattr(record, field.name) for field in fields(record)]
    )


def test_types_decide_while_compiling():
    zero = Vec3(0.0, 0.0, 0.0)
    assert [f.size_of(x) for x in (None, zero, Motion(zero, zero))] == [0, 3, 6]


def test_an_integer_where_a_float_is_annotated():
    """It is converted; a float where an integer is annotated is refused."""
    assert type(f.touched(f.Touch(f.UP, f.UP, 1, 2), Mat3.identity())[0].gap) is float
    with pytest.raises(TraceError, match="expected int as 'n', got float"):
        f.widened(2.0)
    with pytest.raises(TraceError, match="expected Touch as 't', got"):
        f.touched(f.UP, Mat3.identity())
    with pytest.raises(
        TraceError, match="expected array of i8 with 1 axes as 'a', got array of f8"
    ):
        f.searched(np.zeros(3), 1)


def test_parameters_must_be_annotated():
    with pytest.raises(TraceError, match=r"test_jit.py:\d+: expected a type of parameter 'x'"):

        @jit
        def bare(x):
            return x


def test_arrays_must_be_contiguous():
    with pytest.raises(ValueError, match="C-contiguous"):
        f.searched(np.arange(10)[::2], 4)


@jit
def undefined(x: int):
    return x + missing  # noqa: F821


@jit
def dictionary(x: int):
    return {x: 1}


@jit
def changed(x: float):
    y = x
    y = np.zeros(3)
    return y  # noqa: RET504


@jit
def itself(n: int):
    return itself(n - 1) if n else 0


@jit
def printing(x: int):
    print(x)


@jit
def indexed(x: Floats):
    return x[0.5]


@jit
def two_kinds(x: int):
    if x > 0:
        return x
    return (x, x)


@pytest.mark.parametrize(
    ("function", "argument", "message"),
    [
        (undefined, 1, "'missing' is not known"),
        (dictionary, 1, "compiled code has no Dict"),
        (changed, 1.0, "expected 'y' to be float as before, got array of f8"),
        (itself, 1, "compiled code cannot call themselves"),
        (printing, 1, "compiled code cannot call print"),
        (indexed, np.zeros(2), "expected an integer, got float"),
        (two_kinds, 1, "expected int to be returned as before"),
        (printing, "text", "expected numbers, arrays, tuples, records or structs, got str"),
        (indexed, np.zeros(2, np.complex128), "expected an array of f8"),
    ],
)
def test_what_is_not_supported_is_refused_with_its_place(function, argument, message):
    with pytest.raises(TraceError, match=message) as caught:
        function(argument)
    if not isinstance(argument, str) and "expected an array" not in message:
        assert "test_jit.py:" in str(caught.value)
        assert f"in {function.__name__}" in str(caught.value)


def test_a_process_that_comes_later_compiles_nothing(tmp_path, monkeypatch):
    """And one whose source has changed compiles anew."""
    source = tmp_path / "some_loops.py"
    text = (
        "import sys\nfrom polhode.compiler.jit import jit\n"
        "WEIGHT = 2.0\n@jit\ndef inner(x: float):\n    return WEIGHT * x\n"
        "@jit\ndef outer(x: float):\n    return inner(x) + 1.0\n"
        "print(outer(3.0), 'polhode.compiler.jit.module' in sys.modules)\n"
    )
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("POLHODE_JIT", raising=False)

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


def test_compiled_functions_keep_their_names_and_docstrings():
    assert isinstance(f.carried, CompiledFunction)
    assert f.carried.__name__ == "carried" and "passes of a loop" in f.carried.__doc__


def test_a_function_that_was_typed_in(monkeypatch):
    """A notebook keeps the lines of its cells; what keeps none is refused."""
    text = "@jit\ndef raised(x: float):\n    return x + 1.5\n"
    lines = text.splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, "<cell 1>", (len(text), None, lines, "<cell 1>"))
    cell, nowhere = {"jit": jit}, {"jit": jit}
    exec(compile(text, "<cell 1>", "exec"), cell)
    assert cell["raised"](2) == 3.5
    exec(compile(text, "<nowhere>", "exec"), nowhere)
    with pytest.raises(TraceError, match="write it in a file"):
        nowhere["raised"](2)
