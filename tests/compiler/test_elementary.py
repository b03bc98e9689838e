"""Compiled elementary functions against exact arithmetic on integers."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from compiler.examples import program, same_bits, states, ulps
from polhode.compiler.graph import OPS

DIGITS = 1200  # bits of working precision: enough for the largest angles


@cache
def half_pi():
    """pi/2 times 2**DIGITS, by Machin's formula."""

    def arctan_of_inverse(n):
        total, power, k = 0, (1 << DIGITS + 64) // n, 0
        while power:
            total += (power // (2 * k + 1)) * (-1) ** k
            power //= n * n
            k += 1
        return total

    return (8 * arctan_of_inverse(5) - 2 * arctan_of_inverse(239)) >> 64


def exact_sine(x, quarter=0):
    """sin(x + quarter * pi/2) of a float, as a fraction good to far beyond double precision."""
    scaled = (Fraction(x) * (1 << DIGITS)).__floor__()
    k = (2 * scaled + half_pi()) // (2 * half_pi())
    r, bits = scaled - k * half_pi(), 400
    r = r >> (DIGITS - bits)
    k = (k + quarter) % 4
    term, total, n = ((1 << bits) if k % 2 else r), 0, (0 if k % 2 else 1)
    while term:
        total += term
        term = -(term * r * r >> 2 * bits) // ((n + 1) * (n + 2)) if term else 0
        n += 2
    return Fraction(total if k < 2 else -total, 1 << bits)


def angles(dtype):
    """Ordinary angles, the neighbours of multiples of pi/2, and huge ones."""
    rng = np.random.default_rng(5)
    near = np.array([k * math.pi / 2 for k in (*range(1, 200), *range(63000, 63600, 7))])
    large = rng.uniform(1, 10, 60) * 10.0 ** rng.uniform(5, 36 if dtype is np.float32 else 300, 60)
    known_bad = [6381956970095103.0 * 2.0**797, 5.319372648326541e255, 99999.99, 1e5, 100000.01]
    parts = [
        rng.uniform(-7, 7, 300),
        rng.uniform(-1e5, 1e5, 200),
        near,
        np.nextafter(near, 0),
        large,
    ]
    if dtype is np.float64:
        parts.append(np.array(known_bad))
    return np.concatenate(parts).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("of_input", [True, False], ids=["input", "computed"])
def test_sine_and_cosine_are_within_one_unit(dtype, of_input):
    """Below one unit in the last place for every finite angle, inputs or computed."""
    scale = 1.0 if of_input else 2.0

    def both(x):
        y = x if of_input else x * 0.5
        return y.sin(), y.cos()

    x = angles(dtype)
    if not of_input:
        x = x[np.abs(x) < 1e30]
    s, c = program(both, x=())((x * dtype(scale)).astype(dtype))
    worst_s = max(ulps(a, exact_sine(float(b)), dtype) for a, b in zip(s, x, strict=True))
    worst_c = max(ulps(a, exact_sine(float(b), 1), dtype) for a, b in zip(c, x, strict=True))
    assert max(worst_s, worst_c) < 1.0


def test_angles_that_are_no_numbers():
    """Infinities and NaN give NaN in their lane and leave the others alone."""
    p = program(lambda x: (x.sin(), x.cos()), x=())
    x = np.array([0.0, np.inf, 1.0, -np.inf, np.nan, 1e300, 2.0])
    s, c = p(x)
    assert np.isnan(s[[1, 3, 4]]).all()
    assert np.isnan(c[[1, 3, 4]]).all()
    clean = [0, 2, 5, 6]
    assert same_bits(s[clean], p(x[clean])[0])
    np.testing.assert_allclose(s[clean], np.sin(x[clean]), rtol=4e-16)


def exact(function, *x):
    """exp or log of a float by decimal arithmetic."""
    with localcontext() as context:
        context.prec = 60
        return Fraction(getattr(Decimal(x[0]), function)())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_exp_and_log_are_within_their_bounds(dtype):
    """Over the normal range, and right at its ends."""
    rng = np.random.default_rng(2)
    e = program(lambda x: x.exp(), x=())
    span = 700 if dtype is np.float64 else 86
    x = np.concatenate([rng.uniform(-span, span, 400), rng.standard_normal(200)]).astype(dtype)
    got = e(x)
    worst = max(ulps(a, exact("exp", float(b)), dtype) for a, b in zip(got, x, strict=True))
    assert worst < OPS["exp"].ulps
    ends = np.array([np.inf, -np.inf, np.nan, 0.0, 1e4, -1e4], dtype)
    np.testing.assert_array_equal(e(ends), np.array([np.inf, 0, np.nan, 1, np.inf, 0], dtype))
    log = program(lambda x: x.log(), x=())
    x = np.concatenate([10 ** rng.uniform(-37, 37, 400), 1 + 0.1 * rng.standard_normal(200)])
    x = x.astype(dtype)
    got = log(x)
    worst = max(ulps(a, exact("ln", float(b)), dtype) for a, b in zip(got, x, strict=True))
    assert worst < OPS["log"].ulps
    ends = np.array([np.inf, 0.0, -0.0, -1.0, np.nan, 1.0], dtype)
    expected = np.array([np.inf, -np.inf, -np.inf, np.nan, np.nan, 0], dtype)
    np.testing.assert_array_equal(log(ends), expected)
    tiny = np.finfo(np.float64).smallest_subnormal
    np.testing.assert_allclose(log(np.array([tiny, 1e-310])), np.log([tiny, 1e-310]), rtol=1e-15)


def test_atan2_is_within_its_bound():
    """The derivative of tan gives the exact error of an angle from its rounded value."""
    p = program(lambda y, x: y.atan2(x), y=(), x=())
    y, x = states(800), states(800, seed=1)
    worst = 0.0
    for angle, a, b in zip(p(y, x), y, x, strict=True):
        s, c = exact_sine(float(angle)), exact_sine(float(angle), 1)
        error = (Fraction(float(a)) * c - Fraction(float(b)) * s) / Fraction(math.hypot(a, b))
        worst = max(worst, abs(float(error)) / np.spacing(abs(angle)))
    assert worst < OPS["atan2"].ulps


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_atan2_at_the_axes_and_beyond(dtype):
    """Quadrants, signed zeros, infinities and NaN as C has them; no overflow on the way."""
    p = program(lambda y, x: y.atan2(x), y=(), x=())
    big = np.finfo(dtype).max
    special = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, big, -big, 1e-30], dtype)
    y, x = (a.ravel() for a in np.meshgrid(special, special))
    got, expected = p(y, x), np.arctan2(y, x)
    np.testing.assert_allclose(got, expected, rtol=4 * np.finfo(dtype).eps)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got)[numbers], np.signbit(expected)[numbers])
