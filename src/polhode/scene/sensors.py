"""Check that sensors of a scene name parts of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ModelError
from ..model import Sensor, Spherical
from ..model.checks import known
from .machine import Machine

if TYPE_CHECKING:
    from .scene import Scene


def check_sensors(scene: Scene) -> None:
    """Check what the sensors of a scene measure.

    Raises
    ------
    ModelError
        For a body or joint that is not in the scene, and for a joint of another kind.
    """
    machines = {machine.name: machine for machine in scene.machines}
    for sensor in scene.sensors:
        where = f"sensor '{sensor.name}', scene '{scene.name}'"
        for body in (sensor.of, sensor.reference):
            if isinstance(body, tuple):
                machine = machines[known(body[0], machines, "model", where)]
                if body is sensor.of and sensor.kind.subject != "body":
                    _check_joint(sensor, machine, body[1], where)
                else:
                    known(body[1], machine.link_names, f"body of model '{machine.name}'", where)


def _check_joint(sensor: Sensor, machine: Machine, joint: str, where: str) -> None:
    joints = {each.name: each.kind for each in machine.model.joints}
    kind = joints[known(joint, joints, f"joint of model '{machine.name}'", where)]
    if sensor.kind.subject == "spherical" and not isinstance(kind, Spherical):
        raise ModelError(f"expected a spherical joint, got the {kind.name} joint '{joint}' "
                         f"({where})")  # fmt: skip
    if sensor.kind.subject == "joint" and kind.nv != 1:
        raise ModelError(f"expected a joint of one axis, got the {kind.name} joint '{joint}' "
                         f"({where})")  # fmt: skip
