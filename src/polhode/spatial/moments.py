"""Moments of mass of a body, of order zero, one and two."""

from __future__ import annotations

from dataclasses import dataclass

from ..reprs import short_repr
from ..scalar import Scalar
from .frame_motion import FrameMotion
from .vec3 import Mat3, Sym3, Vec3
from .vectors import Force


@dataclass(frozen=True, slots=True)
class Moments:
    """Mass ``m = sum dm``, ``h = sum r dm`` and ``M = sum r r^T dm``, about the origin.

    They are what a rigid-body inertia holds, in other numbers: ``I = trace(M) 1 - M``.
    """

    m: Scalar
    h: Vec3
    M: Sym3

    __repr__ = short_repr

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.m + other.m, self.h + other.h, self.M + other.M)

    def force(self, at: FrameMotion) -> Force:
        """The force that makes a body move so: ``I a + v x* I v`` (RBDA eq. 2.71).

        It is the sum of ``dm (acc + A r)`` over the particles, ``A`` being the gradient of their
        accelerations; the terms are collected by moments of mass.
        """
        A, M = at.gradient(), self.M
        wx, wy, wz = at.w
        xx, yy, zz = wx * wx, wy * wy, wz * wz
        moment = Vec3(
            M.yz * (zz - yy) + A.z.x * M.xy - A.y.x * M.xz + A.z.y * M.yy - A.y.z * M.zz,
            M.xz * (xx - zz) + A.x.y * M.yz - A.z.y * M.xy + A.x.z * M.zz - A.z.x * M.xx,
            M.xy * (yy - xx) + A.y.z * M.xz - A.x.z * M.yz + A.y.x * M.xx - A.x.y * M.yy,
        )
        return Force(moment + self.h.cross(at.acc), at.acc * self.m + A @ self.h)

    def moved(self, E: Mat3, r: Vec3) -> Moments:
        """These moments, of a body in a child's frame ``X = (E, r)``, in the parent's."""
        h = E.T @ self.h
        H = h + r * self.m
        rh, hr = r.outer(H), h.outer(r)
        shift = Sym3(
            rh.x.x + hr.x.x,
            rh.x.y + hr.x.y,
            rh.x.z + hr.x.z,
            rh.y.y + hr.y.y,
            rh.y.z + hr.y.z,
            rh.z.z + hr.z.z,
        )
        return Moments(self.m, H, self.M.rotated(E) + shift)
