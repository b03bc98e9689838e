"""Loops of every kind, for the tests that run them compiled and as plain Python."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from polhode import scalar
from polhode.compiler.jit import Bytes, Floats, Floats2, Foreign, Ints, Struct, jit
from polhode.spatial import Force, Inertia, Mat3, Motion, Quaternion, Transform, Vec3

TABLE = (0.5, 1, 2.5)
DEEP = 3
call_back = Foreign(1)


class Pair(NamedTuple):
    """Two arrays and what may be wide."""

    first: np.ndarray
    second: np.ndarray
    size: int
    weight: float
    place: tuple[float, float, float]


class Tally(Struct):
    """Numbers that functions change."""

    passes: int
    greatest: float
    is_done: bool


class Store(Struct):
    """Fields of each kind."""

    x: Floats
    m: Floats2
    count: int
    on: Bytes
    scale: float
    tally: Tally


@jit
def arithmetic(a: int, b: int, x: float, y: float):
    """Operators on integers and floats."""
    whole = (a + b, a - b, a * b, a // b, a % b, a & b, a | b, a ^ b, a << 2, a >> 1, -a, abs(a))
    real = (x + y, x - y, x * y, x / y, a / b, -x, abs(x), a * x, x - b)
    return whole, real


@jit
def comparisons(a: int, b: int, x: float, y: float):
    """Each comparison, chains, and membership."""
    return (
        a < b, a <= b, a == b, a != b, a > x, x >= y, x != y, a < x < b, a in (1, 2, 3),
        b not in (0, 5), not a, x > y and a > b, x > y or a > b, (a > b) == (x > y),
    )  # fmt: skip


@jit
def functions(a: int, x: float, y: float):
    """What compiled functions know of ``math``."""
    return (
        math.sqrt(abs(x)), math.sin(x), math.cos(x), math.atan2(x, y), math.hypot(x, y),
        math.copysign(1.0, x), math.floor(x), math.ceil(y), max(a, x, y), min(x, y, a),
        max(a, 3), int(x), float(a), bool(a), np.int64(y), math.isfinite(x / 0.5),
    )  # fmt: skip


@jit
def rounded(x: float):
    """Whole numbers that stay floats."""
    return scalar.floor(x), scalar.rint(x), np.floor(x), np.ceil(x), np.rint(x)


@jit
def chosen(a: int, x: float):
    """Branches that give one thing or another."""
    kind = 1 if a > 2 else (2 if a < -2 else 3)
    value = x if kind == 1 else 0
    if kind == 1:
        value += 1
    elif kind == 2:
        value = value * 2 + TABLE[a % 3]
    else:
        return kind, -1.0
    return kind, value


@jit
def widened(n: int):
    """An integer that becomes a float on the way."""
    total = 0
    for i in range(n):
        if i == 3:
            total = total + 0.5
        total += 1
    return total


@jit
def searched(a: Ints, b: int):
    """``while``, ``break``, ``continue``, and a counter after its loop."""
    found = -1
    for i in range(len(a) - 1, -1, -1):
        if a[i] == b:
            found = i
            break
    steps, k = 0, 0
    while True:
        steps += 1
        if steps > 50:
            break
        if steps % 3 == 0:
            continue
        k += steps
    return found, steps, k, i


@jit
def arrays(n: int, m: int):
    """Arrays made, filled, sliced, copied."""
    a, b = np.zeros((n, m)), np.full(n, 2.5)
    names, flags = np.arange(n), np.zeros(n, np.bool_)
    small = np.empty(m, np.int32)
    for i in range(n):
        a[i] = 0.5 * i
        flags[i] = i % 2 == 0
        for j in range(m):
            a[i, j] += j
            small[j] = j - i
    c = a.copy()
    c[1:] *= 2.0
    c[0, :] = a[n - 1]
    b[1 : n - 1] = 7.0
    b[-1] = -1
    tail = a[n - 2 :]
    tail[0, 0] = 99.0
    b += 1.0
    total = 0
    for f in flags:
        total += f
    for row in c:
        b[0] += row[m - 1]
    names[0] = names[-1] = 4
    return a, b, c, names, flags, small, total, tail.shape, c.size, len(tail)


@jit
def pair_of(n: int):
    """A wide named tuple with arrays."""
    first = np.zeros(n)
    dropped = np.full(3 * n, 1.0)
    for i in range(n):
        first[i] = i + dropped[i]
    return Pair(first, weight=0.5, second=first[1:].copy(), size=n, place=(1.0, 2.0, n))


@jit
def weighed(pair: Pair, k: int):
    """A wide tuple handed over, and an index of a tuple."""
    total = 0.0
    for x in pair.first:
        total += x
    for y in (pair.weight, pair.size, k):
        total += y
    for i in range(3):
        total += pair.place[i]
    return pair.weight * total


@jit
def carried(n: int, rounds: int):
    """Arrays that passes of a loop hand on, among others that are dropped."""
    pair, kept, last = pair_of(n), np.zeros(1), np.zeros(0)
    view = kept[:]
    for r in range(rounds):
        scratch = np.full(50 * (1 + r % 3), 1.0 * r)
        if r % 7 == 6:
            continue
        fresh = pair_of(n + r % 4)
        for i in range(min(n, len(fresh.first))):
            fresh.first[i] += pair.first[i] * 0.5
        pair = fresh
        larger = np.empty(len(kept) + 1) if r < 5 else kept.copy()
        for i in range(len(larger)):
            larger[i] = kept[min(i, len(kept) - 1)] + scratch[0]
        kept = larger
        last = scratch[: 2 + r % 2]
    return pair, kept, last, view, weighed(pair, n)


@jit
def fields(s: Store, gain: float):
    """A table of fields, read and written."""
    for i in range(len(s.x)):
        if s.on[i]:
            s.x[i] = s.scale * s.x[i] + s.m[i, 1] * gain + s.count
    s.m[0] = s.x[0]
    s.count += 2
    s.tally.is_done = s.x[0] > 1.0
    own = Tally()
    for x in s.x:
        count_up(own, x)
    other = own.copy()
    count_up(other, 1e9)
    s.tally.passes = own.passes + other.passes
    s.tally.greatest = own.greatest
    return s.m.shape


@jit
def count_up(tally: Tally, x: float):
    """Change a struct that is handed over."""
    tally.passes += 1
    tally.greatest = max(tally.greatest, x)


@jit
def ending(x: Floats):
    """Nothing is returned."""
    if x[0] > 1.0:
        return
    x[0] = 5.0


@jit
def back(address: int, n: int):
    """Calls of Python."""
    for i in range(n):
        call_back(address, i)
    return n


@jit
def both(z: tuple[float, float]):
    """A point, swapped and joined."""
    u, v = z
    u, v = v, u
    a = b = u
    p, q = (a, v) if u > 0.0 else (v, b)
    return (p, q), z[0], z[-1]


@jit
def whole(x: float):
    """An integer of any float."""
    return int(x)


@jit
def scratched(n: int):
    """Much memory for a moment."""
    a = np.full(n, 0.5)
    return a[0] + a[n - 1]


@jit
def often(n: int, rounds: int):
    """The same again and again."""
    total = 0.0
    for _ in range(rounds):
        total += scratched(n)
    return total


@dataclass(frozen=True)
class Touch:
    """A record of records and numbers."""

    point: Vec3
    normal: Vec3
    gap: float
    body: int

    @property
    def end(self) -> Vec3:
        """Where the gap ends."""
        return self.point - self.normal * self.gap

    def moved(self, by: Vec3) -> Touch:
        """The same elsewhere."""
        return Touch(self.point + by, self.normal, gap=self.gap, body=self.body)

    @classmethod
    def at(cls, body: int) -> Touch:
        """At the origin."""
        return cls(Vec3.zero(), Vec3(0.0, 0.0, 1.0), 0, body)


UP = Vec3(0.0, 0.0, 1.0)


@jit
def touched(t: Touch, R: Mat3):
    """Fields, properties, methods, class methods and constants that are records."""
    total = Touch.at(t.body).moved(R @ t.point)
    for _ in range(3):
        total = total.moved(-t.end)
    total_way = total.point
    total_way += 2.0 * UP
    return total, total_way, total.end.dot(t.normal), t.normal.cross(UP)


@jit
def spatial(X: Transform, v: Motion, f: Force, I: Inertia):
    """The algebra of `polhode.spatial`, with operators that depend on types."""
    a = X @ v
    return a, I @ a, a.cross(v), a.cross(I @ a), 0.5 * a.dot(I @ a), X.T @ f, X.inverse() @ v


@jit
def oriented(q: Quaternion, v: Vec3):
    """Functions of `polhode.scalar`."""
    p = (q * Quaternion.exp(v)).normalized()
    return p, p.matrix(), p.log(), p.rate(v), p.matrix().rotated(p.matrix().T)


@jit
def size_of(x: Vec3 | Motion | None):
    """What types decide while compiling."""
    if x is None:
        return 0
    if isinstance(x, Vec3):
        return 3
    return 6 if isinstance(x, Motion) else -1
