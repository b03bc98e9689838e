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
        _expect(Motion, other, "to add to a Motion")
        return Motion(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Motion) -> Motion:
        _expect(Motion, other, "to subtract from a Motion")
        return Motion(self.ang - other.ang, self.lin - other.lin)

    def __neg__(self) -> Motion:
        return Motion(-self.ang, -self.lin)

    def __mul__(self, factor: Scalar) -> Motion:
        _expect_scalar(factor, "Motion")
        return Motion(self.ang * factor, self.lin * factor)

    __rmul__ = __mul__

    def dot(self, force: Force) -> Scalar:
        """The power of ``force`` along this motion (RBDA eq. 2.4)."""
        _expect(Force, force, "whose power along a Motion is asked")
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
        _expect(Force, other, "or a Motion to cross with a Motion")
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
        _expect(Force, other, "to add to a Force")
        return Force(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Force) -> Force:
        _expect(Force, other, "to subtract from a Force")
        return Force(self.ang - other.ang, self.lin - other.lin)

    def __neg__(self) -> Force:
        return Force(-self.ang, -self.lin)

    def __mul__(self, factor: Scalar) -> Force:
        _expect_scalar(factor, "Force")
        return Force(self.ang * factor, self.lin * factor)

    __rmul__ = __mul__

    def dot(self, motion: Motion) -> Scalar:
        """The power of this force along ``motion``."""
        _expect(Motion, motion, "along which the power of a Force is asked")
        return motion.dot(self)


def _expect(kind: type, other: object, purpose: str) -> None:
    """Refuse an operand that is not of a kind: motions and forces do not mix."""
    if not isinstance(other, kind):
        raise TypeError(f"expected a {kind.__name__} {purpose}, got {type(other).__name__}")


def _expect_scalar(factor: object, kind: str) -> None:
    if isinstance(factor, Motion | Force | Vec3):
        raise TypeError(
            f"expected a scalar to multiply a {kind} by, got {type(factor).__name__}; dot gives "
            "the power of a Force along a Motion, cross the spatial cross products"
        )
