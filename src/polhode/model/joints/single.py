"""Joints with one axis: revolute, prismatic, and helical (RBDA Table 4.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from ...errors import ModelError
from ...scalar import Scalar, cos, sin
from ...spatial import (
    Mat3,
    Motion,
    PlaneRotation,
    Subspace,
    Transform,
    Vec3,
    rotation_about,
)
from ..checks import number
from .base import Coordinates, JointKind, JointMotion, axis_tuple, warn_of_length

OneAxisKind = TypeVar("OneAxisKind", bound="Revolute | Prismatic | Helical")


@dataclass(frozen=True)
class Revolute(JointKind):
    """Rotation about ``axis``, fixed in both bodies; ``q`` in radians for a unit axis.

    An axis that is not of unit length is kept: the joint turns by ``|axis| q``.  If its length
    differs from 1 by more than 1e-3 there is a `ModelWarning`.
    """

    axis: tuple[float, float, float]

    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", axis_tuple(self.axis, 3, "revolute"))
        warn_of_length(self.axis, "revolute", "rad")

    @classmethod
    def x(cls) -> Revolute:
        """About x."""
        return cls((1.0, 0.0, 0.0))

    @classmethod
    def y(cls) -> Revolute:
        """About y."""
        return cls((0.0, 1.0, 0.0))

    @classmethod
    def z(cls) -> Revolute:
        """About z."""
        return cls((0.0, 0.0, 1.0))

    @property
    def dof_names(self) -> tuple[str, ...]:
        return (_axis_name("R", self.axis),)

    @property
    def row(self) -> tuple[float, ...]:
        """The axis as ``(ang, lin)``."""
        return self.axis + (0.0,) * 3

    def jcalc(self, q: Coordinates, qd: Coordinates | None = None) -> JointMotion:
        (rate,) = self.rates(qd)
        axis = Motion(Vec3.of(self.axis), Vec3.zero())
        X = Transform.rotation(axis_rotation(self.axis, q[0]))
        return JointMotion(X, Subspace((axis,)), axis * rate, Motion.zero())


@dataclass(frozen=True)
class Prismatic(JointKind):
    """Translation along ``axis``; ``q`` in metres for a unit axis.

    An axis that is not of unit length is kept, with a `ModelWarning`, as by `Revolute`.
    """

    axis: tuple[float, float, float]

    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", axis_tuple(self.axis, 3, "prismatic"))
        warn_of_length(self.axis, "prismatic", "m")

    @classmethod
    def x(cls) -> Prismatic:
        """Along x."""
        return cls((1.0, 0.0, 0.0))

    @classmethod
    def y(cls) -> Prismatic:
        """Along y."""
        return cls((0.0, 1.0, 0.0))

    @classmethod
    def z(cls) -> Prismatic:
        """Along z."""
        return cls((0.0, 0.0, 1.0))

    @property
    def dof_names(self) -> tuple[str, ...]:
        return (_axis_name("T", self.axis),)

    @property
    def row(self) -> tuple[float, ...]:
        """The axis as ``(ang, lin)``."""
        return (0.0,) * 3 + self.axis

    def jcalc(self, q: Coordinates, qd: Coordinates | None = None) -> JointMotion:
        (rate,) = self.rates(qd)
        along = Vec3.of(self.axis)
        axis = Motion(Vec3.zero(), along)
        X = Transform(Mat3.identity(), along * q[0])
        return JointMotion(X, Subspace((axis,)), axis * rate, Motion.zero())


@dataclass(frozen=True)
class Helical(JointKind):
    """Rotation and translation by one coordinate: ``axis = (ang, lin)``.

    The child turns by ``q`` about ``ang`` while its origin moves by ``q lin`` in parent
    coordinates.  When ``lin`` is not parallel to ``ang``, ``S`` depends on ``q``.
    """

    axis: tuple[float, float, float, float, float, float]

    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", axis_tuple(self.axis, 6, "helical"))
        if not any(self.axis[:3]):
            raise ModelError("expected a helical axis with a rotation part; use Prismatic")
        warn_of_length(self.axis[:3], "helical", "rad")

    @property
    def dof_names(self) -> tuple[str, ...]:
        return ("custom_axis (" + " ".join(f"{x:.6g}" for x in self.axis) + ")",)

    @property
    def row(self) -> tuple[float, ...]:
        """The axis as ``(ang, lin)``."""
        return self.axis

    @property
    def is_parallel(self) -> bool:
        """Whether the translation is along the axis of rotation."""
        ang, lin = self.axis[:3], self.axis[3:]
        rounding = 1e-15 * math.hypot(*ang) * math.hypot(*lin)
        return all(abs(x) <= rounding for x in Vec3.of(ang).cross(Vec3.of(lin)))

    @property
    def series_axes(self) -> tuple[tuple[tuple[float, ...], int], ...]:
        slide, turn = (0.0,) * 3 + self.axis[3:], self.axis[:3] + (0.0,) * 3
        return () if self.is_parallel else ((slide, 0), (turn, 0))

    def jcalc(self, q: Coordinates, qd: Coordinates | None = None) -> JointMotion:
        (rate,) = self.rates(qd)
        ang, lin = Vec3.of(self.axis[:3]), Vec3.of(self.axis[3:])
        E = axis_rotation(self.axis[:3], q[0])
        turned = lin if self.is_parallel else E @ lin
        S = Subspace((Motion(ang, turned),))
        spin = Vec3.zero() if self.is_parallel else -(ang.cross(turned)) * (rate * rate)
        return JointMotion(Transform(E, lin * q[0]), S, S @ (rate,), Motion(Vec3.zero(), spin))


def Screw(pitch: float) -> Helical:
    """A helical joint about and along z that advances by ``pitch`` metres per radian."""
    return Helical((0.0, 0.0, 1.0, 0.0, 0.0, number(pitch, "pitch of a Screw")))


def axis_joint(row: Coordinates) -> Revolute | Prismatic | Helical:
    """The joint of a motion axis ``(ang, lin)``: pure rotation, pure translation, or both.

    Its length is kept as it is, without a warning.
    """
    values = axis_tuple(row, 6, "one-axis")
    if not any(values[3:]):
        return _as_given(Revolute, values[:3])
    return _as_given(Helical, values) if any(values[:3]) else _as_given(Prismatic, values[3:])


def _as_given(kind: type[OneAxisKind], axis: tuple[float, ...]) -> OneAxisKind:
    joint = object.__new__(kind)
    object.__setattr__(joint, "axis", axis)
    return joint


def axis_rotation(axis: tuple[float, ...], q: Scalar) -> Mat3:
    """Coordinate rotation by ``q axis``, with structural zeros for a coordinate axis."""
    length = math.sqrt(sum(a * a for a in axis))
    if abs(length - 1.0) < 1e-15:
        length = 1.0
    angle = q if length == 1.0 else q * length
    unit = tuple(a / length for a in axis)
    if 1.0 not in (abs(a) for a in unit):
        return rotation_about(Vec3.of(unit), angle)
    k = [abs(a) for a in unit].index(1.0)
    return PlaneRotation.about(k, cos(angle), sin(angle) * unit[k])


def _axis_name(letter: str, axis: tuple[float, float, float]) -> str:
    for name, unit in zip("XYZ", ((1, 0, 0), (0, 1, 0), (0, 0, 1)), strict=True):
        if axis == unit:
            return letter + name
    return f"{letter} ({axis[0]:.6g} {axis[1]:.6g} {axis[2]:.6g})"
