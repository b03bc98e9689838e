"""Torsional and rolling friction: torques between bodies that touch.

Each opposes an entry of the relative angular velocity, and is at most a length times the normal
impulse.  Torsional friction is about the normal.  Rolling friction is across it, along the angular
velocity and at right angles to that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...scalar import Scalar, absolute, maximum, minimum, reciprocal, sqrt, where
from ...spatial import Force, Motion, Vec3
from .blocks import TINY, Linear, Scalars, along
from .inertia import Row, StepInertia
from .soft_rows import SoftContactRows

LEAST_SPIN = 1e-12  # rad/s, below which the first axis of rolling friction is any tangent


@dataclass(frozen=True)
class RollingContactRows(SoftContactRows):
    """A point of contact with more rows, of torques.

    ``y``, ``free``, ``ease`` and ``delassus`` have an entry more for each of ``arms``, the lengths
    of which the normal impulse is multiplied [m].
    """

    arms: Sequence[Scalar] = ()

    def relaxed(self, u: Scalars, x: Scalars, products: Sequence[Sequence[Scalar]]) -> Scalars:
        found = super().relaxed(u, x, products)
        for k, arm in enumerate(self.arms, 3):
            rate = u[k]
            for product, new, old in zip(products[k], found, x, strict=False):
                rate = rate + product * (new - old)
            found.append(self._torque(k, rate, x[k], arm * found[0]))
        return found

    def linear(self, u: Scalars, x: Scalars, stiffness: Scalar) -> Linear:
        """As of a point; torques hold, or follow the normal impulse."""
        k, K = super().linear(u, x, stiffness)
        stiff, more = K[0][0], [0.0] * len(self.arms)
        is_pressed = stiff > 0.0
        pressed = where(is_pressed, maximum(x[0], 0.0), self.least)
        k, K = list(k), [[*row, *more] for row in K]
        for n, arm in enumerate(self.arms, 3):
            ease, most = self.ease[n - 1], arm * pressed
            z = x[n] - u[n] * ease
            holds = absolute(z) < most
            side = where(z < 0.0, -1.0, 1.0)
            hold = where(holds, stiffness * ease, 0.0)
            follows = where(is_pressed & ~holds, side * arm, 0.0)
            k.append(where(holds, -(u[n] * hold), side * most - x[n] + follows * k[0]))
            row: Scalars = [0.0] * len(x)
            row[0], row[n] = follows * stiff, hold
            K.append(row)
        return k, K

    def error(self, u: Scalars, x: Scalars) -> Scalar:
        error = super().error(u[:3], x)
        n = self._pressed(u[0], x[0])
        for k, arm in enumerate(self.arms, 3):
            off = self._torque(k, u[k], x[k], arm * n) - x[k]
            error = maximum(error, absolute(off) * self.delassus[k - 1])
        return error

    def _torque(self, k: int, u: Scalar, x: Scalar, most: Scalar) -> Scalar:
        return maximum(minimum(x - u * self.ease[k - 1], most), -most)


class TorqueRows(NamedTuple):
    """``y``, velocities without impulses, what unit impulses change, and arms [m]."""

    y: Sequence[Row]
    free: Sequence[Scalar]
    delassus: Sequence[Scalar]
    arms: Sequence[Scalar]


def rolling_axes(normal: Vec3, spin: Vec3, tangent: Vec3) -> tuple[Vec3, Vec3]:
    """Along an angular velocity across a normal, else a tangent; and at right angles to it."""
    across = spin - normal * normal.dot(spin)
    length = sqrt(across.dot(across))
    turns = length > LEAST_SPIN
    share = reciprocal(where(turns, length, 1.0))
    first = Vec3(*(where(turns, a * share, t) for a, t in zip(across, tangent, strict=True)))
    return first, normal.cross(first)


def spin_of(columns: Mapping[int, Motion], entry: Sequence[int], free: Sequence[Scalar]) -> Vec3:
    """The angular velocity of one body against another."""
    spin = Vec3.zero()
    for k, axis in columns.items():
        spin = spin + axis.ang * free[entry[k]]
    return spin


def torque_rows(
    columns: Mapping[int, Motion],
    axes: Sequence[Vec3],
    arms: Sequence[Scalar],
    spin: Vec3,
    inertia: StepInertia,
) -> TorqueRows:
    """Those about some axes."""
    rows = []
    for axis in axes:
        wrench = Force(axis, Vec3.zero())
        rows.append(inertia.row_of_axes({k: wrench.dot(s) for k, s in columns.items()}))
    rates, own = [axis.dot(spin) for axis in axes], [along(y, y) + TINY for y in rows]
    return TorqueRows(rows, rates, own, arms)
