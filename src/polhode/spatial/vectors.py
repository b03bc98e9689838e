"""Spatial motion and force vectors, angular part first (RBDA chapter 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from ..scalar import Scalar
from .vec3 import Vec3


@dataclass(frozen=True, slots=True)
class Motion:
    """A spatial motion vector: angular and linear velocity, or acceleration."""

    ang: Vec3
    lin: Vec3

    __array_ufunc__ = None

    @classmethod
    def zero(cls) -> Motion:
        """No motion."""
        return cls(Vec3.zero(), Vec3.zero())

    @classmethod
    def of(cls, values: Sequence[Scalar]) -> Motion:
        """Of six numbers, angular first."""
        return cls(Vec3.of(values[:3]), Vec3.of(values[3:]))

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.ang
        yield from self.lin

    def __add__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            raise _mixed("a Motion to add to a Motion", other)
        return Motion(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            raise _mixed("a Motion to subtract from a Motion", other)
        return Motion(self.ang - other.ang, self.lin - other.lin)

    def __neg__(self) -> Motion:
        return Motion(-self.ang, -self.lin)

    def __mul__(self, factor: Scalar) -> Motion:
        if isinstance(factor, (Motion, Force, Vec3)):
            raise _mixed("a scalar to multiply a Motion by", factor)
        return Motion(self.ang * factor, self.lin * factor)

    __rmul__ = __mul__

    def dot(self, force: Force) -> Scalar:
        """The power of ``force`` along this motion (RBDA eq. 2.4)."""
        if not isinstance(force, Force):
            raise _mixed("a Force whose power along a Motion is asked", force)
        return self.ang.dot(force.ang) + self.lin.dot(force.lin)

    @overload
    def cross(self, other: Motion) -> Motion: ...
    @overload
    def cross(self, other: Force) -> Force: ...
    def cross(self, other):
        """``crm(v) m`` for a motion, ``crf(v) f`` for a force (RBDA eq. 2.31, 2.32, p. 25)."""
        if isinstance(other, Motion):
            return Motion(
                self.ang.cross(other.ang), self.ang.cross(other.lin) + self.lin.cross(other.ang)
            )
        if not isinstance(other, Force):
            raise _mixed("a Force or a Motion to cross with a Motion", other)
        return Force(
            self.ang.cross(other.ang) + self.lin.cross(other.lin), self.ang.cross(other.lin)
        )


@dataclass(frozen=True, slots=True)
class Force:
    """A spatial force vector: moment about the origin and force; also a momentum."""

    ang: Vec3
    lin: Vec3

    __array_ufunc__ = None

    @classmethod
    def zero(cls) -> Force:
        """No force."""
        return cls(Vec3.zero(), Vec3.zero())

    @classmethod
    def of(cls, values: Sequence[Scalar]) -> Force:
        """Of six numbers, moment first."""
        return cls(Vec3.of(values[:3]), Vec3.of(values[3:]))

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.ang
        yield from self.lin

    def __add__(self, other: Force) -> Force:
        if not isinstance(other, Force):
            raise _mixed("a Force to add to a Force", other)
        return Force(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Force) -> Force:
        if not isinstance(other, Force):
            raise _mixed("a Force to subtract from a Force", other)
        return Force(self.ang - other.ang, self.lin - other.lin)

    def __neg__(self) -> Force:
        return Force(-self.ang, -self.lin)

    def __mul__(self, factor: Scalar) -> Force:
        if isinstance(factor, (Motion, Force, Vec3)):
            raise _mixed("a scalar to multiply a Force by", factor)
        return Force(self.ang * factor, self.lin * factor)

    __rmul__ = __mul__

    def dot(self, motion: Motion) -> Scalar:
        """The power of this force along ``motion``."""
        if not isinstance(motion, Motion):
            raise _mixed("a Motion along which the power of a Force is asked", motion)
        return motion.dot(self)


def _mixed(expected: str, got: object) -> TypeError:
    """The error of an operand of the wrong kind: motions and forces do not mix."""
    return TypeError(f"expected {expected}, got {type(got).__name__}")
