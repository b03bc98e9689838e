"""Principal axes of inertia in MuJoCo's order and with its signs."""

from __future__ import annotations

from ...model.fluids import principal_axes
from ...spatial import Mat3, Quaternion

_SAME = 1e-6  # of the components of a quaternion
_EQUAL = 1e-12  # moments that differ by less keep their order [kg m^2]


def sorted_axes(inertia: Mat3, precision: float = 1e-14) -> Mat3:
    """Coordinate rotation to the principal axes, that of the largest moment first.

    Quarter turns about the third axis swap two, so the axes stay near those of the body.
    """
    axes = list(principal_axes(inertia, precision))
    for k in (0, 1, 0):
        first, second = (x.dot(inertia @ x) for x in axes[k : k + 2])
        if first + _EQUAL < second:
            axes[k], axes[k + 1] = axes[k + 1], -axes[k]
    return Mat3(*axes)


def as_kept(E: Mat3) -> Mat3:
    """A rotation from a body's axes, where MuJoCo takes one that hardly turns for none."""
    turn = Quaternion.from_matrix(E)
    return Mat3.identity() if max(map(abs, (turn.x, turn.y, turn.z))) < _SAME else E
