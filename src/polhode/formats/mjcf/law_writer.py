"""Force laws of actuators as attributes of MJCF's ``<general>`` and ``<dcmotor>``."""

from __future__ import annotations

import math

from ...errors import ModelError
from ...model import (
    Actuator,
    Affine,
    DCMotor,
    Filter,
    ForceLaw,
    IntegralActivation,
    MuscleActivation,
    MuscleCurves,
)
from ..markup import number, numbers
from .actuator_laws import is_fixed
from .geom_writer import Attributes

_SCALE = 200.0  # MuJoCo's default, without effect where the force is given


def written_law(actuator: Actuator, law: ForceLaw) -> Attributes:
    """Types and parameters of activation, gain and bias."""
    found = {**_activation(law), **_gain(law.gain)}
    match law.bias:
        case Affine(a, b, c):
            found |= {"biastype": "affine", "biasprm": numbers((a, b, c))}
        case MuscleCurves() as curves:
            found |= {"biastype": "muscle", "biasprm": _curves(curves)}
    muscles = {each.length_range for each in (law.gain, law.bias)
               if isinstance(each, MuscleCurves)}  # fmt: skip
    if len(muscles) > 1:
        raise ModelError(f"MJCF has one length range for gain and bias of a muscle "
                         f"(actuator '{actuator.name}')")  # fmt: skip
    if muscles:
        found["lengthrange"] = numbers(muscles.pop())
    if _has_ratio(law):
        raise ModelError(f"MJCF takes a bias that rises with velocity as a damping ratio "
                         f"(actuator '{actuator.name}')")  # fmt: skip
    return found


def _has_ratio(law: ForceLaw) -> bool:
    """Whether MuJoCo would not take the last parameter of the bias for what it is."""
    gain, bias = law.gain, law.bias
    if not (isinstance(gain, Affine) and isinstance(bias, Affine) and is_fixed(gain)):
        return False
    return gain.constant == -bias.per_length and bias.per_velocity > 0.0


def _activation(law: ForceLaw) -> Attributes:
    match law.activation:
        case IntegralActivation():
            return {"dyntype": "integrator"}
        case Filter(time, is_exact):
            return {"dyntype": "filterexact" if is_exact else "filter", "dynprm": number(time)}
        case MuscleActivation(times, smoothing):
            return {"dyntype": "muscle", "dynprm": numbers((*times, smoothing))}
    return {}


def _gain(gain: Affine | MuscleCurves) -> Attributes:
    if isinstance(gain, MuscleCurves):
        return {"gaintype": "muscle", "gainprm": _curves(gain)}
    if is_fixed(gain):
        return {"gainprm": number(gain.constant)}
    row = gain.constant, gain.per_length, gain.per_velocity
    return {"gaintype": "affine", "gainprm": numbers(row)}


def _curves(curves: MuscleCurves) -> str:
    return numbers((*curves.range, curves.force, _SCALE, curves.lmin, curves.lmax, curves.vmax,
                    curves.fpmax, curves.fvmax))  # fmt: skip


def written_motor(motor: DCMotor) -> Attributes:
    """Constants, controller and friction of a DC motor."""
    found = {"motorconst": number(motor.motor_constant), "resistance": number(motor.resistance)}
    if motor.inputs != ("voltage",):
        found["input"] = " ".join(motor.inputs) or "none"
    if motor.kp or motor.kd or motor.max_voltage < math.inf:
        most = motor.max_voltage if motor.max_voltage < math.inf else 0.0
        found["controller"] = numbers((motor.kp, 0.0, motor.kd, 0.0, 0.0, most))
    if motor.max_torque < math.inf:
        found["saturation"] = number(motor.max_torque)
    if motor.time_constant:
        found["inductance"] = numbers((0.0, motor.time_constant))
    if motor.cogging[0]:
        found["cogging"] = numbers(motor.cogging)
    if motor.friction is not None:
        found["lugre"] = numbers(vars(motor.friction).values())
    return found
