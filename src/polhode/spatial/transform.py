"""Pluecker coordinate transforms (RBDA section 2.8, Table A.1)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Generic, TypeVar, cast, overload

from ..errors import ArgumentError, shown
from ..reprs import short, short_repr
from ..scalar import Scalar, cos, sin
from .articulated import ArticulatedInertia
from .inertia import Inertia
from .quaternion import Quaternion
from .subspace import ForceSubspace, Subspace
from .vec3 import Mat3, PlaneRotation, Vec3
from .vectors import Force, Motion

ROTATION_TOLERANCE = 1e-6
"""How far a rotation may be from orthogonal: several products of float32 matrices are within."""

AnyInertia = TypeVar("AnyInertia", bound=Inertia | ArticulatedInertia)


def rotation_x(angle: Scalar) -> Mat3:
    """Coordinate rotation about x: coordinates in a frame turned by ``angle`` [rad]."""
    return PlaneRotation.about(0, cos(angle), sin(angle))


def rotation_y(angle: Scalar) -> Mat3:
    """Coordinate rotation about y by ``angle`` [rad]."""
    return PlaneRotation.about(1, cos(angle), sin(angle))


def rotation_z(angle: Scalar) -> Mat3:
    """Coordinate rotation about z by ``angle`` [rad]."""
    return PlaneRotation.about(2, cos(angle), sin(angle))


def rotation_about(axis: Vec3, angle: Scalar) -> Mat3:
    """Coordinate rotation about a unit axis by ``angle`` [rad] (Rodrigues' formula)."""
    c, s = cos(angle), sin(angle)
    return Mat3.identity() * c + axis.outer(axis) * (1.0 - c) - axis.skew() * s


@dataclass(frozen=True, slots=True)
class Transform:
    """Coordinate transform from a parent frame to a child frame.

    ``E`` rotates parent coordinates into child coordinates, ``r`` is the child's
    origin in parent coordinates.  ``X @ m`` takes motions to the child, ``X.T @ f``
    takes forces back to the parent, ``X.T @ I @ X`` takes inertias back.
    ``factors`` are transforms whose product this is, kept when inertias are cheaper to
    take through them one by one.
    """

    E: Mat3
    r: Vec3
    factors: tuple[Transform, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def identity(cls) -> Transform:
        """From a frame to itself."""
        return cls(Mat3.identity(), Vec3.zero())

    @classmethod
    def translation(cls, x: Scalar, y: Scalar, z: Scalar) -> Transform:
        """To a frame of the same axes with its origin elsewhere."""
        return cls(Mat3.identity(), Vec3(x, y, z))

    @classmethod
    def rotation(cls, E: Mat3) -> Transform:
        """To a frame of other axes with the same origin."""
        return cls(E, Vec3.zero())

    @classmethod
    def from_pose(cls, pose: Iterable[Iterable[float]]) -> Transform:
        """To the frame whose pose is a 4x4 matrix, from its coordinates to the parent's.

        The opposite direction of ``X @ m``, and that of `polhode.body_pose`.

        Raises
        ------
        ArgumentError
            If the last row is not 0, 0, 0, 1, or the matrix above is not a rotation: not
            orthogonal to 1e-6, or a reflection.
        """
        rows = [[float(x) + 0.0 for x in row] for row in pose]
        if [len(row) for row in rows] != [4] * 4 or rows[3] != [0.0, 0.0, 0.0, 1.0]:
            raise ArgumentError(
                f"expected four rows of four numbers as a pose, the last 0 0 0 1, got {shown(rows)}"
            )
        R = Mat3.of([row[:3] for row in rows[:3]])
        check_rotation(R)
        return cls(R.T, Vec3.of([row[3] for row in rows[:3]]))

    @classmethod
    def from_quaternion(
        cls, quaternion: Iterable[Scalar], position: Iterable[Scalar] = (0.0, 0.0, 0.0)
    ) -> Transform:
        """To a frame turned by ``quaternion`` w x y z, its origin at ``position``.

        The quaternion may have any length but zero; it takes the frame's axes to the parent's
        coordinates, as that of `polhode.Scene.add_body` does.

        Raises
        ------
        ArgumentError
            If the quaternion is zero or not finite.
        """
        w, x, y, z = quaternion
        turn = Quaternion(w, x, y, z)
        length = turn.norm()
        if isinstance(length, float) and not 0.0 < length < math.inf:
            raise ArgumentError(
                f"expected a quaternion that is finite and not zero, got {shown((w, x, y, z))}"
            )
        return cls(turn.normalized().matrix(), Vec3(*position))

    @classmethod
    def from_rpy(
        cls,
        roll: Scalar,
        pitch: Scalar,
        yaw: Scalar,
        position: Iterable[Scalar] = (0.0, 0.0, 0.0),
    ) -> Transform:
        """To a frame turned as in a URDF's ``rpy`` [rad], its origin at ``position``.

        By ``roll`` about x, then ``pitch`` about y, then ``yaw`` about z, all three axes the
        parent's: frame coordinates times ``Rz(yaw) Ry(pitch) Rx(roll)`` are the parent's.
        """
        E = rotation_x(roll) @ rotation_y(pitch) @ rotation_z(yaw)
        return cls(E, Vec3(*position))

    @overload
    def __matmul__(self, other: Motion) -> Motion: ...
    @overload
    def __matmul__(self, other: Subspace) -> Subspace: ...
    @overload
    def __matmul__(self, other: Transform) -> Transform: ...
    def __matmul__(self, other):
        E, r = self.E, self.r
        if isinstance(other, Motion):
            return Motion(E @ other.ang, E @ (other.lin - r.cross(other.ang)))
        if isinstance(other, Subspace):
            return Subspace(tuple(self @ column for column in other.columns))
        if isinstance(other, Transform):
            cheap = isinstance(E, PlaneRotation) and other.E.is_monomial
            factors = (self, other) if cheap else ()
            return Transform(E @ other.E, other.r + other.E.T @ r, factors)
        return NotImplemented

    @property
    def T(self) -> ForceTransform:
        """The transpose, which takes forces from child to parent coordinates."""
        return ForceTransform(self)

    def inverse(self) -> Transform:
        """The transform from child to parent coordinates."""
        return Transform(self.E.T, -(self.E @ self.r))

    def point(self, p: Vec3) -> Vec3:
        """A point given in child coordinates, in parent coordinates."""
        return self.r + self.E.T @ p

    def to_parent(self, m: Motion) -> Motion:
        """A motion given in child coordinates, in parent coordinates (``X^-1 m``)."""
        turn = self.E.T
        ang = turn @ m.ang
        return Motion(ang, turn @ m.lin + self.r.cross(ang))

    def to_child(self, f: Force) -> Force:
        """A force given in parent coordinates, in child coordinates (``X^* f``)."""
        return Force(self.E @ (f.ang - self.r.cross(f.lin)), self.E @ f.lin)

    def __repr__(self) -> str:
        if repr(self.E) != repr(Mat3.identity()):
            return short_repr(self)
        if repr(self.r) != repr(Vec3.zero()):
            return f"Transform.translation{short(tuple(self.r))}"
        return "Transform.identity()"


def check_rotation(R: Mat3) -> None:
    """Raise an ArgumentError unless a matrix of numbers is a rotation to 1e-6."""
    square, identity = (R.T @ R).rows(), Mat3.identity().rows()
    pairs = zip(chain(*square), chain(*identity), strict=True)
    residual = max((abs(x - y) for x, y in pairs), key=lambda x: (math.isnan(x), x))
    determinant = R.x.dot(R.y.cross(R.z))
    if residual <= ROTATION_TOLERANCE and determinant > 0.0:
        return
    kind = "reflection" if residual <= ROTATION_TOLERANCE else "matrix that is not orthogonal"
    raise ArgumentError(
        f"expected a rotation, got a {kind}: R^T R differs from the identity by {residual:.3g}, "
        f"the determinant is {determinant:.6g}"
    )


def pose_matrix(X: Transform) -> list[list[Scalar]]:
    """The homogeneous matrix from child to parent coordinates."""
    rows = [[*row, r] for row, r in zip(X.E.T.rows(), X.r, strict=True)]
    return [*rows, [0.0, 0.0, 0.0, 1.0]]


@dataclass(frozen=True, slots=True)
class ForceTransform:
    """The transpose of a transform."""

    X: Transform

    @overload
    def __matmul__(self, other: Force) -> Force: ...
    @overload
    def __matmul__(self, other: ForceSubspace) -> ForceSubspace: ...
    @overload
    def __matmul__(self, other: Inertia) -> HalfCongruence[Inertia]: ...
    @overload
    def __matmul__(self, other: ArticulatedInertia) -> HalfCongruence[ArticulatedInertia]: ...
    def __matmul__(self, other) -> Any:
        X = self.X
        if isinstance(other, Force):
            turn = X.E.T
            lin = turn @ other.lin
            return Force(turn @ other.ang + X.r.cross(lin), lin)
        if isinstance(other, ForceSubspace):
            return ForceSubspace(tuple(self @ column for column in other.columns))
        if isinstance(other, (Inertia, ArticulatedInertia)):
            return HalfCongruence(X, other)
        return NotImplemented


@dataclass(frozen=True, slots=True)
class HalfCongruence(Generic[AnyInertia]):
    """``X.T @ I``, waiting for its ``@ X``."""

    X: Transform
    inertia: AnyInertia

    def __matmul__(self, X: Transform) -> AnyInertia:
        if X is not self.X:
            raise ValueError("expected the same transform on both sides of X.T @ I @ X")
        inertia = self.inertia
        for factor in X.factors or (X,):
            inertia = cast(AnyInertia, inertia.moved(factor.E, factor.r))
        return inertia
