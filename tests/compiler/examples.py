"""Functions to compile that have nothing to do with robots, and how to compare bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from polhode.compiler import Program
from polhode.scalar import absolute, cos, gather, maximum, repeat, sin, sqrt, when, where


def pendulum(q: Any, qd: Any, length: Any) -> list:
    """Something like the rates of a chain of pendulums: trigonometry, quotients, a root."""
    total, result = 0.0, []
    for angle, rate in zip(q, qd, strict=True):
        s, c = sin(angle), cos(angle)
        total = total * c + rate * s - 0.25 * length
        result.append((total * total + 1.5) / (2.0 + c) - sqrt(1.0 + rate * rate) * 3.0)
    return result


def branches(x: Any) -> tuple:
    """Choices, extremes and rounding, and a matrix with constants and repeated entries."""
    a, b, c = x
    big = maximum(absolute(a), b)
    chosen = where((a < b) & ~(c < 0.0), a * b, where(b.equal(c) | (a <= c), c.floor(), a.rint()))
    matrix = [[a, 0.0, 1.0], [big, chosen, big], [2.5, a, chosen - c]]
    return matrix, chosen


def skipped(x: Any) -> tuple:
    """Blocks that only some states want, one in another, and entries of tables."""
    a, b, c = x

    def rough(u: Any, v: Any) -> tuple:
        for _ in range(5):
            u, v = sin(u * v) + v * c, cos(u) - 0.5 * v
        return when(u < v, lambda p, q: (smooth(p, q), u * q), u, v)

    def smooth(u: Any, v: Any) -> Any:
        for _ in range(12):
            u = u * 0.25 + sqrt(absolute(v - u))
        return u

    first = when(a < b, rough, a, 0.5)
    second = when((c > 1.0) | (c < -1.0), lambda u: smooth(u, b), first[0])
    heights = gather([0.5, -1.0, 2.0, 4.0, 0.25], 2.0 * a + 2.0)
    return [*first, second, heights, gather(x, b), gather([a, 1.0, b * c], c)], second


def turning(x: Any) -> list:
    """Loops that end at different turns, one in another, under a condition, and a fixed point."""
    a, b = x
    root = repeat(lambda v: 0.5 * (v + absolute(a) / v), 1.0, 1e-6, 40)

    def inner(v: Any) -> Any:
        return repeat(lambda w: 0.5 * w + sin(v[0]), v[1], lambda w: w < b, 10)

    def turn(v: Any) -> Any:
        return [v[0] * 0.75 - b * 0.1, inner(v) + gather(x, v[2]), v[2] + 1.0]

    nested = repeat(turn, [a, b, 0.0], lambda v: (v[0] < 0.1) | (v[2] > 5.0 + b), 12)
    swapped = when(a < b, lambda s: repeat(lambda t: (t[1], t[0]), (s, b), swaps, 3)[0], a)
    return [root, *nested, swapped]


def swaps(t: Any) -> Any:
    """Whether two numbers are in order."""
    return t[0] < t[1]


def elementary(x: Any, y: Any) -> list:
    """The library functions of computed arguments."""
    u = x * 0.5 + y
    return [u.sin(), u.cos(), (u * 0.1).exp(), (u * u + 0.5).log(), x.atan2(y), u.sin() * y.cos()]


def chain(n: int, constants: Any = None) -> Any:
    """A recursion out and back along ``n`` equal or unequal links, marked at each step."""

    def build(q: Any, qd: Any) -> tuple:
        mark = q[0].graph.mark
        numbers = [1.5 + 0.01 * k for k in range(n)] if constants is None else constants
        v, a, keep = [0.1, 0.2, 0.3], [0.0, 0.0, 9.81], []
        for k in range(n):
            mark()
            s, c = sin(q[k]), cos(q[k])
            v = [c * v[0] + s * v[1], c * v[1] - s * v[0], v[2] + qd[k] * numbers[k]]
            a = [c * a[0] + s * a[1] + v[1] * qd[k], c * a[1] - s * a[0] - v[0] * v[2], a[2] + v[2]]
            keep.append((s, c, v, a))
        f, result = [0.0, 0.0, 0.0], [0.0] * n
        for k in reversed(range(n)):
            mark()
            s, c, v, a = keep[k]
            f = [f[i] * numbers[k] * 0.5 + a[i] * v[i - 1] * 0.125 for i in range(3)]
            f = [c * f[0] - s * f[1], s * f[0] + c * f[1], f[2] * 0.5]
            result[k] = f[0] + f[1] * f[2]
        return result, v

    return build


def program(build: Any, name: str = "example", **shapes: tuple[int, ...]) -> Program:
    """A program of ``build`` with these core shapes."""
    return Program(build, shapes, name=name)


def pendulum_program(n: int = 5) -> Program:
    """`pendulum` of ``n`` angles."""
    return program(pendulum, "pendulum", q=(n,), qd=(n,), length=())


def states(*shape: int, seed: int = 0, dtype: Any = np.float64) -> np.ndarray:
    """Random numbers, the same every time."""
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


def same_bits(a: Any, b: Any) -> bool:
    """Whether two arrays hold the same bits; any NaN equals any NaN."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    both_nan = np.isnan(a) & np.isnan(b)
    return bool(np.all(both_nan | ((a == b) & (np.signbit(a) == np.signbit(b)))))


def ulps(got: float, exact: Any, dtype: Any = np.float64) -> float:
    """Error of ``got`` in units in the last place of the exact result (a Fraction)."""
    from fractions import Fraction

    rounded = dtype(float(exact))
    if not math.isfinite(float(rounded)):
        return 0.0 if float(rounded) == got else math.inf
    return float(abs(Fraction(float(got)) - exact) / Fraction(float(np.spacing(abs(rounded)))))
