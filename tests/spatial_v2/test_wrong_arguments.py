"""Wrong arguments of the facade end in errors that name them; arrays of one are numbers."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode import spatial_v2 as sv

ONES = np.ones((3, 2))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sv.rx("0.1"), "expected real numbers as theta, got text"),
        (lambda: sv.rotz(None), "expected real numbers as theta, got None"),
        (lambda: sv.rx([0.1, 0.2]), "expected 1 numbers in theta"),
        (lambda: sv.jcalc("R", "x"), "expected real numbers as q, got text"),
        (lambda: sv.jcalc(["R"], 0.1), "unrecognised joint code"),
        (lambda: sv.jcalc({"a": 1}, 0.1), "unrecognised joint code None"),
        (lambda: sv.mcI(1j, np.ones(3), np.eye(3)), "as m, got complex numbers"),
        (lambda: sv.mcI(np.ones(6)), "expected rbi of 6x6 or 3x3"),
        (lambda: sv.XtoV(np.ones(3)), "expected X of 6x6 or 3x3"),
        (lambda: sv.pluho("x"), "expected real numbers as argument"),
        (lambda: sv.planar(2.7), "expected a whole n of at least 1, got 2.7"),
        (lambda: sv.autoTree(2.5), "expected a whole nb of at least 1, got 2.5"),
        (lambda: sv.autoTree(3, np.nan), "expected bf >= 1, got nan"),
        (lambda: sv.rollingdisc(-1), "expected a whole npt of at least 0, got -1"),
        (lambda: sv.vee(-1.0), "expected an L2 of at least 0, got -1"),
        (lambda: sv.ID(sv.planar(1), [0], [0], [0], 3.0), "sequence of forces as f_ext, got 3.0"),
        (lambda: sv.ID(sv.planar(1), [0], [0], [0], [[1j] * 3]), "each entry of f_ext"),
        (lambda: sv.gcontact(1.0, 1.0, 0.5, ONES, ONES[:2], ONES[:2]), "p and pd alike"),
        (lambda: sv.gcontact(1.0, 1.0, 0.5, ONES, ONES, ONES), r"expected u of shape \(2, 2\)"),
    ],
)
def test_wrong_arguments(call, words):
    with pytest.raises(ph.ArgumentError, match=words):
        call()


@pytest.mark.parametrize("call", [lambda: sv.plux(np.eye(3), np.ones(3), 1), lambda: sv.plnr()])
def test_numbers_of_arguments(call):
    """A third was ignored."""
    with pytest.raises(TypeError, match=r"expected pl\w+\(.*, r\) or .* got \d arguments"):
        call()


def test_arrays_of_one_are_numbers():
    """As MATLAB's 1x1 matrices are, which files bring."""
    one = np.array([[0.3]])
    assert np.array_equal(sv.rx(one), sv.rx(0.3))
    assert np.array_equal(sv.jcalc("R", one)[0], sv.jcalc("R", 0.3)[0])
    assert np.array_equal(sv.mcI(one, np.ones(3), np.eye(3)), sv.mcI(0.3, np.ones(3), np.eye(3)))
    assert sv.autoTree(np.array([[3.0]])).NB == 3
