"""Functions of one coordinate that joints follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...errors import ModelError, shown
from ...scalar import Scalar, where
from ..checks import entries, number, numbers

MOST_POINTS = 1000


class Derivatives(NamedTuple):
    """The value of a function and its first two derivatives."""

    value: Scalar
    first: Scalar
    second: Scalar


@dataclass(frozen=True)
class PiecewisePolynomial:
    """A function that is a polynomial between each two knots.

    Attributes
    ----------
    pieces : sequence of sequences of float
        Coefficients of each polynomial, constant first; one more than there are knots.  The first
        two are in powers of ``x - knots[0]``, each later one of ``x`` less the knot where it
        begins.  Without knots the only one is in powers of ``x``.
    knots : sequence of float
        Where one polynomial ends and the next begins, rising.
    """

    pieces: tuple[tuple[float, ...], ...]
    knots: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        knots = entries(self.knots, "numbers as knots")
        if len(knots) > MOST_POINTS:
            raise ModelError(f"expected at most {MOST_POINTS} knots, got {len(knots)}")
        object.__setattr__(self, "knots", numbers(knots, len(knots), "knots"))
        pieces = entries(self.pieces, "coefficients of each of the pieces")
        if len(pieces) != len(knots) + 1:
            raise ModelError(
                f"expected one piece more than knots, got {len(pieces)} and {len(knots)}"
            )
        rows = [entries(row, "numbers in each of the pieces") for row in pieces]
        if not all(rows):
            raise ModelError("expected at least one coefficient in each of the pieces, got none")
        checked = tuple(numbers(row, len(row), "coefficients of a piece") for row in rows)
        object.__setattr__(self, "pieces", checked)
        if any(b <= a for a, b in pairwise(self.knots)):
            raise ModelError(f"expected knots that rise, got {shown(self.knots)}")

    @property
    def is_linear(self) -> bool:
        """Whether it is one polynomial of degree one at most."""
        return not self.knots and not any(self.pieces[0][2:])

    @property
    def is_constant(self) -> bool:
        """Whether it is one polynomial of degree zero."""
        return not self.knots and not any(self.pieces[0][1:])

    def __call__(self, x: Scalar) -> Scalar:
        return self.derivatives(x).value

    def derivatives(self, x: Scalar) -> Derivatives:
        """The value and the first two derivatives at ``x``."""
        chosen, *later = self._padded(1)
        origin: Scalar = self.knots[0] if self.knots else 0.0
        for knot, piece in zip(self.knots, later, strict=True):
            is_before = x < knot
            origin = where(is_before, origin, knot)
            chosen = [where(is_before, a, b) for a, b in zip(chosen, piece, strict=True)]
        value = first = second = 0.0
        t = x - origin
        for c in reversed(chosen):  # Horner's rule, for all three at once
            second = second * t + 2.0 * first
            first = first * t + value
            value = value * t + c
        return Derivatives(value, first, second)

    def _padded(self, least: int) -> list[tuple[float, ...]]:
        """The coefficients of all pieces, as many of each."""
        length = max(least, *map(len, self.pieces))
        return [piece + (0.0,) * (length - len(piece)) for piece in self.pieces]

    def scaled(self, factor: float) -> PiecewisePolynomial:
        """This function times a number."""
        times = number(factor, "factor")
        rows = tuple(tuple(c * times for c in row) for row in self.pieces)
        return PiecewisePolynomial(rows, self.knots)

    @classmethod
    @np.errstate(all="ignore")  # what is not finite is refused at the end
    def lines(cls, xs: Sequence[float], ys: Sequence[float]) -> PiecewisePolynomial:
        """Straight lines through points; beyond them the first and the last go on."""
        x, y = _points(xs, ys)
        slopes = np.diff(y) / np.diff(x)
        pieces = zip(y, [*slopes, slopes[-1]], strict=True)
        return _of([(y[0], slopes[0]), *pieces], x)

    @classmethod
    @np.errstate(all="ignore")
    def cubic_spline(cls, xs: Sequence[float], ys: Sequence[float]) -> PiecewisePolynomial:
        """The cubic spline through points; beyond them it goes on straight.

        Its third derivative at each end is that of the cubic through the four points there
        (Forsythe, Malcolm and Moler 1977, section 4.4).  With three points it is a parabola, with
        two a line.
        """
        x, y = _points(xs, ys)
        if len(x) == 2:
            return cls.lines(xs, ys)
        h, slope = np.diff(x), np.diff(y) / np.diff(x)
        second = _sixths(x, h, slope)
        rises = slope - h * (2.0 * second[:-1] + second[1:])
        last = slope[-1] + h[-1] * (second[-2] + 2.0 * second[-1])
        cubics = zip(y[:-1], rises, 3.0 * second[:-1], np.diff(second) / h, strict=True)
        return _of([(y[0], rises[0]), *cubics, (y[-1], last)], x)


def _sixths(x: np.ndarray, h: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Of the second derivative of a cubic spline at each of its points."""
    n = len(x)
    A, b = np.zeros((n, n)), np.zeros(n)
    for i in range(1, n - 1):
        A[i, i - 1 : i + 2] = h[i - 1], 2.0 * (h[i - 1] + h[i]), h[i]
    b[1:-1] = np.diff(slope)
    curved = np.diff(slope) / (x[2:] - x[:-2])  # divided differences of three and four points
    bent = np.diff(curved) / (x[3:] - x[:-3]) if n > 3 else np.zeros(1)
    A[0, :2] = A[-1, -2:] = -1.0, 1.0
    b[0], b[-1] = h[0] * bent[0], h[-1] * bent[-1]
    try:
        return np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        raise ModelError("expected points of a function that are further apart in x") from None


def _points(xs: Sequence[float], ys: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Two points or more, from left to right."""
    given = [entries(values, "numbers as points of a function") for values in (xs, ys)]
    n, other = map(len, given)
    if not 2 <= n == other <= MOST_POINTS:
        raise ModelError(f"expected as many x as y, 2 to {MOST_POINTS}, got {n} and {other}")
    x, y = (np.array(numbers(values, n, "points of a function")) for values in given)
    if not (np.diff(x) > 0.0).all():
        raise ModelError(f"expected x that rises, got {shown(tuple(x.tolist()))}")
    return x, y


def _of(pieces: Iterable[Iterable[float]], knots: np.ndarray) -> PiecewisePolynomial:
    rows = tuple(tuple(map(float, row)) for row in pieces)
    return PiecewisePolynomial(rows, tuple(knots.tolist()))
