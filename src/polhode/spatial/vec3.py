"""Vectors and matrices of ordinary space, as frozen records of scalars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from ..reprs import short, short_repr
from ..scalar import Scalar


@dataclass(frozen=True, slots=True)
class Vec3:
    """Three components; multiply by a scalar on the right."""

    x: Scalar
    y: Scalar
    z: Scalar

    __array_ufunc__ = None  # an ndarray on the left leaves the operation to us

    @classmethod
    def zero(cls) -> Vec3:
        """All entries zero."""
        return cls(0.0, 0.0, 0.0)

    @classmethod
    def of(cls, values: Sequence[Scalar]) -> Vec3:
        """Of three numbers."""
        x, y, z = values
        return cls(x, y, z)

    def __iter__(self) -> Iterator[Scalar]:
        yield self.x
        yield self.y
        yield self.z

    def __getitem__(self, k: int) -> Scalar:
        """Component ``k``, 0 to 2."""
        return (self.x, self.y, self.z)[k]

    def __add__(self, other: Vec3) -> Vec3:
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec3) -> Vec3:
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, factor: Scalar) -> Vec3:
        return Vec3(self.x * factor, self.y * factor, self.z * factor)

    __rmul__ = __mul__

    def dot(self, other: Vec3) -> Scalar:
        """The scalar product."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: Vec3) -> Vec3:
        """The vector product."""
        return Vec3(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    def skew(self) -> Mat3:
        """The matrix ``rx`` with ``rx @ v == r.cross(v)`` (RBDA eq. 2.23)."""
        return Mat3(
            Vec3(0.0, -self.z, self.y), Vec3(self.z, 0.0, -self.x), Vec3(-self.y, self.x, 0.0)
        )

    def outer(self, other: Vec3) -> Mat3:
        """The dyad ``self other^T``."""
        return Mat3(other * self.x, other * self.y, other * self.z)

    def __repr__(self) -> str:
        return f"Vec3{short(tuple(self))}"


@dataclass(frozen=True, slots=True)
class Mat3:
    """A 3x3 matrix, kept as its three rows."""

    x: Vec3
    y: Vec3
    z: Vec3

    __array_ufunc__ = None

    @classmethod
    def of(cls, rows: Sequence[Sequence[Scalar]]) -> Mat3:
        """Of three rows."""
        x, y, z = rows
        return cls(Vec3.of(x), Vec3.of(y), Vec3.of(z))

    @classmethod
    def identity(cls) -> Mat3:
        """Ones on the diagonal."""
        return cls(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))

    @classmethod
    def zero(cls) -> Mat3:
        """All entries zero."""
        return cls(Vec3.zero(), Vec3.zero(), Vec3.zero())

    def __iter__(self) -> Iterator[Vec3]:
        yield self.x
        yield self.y
        yield self.z

    @property
    def T(self) -> Mat3:
        """The transpose."""
        return Mat3(
            Vec3(self.x.x, self.y.x, self.z.x),
            Vec3(self.x.y, self.y.y, self.z.y),
            Vec3(self.x.z, self.y.z, self.z.z),
        )

    def __add__(self, other: Mat3) -> Mat3:
        return Mat3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Mat3) -> Mat3:
        return Mat3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Mat3:
        return Mat3(-self.x, -self.y, -self.z)

    def __mul__(self, factor: Scalar) -> Mat3:
        return Mat3(self.x * factor, self.y * factor, self.z * factor)

    __rmul__ = __mul__

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Mat3) -> Mat3: ...
    def __matmul__(self, other):
        if isinstance(other, Vec3):
            return Vec3(self.x.dot(other), self.y.dot(other), self.z.dot(other))
        if isinstance(other, Mat3):
            columns = other.T
            return Mat3(columns @ self.x, columns @ self.y, columns @ self.z)
        return NotImplemented

    def rotated(self, E: Mat3) -> Mat3:
        """The congruence ``E^T self E``."""
        return E.turned(self) if isinstance(E, PlaneRotation) else E.T @ (self @ E)

    def rows(self) -> tuple[tuple[Scalar, ...], ...]:
        """The entries as nested tuples."""
        return tuple(self.x), tuple(self.y), tuple(self.z)

    @property
    def is_monomial(self) -> bool:
        """Whether it only permutes coordinates and changes signs, so that it costs nothing."""
        entries = [x for row in self for x in row]
        constant = all(isinstance(x, (float, int)) for x in entries)
        return constant and sorted(map(abs, entries)) == [0.0] * 6 + [1.0] * 3

    def __repr__(self) -> str:
        return f"Mat3{short(self.rows())}"


@dataclass(frozen=True, slots=True, repr=False)
class PlaneRotation(Mat3):
    """Coordinate rotation about one of the axes, which it remembers.

    ``axis`` is 0, 1 or 2; ``c`` and ``s`` are cosine and sine of the angle.
    """

    axis: int
    c: Scalar
    s: Scalar

    @classmethod
    def about(cls, axis: int, c: Scalar, s: Scalar) -> PlaneRotation:
        """A coordinate rotation about one of the axes, 0 to 2, by sine and cosine."""
        i, j = (axis + 1) % 3, (axis + 2) % 3
        rows: list[list[Scalar]] = [[0.0] * 3 for _ in range(3)]
        rows[axis][axis], rows[i][i], rows[j][j], rows[i][j], rows[j][i] = 1.0, c, c, s, -s
        x, y, z = map(Vec3.of, rows)
        return cls(x, y, z, axis, c, s)

    def turned(self, A: Mat3) -> Mat3:
        """``self^T A self``, with the double angle taken from ``c^2 + s^2 = 1``."""
        c, s, k = self.c, self.s, self.axis
        i, j = (k + 1) % 3, (k + 2) % 3
        full = A.rows()
        spread, twice = full[j][j] - full[i][i], full[i][j] + full[j][i]
        ss, cs = s * s, c * s
        along, across = ss * spread - cs * twice, cs * spread + ss * twice
        rows = [[0.0] * 3 for _ in range(3)]
        rows[k][k] = full[k][k]
        rows[i][i], rows[j][j] = full[i][i] + along, full[j][j] - along
        rows[i][j], rows[j][i] = full[i][j] - across, full[j][i] - across
        rows[i][k], rows[j][k] = c * full[i][k] - s * full[j][k], s * full[i][k] + c * full[j][k]
        rows[k][i], rows[k][j] = c * full[k][i] - s * full[k][j], s * full[k][i] + c * full[k][j]
        return Mat3.of(rows)


@dataclass(frozen=True, slots=True)
class Sym3:
    """A symmetric 3x3 matrix, kept as its upper triangle."""

    xx: Scalar
    xy: Scalar
    xz: Scalar
    yy: Scalar
    yz: Scalar
    zz: Scalar

    __array_ufunc__ = None
    __repr__ = short_repr

    @classmethod
    def zero(cls) -> Sym3:
        """All entries zero."""
        return cls(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    @classmethod
    def diagonal(cls, d: Scalar) -> Sym3:
        """The same number three times."""
        return cls(d, 0.0, 0.0, d, 0.0, d)

    @classmethod
    def lower(cls, matrix: Mat3) -> Sym3:
        """The symmetric matrix whose lower triangle is that of ``matrix``."""
        _, y, z = matrix
        return cls(matrix.x.x, y.x, z.x, y.y, z.y, z.z)

    @classmethod
    def upper(cls, matrix: Mat3) -> Sym3:
        """The symmetric matrix whose upper triangle is that of ``matrix``."""
        x, y, _ = matrix
        return cls(x.x, x.y, x.z, y.y, y.z, matrix.z.z)

    def full(self) -> Mat3:
        """All nine entries."""
        return Mat3(
            Vec3(self.xx, self.xy, self.xz),
            Vec3(self.xy, self.yy, self.yz),
            Vec3(self.xz, self.yz, self.zz),
        )

    def __add__(self, other: Sym3) -> Sym3:
        return Sym3(
            self.xx + other.xx,
            self.xy + other.xy,
            self.xz + other.xz,
            self.yy + other.yy,
            self.yz + other.yz,
            self.zz + other.zz,
        )

    def __sub__(self, other: Sym3) -> Sym3:
        return Sym3(
            self.xx - other.xx,
            self.xy - other.xy,
            self.xz - other.xz,
            self.yy - other.yy,
            self.yz - other.yz,
            self.zz - other.zz,
        )

    def __mul__(self, factor: Scalar) -> Sym3:
        return Sym3(
            self.xx * factor,
            self.xy * factor,
            self.xz * factor,
            self.yy * factor,
            self.yz * factor,
            self.zz * factor,
        )

    __rmul__ = __mul__

    def __matmul__(self, v: Vec3) -> Vec3:
        return self.full() @ v

    def rotated(self, E: Mat3) -> Sym3:
        """The congruence ``E^T self E``."""
        if isinstance(E, PlaneRotation):
            return Sym3.upper(E.turned(self.full()))
        half = self.full() @ E  # then only the upper triangle of E^T half
        a, b, c = E.T
        hx, hy, hz = half.T
        return Sym3(a.dot(hx), a.dot(hy), a.dot(hz), b.dot(hy), b.dot(hz), c.dot(hz))
