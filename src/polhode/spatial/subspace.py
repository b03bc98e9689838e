"""Motion and force subspaces of a joint: a few six-vectors side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from ..scalar import Scalar
from .vectors import Force, Motion

Rows = tuple[tuple[Scalar, ...], ...]


class JointVector(tuple[Scalar, ...]):
    """One scalar for each column of a joint's subspace; ``+ -`` take any sequence beside it."""

    __slots__ = ()
    __array_ufunc__ = None

    def __add__(self, other: Sequence[Scalar]) -> JointVector:  # type: ignore[override]
        return JointVector(x + y for x, y in zip(self, other, strict=True))

    def __sub__(self, other: Sequence[Scalar]) -> JointVector:
        return JointVector(x - y for x, y in zip(self, other, strict=True))

    def __rsub__(self, other: Sequence[Scalar]) -> JointVector:
        return JointVector(y - x for x, y in zip(self, other, strict=True))


@dataclass(frozen=True, slots=True)
class JointDiagonal:
    """A diagonal matrix in a joint's coordinates, such as the inertia of its rotors."""

    entries: tuple[Scalar, ...]

    @property
    def is_zero(self) -> bool:
        """Whether all entries are exact zeros."""
        return all(isinstance(x, (float, int)) and x == 0.0 for x in self.entries)

    def __matmul__(self, rates: Sequence[Scalar]) -> JointVector:
        return JointVector(x * rate for x, rate in zip(self.entries, rates, strict=True))

    def __radd__(self, rows: Rows) -> Rows:
        return tuple(
            tuple(y + x if j == k else y for j, y in enumerate(row))
            for k, (row, x) in enumerate(zip(rows, self.entries, strict=True))
        )


@dataclass(frozen=True, slots=True)
class Subspace:
    """The columns of a joint's motion subspace matrix ``S``, 6 x n."""

    columns: tuple[Motion, ...]

    @property
    def T(self) -> TransposedSubspace:
        """The transpose: its product with a force is a number for each column."""
        return TransposedSubspace(self.columns)

    def __matmul__(self, rates: Sequence[Scalar]) -> Motion:
        """``S @ qd``, for as many scalars as there are columns."""
        total = Motion.zero()
        for column, rate in zip(self.columns, rates, strict=True):
            total = total + column * rate
        return total

    def unit_axes(self) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """Which angular and which linear coordinate axes are columns, up to sign."""
        spanned = [False] * 6
        for column in self.columns:
            entries = tuple(column)
            constant = all(isinstance(x, (float, int)) for x in entries)
            if constant and sum(abs(x) for x in entries) == 1.0 == max(abs(x) for x in entries):
                spanned[[abs(x) for x in entries].index(1.0)] = True
        return tuple(spanned[:3]), tuple(spanned[3:])


@dataclass(frozen=True, slots=True)
class ForceSubspace:
    """Six-vectors of force side by side, such as ``F = Ic @ S``."""

    columns: tuple[Force, ...]

    @property
    def T(self) -> TransposedForceSubspace:
        """The transpose: its product with a motion is a number for each column."""
        return TransposedForceSubspace(self.columns)

    def __matmul__(self, weights: Sequence[Scalar]) -> Force:
        total = Force.zero()
        for column, weight in zip(self.columns, weights, strict=True):
            total = total + column * weight
        return total


@dataclass(frozen=True, slots=True)
class TransposedSubspace:
    """``S.T``: applied to a force it gives the joint's generalised forces."""

    rows: tuple[Motion, ...]

    @overload
    def __matmul__(self, other: Force) -> JointVector: ...
    @overload
    def __matmul__(self, other: ForceSubspace) -> Rows: ...
    def __matmul__(self, other):
        if isinstance(other, Force):
            return JointVector(row.dot(other) for row in self.rows)
        if isinstance(other, ForceSubspace):
            return tuple(tuple(row.dot(f) for f in other.columns) for row in self.rows)
        return NotImplemented


@dataclass(frozen=True, slots=True)
class TransposedForceSubspace:
    """``F.T``: applied to a motion it gives one scalar for each column."""

    rows: tuple[Force, ...]

    @overload
    def __matmul__(self, other: Motion) -> JointVector: ...
    @overload
    def __matmul__(self, other: Subspace) -> Rows: ...
    def __matmul__(self, other):
        if isinstance(other, Motion):
            return JointVector(row.dot(other) for row in self.rows)
        if isinstance(other, Subspace):
            return tuple(tuple(row.dot(m) for m in other.columns) for row in self.rows)
        return NotImplemented
