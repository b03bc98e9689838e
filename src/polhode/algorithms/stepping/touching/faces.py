"""The face of a box that is nearest to a direction, and what lies on it along that direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ....scalar import Scalar, absolute, maximum, minimum, where
from ....spatial import Vec3
from .shapes import away_from_zero, choose


class Flat(NamedTuple):
    """A vector by its coordinates in the plane of a face, and its length along the direction."""

    u: Scalar
    v: Scalar
    gap: Scalar

    def plus(self, other: Flat, factor: Scalar = 1.0) -> Flat:
        """The sum with so many times another."""
        return Flat(*(x + y * factor for x, y in zip(self, other, strict=True)))

    def chosen(self, condition: Scalar, other: Flat) -> Flat:
        """This where a condition holds, else another."""
        return Flat(*(where(condition, x, y) for x, y in zip(self, other, strict=True)))


@dataclass(frozen=True)
class Order:
    """Which component of a vector is the greatest, and its sign."""

    is_x: Scalar
    is_y: Scalar
    sign: Scalar

    @classmethod
    def of(cls, n: Vec3) -> Order:
        """By absolute values; of equal ones it is the first."""
        x, y, z = map(absolute, n)
        is_x, is_y = (x >= y) & (x >= z), y >= z
        greatest = where(is_x, n.x, where(is_y, n.y, n.z))
        return cls(is_x, is_y, where(greatest < 0.0, -1.0, 1.0))

    def turned(self, triple: Sequence[Any]) -> tuple[Any, Any, Any]:
        """Three scalars or vectors in cyclic order, that of the greatest component last."""
        x, y, z = triple
        return self._chosen(y, z, x), self._chosen(z, x, y), self._chosen(x, y, z)

    def _chosen(self, x: Any, y: Any, z: Any) -> Any:
        if isinstance(x, Vec3):
            return choose(self.is_x, x, choose(self.is_y, y, z))
        return where(self.is_x, x, where(self.is_y, y, z))


@dataclass(frozen=True)
class Face:
    """The face of a box that is nearest to a unit vector ``n`` out of it.

    Attributes
    ----------
    order : Order
        The axes of the box: two in the face, then its normal.
    n : three scalars
        The unit vector along these.
    half : three scalars
        Half edges of the box along these.
    slack : scalar
        Lines along a border that miss the face by less lie on it [m].
    """

    order: Order
    n: tuple[Scalar, Scalar, Scalar]
    half: tuple[Scalar, Scalar, Scalar]
    slack: Scalar

    @classmethod
    def of(cls, half: Sequence[Scalar], n: Vec3, slack: Scalar) -> Face:
        """Of a box with these half edges."""
        order = Order.of(n)
        return cls(order, order.turned(tuple(n)), order.turned(half), slack)

    def direction(self, w: Vec3) -> Flat:
        """A vector, moved along ``n`` into the plane of the face."""
        return self._flat(w, 0.0)

    def place(self, x: Vec3) -> Flat:
        """A place, moved along ``n`` into the plane of the face."""
        return self._flat(x, self.order.sign * self.half[2])

    def _flat(self, w: Vec3, above: Scalar) -> Flat:
        u, v, out = self.order.turned(tuple(w))
        gap = (out - above) * (1.0 / self.n[2])
        return Flat(u - gap * self.n[0], v - gap * self.n[1], gap)

    def part(self, start: Flat, way: Flat, low: Scalar, high: Scalar) -> tuple[Scalar, Scalar]:
        """From where to where ``start + t way`` is over the face, between two values of ``t``.

        There is no such part if the second value is the smaller one.
        """
        for x, d, half in ((start.u, way.u, self.half[0]), (start.v, way.v, self.half[1])):
            inverse = 1.0 / away_from_zero(d)
            end = half + where(absolute(d) < self.slack, self.slack, 0.0)
            a, b = (-end - x) * inverse, (end - x) * inverse
            low, high = maximum(low, minimum(a, b)), minimum(high, maximum(a, b))
        return low, high
