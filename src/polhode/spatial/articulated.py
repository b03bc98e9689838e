"""Articulated-body inertia (RBDA section 7.1): symmetric, but not that of a rigid body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

from .inertia import Inertia
from .subspace import ForceSubspace, Subspace
from .vec3 import Mat3, Sym3, Vec3
from .vectors import Force, Motion


@dataclass(frozen=True, slots=True)
class ArticulatedInertia:
    """The blocks of ``[[I, H], [H^T, M]]``."""

    I: Sym3
    H: Mat3
    M: Sym3

    @classmethod
    def zero(cls) -> ArticulatedInertia:
        """No inertia."""
        return cls(Sym3.zero(), Mat3.zero(), Sym3.zero())

    @classmethod
    def of(cls, inertia: Inertia) -> ArticulatedInertia:
        """Of a rigid body."""
        return cls(inertia.I, inertia.h.skew(), Sym3.diagonal(inertia.m))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.I + other.I, self.H + other.H, self.M + other.M)

    def __sub__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.I - other.I, self.H - other.H, self.M - other.M)

    @overload
    def __matmul__(self, other: Motion) -> Force: ...
    @overload
    def __matmul__(self, other: Subspace) -> ForceSubspace: ...
    def __matmul__(self, other):
        if isinstance(other, Motion):
            w, v = other.ang, other.lin
            return Force(self.I @ w + self.H @ v, self.H.T @ w + self.M @ v)
        if isinstance(other, Subspace):
            return ForceSubspace(tuple(self @ column for column in other.columns))
        return NotImplemented

    def moved(self, E: Mat3, r: Vec3) -> ArticulatedInertia:
        """``X^T self X`` for ``X = (E, r)``: this inertia in parent coordinates."""
        M, H3 = self.M.rotated(E), self.H.rotated(E)
        H = H3 + r.skew() @ M.full()
        # what r x (..) adds to I is linear in the sum of H before and after
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = (H3 + H).rows()
        half = r * 0.5
        shift = Sym3(
            r.y * xz - r.z * xy,
            half.y * yz - half.x * xz + half.z * (xx - yy),
            half.x * xy - half.z * zy + half.y * (zz - xx),
            r.z * yx - r.x * yz,
            half.z * zx - half.y * yx + half.x * (yy - zz),
            r.x * zy - r.y * zx,
        )
        return ArticulatedInertia(self.I.rotated(E) + shift, H, M)

    def without(self, S: Subspace) -> ArticulatedInertia:
        """This inertia with exact zeros where ``self @ S == 0`` demands them.

        ``Ia = IA - U D^-1 U^T`` annihilates the joint's own motions (RBDA eq. 7.37),
        so rows and columns of coordinate axes that ``S`` spans are zero, not rounding.
        """
        w, v = S.unit_axes()
        return ArticulatedInertia(
            _masked(self.I, w),
            Mat3.of(
                tuple(
                    tuple(0.0 if a or b else x for x, b in zip(row, v, strict=True))
                    for row, a in zip(self.H.rows(), w, strict=True)
                )
            ),
            _masked(self.M, v),
        )


def _masked(A: Sym3, zero: tuple[bool, ...]) -> Sym3:
    x, y, z = zero
    return Sym3(
        0.0 if x else A.xx,
        0.0 if x or y else A.xy,
        0.0 if x or z else A.xz,
        0.0 if y else A.yy,
        0.0 if y or z else A.yz,
        0.0 if z else A.zz,
    )
