"""Muscles: force by length and velocity, and the activation that controls excite.

The curves are those of MuJoCo ("Computation: muscles" in its documentation).  Lengths are in units
of the optimal length ``L0``.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ModelError
from ..scalar import Scalar, maximum, minimum, where
from .checks import number, numbers
from .tendons import Range, rising


@dataclass(frozen=True)
class MuscleCurves:
    """Active force by length and velocity, and passive force by length.

    Attributes
    ----------
    length_range : two numbers
        Shortest and longest length of the transmission [m].
    force : float
        Largest active force at rest [N].
    range : two numbers
        What ``length_range`` is in units of the optimal length.
    lmin, lmax : float
        Between these lengths there is active force, in units of the optimal length.
    vmax : float
        Speed of shortening at which the force vanishes, in optimal lengths per second.
    fpmax, fvmax : float
        Passive force at ``lmax``, and active force of fast lengthening, in units of ``force``.
    """

    length_range: Range
    force: float
    range: Range = (0.75, 1.05)
    lmin: float = 0.5
    lmax: float = 1.6
    vmax: float = 1.5
    fpmax: float = 1.3
    fvmax: float = 1.2

    def __post_init__(self) -> None:
        for key in ("length_range", "range"):
            low, high = rising(getattr(self, key), key, "muscle")
            if not low < high:
                raise ModelError(f"expected {key} that rises, got {low:g} to {high:g} (muscle)")
            object.__setattr__(self, key, (low, high))
        for key in ("force", "lmin", "lmax", "vmax", "fpmax", "fvmax"):
            object.__setattr__(self, key, number(getattr(self, key), key, "muscle"))
        if not (self.lmin < 1.0 < self.lmax and self.vmax > 0.0 and self.fvmax > 1.0):
            raise ModelError("expected lmin < 1 < lmax, vmax > 0 and fvmax > 1 (muscle)")

    @property
    def optimal_length(self) -> float:
        """``L0`` [m]."""
        (low, high), (start, end) = self.length_range, self.range
        return (high - low) / (end - start)

    def gain(self, length: Scalar, velocity: Scalar) -> Scalar:
        """Active force of full activation; muscles pull, so it is negative."""
        L, V = self._normalized(length), velocity * (1.0 / (self.optimal_length * self.vmax))
        return self._active(L) * self._by_velocity(V) * -self.force

    @property
    def is_constant(self) -> bool:
        """Whether forces are the same at all lengths and velocities."""
        return False

    def gain_slopes(self, length: Scalar, velocity: Scalar) -> tuple[Scalar, Scalar]:
        """Change of the active force by velocity; that by length, up and down, is left out."""
        rate = 1.0 / (self.optimal_length * self.vmax)
        steepness = self._steepness(velocity * rate)
        return 0.0, self._active(self._normalized(length)) * steepness * (-self.force * rate)

    def bias_slopes(self, length: Scalar, velocity: Scalar) -> tuple[Scalar, Scalar]:
        """Change of the passive force by length and velocity."""
        L, b = self._normalized(length), 0.5 * (1.0 + self.lmax)
        x = (L - 1.0) * (1.0 / (b - 1.0))
        steepness = where(b >= L, x, 1.0) * (1.0 / ((b - 1.0) * self.optimal_length))
        return where(L <= 1.0, 0.0, steepness * (-self.force * self.fpmax)), 0.0

    def bias(self, length: Scalar, velocity: Scalar) -> Scalar:
        """Passive force."""
        L, b = self._normalized(length), 0.5 * (1.0 + self.lmax)
        x = (L - 1.0) * (1.0 / (b - 1.0))
        rise = where(b >= L, 0.5 * x * x, x - 0.5)
        return where(L <= 1.0, 0.0, rise * (-self.force * self.fpmax))

    def _normalized(self, length: Scalar) -> Scalar:
        return (length - self.length_range[0]) * (1.0 / self.optimal_length) + self.range[0]

    def _active(self, L: Scalar) -> Scalar:
        """Two parabolas up and two down, with its peak at 1."""
        a, b = 0.5 * (self.lmin + 1.0), 0.5 * (1.0 + self.lmax)
        x = (L - self.lmin) * (1.0 / (a - self.lmin))
        y = (1.0 - L) * (1.0 / (1.0 - a))
        z = (L - 1.0) * (1.0 / (b - 1.0))
        w = (self.lmax - L) * (1.0 / (self.lmax - b))
        up = where(a >= L, 0.5 * x * x, 1.0 - 0.5 * y * y)
        down = where(b >= L, 1.0 - 0.5 * z * z, 0.5 * w * w)
        curve = where(L <= 1.0, up, down)
        return where(self.lmin >= L, 0.0, where(self.lmax <= L, 0.0, curve))

    def _by_velocity(self, V: Scalar) -> Scalar:
        y = self.fvmax - 1.0
        shortening, lengthening = (V + 1.0) * (V + 1.0), self.fvmax - (y - V) * (y - V) * (1.0 / y)
        curve = where(V <= 0.0, shortening, where(y >= V, lengthening, self.fvmax))
        return where(V <= -1.0, 0.0, curve)

    def _steepness(self, V: Scalar) -> Scalar:
        y = self.fvmax - 1.0
        curve = where(V <= 0.0, 2.0 * (V + 1.0), where(y >= V, (y - V) * (2.0 / y), 0.0))
        return where(V <= -1.0, 0.0, curve)


@dataclass(frozen=True)
class MuscleActivation:
    """Activation from 0 to 1 that follows an excitation, faster up than down (Millard 2013).

    Attributes
    ----------
    time_constants : two numbers
        Of activation and of deactivation [s].
    smoothing : float
        Width of the transition between both, in units of the excitation; zero is a switch.
    """

    time_constants: Range = (0.01, 0.04)
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        values = numbers(self.time_constants, 2, "time_constants", "muscle")
        object.__setattr__(self, "time_constants", values)
        least = number(self.smoothing, "smoothing", "muscle", least=0.0)
        object.__setattr__(self, "smoothing", least)

    def rate(self, control: Scalar, activation: Scalar) -> Scalar:
        """Rate of change of the activation [1/s]."""
        u, a = (minimum(maximum(x, 0.0), 1.0) for x in (control, activation))
        scale = 0.5 + 1.5 * a
        rise, fall = self.time_constants[0] * scale, self.time_constants[1] / scale
        distance = u - activation
        if self.smoothing:
            x = minimum(maximum(distance * (1.0 / self.smoothing) + 0.5, 0.0), 1.0)
            step = x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0)
            return distance / (fall + (rise - fall) * step)
        return distance / where(distance > 0.0, rise, fall)

    def advanced(self, activation: Scalar, rate: Scalar, dt: Scalar) -> Scalar:
        """The activation after a time step at a rate."""
        return activation + rate * dt
