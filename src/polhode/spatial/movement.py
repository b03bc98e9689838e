"""How a frame moves, as an observer measures it (RBDA section 2.11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .vec3 import Mat3, Vec3
from .vectors import Motion

if TYPE_CHECKING:
    from .transform import Transform


@dataclass(frozen=True, slots=True)
class Movement:
    """Spin ``w`` of a frame, its rate ``dw``, and the acceleration ``acc`` of its origin.

    The spatial acceleration is ``(dw, acc - w x velocity)``.  Forces and the movement of
    other frames of the same body need no velocity but the spin, so none is kept.
    """

    w: Vec3
    dw: Vec3
    acc: Vec3

    __array_ufunc__ = None

    @classmethod
    def of(cls, v: Motion, a: Motion) -> Movement:
        """From spatial velocity and acceleration."""
        return cls(v.ang, a.ang, a.lin + v.ang.cross(v.lin))

    def across(self, X: Transform, vJ: Motion, aJ: Motion) -> Movement:
        """The movement of a child's frame: ``X`` leads to it, ``vJ`` and ``aJ`` are relative.

        ``aJ`` is the joint's spatial acceleration ``S qdd + cJ``.
        """
        w, dw = X.E @ self.w, X.E @ self.dw
        carried = X.E @ (self.acc + self.gradient() @ X.r)
        return Movement(
            w + vJ.ang,
            dw + w.cross(vJ.ang) + aJ.ang,
            carried + (w * 2.0 + vJ.ang).cross(vJ.lin) + aJ.lin,
        )

    def gradient(self) -> Mat3:
        """``A = dw x + w x w x``: what is at ``r`` has the acceleration ``acc + A r``."""
        (wx, wy, wz), (dx, dy, dz) = self.w, self.dw
        xx, yy, zz, xy, yz, zx = wx * wx, wy * wy, wz * wz, wx * wy, wy * wz, wz * wx
        return Mat3.of(
            (
                (-(yy + zz), xy - dz, zx + dy),
                (xy + dz, -(zz + xx), yz - dx),
                (zx - dy, yz + dx, -(xx + yy)),
            )
        )
