"""Tendons and actuators added to a model or a scene; each edit returns a new one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from ..arguments import as_mapping
from ..arrays import Numbers
from ..errors import ModelError, shown, suggests_options
from .actuators import Actuator, Affine, Filter, ForceLaw
from .checks import is_one, number, numbers, of_kind
from .dc_motor import DCMotor
from .muscles import MuscleActivation, MuscleCurves
from .tendons import UNLIMITED, PathPart, Tendon
from .transmissions import JointTransmission, TendonTransmission, Transmission

if TYPE_CHECKING:
    from .model import Model


def full_name(name: str, names: Mapping[str, object]) -> str:
    """The only name that ends in ``/name``, if that itself is none: ``machine/name`` in scenes."""
    if name in names:
        return name
    longer = [each for each in names if each.endswith(f"/{name}")]
    return longer[0] if len(longer) == 1 else name


class Driving:
    """The methods of `Model` and `Scene` that add tendons and actuators.

    Joints and bodies of a scene are ``"model/joint"``, or ``"joint"`` where only one model has it.
    """

    if TYPE_CHECKING:
        tendons: tuple[Tendon, ...]
        actuators: tuple[Actuator, ...]

        @property
        def _driven(self) -> Model: ...

    @suggests_options
    def add_tendon(
        self,
        name: str,
        path: Sequence[PathPart] = (),
        *,
        joints: Mapping[str, float] | None = None,
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest: float | Numbers = 0.0,
        armature: float = 0.0,
        friction: float = 0.0,
        limits: Numbers = UNLIMITED,
    ) -> Self:
        """Return the same with one more tendon.

        Parameters
        ----------
        name : str
        path : sequence of Anchor, Pulley, Wrapping
        joints : mapping of str to float, optional
            Instead of a path: factors of the positions whose sum is the length.
        stiffness, damping, armature, friction, limits
            See `polhode.model.Tendon`.
        rest : float, or two numbers
            The length without force of the spring, or the lengths between which it has none [m].
        """
        sums = as_mapping("joints", {} if joints is None else joints, f" (tendon '{name}')")
        bounds: Any = (rest, rest) if is_one(rest) else rest
        parts: Any = path
        tendon = Tendon(name, parts, tuple(sums.items()), stiffness, damping, bounds, armature,
                        friction, limits)  # type: ignore[arg-type]  # fmt: skip
        tendon = tendon.renamed(str, self._body_name, self._joint_name)
        return replace(self, tendons=(*self.tendons, tendon))  # type: ignore[type-var]

    def add_actuator(self, actuator: Actuator) -> Self:
        """Return the same with one more actuator, whose controls come after those of the others."""
        of_kind(actuator, Actuator, "actuator")
        tendons = {tendon.name: tendon for tendon in self.tendons}
        found = actuator.renamed(
            str, lambda name: full_name(name, tendons), self._body_name,
            self._joint_name,
        )  # fmt: skip
        found = replace(found, name=actuator.name)
        return replace(self, actuators=(*self.actuators, found))  # type: ignore[type-var]

    @suggests_options
    def add_motor(
        self,
        name: str,
        *,
        joint: str | None = None,
        tendon: str | None = None,
        transmission: Transmission | None = None,
        gear: float | Numbers = 1.0,
        control_range: Numbers = UNLIMITED,
        force_range: Numbers = UNLIMITED,
    ) -> Self:
        """Return the same with one more motor, whose force is ``gear * control``.

        Parameters
        ----------
        name : str
        joint, tendon, transmission
            One of them: what it acts on, by name, or a transmission of `polhode.model`.
        gear : float, or six numbers
            Factor of its length and force; see `polhode.model.Actuator`.
        control_range, force_range : two numbers, optional
            Between which controls and forces are clamped.
        """
        at = _target(name, joint, tendon, transmission)
        return self.add_actuator(_actuator(name, at, ForceLaw(), gear, control_range, force_range))

    @suggests_options
    def add_position_servo(
        self,
        name: str,
        *,
        kp: float,
        kv: float = 0.0,
        time_constant: float = 0.0,
        joint: str | None = None,
        tendon: str | None = None,
        transmission: Transmission | None = None,
        gear: float | Numbers = 1.0,
        control_range: Numbers = UNLIMITED,
        force_range: Numbers = UNLIMITED,
    ) -> Self:
        """Return the same with one more servo: ``kp (control - length) - kv velocity``.

        Parameters
        ----------
        name : str
        kp, kv : float
            Gains of position and velocity.
        time_constant : float
            Of a filter of the control [s]; zero is none.
        joint, tendon, transmission, gear, control_range, force_range
            As of `add_motor`.
        """
        at, where = _target(name, joint, tendon, transmission), f"actuator '{name}'"
        kp, kv = number(kp, "kp", where), number(kv, "kv", where)
        delay = number(time_constant, "time_constant", where, least=0.0)
        law = ForceLaw(Affine(kp), Affine(0.0, -kp, -kv), Filter(delay) if delay else None)
        return self.add_actuator(_actuator(name, at, law, gear, control_range, force_range))

    @suggests_options
    def add_velocity_servo(
        self,
        name: str,
        *,
        kv: float,
        joint: str | None = None,
        tendon: str | None = None,
        transmission: Transmission | None = None,
        gear: float | Numbers = 1.0,
        control_range: Numbers = UNLIMITED,
        force_range: Numbers = UNLIMITED,
    ) -> Self:
        """Return the same with one more servo: ``kv (control - velocity)``.

        Parameters
        ----------
        name : str
        kv : float
            Gain.
        joint, tendon, transmission, gear, control_range, force_range
            As of `add_motor`.
        """
        at = _target(name, joint, tendon, transmission)
        kv = number(kv, "kv", f"actuator '{name}'")
        law = ForceLaw(Affine(kv), Affine(0.0, 0.0, -kv))
        return self.add_actuator(_actuator(name, at, law, gear, control_range, force_range))

    @suggests_options
    def add_muscle(
        self,
        name: str,
        *,
        force: float,
        length_range: Numbers,
        joint: str | None = None,
        tendon: str | None = None,
        transmission: Transmission | None = None,
        time_constants: Numbers = (0.01, 0.04),
        gear: float | Numbers = 1.0,
    ) -> Self:
        """Return the same with one more muscle, which pulls along a tendon or a joint.

        Parameters
        ----------
        name : str
        force : float
            Largest active force [N].
        length_range : two numbers
            Shortest and longest length of what it acts on, times the gear [m].
        joint, tendon, transmission, gear
            As of `add_motor`.
        time_constants : two numbers
            Of activation and of deactivation [s].
        """
        at, where = _target(name, joint, tendon, transmission), f"actuator '{name}'"
        force = number(force, "force", where, least=0.0)
        if not all(t > 0.0 for t in numbers(time_constants, 2, "time_constants", where)):
            raise ModelError(f"expected time_constants above 0, got {shown(time_constants)} "
                             f"({where})")  # fmt: skip
        curves = MuscleCurves(length_range, force)  # type: ignore[arg-type]
        law = ForceLaw(curves, curves, MuscleActivation(time_constants))  # type: ignore[arg-type]
        return self.add_actuator(_actuator(name, at, law, gear, (0.0, 1.0), UNLIMITED))

    @suggests_options
    def add_dc_motor(
        self,
        name: str,
        *,
        motor_constant: float,
        resistance: float,
        time_constant: float = 0.0,
        max_torque: float = math.inf,
        joint: str | None = None,
        tendon: str | None = None,
        transmission: Transmission | None = None,
        gear: float | Numbers = 1.0,
        control_range: Numbers = UNLIMITED,
    ) -> Self:
        """Return the same with one more DC motor, whose control is the voltage.

        Parameters
        ----------
        name : str
        motor_constant : float
            Torque for each ampere, and voltage for each rad/s.
        resistance : float
            [Ohm].
        time_constant : float
            Inductance by resistance [s]; zero if the current follows at once.
        max_torque : float
            That of the largest current [N m].
        joint, tendon, transmission, gear, control_range
            As of `add_motor`.  The inertia of the rotor times ``gear**2`` is an armature of the
            joint.
        """
        at = _target(name, joint, tendon, transmission)
        law = DCMotor(motor_constant, resistance, time_constant=time_constant,
                      max_torque=max_torque)  # fmt: skip
        return self.add_actuator(_actuator(name, at, law, gear, control_range, UNLIMITED))

    def _joint_name(self, name: str) -> str:
        driven = self._driven
        return full_name(name, {each.name: each for each in (*driven.joints, *driven.followers)})

    def _body_name(self, name: str) -> str:
        return full_name(name, {link.name: link for link in self._driven.links})


def _target(
    name: str, joint: str | None, tendon: str | None, transmission: Transmission | None
) -> Transmission:
    """The transmission to what was given."""
    given = [each for each in (joint, tendon, transmission) if each is not None]
    if len(given) != 1:
        raise ModelError(f"expected one of joint, tendon and transmission, got {len(given)} "
                         f"(actuator '{name}')")  # fmt: skip
    if joint is not None:
        return JointTransmission(joint)
    return TendonTransmission(tendon) if tendon is not None else given[0]  # type: ignore[return-value]


def _actuator(
    name: str, at: Transmission, law: ForceLaw | DCMotor, gear: float | Numbers, controls: Numbers,
    forces: Numbers,
) -> Actuator:  # fmt: skip
    return Actuator(name, at, law, gear, controls, forces)  # type: ignore[arg-type]
