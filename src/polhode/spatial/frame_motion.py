"""Motion of a frame, by the classical acceleration of its origin (RBDA section 2.11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .vec3 import Mat3, Vec3
from .vectors import Motion

if TYPE_CHECKING:
    from .transform import Transform


@dataclass(frozen=True, slots=True)
class FrameMotion:
    """Angular velocity ``w`` and acceleration ``alpha`` of a frame, and its origin's ``acc``.

    ``acc`` is the classical acceleration: the spatial one is ``(alpha, acc - w x velocity)``.
    Forces and the motion of other frames of the same body need no linear velocity.
    """

    w: Vec3
    alpha: Vec3
    acc: Vec3

    __array_ufunc__ = None

    @classmethod
    def of(cls, v: Motion, a: Motion) -> FrameMotion:
        """From spatial velocity and acceleration."""
        return cls(v.ang, a.ang, a.lin + v.ang.cross(v.lin))

    def outward(self, X: Transform, vJ: Motion, aJ: Motion) -> FrameMotion:
        """The motion of a child's frame: ``X`` leads to it, ``vJ`` and ``aJ`` are relative.

        ``aJ`` is the joint's spatial acceleration ``S qdd + cJ``.
        """
        w, alpha = X.E @ self.w, X.E @ self.alpha
        carried = X.E @ (self.acc + self.gradient() @ X.r)
        return FrameMotion(
            w + vJ.ang,
            alpha + w.cross(vJ.ang) + aJ.ang,
            carried + (w * 2.0 + vJ.ang).cross(vJ.lin) + aJ.lin,
        )

    def gradient(self) -> Mat3:
        """``A = alpha x + w x w x``: a point at ``r`` has the acceleration ``acc + A r``."""
        (wx, wy, wz), (dx, dy, dz) = self.w, self.alpha
        xx, yy, zz, xy, yz, zx = wx * wx, wy * wy, wz * wz, wx * wy, wy * wz, wz * wx
        return Mat3.of(
            (
                (-(yy + zz), xy - dz, zx + dy),
                (xy + dz, -(zz + xx), yz - dx),
                (zx - dy, yz + dx, -(xx + yy)),
            )
        )
