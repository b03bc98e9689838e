"""Check that sensors of a scene name parts of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ModelError
from ..model import JointKind, Model, Sensor, Spherical
from ..model.checks import known
from ..model.coupling import refuse_follower
from .machine import Machine

if TYPE_CHECKING:
    from .scene import Scene


def check_sensors(scene: Scene) -> None:
    """Check what the sensors of a scene measure.

    Raises
    ------
    ModelError
        For a part that is not in the scene, and for a joint of another kind.
    """
    named = {"actuator": scene.actuators, "tendon": scene.tendons}
    machines = {machine.name: machine for machine in scene.machines}
    parts = {name: _Parts(machine) for name, machine in machines.items()}
    for sensor in scene.sensors:
        where = f"sensor '{sensor.name}', scene '{scene.name}'"
        subject = sensor.kind.subject
        if subject in named:
            known(sensor.of, [each.name for each in named[subject]], subject, where)  # type: ignore[arg-type]
            continue
        for part in (sensor.of, sensor.reference):
            if isinstance(part, tuple):
                found = parts[known(part[0], machines, "model", where)]
                if part is sensor.of and sensor.kind.subject != "body":
                    _check_joint(sensor, found, part, where)
                elif part[1] not in found.bodies:
                    known(part[1], found.bodies, f"body of model '{part[0]}'", where)


class _Parts:
    """Names of the bodies of a model, and its joints by name."""

    def __init__(self, machine: Machine):
        self.bodies: frozenset[str] = frozenset(machine.link_names)
        self.joints: dict[str, JointKind] = {x.name: x.kind for x in machine.model.joints}
        self.model: Model = machine.model


def _check_joint(sensor: Sensor, parts: _Parts, of: tuple[str, str], where: str) -> None:
    machine, joint = of
    if joint not in parts.joints:
        refuse_follower(joint, parts.model, where)
        known(joint, parts.joints, f"joint of model '{machine}'", where)
    kind = parts.joints[joint]
    if sensor.kind.subject == "spherical" and not isinstance(kind, Spherical):
        raise ModelError(f"expected a spherical joint, got the {kind.name} joint '{joint}' "
                         f"({where})")  # fmt: skip
    if sensor.kind.subject == "joint" and kind.nv != 1:
        raise ModelError(f"expected a joint of one axis, got the {kind.name} joint '{joint}' "
                         f"({where})")  # fmt: skip
