"""What a model declares and a run of it leaves out: limits, damping and friction of joints."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..errors import ModelWarning, warn_caller
from ..model import Joint, Model
from .scene import Machine, Scene, without_rule

_SHOWN, _MOST = 3, 10_000
_told: set[str] = set()


def warn_of_model(model: Model, what: str = "simulate") -> None:
    """Warn once of what a run of a model does not apply, and say what does."""
    _warn_once(_of_model(model, what))


def note_of_model(model: Model) -> str:
    """What `simulate` would warn of, which it then does not; empty if there is nothing."""
    message = _of_model(model, "simulate")
    _remember(message)
    return message


def _of_model(model: Model, what: str) -> str:
    limited = [joint for joint in model.joints if _is_limited(joint)]
    parts = [f"the limits of {_names(limited)}"] if limited else []
    parts += _resistance(model.joints)
    if not parts:
        return ""
    return (
        f"{what} of a model does not apply {' and '.join(parts)} (model '{model.name}'); "
        "a Scene applies limits, and damping and friction given as joint_settings: "
        "Scene().add_machine(model, joint_settings=...)"
    )


def warn_of_scene(scene: Scene) -> None:
    """Say once which damping and friction a scene leaves out, of its models and of contact."""
    for machine in scene.simulated:
        parts = _resistance(_unset(machine))
        if parts:
            _warn_once(
                f"machine '{machine.name}' moves without {' and '.join(parts)} (scene "
                f"'{scene.name}'); add_machine takes them as joint_settings, "
                "polhode.formats.urdf.friction.read_friction reads them from a URDF"
            )
    if scene.settings.kind == "time-stepping":
        for remark in without_rule(scene):
            _warn_once(f"{remark} (scene '{scene.name}'); Scene.contact gives them")


def _warn_once(message: str) -> None:
    if message and _remember(message):
        warn_caller(message, ModelWarning)


def _remember(message: str) -> bool:
    """Note that a message was given; whether it is new."""
    if message in _told:
        return False
    if len(_told) >= _MOST:
        _told.clear()
    _told.add(message)
    return True


def _is_limited(joint: Joint) -> bool:
    limits = joint.limits
    return limits is not None and (limits.lower > -math.inf or limits.upper < math.inf)


def _unset(machine: Machine) -> Iterable[Joint]:
    """Joints of which nothing was set."""
    given = {settings.joint for settings in machine.joint_settings}
    return (joint for joint in machine.model.joints if joint.name not in given)


def _resistance(joints: Iterable[Joint]) -> list[str]:
    declared = [joint for joint in joints if joint.dynamics is not None]
    damped = [joint for joint in declared if joint.dynamics and joint.dynamics.damping]
    rubbing = [joint for joint in declared if joint.dynamics and joint.dynamics.friction]
    parts = (("damping", damped), ("friction", rubbing))
    return [f"the {word} of {_names(found)}" for word, found in parts if found]


def _names(joints: list[Joint]) -> str:
    names = ", ".join(f"'{joint.name}'" for joint in joints[:_SHOWN])
    more = f" and {len(joints) - _SHOWN} more" if len(joints) > _SHOWN else ""
    return f"joint{'s' if len(joints) > 1 else ''} {names}{more}"
