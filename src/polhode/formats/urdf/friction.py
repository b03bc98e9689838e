"""``<dynamics>`` of joints to what resists in a scene."""

from __future__ import annotations

import os

from ...scene import JointSettings
from ..source import read_bytes
from ..xml import parse_xml
from .values import attribute, number

ONE_AXIS = ("revolute", "continuous", "prismatic")


def read_friction(path: str | os.PathLike[str]) -> tuple[JointSettings, ...]:
    """Dry and viscous friction of a URDF's joints: its ``friction`` and ``damping``.

    Returns
    -------
    settings : tuple of JointSettings
        What ``scene.add_machine(model, joint_settings=settings)`` takes.

    Raises
    ------
    ParseError
        For an error in the file.
    """
    found = []
    for joint in parse_xml(read_bytes(path), str(path)).all("joint"):
        for dynamics in joint.all("dynamics"):
            damping, friction = number(dynamics, "damping", 0.0), number(dynamics, "friction", 0.0)
            if (damping or friction) and attribute(joint, "type") in ONE_AXIS:
                settings = JointSettings(
                    attribute(joint, "name"), coulomb_friction=friction, viscous_friction=damping
                )
                found.append(settings)
    return tuple(found)
