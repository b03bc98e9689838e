"""The conversion of arguments: what is taken, what is refused, and what the message says."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pytest

from polhode.arguments import (
    as_choice,
    as_count,
    as_flag,
    as_generator,
    as_mask,
    as_number,
    as_shape,
    as_texts,
    check_callable,
)
from polhode.arrays import as_array, check_out
from polhode.errors import ArgumentError, ModelError, ShapeError

ROW = np.array([0.0, 1.0, 0.0])


class _Fails:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("secret\n" * 1000)


def _nested(depth: int) -> list:
    return [_nested(depth - 1)] if depth else [0.0]


TAKEN = {
    "list": [0, 1, 0],
    "tuple": (0.0, 1.0, 0.0),
    "range": range(3),
    "int8": ROW.astype(np.int8),
    "uint64": ROW.astype(np.uint64),
    "bool": ROW.astype(bool),
    "float16": ROW.astype(np.float16),
    "float32": ROW.astype(np.float32),
    "longdouble": ROW.astype(np.longdouble),
    "big-endian": ROW.astype(">f8"),
    "matrix": ROW[None].view(np.matrix),
    "masked nothing": np.ma.array(ROW, mask=[False] * 3),
    "no mask": np.ma.array(ROW),
    "memoryview": memoryview(ROW),
    "reversed": ROW[::-1],
    "NumPy scalars": [np.float32(0), np.int64(1), np.longdouble(0)],
    "nan": [np.nan] * 3,
}


@pytest.mark.parametrize("name", TAKEN)
def test_real_numbers_are_taken(name):
    """Whatever holds real numbers becomes a plain array of float64 with the same values."""
    array = as_array("q", TAKEN[name])
    assert type(array) is np.ndarray
    assert array.dtype == np.float64
    assert array.dtype.isnative
    assert array.flags.aligned
    np.testing.assert_array_equal(array, np.asarray(TAKEN[name]).astype(float))


def test_a_plain_array_is_handed_on():
    """No copy is made of float64, of any layout, nor of float32 where that is allowed."""
    frozen = np.zeros((4, 3))[::2, ::-1]
    frozen.flags.writeable = False
    assert as_array("q", frozen) is frozen
    single = np.zeros(3, np.float32)
    assert as_array("q", single, single=True) is single
    assert as_array("q", single.astype(">f4"), single=True).dtype == np.float32
    assert as_array("q", single).dtype == np.float64


def test_wide_floats_are_rounded():
    """Extended precision is rounded to the nearest float64, and refused beyond its range."""
    third = np.longdouble(1) / 3
    assert as_array("q", np.array([third]))[0] == 1 / 3
    if np.finfo(np.longdouble).max > np.finfo(float).max:
        with pytest.raises(ShapeError, match="expected numbers within float64 as q"):
            as_array("q", np.array([np.longdouble("1e4000")]))
    assert np.isinf(as_array("q", np.array([np.longdouble("inf")]))).all()


REFUSED = {
    "None": (None, "got None"),
    "text": ("0.5", "got text such as '0.5'"),
    "texts": (["0.5", "1"], "got text such as '0.5'"),
    "wide texts": (np.array(["a"], dtype=np.dtypes.StringDType()), "got text such as 'a'"),
    "bytes": (b"ab", "got bytes such as b'ab'"),
    "complex": (ROW + 0j, "got complex numbers such as 0j"),
    "complex list": ([0.0, 1j], "got complex numbers"),
    "object": (object(), "got object"),
    "objects": (np.array([0.0, None]), "got objects such as None"),
    "dict": ({}, "got dict"),
    "set": ({1.0}, "got set"),
    "generator": ((x for x in ROW), "got generator"),
    "huge integer": (10**400, "got an integer of 1329 bits"),
    "huge integers": ([10**400], "got objects such as an integer of 1329 bits"),
    "Decimal": ([Decimal(1)], "got objects such as Decimal"),
    "date": (np.datetime64("2020-01-01"), "got dates"),
    "dates": (np.array(["2020-01-01"], "M8[D]"), "got dates such as date"),
    "durations": (np.array([1], "m8[s]"), "got durations such as timedelta"),
    "date object": (datetime.date(2020, 1, 1), "got date"),
    "records": (np.zeros(3, [("x", float)]), "got records such as tuple"),
    "ragged": ([[0.0], [0.0, 1.0]], "expected rows of one length in q"),
    "masked": (np.ma.array(ROW, mask=[True, False, False]), "got masked entries"),
    "64 axes": (np.zeros((1,) * 64), "expected at most 32 axes of q, got 64"),
    "70 levels": (_nested(70), "expected at most 32 axes of q, got more"),
    "unreadable": (_Fails(), "got _Fails, of which NumPy makes no array (RuntimeError)"),
    "function": (len, "got builtin_function_or_method"),
    "type": (float, "got type"),
    "long text": ("x" * 10**6, "got text such as 'xxx"),
    "control characters": ("a\n\x1b[31m", r"got text such as 'a\n\x1b[31m'"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_no_real_numbers_is_refused(name):
    """The message names the argument and what came, on one short printable line."""
    value, text = REFUSED[name]
    with pytest.raises(ShapeError) as error:
        as_array("q", value, " (model 'arm')")
    message = str(error.value)
    assert text in message
    assert " q" in message
    assert "(model 'arm')" in message
    assert message.isprintable()
    assert len(message) < 300


def test_shapes_and_finite_numbers():
    """A whole shape, and finite numbers, where a function asks for them."""
    with pytest.raises(ShapeError, match=r"expected shape \(3,\) of gravity, got \(2,\)"):
        as_array("gravity", [0, 1], shape=(3,))
    with pytest.raises(ShapeError, match="expected finite numbers as gravity, got nan"):
        as_array("gravity", [0, np.nan, np.inf], finite=True)


OUTS = {
    "list": ([0.0] * 3, "expected an ndarray as out, got list"),
    "text": (np.array(["a"] * 3), "expected an array of floating-point numbers as out, got <U1"),
    "integers": (np.zeros(3, int), "got int64"),
    "booleans": (np.zeros(3, bool), "got bool"),
    "objects": (np.zeros(3, object), "got object"),
    "complex": (np.zeros(3, complex), "got complex128"),
    "dates": (np.zeros(3, "M8[s]"), "got datetime64"),
    "masked": (np.ma.zeros(3), "expected a plain array as out, got a masked one"),
    "read-only": (np.broadcast_to(0.0, (3,)), "got one that is read-only"),
    "wrong shape": (np.zeros(2), "expected out of shape (3,), got (2,)"),
    "too many axes": (np.zeros((1, 3)), "expected out of shape (3,), got (1, 3)"),
    "two": ((np.zeros(3), np.zeros(3)), "expected out of shape (3,), got [(3,), (3,)]"),
    "none": ((), "expected out of shape (3,), got []"),
    "half": ((None,), "expected an ndarray as out, got None"),
    "shared": (np.lib.stride_tricks.as_strided(np.zeros(3), (3,), (0,)), "share memory"),
    "interleaved": (np.lib.stride_tricks.as_strided(np.zeros(3), (3,), (4,)), "share memory"),
}


@pytest.mark.parametrize("name", OUTS)
def test_results_need_an_array_of_their_own(name):
    """An ``out`` that cannot hold the results is refused, with what it should be."""
    out, text = OUTS[name]
    with pytest.raises(ShapeError) as error:
        check_out(out, [(3,)], " (model 'arm')")
    assert text in str(error.value)
    assert "out" in str(error.value)


def test_results_do_not_share_memory():
    """Two results in one array spoil each other; two halves of one do not."""
    whole = np.zeros(6)
    with pytest.raises(ShapeError, match="share memory"):
        check_out((whole[:3], whole[2:5]), [(3,), (3,)])
    check_out((whole[::2], whole[1::2]), [(3,), (3,)])
    check_out(np.zeros((3, 4)).T[:, ::-1], [(4, 3)])
    check_out(np.zeros((3, 0)).T, [(0, 3)])
    check_out((np.zeros(3, np.float32),), [(3,)])


ARGUMENTS = {
    "a text as number": (lambda: as_number("dt", "1"), "expected a finite number as dt, got '1'"),
    "a flag as number": (lambda: as_number("dt", True), "as dt, got True"),
    "nan": (lambda: as_number("dt", float("nan")), "as dt, got nan"),
    "infinity": (lambda: as_number("dt", np.inf), "as dt, got inf"),
    "complex": (lambda: as_number("dt", 1 + 0j), "as dt, got (1+0j)"),
    "an array": (lambda: as_number("dt", [1.0]), "as dt, got list"),
    "huge": (lambda: as_number("dt", 10**400), "got an integer of 1329 bits"),
    "zero": (lambda: as_number("dt", 0, above=0.0), "expected a positive dt, got 0"),
    "small": (lambda: as_number("dt", -1, least=0.0), "expected dt of at least 0, got -1"),
    "a float as count": (lambda: as_count("steps", 2.0), "a whole number as steps, got 2.0"),
    "a flag as count": (lambda: as_count("steps", True), "a whole number as steps, got True"),
    "negative": (lambda: as_count("steps", -1), "expected steps from 0 to 2147483647, got -1"),
    "many": (lambda: as_count("steps", 10**40), "got an integer of 133 bits"),
    "unknown": (lambda: as_choice("method", "abb", ("aba", "crba")),
                "expected method 'aba' or 'crba', got 'abb'; did you mean 'aba'?"),
    "long": (lambda: as_choice("method", "a" * 10**6, ("aba", "crba")), "(1000000 characters)"),
    "a list as choice": (lambda: as_choice("method", ["aba"], ("aba",)), "got list"),
    "two as flag": (lambda: as_flag("limits", 2), "expected True or False as limits, got 2"),
    "a text in a mask": (lambda: as_mask("forward", ["no"], 1), "numbers as forward, got text"),
    "a number in a mask": (lambda: as_mask("forward", [2.0], 1), "booleans as forward, got list"),
    "a short mask": (lambda: as_mask("forward", [1, 0], 3), "expected 3 entries in forward, got 2"),
    "a number as shape": (lambda: as_shape("size", 2.0), "as size, got 2.0"),
    "a negative shape": (lambda: as_shape("size", (2, -1)), "expected size from 0"),
    "a vast shape": (lambda: as_shape("size", (10**6, 10**6)), "expected size of at most"),
    "a float as seed": (lambda: as_generator("rng", 1.5), "None as rng, got 1.5"),
    "a negative seed": (lambda: as_generator("rng", -1), "None as rng, got -1"),
    "a text for texts": (lambda: as_texts("names", "mass"), "names as names, got 'mass'"),
    "a number in texts": (lambda: as_texts("names", [1]), "expected names in names, got 1"),
    "a number as function": (lambda: check_callable("function", 1), "as function, got 1"),
    "a class as function": (lambda: check_callable("function", int), "as function, got type"),
}  # fmt: skip


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_that_are_no_arrays(name):
    """Refused with the name of the argument, what was expected, and what came."""
    call, text = ARGUMENTS[name]
    with pytest.raises(ArgumentError) as error:
        call()
    assert text in str(error.value)


def test_arguments_of_numpy_are_taken():
    """Numbers, counts and flags may be NumPy's."""
    assert as_number("dt", np.float32(0.5)) == 0.5
    assert as_number("dt", np.array(2)) == 2.0
    assert as_number("end", np.inf, finite=False) == np.inf
    assert as_count("steps", np.int8(3)) == 3
    assert as_flag("limits", np.True_) is True
    assert as_mask("forward", np.array([True, False]), 2) == (True, False)
    assert as_shape("size", np.int64(3)) == (3,)
    assert as_shape("size", (2, np.int8(3))) == (2, 3)
    assert as_generator("rng", 5).uniform() == np.random.default_rng(5).uniform()
    assert as_texts("names", ("mass",)) == ("mass",)


def test_messages_are_short_and_printable():
    """Whatever names are in a message, it is one printable line of at most a thousand letters."""
    for kind in (ArgumentError, ModelError, ShapeError):
        message = str(kind("no body '" + "\x00\n\x1b\ud800" * 10000 + "' (model 'arm')"))
        assert message.isprintable()
        assert len(message) <= 1000
        assert message.endswith("(model 'arm')")
    plain = "expected a body; did you mean 'ü'?"
    assert str(ModelError(plain)) == plain
