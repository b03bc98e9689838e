"""Laws of rows: which impulses fulfil them, and what follows near by.

Velocities of rows are ``u = free + y.w``, where ``w`` is what all impulses have done (`inertia`).
A law is ``x = P(x - r u)`` with a projection ``P`` and any ``r`` above zero (Alart, Curnier 1991).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ...scalar import Scalar, absolute, logical_not, maximum, minimum, reciprocal, sqrt, when, where
from .inertia import Row

TINY = 1e-300  # keeps a length of zero from dividing

Scalars = list[Scalar]
Impulses = list[Scalars]
"""Impulses by block."""

Linear = tuple[Scalars, list[Scalars]]


class RowBlock(Protocol):
    """Rows whose impulses ``x`` have one law.

    Attributes
    ----------
    is_near : condition
        Whether impulses may be needed.  Elsewhere they are zero, and nothing else of the block
        may be looked at.
    y : sequence of rows
        How each impulse changes ``w``.
    free : sequence of scalars
        Velocities of the rows without impulses.
    ease, delassus : sequence of scalars
        Impulses by which a unit velocity of their own is stopped, and one over these.
    push : scalar
        The velocity at which the first row is to be pushed out of an overlap, or an error.
    bounds : (mu, lower, upper)
        Coefficient of friction, and bounds of the first impulse.
    restitution : scalar
        Part of the first impulse that comes back; zero unless the block is hit in the step.
    """

    @property
    def is_near(self) -> Scalar: ...
    @property
    def y(self) -> Sequence[Row]: ...
    @property
    def free(self) -> Sequence[Scalar]: ...
    @property
    def ease(self) -> Sequence[Scalar]: ...
    @property
    def delassus(self) -> Sequence[Scalar]: ...
    @property
    def push(self) -> Scalar: ...
    @property
    def bounds(self) -> tuple[Scalar, Scalar, Scalar]: ...
    @property
    def restitution(self) -> Scalar: ...

    @property
    def speed(self) -> Scalar:
        """How fast its rows would go where they may not; residuals are compared with it."""
        ...

    def relaxed(self, u: Scalars, x: Scalars, products: Sequence[Sequence[Scalar]]) -> Scalars:
        """Impulses that fulfil the law while all others stay.

        ``products`` of rows with those before them say what these do to their velocities.
        """
        ...

    def linear(self, u: Scalars, x: Scalars, stiffness: Scalar) -> Linear:
        """``k`` and ``K`` of ``dx = k - K du``, the linear form of the law.

        Rows that hold are stiffer than by themselves, ``stiffness`` times.
        """
        ...

    def error(self, u: Scalars, x: Scalars) -> Scalar:
        """How far the rows are from their law, as a velocity."""
        ...

    def rebounding(self, u: Scalars, x: Scalars) -> RowBlock:
        """The block of a second phase, which begins at velocities ``u`` after impulses ``x``."""
        ...


@dataclass(frozen=True)
class OneSidedRow:
    """A row that pushes only: ``x >= least``, ``u >= 0``, ``(x - least) u = 0``."""

    is_near: Scalar
    y: tuple[Row]
    free: tuple[Scalar]
    ease: tuple[Scalar]
    delassus: tuple[Scalar]
    push: Scalar
    restitution: Scalar = 0.0
    least: Scalar = 0.0

    @property
    def bounds(self) -> tuple[Scalar, Scalar, Scalar]:
        return 0.0, self.least, math.inf

    @property
    def speed(self) -> Scalar:
        return maximum(-self.free[0], 0.0)

    def relaxed(self, u: Scalars, x: Scalars, products: Sequence[Sequence[Scalar]]) -> Scalars:
        return [self._projected(u[0], x[0])]

    def linear(self, u: Scalars, x: Scalars, stiffness: Scalar) -> Linear:
        return one_sided(u[0], x[0], self.ease[0], stiffness, self.least)

    def error(self, u: Scalars, x: Scalars) -> Scalar:
        return absolute(self._projected(u[0], x[0]) - x[0]) * self.delassus[0]

    def rebounding(self, u: Scalars, x: Scalars) -> OneSidedRow:
        return replace(self, free=(u[0],), least=maximum(self.restitution * x[0], 0.0))

    def _projected(self, u: Scalar, x: Scalar) -> Scalar:
        return maximum(x - u * self.ease[0], self.least)


@dataclass(frozen=True)
class FrictionRow:
    """Dry friction: an impulse within bounds, against the motion."""

    y: tuple[Row]
    free: tuple[Scalar]
    ease: tuple[Scalar]
    delassus: tuple[Scalar]
    least: Scalar
    most: Scalar
    is_near: bool = True
    push: float = 0.0
    restitution: float = 0.0

    @property
    def bounds(self) -> tuple[Scalar, Scalar, Scalar]:
        return 0.0, self.least, self.most

    @property
    def speed(self) -> Scalar:
        return absolute(self.free[0])

    def relaxed(self, u: Scalars, x: Scalars, products: Sequence[Sequence[Scalar]]) -> Scalars:
        return [self._projected(u[0], x[0])]

    def linear(self, u: Scalars, x: Scalars, stiffness: Scalar) -> Linear:
        z = x[0] - u[0] * self.ease[0]
        holds = (z < self.most) & (z > self.least)
        stiff = where(holds, stiffness * self.ease[0], 0.0)
        k = where(holds, -(u[0] * stiff), self._projected(u[0], x[0]) - x[0])
        return [k], [[stiff]]

    def error(self, u: Scalars, x: Scalars) -> Scalar:
        return absolute(self._projected(u[0], x[0]) - x[0]) * self.delassus[0]

    def rebounding(self, u: Scalars, x: Scalars) -> FrictionRow:
        return replace(self, free=(u[0],), least=self.least - x[0], most=self.most - x[0])

    def _projected(self, u: Scalar, x: Scalar) -> Scalar:
        return maximum(minimum(x - u * self.ease[0], self.most), self.least)


@dataclass(frozen=True)
class EqualityRow:
    """A row whose velocity is zero; its impulse is free."""

    y: tuple[Row]
    free: tuple[Scalar]
    ease: tuple[Scalar]
    delassus: tuple[Scalar]
    push: Scalar
    is_near: bool = True
    restitution: float = 0.0

    @property
    def bounds(self) -> tuple[Scalar, Scalar, Scalar]:
        return 0.0, -math.inf, math.inf

    @property
    def speed(self) -> Scalar:
        return absolute(self.free[0])

    def relaxed(self, u: Scalars, x: Scalars, products: Sequence[Sequence[Scalar]]) -> Scalars:
        return [x[0] - u[0] * self.ease[0]]

    def linear(self, u: Scalars, x: Scalars, stiffness: Scalar) -> Linear:
        stiff = stiffness * self.ease[0]
        return [-(u[0] * stiff)], [[stiff]]

    def error(self, u: Scalars, x: Scalars) -> Scalar:
        return absolute(u[0])

    def rebounding(self, u: Scalars, x: Scalars) -> EqualityRow:
        return replace(self, free=(u[0],))


@dataclass(frozen=True)
class ContactRows:
    """A point of contact: Signorini's law along the normal, Coulomb's along two tangents.

    ``ease`` are impulses by which a unit velocity of their own is stopped: of the normal, and the
    least of the tangents.  ``delassus`` is one over these.
    """

    is_near: Scalar
    y: tuple[Row, Row, Row]
    free: tuple[Scalar, Scalar, Scalar]
    ease: tuple[Scalar, Scalar]
    delassus: tuple[Scalar, Scalar]
    push: Scalar
    mu: Scalar
    restitution: Scalar = 0.0
    least: Scalar = 0.0

    @property
    def bounds(self) -> tuple[Scalar, Scalar, Scalar]:
        return self.mu, self.least, math.inf

    @property
    def speed(self) -> Scalar:
        slip = maximum(absolute(self.free[1]), absolute(self.free[2]))
        return maximum(slip, -self.free[0])

    def relaxed(self, u: Scalars, x: Scalars, products: Sequence[Sequence[Scalar]]) -> Scalars:
        n = self._pressed(u[0], x[0])
        slip = [u[k] + products[k][0] * (n - x[0]) for k in (1, 2)]
        return [n, *self._friction(n, slip, x)]

    def linear(self, u: Scalars, x: Scalars, stiffness: Scalar) -> Linear:
        """Open, or pressed; there sticking, or sliding against the friction's direction."""
        (k,), ((K,),) = one_sided(u[0], x[0], self.ease[0], stiffness, self.least)
        pressed = where(K > 0.0, maximum(x[0], 0.0), self.least)
        return self._rubbing(u, x, (k, K), (self.mu * pressed, self.mu), stiffness)

    def _rubbing(
        self, u: Scalars, x: Scalars, normal: tuple[Scalar, Scalar], disk: tuple[Scalar, Scalar],
        stiffness: Scalar,
    ) -> Linear:  # fmt: skip
        """The linear form where that of the normal is known.

        Friction of a point that slides follows the normal impulse, and turns with the slip.  The
        ``disk`` of friction has a radius, which changes with the normal impulse.
        """
        k, K = linear_in_disk(u[1:], x[1:], normal, disk, (self.ease[1], stiffness))
        return [normal[0], *k], [[normal[1], 0.0, 0.0], *K]

    def error(self, u: Scalars, x: Scalars) -> Scalar:
        n = self._pressed(u[0], x[0])
        s, t = self._friction(n, u[1:], x)
        slip = maximum(absolute(s - x[1]), absolute(t - x[2]))
        return maximum(absolute(n - x[0]) * self.delassus[0], slip * self.delassus[1])

    def rebounding(self, u: Scalars, x: Scalars) -> ContactRows:
        least = maximum(self.restitution * x[0], 0.0)
        return replace(self, free=(u[0], u[1], u[2]), least=least)

    def _pressed(self, u: Scalar, x: Scalar) -> Scalar:
        """The projection of the normal impulse."""
        return maximum(x - u * self.ease[0], self.least)

    def _radius(self, n: Scalar) -> Scalar:
        """The radius of the disk of friction under a normal impulse."""
        return self.mu * n

    def _friction(
        self, n: Scalar, u: Sequence[Scalar], x: Sequence[Scalar]
    ) -> tuple[Scalar, Scalar]:
        """The projection of the tangents on the disk of friction under a normal impulse."""
        r = self.ease[1]
        return nearest_in_disk(x[1] - u[0] * r, x[2] - u[1] * r, self._radius(n))


def nearest_in_disk(s: Scalar, t: Scalar, most: Scalar) -> tuple[Scalar, Scalar]:
    """The nearest point of a disk of the radius ``most``."""
    share = minimum(most * reciprocal(sqrt(s * s + t * t + TINY)), 1.0)
    return s * share, t * share


def linear_in_disk(
    u: Scalars,
    x: Scalars,
    normal: tuple[Scalar, Scalar],
    disk: tuple[Scalar, Scalar],
    hold: tuple[Scalar, Scalar],
) -> Linear:
    """The linear form of two impulses in a disk, with a column for the normal.

    ``normal`` is the linear form of that.  ``disk`` has a radius, and its change with the normal
    impulse.  ``hold`` has the impulse that stops a unit velocity, and how many times stiffer it
    holds.
    """
    (k_n, stiff), (most, slope), (r, stiffness) = normal, disk, hold
    z = x[0] - u[0] * r, x[1] - u[1] * r
    length = sqrt(z[0] * z[0] + z[1] * z[1] + TINY)
    sticks = length <= most
    inverse = reciprocal(length)
    c, s = z[0] * inverse, z[1] * inverse
    held = stiffness * r
    turn = minimum(most * r * reciprocal(where(sticks, 1.0, length - most)), held)
    across = turn * (c * u[1] - s * u[0])
    follows = where((stiff > 0.0) & logical_not(sticks), slope, 0.0)
    slide = most + follows * k_n
    k = [
        where(sticks, -(held * u[0]), slide * c - x[0] + across * s),
        where(sticks, -(held * u[1]), slide * s - x[1] - across * c),
    ]
    follows = follows * stiff
    cross = where(sticks, 0.0, -(turn * c * s))
    return k, [
        [follows * c, where(sticks, held, turn * s * s), cross],
        [follows * s, cross, where(sticks, held, turn * c * c)],
    ]


def one_sided(u: Scalar, x: Scalar, ease: Scalar, stiffness: Scalar, least: Scalar) -> Linear:
    """The linear form of ``x >= least``, ``u >= 0``, ``(x - least) u = 0``."""
    is_pressed = x - u * ease > least
    stiff = where(is_pressed, stiffness * ease, 0.0)
    return [where(is_pressed, -(u * stiff), least - x)], [[stiff]]


def along(y: Row, w: Sequence[Scalar] | Row, start: Scalar = 0.0) -> Scalar:
    """``start + y.w``."""
    for k, entry in y.items():
        start = start + entry * w[k]
    return start


def greatest_of_two(s: Row, t: Row) -> Scalar:
    """The greatest velocity that a unit impulse makes, in some direction of two rows."""
    g, h, c = along(s, s), along(t, t), along(s, t)
    return 0.5 * (g + h + sqrt((g - h) * (g - h) + 4.0 * c * c))


def moved(w: Sequence[Scalar], y: Row, x: Scalar) -> list[Scalar]:
    """``w + y x``."""
    new = list(w)
    for k, entry in y.items():
        new[k] = new[k] + entry * x
    return new


def velocities(block: RowBlock, w: Sequence[Scalar]) -> list[Scalar]:
    """``u`` of the rows of a block."""
    return [along(y, w, free) for y, free in zip(block.y, block.free, strict=True)]


def entries(block: RowBlock) -> list[int]:
    """The entries of ``w`` that a block sees."""
    return sorted({k for y in block.y for k in y})


def where_near(block: RowBlock, f: Callable[..., tuple], w: list[Scalar], *rest: Any) -> list[Any]:
    """``f(w, *rest)`` where a block is near; it changes no entries of ``w`` but the block's."""
    at = entries(block)

    def near(part, *rest):
        whole = list(w)
        for k, x in zip(at, part, strict=True):
            whole[k] = x
        new, *more = f(whole, *rest)
        return [new[k] for k in at], *more

    part, *more = when(block.is_near, near, [w[k] for k in at], *rest)
    w = list(w)
    for k, x in zip(at, part, strict=True):
        w[k] = x
    return [w, *more]
