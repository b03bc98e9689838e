"""DC motors: torque-speed line, electrical dynamics, cogging and friction of their bearings.

As MuJoCo's technical note "DC Motor Model" has it.  The inertia of the rotor is an armature of
the joint.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..arguments import as_texts
from ..errors import ModelError
from ..scalar import Scalar, absolute, exp, sin, where
from .checks import number, numbers, of_kind
from .tendons import clamp

INPUTS = ("pos", "vel", "ff", "voltage")


@dataclass(frozen=True)
class LuGre:
    """Friction by bristles that bend (Canudas de Wit et al. 1995).

    Attributes
    ----------
    stiffness, damping : float
        Of the bristles [N m/rad and N m s/rad].
    coulomb, static : float
        Friction of fast motion, and the largest at rest [N m].
    stribeck : float
        Speed between both [rad/s].
    """

    stiffness: float
    damping: float
    coulomb: float
    static: float
    stribeck: float

    def __post_init__(self) -> None:
        for key, value in vars(self).items():
            object.__setattr__(self, key, number(value, key, "LuGre friction", least=0.0))
        if not self.stiffness or not self.coulomb or not self.stribeck:
            raise ModelError("expected stiffness, coulomb and stribeck above 0 (LuGre friction)")

    def rate(self, deflection: Scalar, velocity: Scalar) -> Scalar:
        """Rate of change of the deflection of the bristles."""
        return velocity - self._decay(velocity) * deflection

    def advanced(self, deflection: Scalar, velocity: Scalar, dt: Scalar) -> Scalar:
        """The deflection after a time step at constant velocity."""
        decay = self._decay(velocity)
        is_slow = decay * dt < 1e-8
        safe = where(is_slow, 1.0, decay)
        time = where(is_slow, dt, (1.0 - exp(-safe * dt)) / safe)
        return deflection + self.rate(deflection, velocity) * time

    def _decay(self, velocity: Scalar) -> Scalar:
        x = velocity * (1.0 / self.stribeck)
        steady = self.coulomb + exp(-(x * x)) * (self.static - self.coulomb)
        return absolute(velocity) * self.stiffness / steady

    def force(self, deflection: Scalar, velocity: Scalar) -> Scalar:
        """Force on the motor."""
        rate = self.rate(deflection, velocity)
        return deflection * -self.stiffness - rate * self.damping


@dataclass(frozen=True)
class DCMotor:
    """A DC motor, driven by a voltage or by a controller of position and velocity.

    Its activation is the deflection of the bristles, then the current, where it has these.

    Attributes
    ----------
    motor_constant : float
        Torque for each ampere, and voltage for each rad/s.
    resistance : float
        [Ohm].
    inputs : tuple of str
        Of ``"pos"``, ``"vel"`` (setpoints), ``"ff"`` (a torque) and ``"voltage"``.
    kp, kd : float
        Gains of the controller [N m/rad and N m s/rad].
    max_voltage, max_torque : float
        Of the controller [V], and of the current [N m]; infinite where there is no limit.
    time_constant : float
        Inductance by resistance [s]; zero if the current follows at once.
    cogging : three numbers
        Amplitude [N m], poles and phase [rad] of a torque ``amplitude sin(poles q + phase)``.
    friction : LuGre or None
    """

    motor_constant: float
    resistance: float = 1.0
    inputs: tuple[str, ...] = ("voltage",)
    kp: float = 0.0
    kd: float = 0.0
    max_voltage: float = math.inf
    max_torque: float = math.inf
    time_constant: float = 0.0
    cogging: tuple[float, float, float] = (0.0, 0.0, 0.0)
    friction: LuGre | None = None

    def __post_init__(self) -> None:
        for key in ("motor_constant", "resistance", "kp", "kd", "time_constant"):
            value = number(getattr(self, key), key, "DC motor", least=0.0)
            object.__setattr__(self, key, value)
        if self.resistance == 0.0:
            raise ModelError("expected a resistance above 0, got 0 (DC motor)")
        for key in ("max_voltage", "max_torque"):
            most = number(getattr(self, key), key, "DC motor", least=0.0, finite=False)
            object.__setattr__(self, key, most)
        object.__setattr__(self, "cogging", numbers(self.cogging, 3, "cogging", "DC motor"))
        inputs = as_texts("inputs", self.inputs, " (DC motor)")
        if inputs != tuple(each for each in INPUTS if each in inputs):
            raise ModelError(f"expected inputs of {', '.join(INPUTS)}, in this order, got "
                             f"{', '.join(inputs)} (DC motor)")  # fmt: skip
        object.__setattr__(self, "inputs", inputs)
        if self.friction is not None:
            of_kind(self.friction, LuGre, "friction", "DC motor")

    @property
    def n_activations(self) -> int:
        """How many states it has."""
        return (self.friction is not None) + (self.time_constant > 0.0)

    def force(
        self, u: Sequence[Scalar], activation: Sequence[Scalar], ahead: Sequence[Scalar],
        length: Scalar, velocity: Scalar,
    ) -> Scalar:  # fmt: skip
        """The force along the length; the current is that of ``ahead``, a lead later."""
        if self.time_constant:
            force = ahead[-1] * self.motor_constant
        else:
            voltage = self._voltage(u, length, velocity) - velocity * self.motor_constant
            force = voltage * (self.motor_constant / self.resistance)
        force = clamp(force, (-self.max_torque, self.max_torque))
        amplitude, poles, phase = self.cogging
        if amplitude:
            force = force + sin(length * poles + phase) * amplitude
        if self.friction is not None:
            force = force + self.friction.force(activation[0], velocity)
        return force

    @property
    def has_gains(self) -> bool:
        """Whether the force changes with the length or the velocity."""
        return not self.time_constant or self.friction is not None

    def gains(
        self, u: Sequence[Scalar], ahead: Sequence[Scalar], length: Scalar, velocity: Scalar
    ) -> tuple[Scalar, Scalar]:
        """How much less the force is by length and by velocity; cogging is left out.

        That of a current which lags is not.
        """
        friction = 0.0 if self.friction is None else self.friction.damping
        if self.time_constant:
            return 0.0, friction
        back_emf = self.motor_constant * self.motor_constant / self.resistance
        driven = self._driven(u, length, velocity)
        slopes: list[Scalar] = [0.0, back_emf] if driven is None else [self.kp, self.kd]
        if driven is not None and self.max_voltage < math.inf:
            is_free = absolute(driven) < self.max_voltage
            slopes = [where(is_free, self.kp, 0.0), where(is_free, self.kd, back_emf)]
        if self.max_torque < math.inf:
            voltage = self._voltage(u, length, velocity) - velocity * self.motor_constant
            torque = voltage * (self.motor_constant / self.resistance)
            slopes = [where(absolute(torque) < self.max_torque, x, 0.0) for x in slopes]
        return slopes[0], slopes[1] + friction

    def rates(
        self, u: Sequence[Scalar], activation: Sequence[Scalar], length: Scalar, velocity: Scalar
    ) -> tuple[Scalar, ...]:
        """Rates of change of its activation."""
        rates = []
        if self.friction is not None:
            rates.append(self.friction.rate(activation[0], velocity))
        if self.time_constant:
            voltage = self._voltage(u, length, velocity) - velocity * self.motor_constant
            current = voltage * (1.0 / self.resistance)
            rates.append((current - activation[-1]) * (1.0 / self.time_constant))
        return tuple(rates)

    def advanced(
        self, activation: Sequence[Scalar], rates: Sequence[Scalar], velocity: Scalar, dt: Scalar
    ) -> tuple[Scalar, ...]:
        """The activation after a time step at constant voltage and velocity."""
        later = []
        if self.friction is not None:
            later.append(self.friction.advanced(activation[0], velocity, dt))
        if self.time_constant:
            time = self.time_constant
            later.append(activation[-1] + rates[-1] * time * (1.0 - exp(dt * (-1.0 / time))))
        return tuple(later)

    def _voltage(self, u: Sequence[Scalar], length: Scalar, velocity: Scalar) -> Scalar:
        """The controller's voltage, which compensates the back-EMF, and that of the input."""
        raw = dict(zip(self.inputs, u, strict=True)).get("voltage", 0.0)
        driven = self._driven(u, length, velocity)
        if driven is None:
            return raw
        return clamp(driven, (-self.max_voltage, self.max_voltage)) + raw

    def _driven(self, u: Sequence[Scalar], length: Scalar, velocity: Scalar) -> Scalar | None:
        """The voltage that the controller asks for; None where there is none."""
        given = dict(zip(self.inputs, u, strict=True))
        given.pop("voltage", None)
        if not given or not self.motor_constant:
            return None
        torque = self.kp * (given.get("pos", 0.0) - length) + given.get("ff", 0.0)
        torque = torque + self.kd * (given.get("vel", 0.0) - velocity)
        return torque * (self.resistance / self.motor_constant) + velocity * self.motor_constant
