"""Rigid-body inertia (RBDA section 2.13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

from ..reprs import short_repr
from ..scalar import Scalar
from .frame_motion import FrameMotion
from .moments import Moments
from .subspace import ForceSubspace, Subspace
from .vec3 import Mat3, Sym3, Vec3
from .vectors import Force, Motion


@dataclass(frozen=True, slots=True)
class Inertia:
    """Mass ``m``, first moment ``h = m c`` and rotational inertia ``I`` about the origin."""

    m: Scalar
    h: Vec3
    I: Sym3

    __repr__ = short_repr

    @classmethod
    def zero(cls) -> Inertia:
        """Of a body without mass."""
        return cls(0.0, Vec3.zero(), Sym3.zero())

    @classmethod
    def about_com(cls, mass: Scalar, com: Vec3, inertia: Sym3) -> Inertia:
        """From mass, centre of mass, and inertia about it (RBDA eq. 2.63, p. 33)."""
        x, y, z = com
        shift = Sym3(y * y + z * z, -(x * y), -(x * z), z * z + x * x, -(y * z), x * x + y * y)
        return cls(mass, com * mass, inertia + shift * mass)

    @classmethod
    def of(cls, moments: Moments) -> Inertia:
        """From the moments of mass about the origin."""
        M = moments.M
        return cls(moments.m, moments.h, Sym3.diagonal(M.xx + M.yy + M.zz) - M)

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.m + other.m, self.h + other.h, self.I + other.I)

    @overload
    def __matmul__(self, other: Motion) -> Force: ...
    @overload
    def __matmul__(self, other: Subspace) -> ForceSubspace: ...
    def __matmul__(self, other):
        if isinstance(other, Motion):
            w, v = other.ang, other.lin
            return Force(self.I @ w + self.h.cross(v), v * self.m - self.h.cross(w))
        if isinstance(other, Subspace):
            return ForceSubspace(tuple(self @ column for column in other.columns))
        return NotImplemented

    def net_force(self, v: Motion, a: Motion) -> Force:
        """``I a + v x* I v`` (RBDA eq. 2.71), with fewer operations."""
        return self.moments().force(FrameMotion.of(v, a))

    def moments(self) -> Moments:
        """The moments of mass about the origin."""
        half = (self.I.xx + self.I.yy + self.I.zz) * 0.5
        return Moments(self.m, self.h, Sym3.diagonal(half) - self.I)

    def moved(self, E: Mat3, r: Vec3) -> Inertia:
        """``X^T I X`` for ``X = (E, r)``: this inertia in parent coordinates (RBDA eq. 2.66)."""
        H = E.T @ self.h
        C = H + r * self.m
        K = H + C
        I = self.I.rotated(E)
        xx, yy, zz = r.x * K.x, r.y * K.y, r.z * K.z
        shift = Sym3(
            yy + zz,
            -(H.x * r.y + r.x * C.y),
            -(H.x * r.z + r.x * C.z),
            zz + xx,
            -(H.y * r.z + r.y * C.z),
            xx + yy,
        )
        return Inertia(self.m, C, I + shift)
