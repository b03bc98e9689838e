"""Laws of rows relaxed by ``r`` [J]: products that exact laws have at zero are ``r``.

An impulse ``x`` minimises its power with the velocity ``u`` of its row, and a barrier.  That of a
pressure is ``u x - r log x``:

    x u = r.

That of friction in a disk of radius ``R`` is ``u.x - r/2 log(R^2 - x.x)``:

    x = -2 R^2 u / (r + sqrt(r^2 + 4 R^2 u.u)).

The force of a point that is open by ``d`` where the step ends is ``r / d``.  Friction that would
hold creeps.  These are conditions of interior-point methods (Howell et al. 2022, "Dojo").
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...compiler.jit import jit

TURNS = 60  # of Newton's method at most; a slip is found in ten
ROUNDING = 1e-15


class Slip(NamedTuple):
    """Friction at a slip.

    ``speed`` is that of the slip, ``x`` the impulse against it.  ``along`` and ``across`` are how
    much impulses change with velocities along the slip and across it, ``follows`` how much ``x``
    grows with the radius of the disk.
    """

    speed: float
    x: float
    along: float
    across: float
    follows: float


@jit
def pressed(z: float, hold: float, r: float):
    """The relaxed projection of an impulse that presses: ``x (x - z) = r hold``."""
    root = math.sqrt(z * z + 4.0 * hold * r)
    return 0.5 * (z + root) if z > 0.0 else 2.0 * hold * r / (root - z)


@jit
def press_slope(x: float, compliance: float, r: float):
    """How much a pressure falls with the velocity of its row."""
    return x * x / (r + compliance * x * x)


@jit
def slip_at(speed: float, radius: float, r: float):
    """Friction at a slip of so much speed."""
    a = 2.0 * radius * speed / r
    root = math.sqrt(1.0 + a * a)
    across = 2.0 * radius * radius / (r * (1.0 + root))
    return Slip(speed, radius * a / (1.0 + root), across / root, across, a / root)


@jit
def slip_of(length: float, radius: float, hold: float, r: float):
    """The relaxed projection on a disk: the slip at which ``x + hold speed`` is ``length``.

    That grows with the speed, and ever less, so Newton's method from below stays there.
    """
    found = slip_at(
        max(length / (hold + radius * radius / r), (length - radius) / hold, 0.0), radius, r
    )
    for _ in range(TURNS):
        missed = length - found.x - hold * found.speed
        if not missed > ROUNDING * length:
            break
        found = slip_at(found.speed + missed / (hold + found.along), radius, r)
    return found
