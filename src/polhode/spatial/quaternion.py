"""Unit quaternions ``w x y z`` for orientation (RBDA section 4.5 on Euler parameters)."""

from __future__ import annotations

from dataclasses import dataclass

from ..reprs import short_repr
from ..scalar import Scalar, absolute, atan2, cos, sin, sqrt, where
from .vec3 import Mat3, Vec3


@dataclass(frozen=True, slots=True)
class Quaternion:
    """Orientation of a frame: turn by ``h`` about ``u`` is ``(cos h/2, u sin h/2)``."""

    w: Scalar
    x: Scalar
    y: Scalar
    z: Scalar

    __repr__ = short_repr

    @classmethod
    def identity(cls) -> Quaternion:
        """No turn."""
        return cls(1.0, 0.0, 0.0, 0.0)

    @classmethod
    def about(cls, axis: Vec3, angle: Scalar) -> Quaternion:
        """A turn by ``angle`` [rad] about a unit ``axis``."""
        v = axis * sin(angle * 0.5)
        return cls(cos(angle * 0.5), v.x, v.y, v.z)

    @classmethod
    def exp(cls, turn: Vec3) -> Quaternion:
        """The turn whose rotation vector is ``turn`` [rad]; smooth, also at no turn at all.

        By series near zero, so that derivatives meet no root of zero.
        """
        square = turn.dot(turn) * 0.25
        is_near = square < 0.01
        half = sqrt(where(is_near, 1.0, square))
        cosine, sine_over_half = 1.0, 1.0
        for n in (8, 6, 4, 2):
            cosine = 1.0 - square * cosine * (1.0 / (n * (n - 1.0)))
            sine_over_half = 1.0 - square * sine_over_half * (1.0 / (n * (n + 1.0)))
        v = turn * (where(is_near, sine_over_half, sin(half) / half) * 0.5)
        return cls(where(is_near, cosine, cos(half)), v.x, v.y, v.z)

    @classmethod
    def from_matrix(cls, E: Mat3) -> Quaternion:
        """The orientation with coordinate rotation ``E``; accurate for every turn, ``w >= 0``.

        The largest of the four squared components is the pivot (Shepperd 1978).
        """
        (a, b, c), (d, e, f), (g, h, i) = E.rows()
        rows = (
            (1.0 + a + e + i, f - h, g - c, b - d),
            (f - h, 1.0 + a - e - i, b + d, g + c),
            (g - c, b + d, 1.0 - a + e - i, f + h),
            (b - d, g + c, f + h, 1.0 - a - e + i),
        )
        best, pivot = rows[0], rows[0][0]
        for k in range(1, 4):
            larger = rows[k][k] > pivot
            best = tuple(where(larger, x, y) for x, y in zip(rows[k], best, strict=True))
            pivot = where(larger, rows[k][k], pivot)
        flip = where(best[0] < 0.0, -1.0, 1.0)
        return cls(*(x * flip for x in best)).normalized()

    @property
    def vector(self) -> Vec3:
        """The entries x, y, z."""
        return Vec3(self.x, self.y, self.z)

    def __mul__(self, other: Quaternion) -> Quaternion:
        """The turn ``self`` followed, in the turned frame, by ``other``."""
        a, b = self, other
        return Quaternion(
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
            a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
        )

    def conjugate(self) -> Quaternion:
        """The turn back."""
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def matrix(self) -> Mat3:
        """Coordinate rotation ``E`` into the turned frame; the quaternion must be unit."""
        w, x, y, z = self.w, self.x + self.x, self.y + self.y, self.z + self.z
        xx, yy, zz = self.x * x, self.y * y, self.z * z
        xy, yz, zx = self.x * y, self.y * z, self.z * x
        wx, wy, wz = w * x, w * y, w * z
        return Mat3.of(
            (
                (1.0 - (yy + zz), xy + wz, zx - wy),
                (xy - wz, 1.0 - (zz + xx), yz + wx),
                (zx + wy, yz - wx, 1.0 - (xx + yy)),
            )
        )

    def log(self) -> Vec3:
        """The shortest rotation vector [rad] of this turn; accurate near zero and near pi."""
        v = self.vector
        square, w = v.dot(v), absolute(self.w)
        is_near = square < 1e-4
        sine = sqrt(where(is_near, 1.0, square))
        cosine = where(is_near, w, 1.0)
        tangent = square / (cosine * cosine)
        series = (1.0 - tangent * (1 / 3 - tangent * (1 / 5 - tangent * (1 / 7)))) * 2.0 / cosine
        scale = where(is_near, series, atan2(sine, w) * 2.0 / sine)
        return v * where(self.w < 0.0, -scale, scale)

    def norm(self) -> Scalar:
        """The length."""
        return sqrt(self.w * self.w + self.vector.dot(self.vector))

    def normalized(self) -> Quaternion:
        """The same turn, of length 1."""
        n = self.norm()
        return Quaternion(self.w / n, self.x / n, self.y / n, self.z / n)

    def rate(self, omega: Vec3) -> Quaternion:
        """Time derivative for the body-frame angular velocity ``omega`` (RBDA eq. 4.13)."""
        half = omega * 0.5
        return self * Quaternion(0.0, half.x, half.y, half.z)
