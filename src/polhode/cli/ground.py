"""Level ground under what a file describes."""

from __future__ import annotations

from ..api.kinematics import body_pose
from ..collision import bounding_box
from ..errors import ModelError
from ..model import FloatingBase, Plane
from ..scene import Geometry, Scene
from ..spatial import Transform

NAME = "ground"


def with_ground(scene: Scene, friction: float) -> Scene:
    """The scene on a plane: at the height of the world, or where the lowest free body starts.

    Raises
    ------
    ModelError
        If nothing of the scene has a shape that could touch it.
    """
    if not scene.geometries:
        raise ModelError(
            f"--ground needs collision shapes, and '{scene.name}' has none; those of a URDF are "
            "read, a Lua model has none"
        )
    height = min((_lowest(scene, each) for each in scene.geometries if _is_free(scene, each)),
                 default=0.0)  # fmt: skip
    scene = scene.add_fixed(NAME, Plane(), position=(0.0, 0.0, height))
    return scene if scene.contacts else scene.contact(mu_coulomb=friction)


def _is_free(scene: Scene, geometry: Geometry) -> bool:
    joints = scene.machine(geometry.machine).model.joints
    return any(isinstance(joint.kind, FloatingBase) for joint in joints)


def _lowest(scene: Scene, geometry: Geometry) -> float:
    machine = scene.machine(geometry.machine)
    assert geometry.shape is not None
    frame = Transform.from_pose(body_pose(machine.model, machine.q, geometry.body).tolist())
    return float(bounding_box(geometry.shape, geometry.frame @ frame)[0][2])
