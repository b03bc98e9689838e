"""Tuples and lists of numbers take the short way into compiled programs, too."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.binding import calls
from polhode.model import Revolute

ARM = ph.Model("arm").add("link", joint=Revolute.y(), mass=1.0, com=(0.5, 0.0, 0.0))
POINT = np.array([0.1, 0.0, 2.0])
EXPECTED = ph.point_position(ARM, np.array([1.0]), "link", POINT)


@pytest.mark.parametrize("q", [(1.0,), [1.0], (1,), [np.float64(1.0)], np.array([1.0])])
@pytest.mark.parametrize("point", [(0.1, 0.0, 2.0), [0.1, 0, 2], POINT])
def test_rows_of_numbers_need_no_general_checks(q, point, monkeypatch):
    """The results have the bits of those of arrays."""
    if type(q[0]) is not np.float64 or isinstance(q, np.ndarray):  # others may take the long way
        monkeypatch.delattr(calls, "checked_unless_traced")
    assert np.array_equal(ph.point_position(ARM, q, "link", point), EXPECTED)


@pytest.mark.parametrize(
    ("q", "told"),
    [
        ((1.0, "2"), "real numbers as q, got text"),
        ((1.0, None), "real numbers as q, got objects"),
        ((1.0, (2.0,)), "rows of one length in q"),
        ((1.0, 2.0), "expected nq = 1 on the last axis of q, got 2"),
        ((), "expected nq = 1 on the last axis of q, got 0"),
        ((1j,), "real numbers as q, got complex"),
    ],
)
def test_rows_of_other_things_are_refused_as_ever(q, told):
    """With the message that arrays get."""
    with pytest.raises(ph.ShapeError, match=told):
        ph.point_position(ARM, q, "link", POINT)


def test_rows_of_rows_are_batches():
    """Lists of lists have batch axes."""
    found = ph.point_position(ARM, [[1.0], [1.0]], "link", (0.1, 0.0, 2.0))
    assert np.array_equal(found, [EXPECTED, EXPECTED])
