"""Torsional and rolling friction: torques between bodies that touch.

Torsional friction is a torque about the normal, rolling friction one across it, in a disk.  Each
opposes the relative angular velocity, and is at most a length times the normal impulse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...scalar import Scalar, absolute, logical_not, maximum, minimum, where
from ...spatial import Force, Motion, Vec3
from .blocks import TINY, Linear, Scalars, along, greatest_of_two, linear_in_disk, nearest_in_disk
from .inertia import Row, StepInertia
from .soft_rows import SoftContactRows


@dataclass(frozen=True)
class RollingContactRows(SoftContactRows):
    """A point of contact with more rows, of torques.

    ``y`` and ``free`` have one more for torsional friction and two for rolling friction, ``ease``
    and ``delassus`` an entry for each of both.  So have ``arms``, the lengths of which the normal
    impulse is multiplied [m].
    """

    arms: Sequence[Scalar] = ()

    def relaxed(self, u: Scalars, x: Scalars, products: Sequence[Sequence[Scalar]]) -> Scalars:
        found = super().relaxed(u, x, products)
        for k, height, ease, arm in self._torques():
            rates = []
            for row in range(k, k + height):
                rate = u[row]
                for product, new, old in zip(products[row], found[:k], x, strict=False):
                    rate = rate + product * (new - old)
                rates.append(rate)
            found += _projected(rates, x[k : k + height], ease, arm * found[0])
        return found

    def linear(self, u: Scalars, x: Scalars, stiffness: Scalar) -> Linear:
        """As of a point; torques hold, or follow the normal impulse."""
        k, K = super().linear(u, x, stiffness)
        stiff, n = K[0][0], len(x)
        is_pressed = stiff > 0.0
        pressed = where(is_pressed, maximum(x[0], 0.0), self.least)
        k, K = list(k), [[*row, *[0.0] * (n - 3)] for row in K]
        for first, height, ease, arm in self._torques():
            end, most = first + height, arm * pressed
            form, normal = _linear_in_range if height == 1 else linear_in_disk, (k[0], stiff)
            of_rows = u[first:end], x[first:end]
            steps, slopes = form(*of_rows, normal, (most, arm), (ease, stiffness))
            k += steps
            for along_normal, *own in slopes:
                row: Scalars = [0.0] * n
                row[0], row[first:end] = along_normal, own
                K.append(row)
        return k, K

    def error(self, u: Scalars, x: Scalars) -> Scalar:
        error = super().error(u[:3], x)
        n = self._pressed(u[0], x[0])
        for k, height, ease, arm in self._torques():
            own = self.delassus[2 if k == 3 else 3]
            found = _projected(u[k : k + height], x[k : k + height], ease, arm * n)
            for new, old in zip(found, x[k:], strict=False):
                error = maximum(error, absolute(new - old) * own)
        return error

    def _torques(self) -> list[tuple[int, int, Scalar, Scalar]]:
        """First row, number of rows, ease and arm of each torque."""
        heights = [1, 2] if len(self.arms) == 2 else [len(self.y) - 3]
        return list(zip((3, 4), heights, self.ease[2:], self.arms, strict=False))


def _projected(u: Scalars, x: Scalars, ease: Scalar, most: Scalar) -> Scalars:
    """Nearest to ``x - u ease`` of the torques that there may be."""
    z = [b - a * ease for a, b in zip(u, x, strict=True)]
    if len(z) == 1:
        return [maximum(minimum(z[0], most), -most)]
    return list(nearest_in_disk(z[0], z[1], most))


def _linear_in_range(
    u: Scalars,
    x: Scalars,
    normal: tuple[Scalar, Scalar],
    bound: tuple[Scalar, Scalar],
    hold: tuple[Scalar, Scalar],
) -> Linear:
    """As `linear_in_disk`, of one impulse between bounds."""
    (k_n, stiff), (most, arm), (ease, stiffness) = normal, bound, hold
    z = x[0] - u[0] * ease
    holds = absolute(z) < most
    side = where(z < 0.0, -1.0, 1.0)
    held = where(holds, stiffness * ease, 0.0)
    follows = where((stiff > 0.0) & logical_not(holds), side * arm, 0.0)
    k = where(holds, -(u[0] * held), side * most - x[0] + follows * k_n)
    return [k], [[follows * stiff, held]]


class TorqueRows(NamedTuple):
    """``y``, velocities without impulses, what unit impulses change, and arms [m]."""

    y: list[Row]
    free: Scalars
    delassus: Scalars
    arms: Scalars


def spin_of(columns: Mapping[int, Motion], entry: Sequence[int], free: Sequence[Scalar]) -> Vec3:
    """The angular velocity of one body against another."""
    spin = Vec3.zero()
    for k, axis in columns.items():
        spin = spin + axis.ang * free[entry[k]]
    return spin


def torque_rows(
    columns: Mapping[int, Motion],
    torques: Sequence[tuple[Scalar, Sequence[Vec3]]],
    spin: Vec3,
    inertia: StepInertia,
) -> TorqueRows:
    """Those of some arms, each about one or two axes."""
    found = TorqueRows([], [], [], [])
    for arm, axes in torques:
        rows = []
        for axis in axes:
            wrench = Force(axis, Vec3.zero())
            rows.append(inertia.row_of_axes({k: wrench.dot(s) for k, s in columns.items()}))
        own = along(rows[0], rows[0]) if len(rows) == 1 else greatest_of_two(*rows)
        found.y.extend(rows)
        found.free.extend(axis.dot(spin) for axis in axes)
        found.delassus.append(own + TINY)
        found.arms.append(arm)
    return found
