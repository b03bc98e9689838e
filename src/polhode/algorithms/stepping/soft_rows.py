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

from dataclasses import dataclass, replace
from typing import NamedTuple

from ...scalar import Scalar, maximum, reciprocal, sqrt, where
from .blocks import TINY, ContactRows, Linear, Scalars
from .candidates import waiting
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
    rigid = waiting(gap, dt)
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
        slope = self.mu * (self.mu * pressed) * reciprocal(most + TINY)
        slope = where(most > 0.0, slope, self.mu)
        return self._rubbing(u, x, (k_n, stiff), (most, slope), stiffness)

    def rebounding(self, u: Scalars, x: Scalars) -> SoftContactRows:
        least = maximum(self.restitution * x[0], 0.0)
        free = u[0] + self.compliance * x[0], *u[1:]
        return replace(self, free=free, least=least)

    def _pressed(self, u: Scalar, x: Scalar) -> Scalar:
        return maximum(x - (u + self.compliance * x) * self.ease[0], self.least)

    def _radius(self, n: Scalar) -> Scalar:
        if isinstance(self.widening, float) and self.widening == 0.0:
            return self.mu * n
        return sqrt(self.mu * n * (self.mu * n) + self.widening * self.widening)
