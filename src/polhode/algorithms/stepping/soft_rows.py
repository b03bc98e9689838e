"""Compliant contact, and friction that grows with the slip.

A spring ``k`` and damper ``d`` at a point act where the step ends:

    x / dt = -k (gap + dt u) - d u.

So the normal's law is that of a rigid point, for ``u + k gap / s + x / (s dt)`` with
``s = k dt + d`` in place of ``u``.  Before it touches that is ``u + gap / dt + x / (s dt)``, so
that nothing acts on bodies that stay apart.

With viscous friction the radius of the disk of friction is ``sqrt((mu x)^2 + w^2)``.  There ``w``
is the coefficient times ``dt`` and the slip without impulses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...scalar import Scalar, absolute, maximum, minimum, reciprocal, sqrt, where
from .blocks import TINY, ContactRows, Linear, Scalars, along, moved
from .contact_model import ContactLaw


class PointCompliance(NamedTuple):
    """What a point adds to the velocity of its normal, by gap and impulse, and its widening."""

    bias: Scalar
    compliance: Scalar
    widening: Scalar


def softness(
    law: ContactLaw, gap: Scalar, approach: Scalar, slip: Scalar, dt: Scalar
) -> PointCompliance:
    """That of a point without impulses of velocity ``approach`` along its normal, and a slip.

    A rigid point has the velocity zero where its gap closes with the step's end.
    """
    rigid = maximum(gap, 0.0) / dt
    widening = where(gap + dt * approach < 0.0, dt * law.viscous * slip, 0.0)
    if isinstance(law.stiffness, float) and law.stiffness == 0.0:
        return PointCompliance(rigid, 0.0, widening)
    is_soft = law.stiffness > 0.0
    gain = where(is_soft, law.stiffness * dt + law.damping, 1.0)
    bias = where(is_soft & (gap < 0.0), law.stiffness * gap / gain, rigid)
    return PointCompliance(bias, where(is_soft, reciprocal(gain * dt), 0.0), widening)


@dataclass(frozen=True)
class SoftContactRows(ContactRows):
    """A point of contact with a compliant normal, whose friction grows with the slip.

    ``ease`` and ``delassus`` of the normal are with its compliance.
    """

    compliance: Scalar = 0.0
    widening: Scalar = 0.0

    def relaxed(self, w: Scalars, x: Scalars) -> tuple[Scalars, Scalars]:
        normal, first, second = self.y[:3]
        n = self._pressed(along(normal, w, self.free[0]), x[0])
        w = moved(w, normal, n - x[0])
        u = along(first, w, self.free[1]), along(second, w, self.free[2])
        s, t = self._friction(n, u, x)
        return moved(moved(w, first, s - x[1]), second, t - x[2]), [n, s, t]

    def linear(self, u: Scalars, x: Scalars, stiffness: Scalar) -> Linear:
        """As of a rigid point; where it is pressed its impulse has the spring's compliance, too."""
        is_pressed = x[0] - (u[0] + self.compliance * x[0]) * self.ease[0] > self.least
        hard = stiffness * self.ease[0]
        hard = hard * reciprocal(1.0 + self.compliance * hard)
        stiff = where(is_pressed, hard, 0.0)
        rate = u[0] + self.compliance * x[0]
        k_n = where(is_pressed, -(rate * stiff), self.least - x[0])
        pressed = where(is_pressed, maximum(x[0], 0.0), self.least)
        most = self._radius(pressed)
        r = self.ease[1]
        z = x[1] - u[1] * r, x[2] - u[2] * r
        length = sqrt(z[0] * z[0] + z[1] * z[1] + TINY)
        sticks = length <= most
        inverse = reciprocal(length)
        c, s = z[0] * inverse, z[1] * inverse
        hold = stiffness * r
        turn = minimum(most * r * reciprocal(where(sticks, 1.0, length - most)), hold)
        across = turn * (c * u[2] - s * u[1])
        slope = self.mu * (self.mu * pressed) * reciprocal(most + TINY)
        slope = where(most > 0.0, slope, self.mu)
        follows = where(is_pressed & ~sticks, slope, 0.0)
        slide = most + follows * k_n
        k = [
            k_n,
            where(sticks, -(hold * u[1]), slide * c - x[1] + across * s),
            where(sticks, -(hold * u[2]), slide * s - x[2] - across * c),
        ]
        follows = follows * stiff
        cross = where(sticks, 0.0, -(turn * c * s))
        K = [
            [stiff, 0.0, 0.0],
            [follows * c, where(sticks, hold, turn * s * s), cross],
            [follows * s, cross, where(sticks, hold, turn * c * c)],
        ]
        return k, K

    def error(self, u: Scalars, x: Scalars) -> Scalar:
        n = self._pressed(u[0], x[0])
        s, t = self._friction(n, u[1:], x)
        slip = maximum(absolute(s - x[1]), absolute(t - x[2]))
        return maximum(absolute(n - x[0]) * self.delassus[0], slip * self.delassus[1])

    def rebounding(self, u: Scalars, x: Scalars) -> SoftContactRows:
        least = maximum(self.restitution * x[0], 0.0)
        free = u[0] + self.compliance * x[0], u[1], u[2]
        return replace(self, free=free, least=least)

    def _pressed(self, u: Scalar, x: Scalar) -> Scalar:
        """The projection of the normal impulse."""
        return maximum(x - (u + self.compliance * x) * self.ease[0], self.least)

    def _radius(self, n: Scalar) -> Scalar:
        """The radius of the disk of friction under a normal impulse."""
        if isinstance(self.widening, float) and self.widening == 0.0:
            return self.mu * n
        return sqrt(self.mu * n * (self.mu * n) + self.widening * self.widening)

    def _friction(
        self, n: Scalar, u: Sequence[Scalar], x: Sequence[Scalar]
    ) -> tuple[Scalar, Scalar]:
        r = self.ease[1]
        s, t = x[1] - u[0] * r, x[2] - u[1] * r
        share = minimum(self._radius(n) * reciprocal(sqrt(s * s + t * t + TINY)), 1.0)
        return s * share, t * share
