"""Actuators: what they act on, and their force from controls, activation, length and velocity.

Laws have methods over scalars, as joints do: a new law enters here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from ..errors import ModelError
from ..scalar import Scalar, exp, rint
from .checks import flag, is_one, kept_entries, name, number, numbers, of_kind
from .dc_motor import DCMotor
from .muscles import MuscleActivation, MuscleCurves
from .tendons import UNLIMITED, Range, Rename, clamp, rising
from .transmissions import Transmission

Six = tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class Affine:
    """``constant + per_length * length + per_velocity * velocity``.

    Attributes
    ----------
    constant, per_length, per_velocity : float
    """

    constant: float = 0.0
    per_length: float = 0.0
    per_velocity: float = 0.0

    def __post_init__(self) -> None:
        for key, value in vars(self).items():
            object.__setattr__(self, key, number(value, key))

    def gain(self, length: Scalar, velocity: Scalar) -> Scalar:
        """The value as the gain of a force law."""
        return self.constant + length * self.per_length + velocity * self.per_velocity

    bias = gain

    @property
    def is_constant(self) -> bool:
        """Whether the value is the same at all lengths and velocities."""
        return not (self.per_length or self.per_velocity)

    def gain_slopes(self, length: Scalar, velocity: Scalar) -> tuple[Scalar, Scalar]:
        """Change of the value by length and by velocity."""
        return self.per_length, self.per_velocity

    bias_slopes = gain_slopes


@dataclass(frozen=True)
class IntegralActivation:
    """The activation is the integral of the control."""

    def rate(self, control: Scalar, activation: Scalar) -> Scalar:
        """Rate of change of the activation."""
        return control

    def advanced(self, activation: Scalar, rate: Scalar, dt: Scalar) -> Scalar:
        """The activation after a time step at a rate."""
        return activation + rate * dt


@dataclass(frozen=True)
class Filter:
    """The activation follows the control by a filter of first order.

    Attributes
    ----------
    time_constant : float
        [s].
    is_exact : bool
        Whether steps are those of the exact solution, rather than Euler's.
    """

    time_constant: float
    is_exact: bool = True

    def __post_init__(self) -> None:
        value = number(self.time_constant, "time_constant")
        if value <= 0.0:
            raise ModelError(f"expected a time constant above 0, got {value:g}")
        object.__setattr__(self, "time_constant", value)
        flag(self.is_exact, "is_exact", "filter")

    def rate(self, control: Scalar, activation: Scalar) -> Scalar:
        """Rate of change of the activation."""
        return (control - activation) * (1.0 / self.time_constant)

    def advanced(self, activation: Scalar, rate: Scalar, dt: Scalar) -> Scalar:
        """The activation after a time step at a rate."""
        if not self.is_exact:
            return activation + rate * dt
        decay = exp(dt * (-1.0 / self.time_constant))
        return activation + rate * self.time_constant * (1.0 - decay)


Activation = IntegralActivation | Filter | MuscleActivation


@dataclass(frozen=True)
class ForceLaw:
    """``force = gain * x + bias``: ``x`` is the activation where there is one, or the control.

    Attributes
    ----------
    gain : Affine or MuscleCurves
    bias : Affine, MuscleCurves or None
    activation : IntegralActivation, Filter, MuscleActivation or None
    period : float
        Where it is not zero, ``x`` is a place on a circle of this length: the nearest one to the
        length is taken.
    """

    gain: Affine | MuscleCurves = Affine(1.0)
    bias: Affine | MuscleCurves | None = None
    activation: Activation | None = None
    period: float = 0.0

    def __post_init__(self) -> None:
        _one_of(self.gain, Affine | MuscleCurves, "gain")
        _one_of(self.bias, Affine | MuscleCurves | None, "bias")
        _one_of(self.activation, Activation | None, "activation")
        object.__setattr__(self, "period", number(self.period, "period", least=0.0))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the controls."""
        return ("control",)

    @property
    def n_activations(self) -> int:
        """How many states it has."""
        return 0 if self.activation is None else 1

    def force(
        self, u: Sequence[Scalar], activation: Sequence[Scalar], ahead: Sequence[Scalar],
        length: Scalar, velocity: Scalar,
    ) -> Scalar:  # fmt: skip
        """The force along the length; ``ahead`` is the activation a lead later."""
        x = ahead[0] if self.activation is not None else u[0]
        if self.period:
            x = x - rint((x - length) * (1.0 / self.period)) * self.period
        force = self.gain.gain(length, velocity) * x
        return force if self.bias is None else force + self.bias.bias(length, velocity)

    @property
    def has_gains(self) -> bool:
        """Whether the force changes with the length or the velocity."""
        return not all(part is None or part.is_constant for part in (self.gain, self.bias))

    def gains(
        self, u: Sequence[Scalar], ahead: Sequence[Scalar], length: Scalar, velocity: Scalar
    ) -> tuple[Scalar, Scalar]:
        """How much less the force is by length and by velocity."""
        x = ahead[0] if self.activation is not None else u[0]
        slopes = [slope * -x for slope in self.gain.gain_slopes(length, velocity)]
        if self.bias is not None:
            own = self.bias.bias_slopes(length, velocity)
            slopes = [a - b for a, b in zip(slopes, own, strict=True)]
        return slopes[0], slopes[1]

    def rates(
        self, u: Sequence[Scalar], activation: Sequence[Scalar], length: Scalar, velocity: Scalar
    ) -> tuple[Scalar, ...]:
        """Rates of change of the activation."""
        if self.activation is None:
            return ()
        return (self.activation.rate(u[0], activation[0]),)

    def advanced(
        self, activation: Sequence[Scalar], rates: Sequence[Scalar], velocity: Scalar, dt: Scalar
    ) -> tuple[Scalar, ...]:
        """The activation after a time step at these rates."""
        if self.activation is None:
            return ()
        return (self.activation.advanced(activation[0], rates[0], dt),)


@dataclass(frozen=True)
class Actuator:
    """A force on a joint, tendon or site that controls command.

    Attributes
    ----------
    name : str
    transmission : JointTransmission, TendonTransmission, SiteTransmission, ...
        What it acts on, and by that its length.
    law : ForceLaw or DCMotor
    gear : six numbers, or one
        Factor of its length, velocity and force; the other five are needed for spherical and free
        joints and sites.
    control_range : two numbers, or two for each control
        Between which controls are clamped.
    force_range, activation_range : two numbers
        Between which the force and the activation are clamped.
    lead : float
        The force is that of the activation after this time [s], which is a time step or zero.
    """

    name: str
    transmission: Transmission
    law: ForceLaw | DCMotor = field(default_factory=ForceLaw)
    gear: Six = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    control_range: tuple[Range, ...] = ()
    force_range: Range = UNLIMITED
    activation_range: Range = UNLIMITED
    lead: float = 0.0

    def __post_init__(self) -> None:
        where = f"actuator '{name(self.name, 'actuator')}'"
        _one_of(self.transmission, Transmission, "transmission", where)
        _one_of(self.law, ForceLaw | DCMotor, "law", where)
        gear: Any = self.gear
        gear = (gear, 0.0, 0.0, 0.0, 0.0, 0.0) if is_one(gear) else gear
        object.__setattr__(self, "gear", numbers(gear, 6, "gear", where))
        for key in ("force_range", "activation_range"):
            object.__setattr__(self, key, rising(getattr(self, key), key, where))
        object.__setattr__(self, "control_range", self._control_ranges(where))
        object.__setattr__(self, "lead", number(self.lead, "lead", where, least=0.0))

    def _control_ranges(self, where: str) -> tuple[Range, ...]:
        ranges: Any = kept_entries(self.control_range, "two numbers as control_range", where)
        ranges = ranges or UNLIMITED
        if is_one(ranges[0]):
            ranges = (ranges,) * self.n_controls
        if len(ranges) != self.n_controls:
            raise ModelError(f"expected {self.n_controls} ranges as control_range, got "
                             f"{len(ranges)} ({where})")  # fmt: skip
        return tuple(rising(each, "control_range", where) for each in ranges)

    @property
    def n_controls(self) -> int:
        """How many controls it takes: one but for some DC motors."""
        return len(self.law.inputs)

    @property
    def n_activations(self) -> int:
        """How many states it has."""
        return self.law.n_activations

    def clamped(self, controls: Sequence[Scalar]) -> list[Scalar]:
        """The controls within their ranges."""
        return [clamp(u, each) for u, each in zip(controls, self.control_range, strict=True)]

    def force(
        self, controls: Sequence[Scalar], activation: Sequence[Scalar], length: Scalar,
        velocity: Scalar,
    ) -> Scalar:  # fmt: skip
        """The force along its length before it is clamped."""
        u = self.clamped(controls)
        ahead = self._ahead(u, activation, length, velocity)
        return self.law.force(u, activation, ahead, length, velocity)

    def gains(
        self, controls: Sequence[Scalar], activation: Sequence[Scalar], length: Scalar,
        velocity: Scalar,
    ) -> tuple[Scalar, Scalar]:  # fmt: skip
        """How much less that force is by length and by velocity."""
        u = self.clamped(controls)
        ahead = self._ahead(u, activation, length, velocity)
        return self.law.gains(u, ahead, length, velocity)

    def _ahead(
        self, u: Sequence[Scalar], activation: Sequence[Scalar], length: Scalar, velocity: Scalar
    ) -> Sequence[Scalar]:
        """The activation that the force is made with."""
        if not (self.lead and activation):
            return activation
        rates = self.law.rates(u, activation, length, velocity)
        return self.advanced(activation, rates, velocity, self.lead)

    def rates(
        self, controls: Sequence[Scalar], activation: Sequence[Scalar], length: Scalar,
        velocity: Scalar,
    ) -> tuple[Scalar, ...]:  # fmt: skip
        """Rates of change of its activation."""
        return self.law.rates(self.clamped(controls), activation, length, velocity)

    def advanced(
        self, activation: Sequence[Scalar], rates: Sequence[Scalar], velocity: Scalar, dt: Scalar
    ) -> tuple[Scalar, ...]:
        """The activation after a time step at these rates, within its range."""
        later = self.law.advanced(activation, rates, velocity, dt)
        return tuple(clamp(x, self.activation_range) for x in later)

    def renamed(self, own: Rename, tendon: Rename, body: Rename, joint: Rename) -> Actuator:
        """The same with other names of itself and of what it acts on."""
        transmission = self.transmission.renamed(tendon, body, joint)
        return replace(self, name=own(self.name), transmission=transmission)


def _one_of(value: Any, kinds: Any, what: str, where: str = "") -> None:
    known = get_args(kinds)
    if not isinstance(value, known):
        names = " or ".join(each.__name__ for each in known if each is not type(None))
        of_kind(value, known[0], f"{what}, or {names.partition(' or ')[2]},", where)
