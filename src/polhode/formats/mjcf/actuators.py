"""``<actuator>`` to actuators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from ...algorithms.actuation.lengths import PlacedTree
from ...algorithms.actuation.tendons import tendon_length
from ...algorithms.actuation.transmissions import actuator_length
from ...algorithms.tree.dynamics import solve_inertia
from ...model import (
    Actuator,
    AdhesionTransmission,
    Affine,
    DCMotor,
    ForceLaw,
    JointDynamics,
    JointTransmission,
    Model,
    SiteFrame,
    SiteTransmission,
    SliderCrankTransmission,
    Tendon,
    TendonTransmission,
)
from ...model.tendons import UNLIMITED, Range
from ...model.transmissions import Transmission
from ..names import near, shorten
from ..xml import Element
from .actuator_laws import REFUSED, LawSettings, force_law, servo_period, settings_of
from .compiler import Option
from .copies import Copy, Keys, copies_of
from .joints import MjcfJoint
from .tendons import MjcfNames, MjcfTendon, linear
from .tree import MjcfBody, Part, unused
from .values import describe, errors_at, flag, integer, number, numbers, text
from .vocabulary import SHORTCUTS

_TARGETS = {
    "joint": "joint", "jointinparent": "joint", "tendon": "tendon", "site": "site", "body": "body",
    "cranksite": "site",
}  # fmt: skip
_SECOND = {"site": "refsite", "cranksite": "slidersite"}


@dataclass(frozen=True)
class MjcfActuator:
    """An actuator with what its law needs to know of the whole model."""

    copy: Copy
    settings: LawSettings
    element: Element
    target: str
    actuator: Actuator
    control_range: Range
    is_idle: bool
    """Whether it is of a group that has no force."""

    @property
    def gear(self) -> float:
        return self.actuator.gear[0]


_GAINS_OF_SERVOS = {"position": "kp", "intvelocity": "kp", "velocity": "kv"}
_INHERITS = {"none": "ctrlrange", "filterexact": "ctrlrange", "integrator": "actrange"}
"""What ``inheritrange`` stands for, by the type of the activation."""


def read_actuators(names: MjcfNames, option: Option) -> list[MjcfActuator]:
    """The actuators of a file, in order, without their laws."""
    if "actuation" in option.disabled:
        return []
    used: set[str] = set()
    actuators = []
    for copy in copies_of(names.tree, "actuator", _named, names.place):
        name = unused(copy.name or f"actuator{len(actuators)}", used)
        with errors_at(copy.element):
            actuators.append(_actuator(names, copy, name, option))
            _note_backward(actuators[-1])
    for each in actuators:
        if number(each.element, "delay", 0.0):
            raise each.element.error(f"{describe(each.element)}: 'delay' of controls is not read")
    return actuators


def _note_backward(each: MjcfActuator) -> None:
    """Note servos whose force leads away from the setpoint: MuJoCo reads them, too."""
    key = _GAINS_OF_SERVOS.get(each.element.tag)
    if key is not None and (gain := each.settings.gainprm[0]) < 0.0:
        text = (f"{describe(each.element)} has a negative {key}, {gain:g}: its force leads away "
                "from the setpoint")  # fmt: skip
        each.copy.source.document.notes.add("doubtful", text, each.element.line)


def _named(element: Element) -> Keys:
    if element.tag in REFUSED:
        raise element.error(f"{describe(element)}: {REFUSED[element.tag]} are not read")
    if element.tag not in SHORTCUTS:
        hint = near(element.tag, SHORTCUTS)
        raise element.error(f"unknown element <{shorten(element.tag)}> in <actuator>{hint}")
    targets = [key for key in _TARGETS if text(element, key)]
    if len(targets) != 1:
        raise element.error(f"{describe(element)}: expected one of {', '.join(_TARGETS)}, found "
                            f"{len(targets)}")  # fmt: skip
    (target,) = targets
    keys = [(_TARGETS[target], element.attributes[target])]
    second = _SECOND.get(target)
    if second and text(element, second):
        keys.append(("site", element.attributes[second]))
    elif target == "cranksite":
        raise element.error(f"{describe(element)} has no attribute 'slidersite'")
    return keys


def _actuator(names: MjcfNames, copy: Copy, name: str, option: Option) -> MjcfActuator:
    settings = settings_of(copy.element, copy.source.document.classes)
    target = next(key for key in _TARGETS if text(copy.element, key))
    element = _with_inherited(names, copy, settings, target)
    gear = numbers(element, "gear", 1, 6)
    gear = (*gear, *(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)[len(gear) :])
    compiler = copy.source.document.compiler
    control, force, activation = (
        compiler.bounds(element, f"{key}limited", f"{key}range") for key in ("ctrl", "force", "act")
    )
    actuator = Actuator(
        name, _transmission(names, copy, element, target), gear=gear,  # type: ignore[arg-type]
        force_range=force, activation_range=activation,
        lead=option.timestep if flag(element, "actearly", element.tag == "dcmotor") else 0.0,
    )  # fmt: skip
    control = UNLIMITED if "clampctrl" in option.disabled else control
    is_idle = integer(element, "group", 0) in option.idle_groups
    return MjcfActuator(copy, settings, element, target, actuator, control, is_idle)


def _with_inherited(names: MjcfNames, copy: Copy, settings: LawSettings, target: str) -> Element:
    """The element of an actuator; a servo has a part of the range of its joint or tendon."""
    element = settings.element(copy.element)
    part = number(element, "inheritrange", 0.0)
    if not part > 0.0 or not settings.is_servo:
        return element
    kind = settings.types[0]
    if kind not in _INHERITS:
        raise element.error(f"{describe(element)}: 'inheritrange' is for servos of position whose "
                            f"dyntype is one of {', '.join(_INHERITS)}, found {kind}")  # fmt: skip
    low, high = _limits(names, copy, target)
    if not math.isfinite(high - low):
        raise element.error(f"{describe(element)}: 'inheritrange' needs a joint or tendon with a "
                            "range")  # fmt: skip
    middle, half = 0.5 * (low + high), 0.5 * (high - low) * part
    bounds = {_INHERITS[kind]: f"{middle - half!r} {middle + half!r}"}
    return Element(element.tag, element.attributes | bounds, element.file, element.line,
                   element.children)  # fmt: skip


def _limits(names: MjcfNames, copy: Copy, target: str) -> Range:
    """The limits of the joint or tendon that an actuator acts on."""
    found = copy.found[0]
    if target == "tendon":
        return found.tendon.limits
    limits = names.joint(found[1]).limits if target == "joint" else None
    return (limits.lower, limits.upper) if limits else UNLIMITED


def _transmission(names: MjcfNames, copy: Copy, element: Element, target: str) -> Transmission:
    first, *more = copy.found
    match target:
        case "joint" | "jointinparent":
            return JointTransmission(names.joint_name(*first), target == "jointinparent")
        case "tendon":
            return TendonTransmission(first.tendon.name)
        case "site":
            return SiteTransmission(_frame(names, first), *(_frame(names, x) for x in more))
        case "cranksite":
            rod = number(element, "cranklength", 0.0)
            return SliderCrankTransmission(names.anchor(first), _frame(names, more[0]), rod)
    return AdhesionTransmission(names.body(first) or "")


def _frame(names: MjcfNames, found: tuple[MjcfBody, Part]) -> SiteFrame:
    body, site = found
    return SiteFrame(names.body(body), site.pose)


# -- what actuators add to joints and tendons --


def with_rotors(
    names: MjcfNames, tendons: list[MjcfTendon], actuators: Sequence[MjcfActuator],
    disabled: frozenset[str],
) -> tuple[dict[MjcfBody, list[MjcfJoint]], list[MjcfTendon]]:  # fmt: skip
    """Joints and tendons with the armature and damping of their actuators."""
    joints = {body: list(own) for body, own in names.joints.items()}
    tendons = list(tendons)
    for each in actuators:
        element = each.element
        armature = number(element, "armature", 0.0) * each.gear**2
        damping = linear(element, "damping") * each.gear**2
        damping = 0.0 if disabled & {"damper", "passive"} else damping
        if not (armature or damping):
            continue
        with errors_at(element):
            _add_rotor(each, joints, tendons, armature, damping)
    return joints, tendons


def _add_rotor(
    each: MjcfActuator, joints: dict[MjcfBody, list[MjcfJoint]], tendons: list[MjcfTendon],
    armature: float, damping: float,
) -> None:  # fmt: skip
    """Put armature and damping into the joint or tendon that an actuator acts on."""
    found = each.copy.found[0]
    if each.target == "tendon":
        k = next(k for k, tendon in enumerate(tendons) if tendon.copy is found.copy)
        tendons[k] = replace(tendons[k], tendon=_more(tendons[k].tendon, armature, damping))
        return
    own = joints[found[0]] if each.target == "joint" else []
    k = next((k for k, joint in enumerate(own) if joint.part is found[1]), None)
    if k is None or own[k].kind.nv != 1:
        raise each.element.error(_no_rotor(each.element))
    dynamics = own[k].dynamics or JointDynamics()
    own[k] = replace(own[k], dynamics=_more(dynamics, armature, damping))


def _no_rotor(element: Element) -> str:
    return f"{describe(element)}: armature and damping are read for joints of one axis and tendons"


def _more(part: Any, armature: float, damping: float) -> Any:
    return replace(part, armature=part.armature + armature, damping=part.damping + damping)


# -- what depends on the pose of the file --


@dataclass
class Pose:
    """The whole model in a pose in which some parameters are defined."""

    model: Model
    q: list[float]

    @cached_property
    def placed(self) -> PlacedTree:
        return PlacedTree(self.model, self.model.split_q(self.q))

    def joins_branches(self, tendon: Tendon) -> bool:
        """Whether a tendon moves joints of which neither carries the other."""
        row = self.placed.row(tendon_length(self.placed, tendon))
        felt = {k for k, factor in row.items() if tendon.path or factor}
        chain = [i for i in self.model.bodies if felt & {*self.model.v_index[i]}]
        return any(not self._carries(a, b) for a, b in pairwise(chain))

    def _carries(self, a: int, b: int) -> bool:
        while b > a:
            b = self.model.parent[b]
        return b == a

    def length(self, tendon: Tendon) -> float:
        """The length of a tendon."""
        return float(tendon_length(self.placed, tendon).value)

    def felt(self, actuator: Actuator) -> tuple[float, float]:
        """``J H^-1 J^T``, and the norm of the accelerations ``H^-1 J^T`` of a unit force."""
        row = self.placed.row(actuator_length(self.placed, actuator, {}))
        J = [row.get(k, 0.0) for k in range(self.model.nv)]
        found = solve_inertia(self.model, self.model.split_q(self.q), self.model.split_v(J))
        acceleration = self.model.join_v(found)
        inverse = sum(x * y for x, y in zip(J, acceleration, strict=True))
        return float(inverse), math.hypot(*acceleration)


def with_rests(pose: Pose, tendons: Sequence[MjcfTendon]) -> tuple[Tendon, ...]:
    """The tendons, with springs at rest where those of joints are unless they say where."""
    found = []
    for each in tendons:
        tendon = each.tendon
        if tendon.armature and pose.joins_branches(tendon):
            element = each.copy.element
            raise element.error(
                f"{describe(element)}: the 'armature' of a tendon between branches of the tree is "
                "not read, as MuJoCo leaves out a part of it"
            )
        if each.rests_in_pose:
            length = pose.length(tendon)
            tendon = replace(tendon, rest=(length, length))
        found.append(tendon)
    return tuple(found)


def with_laws(
    names: MjcfNames, pose: Pose, actuators: Sequence[MjcfActuator]
) -> tuple[Actuator, ...]:
    """The actuators with their laws."""
    found = []
    for each in actuators:
        with errors_at(each.element):
            found.append(_with_law(names, pose, each))
    return tuple(found)


def _with_law(names: MjcfNames, pose: Pose, each: MjcfActuator) -> Actuator:
    settings, element, actuator = each.settings, each.element, each.actuator
    damping = None
    if settings.damping_ratio:
        if settings.gainprm[0] < 0.0:
            raise element.error(f"{describe(element)}: expected kp of at least 0 beside a damping "
                                f"ratio, found {settings.gainprm[0]:g}")  # fmt: skip
        inverse, _ = pose.felt(actuator)
        mass = 1.0 / inverse if inverse else 0.0
        damping = settings.damping_ratio * 2.0 * math.sqrt(settings.gainprm[0] * mass)
    length_range, peak = (0.0, 1.0), 0.0
    if "muscle" in settings.types[1:]:
        length_range = _length_range(names, each)
        row = settings.gainprm if settings.types[1] == "muscle" else settings.biasprm
        if row[2] < 0.0:
            peak = row[3] / pose.felt(actuator)[1]
    law = force_law(settings, element, damping=damping, length_range=length_range, peak=peak)
    if isinstance(law, ForceLaw) and settings.types[1] == "fixed":
        at = actuator.transmission
        is_ball = isinstance(at, JointTransmission) and names.is_ball(each.copy.found[0])
        law = replace(law, period=servo_period(actuator, law, is_ball=is_ball))
    if each.is_idle:
        law = _without_force(element, law)
    ranges = (each.control_range, *[UNLIMITED] * len(law.inputs))[: len(law.inputs)]
    return replace(actuator, law=law, control_range=ranges)


def _without_force(element: Element, law: ForceLaw | DCMotor) -> ForceLaw:
    """The law of an actuator that only has an activation."""
    if isinstance(law, DCMotor):
        raise element.error(f"{describe(element)}: a DC motor of a group without force, as "
                            "'actuatorgroupdisable' says, is not read")  # fmt: skip
    return ForceLaw(Affine(0.0), None, law.activation)


def _length_range(names: MjcfNames, each: MjcfActuator) -> Range:
    given = numbers(each.element, "lengthrange", 2)
    if given and given[0] < given[1]:
        return given  # type: ignore[return-value]
    root = each.copy.source.document.root
    options = [part for compiler in root.all("compiler") for part in compiler.all("lengthrange")]
    if any(flag(part, "uselimit", False) for part in options):
        low, high = (x * each.gear for x in _limits(names, each.copy, each.target))
        if math.isfinite(high - low):
            return min(low, high), max(low, high)
    raise each.element.error(
        f"{describe(each.element)} has no 'lengthrange', which is not computed by simulation here"
    )
