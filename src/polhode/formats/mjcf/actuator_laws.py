"""The force laws of actuators, from all shortcuts and defaults of MJCF.

A shortcut such as ``<position>`` sets attributes of ``<general>``.  All of them share the defaults
of a class, whatever element these are written in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ...model import (
    Actuator,
    Affine,
    DCMotor,
    Filter,
    ForceLaw,
    IntegralActivation,
    JointTransmission,
    LuGre,
    MuscleActivation,
    MuscleCurves,
    SiteTransmission,
)
from ..xml import Element
from .defaults import Classes
from .values import choice, describe, integer, many, number, numbers, text, word
from .vocabulary import SHORTCUTS

REFUSED = {"pid": "PID controllers", "orientation": "orientation servos", "plugin": "plug-ins"}
DYNAMICS = ("none", "integrator", "filter", "filterexact", "muscle")
GAINS = ("fixed", "affine", "muscle")
BIASES = ("none", "affine", "muscle")
RANGES_OF_SERVOS = {"position": "ctrlrange", "intvelocity": "actrange"}
"""What ``inheritrange`` stands for."""

ALWAYS_LIMITED = ("damper", "adhesion")
"""Actuators whose controls need a range."""

_NOT_NEGATIVE = {
    "damper": ("kv",), "position": ("kv", "dampratio", "timeconst"), "adhesion": ("gain",),
    "intvelocity": ("kv", "dampratio"), "cylinder": ("diameter",), "muscle": ("tausmooth",),
}  # fmt: skip
_MUSCLE = (0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2)
_MOST = 10  # parameters of dynamics, gain and bias
_SHORTCUTS = {
    "motor": ("none", "fixed", "none"), "position": ("none", "fixed", "affine"),
    "velocity": ("none", "fixed", "affine"), "intvelocity": ("integrator", "fixed", "affine"),
    "damper": ("none", "affine", "none"), "cylinder": ("filter", "fixed", "affine"),
    "muscle": ("muscle", "muscle", "muscle"), "adhesion": ("none", "fixed", "none"),
    "dcmotor": ("dcmotor", "dcmotor", "dcmotor"),
}  # fmt: skip


@dataclass(frozen=True)
class LawSettings:
    """What ``<general>`` has after an element and the defaults of its class.

    ``shortcut`` is the tag that the law is from; of ``<general>`` there is none.  ``outer`` are the
    settings of the class around that of the element.
    """

    outer: LawSettings | None = None
    shortcut: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    types: tuple[str, str, str] = ("none", "fixed", "none")
    dynprm: tuple[float, ...] = (1.0, *(0.0,) * (_MOST - 1))
    gainprm: tuple[float, ...] = (1.0, *(0.0,) * (_MOST - 1))
    biasprm: tuple[float, ...] = (0.0,) * _MOST

    def element(self, of: Element) -> Element:
        """An element with all attributes."""
        return Element(of.tag, self.attributes, of.file, of.line, of.children)

    @property
    def is_servo(self) -> bool:
        """Whether the force is that of a servo of position."""
        return self.types[1:] == ("fixed", "affine") and self.gainprm[0] == -self.biasprm[1]

    @property
    def damping_ratio(self) -> float:
        """That of a servo of position, whose damping is given so; zero for all others."""
        return self.biasprm[2] if self.is_servo and self.biasprm[2] > 0.0 else 0.0


def settings_of(element: Element, classes: Classes) -> LawSettings:
    """The settings of an actuator."""
    name = word(element, "class") or "main"
    classes.apply(element, None)  # for the error of an unknown class
    found = LawSettings()
    for own in classes.written[name]:
        found = replace(found, outer=found)
        for default in own:
            if default.tag in SHORTCUTS:
                found = _applied(found, default)
    return _applied(found, element)


def _applied(before: LawSettings, element: Element) -> LawSettings:
    """The settings after one more element."""
    tag = element.tag
    if tag != "general":
        before = _with_law_for(before, tag)
    attributes = {**before.attributes, **element.attributes}
    if tag == "general":
        return _general(replace(before, attributes=attributes, shortcut=""), element)
    if tag in RANGES_OF_SERVOS:
        attributes = _one_range(element, attributes)
    elif tag in ALWAYS_LIMITED:
        choice(element, "ctrllimited", ("true", "auto"), "true")
        attributes["ctrllimited"] = "true"
    _check_signs(Element(tag, attributes, element.file, element.line), element)
    found = replace(before, attributes=attributes, shortcut=tag, types=_SHORTCUTS[tag])
    match tag:
        case "motor":
            return replace(found, dynprm=_row(1.0), gainprm=_row(1.0), biasprm=_row())
        case "position" | "intvelocity":
            return _position(found, element)
        case "velocity":
            kv = number(element, "kv", found.gainprm[0])
            return replace(found, gainprm=_row(kv), biasprm=_row(0.0, 0.0, -kv))
        case "damper":
            kv = number(element, "kv", -found.gainprm[2])
            return replace(found, gainprm=_row(0.0, 0.0, -kv), biasprm=_row())
        case "cylinder":
            return _cylinder(found, element)
        case "muscle":
            return _muscle(found, element)
        case "adhesion":
            return replace(found, gainprm=_row(number(element, "gain", 1.0)), biasprm=_row())
    return found


def _check_signs(whole: Element, element: Element) -> None:
    """Refuse what no actuator of a tag can have; ``whole`` has inherited attributes as well."""
    for key in _NOT_NEGATIVE.get(element.tag, ()):
        value = number(element, key, 0.0)
        if value < 0.0:
            raise element.error(f"{describe(element)}: expected {key} of at least 0, found "
                                f"{value:g}")  # fmt: skip
    if element.tag != "general" and {"kv", "dampratio"} <= element.attributes.keys():
        raise element.error(f"{describe(element)}: expected one of kv and dampratio, found both")
    if element.tag in ALWAYS_LIMITED:
        low, _ = numbers(whole, "ctrlrange", 2) or (0.0, 0.0)
        if low < 0.0:
            raise element.error(f"{describe(element)}: expected a ctrlrange of at least 0, found "
                                f"{low:g}")  # fmt: skip


def _with_law_for(before: LawSettings, tag: str) -> LawSettings:
    """The settings with the law that a shortcut goes on with.

    That of another shortcut it does not, nor another kind of gain: the law is that of the next
    class around, or a motor's.
    """
    law, gain = before, _SHORTCUTS[tag][1]
    while law.outer and (law.shortcut not in ("", tag) or law.types[1] != gain):
        law = law.outer
    if law is before:
        return before
    attributes = {k: value for k, value in before.attributes.items() if k != "inheritrange"}
    if "inheritrange" in law.attributes:
        attributes["inheritrange"] = law.attributes["inheritrange"]
    return replace(law, outer=before.outer, attributes=attributes)


def _one_range(element: Element, attributes: dict[str, str]) -> dict[str, str]:
    """The attributes of a servo without a range or ``inheritrange``: the later one counts."""
    given = RANGES_OF_SERVOS[element.tag]
    inherits = number(element, "inheritrange", 0.0) > 0.0
    if given in element.attributes:
        if inherits:
            raise element.error(f"{describe(element)}: expected one of {given} and inheritrange, "
                                "found both")  # fmt: skip
        return {**attributes, "inheritrange": "0"}
    if inherits:
        return {k: value for k, value in attributes.items() if k != given}
    return attributes


def _general(found: LawSettings, element: Element) -> LawSettings:
    known = ((*DYNAMICS, "dcmotor"), (*GAINS, "dcmotor"), (*BIASES, "dcmotor"))
    keys = ("dyntype", "gaintype", "biastype")
    types = [choice(element, key, words, was)
             for key, words, was in zip(keys, known, found.types, strict=True)]  # fmt: skip
    rows = {
        key: _over(getattr(found, key), many(element, key, _MOST))
        for key in ("dynprm", "gainprm", "biasprm")
    }
    return replace(found, types=tuple(types), **rows)  # type: ignore[arg-type]


def _position(found: LawSettings, element: Element) -> LawSettings:
    kp = number(element, "kp", found.gainprm[0])
    damping = found.biasprm[2]
    if "kv" in element.attributes:
        damping = -number(element, "kv", 0.0)
    if "dampratio" in element.attributes:
        damping = number(element, "dampratio", 0.0)
    found = replace(found, gainprm=_over(found.gainprm, (kp,)),
                    biasprm=_over(found.biasprm, (0.0, -kp, damping)))  # fmt: skip
    if element.tag == "position" and "timeconst" in element.attributes:
        time = number(element, "timeconst", 0.0)
        kind = "filterexact" if time else "none"
        found = replace(found, types=(kind, "fixed", "affine"), dynprm=_over(found.dynprm, (time,)))
    return found


def _cylinder(found: LawSettings, element: Element) -> LawSettings:
    area = number(element, "area", found.gainprm[0])
    if "diameter" in element.attributes:
        area = math.pi / 4.0 * number(element, "diameter", 0.0) ** 2
    bias = numbers(element, "bias", 3) or found.biasprm[:3]
    time = number(element, "timeconst", found.dynprm[0])
    return replace(found, dynprm=_row(time), gainprm=_row(area), biasprm=_row(*bias))


def _muscle(found: LawSettings, element: Element) -> LawSettings:
    row = list(_MUSCLE if found.gainprm == _row(1.0) else found.gainprm)
    times = (0.01, 0.04, 0.0) if found.dynprm == _row(1.0) else found.dynprm[:3]
    row[:2] = numbers(element, "range", 2) or row[:2]
    for k, key in enumerate(("force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"), 2):
        row[k] = number(element, key, row[k])
    constants = numbers(element, "timeconst", 2) or times[:2]
    smooth = number(element, "tausmooth", times[2])
    return replace(found, dynprm=_row(*constants, smooth), gainprm=_row(*row), biasprm=_row(*row))


def force_law(
    found: LawSettings, element: Element, *, damping: float | None,
    length_range: tuple[float, float], peak: float,
) -> ForceLaw | DCMotor:  # fmt: skip
    """The law of settings.

    ``damping`` is that of a damping ratio, None without one; ``length_range`` and ``peak`` are the
    lengths and the largest force of a muscle.
    """
    dynamics, gain, bias = found.types
    _check_activations(found, element)
    if "dcmotor" in found.types:
        if element.tag != "dcmotor":
            raise element.error(f"{describe(element)}: dcmotor as a type is not read")
        return _dc_motor(found.element(element))
    gains = _affine(found.gainprm if gain == "affine" else found.gainprm[:1])
    biases = None
    if bias == "affine":
        b = found.biasprm
        biases = _affine(b if damping is None else (b[0], b[1], -damping))
    if "muscle" in (gain, bias):
        curves = muscle_curves(found.gainprm if gain == "muscle" else found.biasprm, length_range,
                               peak)  # fmt: skip
        gains = curves if gain == "muscle" else gains
        biases = curves if bias == "muscle" else biases
    return ForceLaw(gains, biases, _dynamics(dynamics, found.dynprm))


def _check_activations(found: LawSettings, element: Element) -> None:
    """Refuse a number of activations that the type of their dynamics does not have."""
    dynamics, count = found.types[0], integer(found.element(element), "actdim", -1)
    expected = 0 if dynamics == "none" else 1
    if dynamics != "dcmotor" and count >= 0 and count != expected:
        raise element.error(f"{describe(element)}: expected actdim = {expected} where dyntype is "
                            f"{dynamics}, found {count}")  # fmt: skip


def servo_period(actuator: Actuator, law: ForceLaw, *, is_ball: bool) -> float:
    """Of servos of position on rotations: setpoints are places on a circle; zero for others.

    ``is_ball`` says whether it acts on a spherical joint.
    """
    gain, bias, gear = law.gain, law.bias, actuator.gear
    if not (isinstance(gain, Affine) and isinstance(bias, Affine) and is_fixed(gain)):
        return 0.0
    if gain.constant != -bias.per_length:
        return 0.0
    at = actuator.transmission
    if isinstance(at, SiteTransmission) and at.reference and not any(gear[:3]):
        return 2.0 * math.pi * math.hypot(*gear[3:])
    if isinstance(at, JointTransmission) and is_ball:
        return 2.0 * math.pi * math.hypot(*gear[:3])
    return 0.0


def is_fixed(gain: Affine) -> bool:
    """Whether a gain is a constant."""
    return not (gain.per_length or gain.per_velocity)


def muscle_curves(
    row: Sequence[float], length_range: tuple[float, float], peak: float
) -> MuscleCurves:
    """The curves of a muscle from its parameters."""
    force = peak if row[2] < 0.0 else row[2]
    return MuscleCurves(length_range, force, (row[0], row[1]), *row[4:9])


def _dynamics(
    kind: str, row: Sequence[float]
) -> IntegralActivation | Filter | MuscleActivation | None:
    match kind:
        case "integrator":
            return IntegralActivation()
        case "filter" | "filterexact":
            return Filter(row[0], kind == "filterexact")
        case "muscle":
            return MuscleActivation((row[0], row[1]), row[2])
    return None


def _dc_motor(element: Element) -> DCMotor:
    for key in ("thermal",):
        if any(many(element, key, 6)):
            raise element.error(f"{describe(element)}: '{key}' is not read")
    constant, resistance = _of_motor(element)
    henry, time = (*numbers(element, "inductance", 1, 2), 0.0, 0.0)[:2]
    kp, ki, kd, slew, _, most = (*numbers(element, "controller", 1, 6), *(0.0,) * 6)[:6]
    if ki or slew:
        raise element.error(f"{describe(element)}: integral action and slew rates of a controller "
                            "are not read")  # fmt: skip
    amplitude, poles, phase = (*numbers(element, "cogging", 1, 3), 0.0, 0.0, 0.0)[:3]
    lugre = (*numbers(element, "lugre", 1, 5), *(0.0,) * 5)[:5]
    inputs = tuple((text(element, "input") or "voltage").split())
    torque, current, rate = (*numbers(element, "saturation", 1, 3), 0.0, 0.0, 0.0)[:3]
    if rate:
        raise element.error(f"{describe(element)}: a limit of the rate of current is not read")
    return DCMotor(
        constant, resistance, () if inputs == ("none",) else inputs, kp, kd,
        most or math.inf, torque or current * constant or math.inf,
        henry / resistance if henry else time, (amplitude, poles, phase),
        LuGre(*lugre) if lugre[0] else None,
    )  # fmt: skip


def _of_motor(element: Element) -> tuple[float, float]:
    """The motor constant and the resistance, as given or from nominal values."""
    constants = numbers(element, "motorconst", 1, 2)
    positive = [x for x in constants if x > 0.0]
    constant = math.prod(positive) ** (1.0 / len(positive)) if positive else 0.0
    resistance = number(element, "resistance", 0.0)
    voltage, stall, speed = numbers(element, "nominal", 3) or (0.0, 0.0, 0.0)
    if not constant and speed:
        constant = voltage / speed
    if not resistance and stall:
        resistance = constant * voltage / stall
    for key, value, given in (("motorconst", constant, constants), ("resistance", resistance, ())):
        if value <= 0.0 or min(given, default=0.0) < 0.0:
            raise element.error(f"{describe(element)}: expected a {key} above 0, or nominal values "
                                f"that give one, found {min((value, *given)):g}")  # fmt: skip
    return constant, resistance


def _affine(row: Sequence[float]) -> Affine:
    return Affine(*row[:3])


def _row(*values: float) -> tuple[float, ...]:
    return (*values, *(0.0,) * (_MOST - len(values)))


def _over(before: Sequence[float], values: Sequence[float]) -> tuple[float, ...]:
    """A row whose first values are replaced."""
    return (*values, *before[len(values) :])
