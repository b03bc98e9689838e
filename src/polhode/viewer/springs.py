"""Springs and dampers of a scene, which the page draws between their ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..arrays import Numbers
from ..recording.machines import scene_poses
from ..scene import Scene, Spring
from ..scene.couplings import BodyOf
from ..spatial import Transform
from .shapes import ShapeRow

SpringRow = dict[str, Any]
_SLIM = 0.05  # radius of a spring by its length
_SHORTEST = 1e-2  # [m]; what begins with no length is drawn as one of this length, shortened


def springs_of(scene: Scene) -> list[SpringRow]:
    """Coils, and struts for what has no stiffness: radius, length, and both bodies with points.

    A bushing has no length, and is not drawn.
    """
    springs = [spring for spring in scene.springs if isinstance(spring, Spring)]
    if not springs:
        return []
    poses = scene_poses(scene, np.array(scene.q0, float))
    return [_row(scene, poses, spring) for spring in springs]


def ends_of(springs: Iterable[SpringRow]) -> list[ShapeRow]:
    """Both ends of springs, as balls that a picture has to show."""
    return [
        {"body": body, "kind": "sphere", "size": row["size"][:1], "pose": [*point, 0, 0, 0, 1]}
        for row in springs
        for body, point in row["ends"]
    ]


def _row(scene: Scene, poses: np.ndarray, spring: Spring) -> SpringRow:
    ends = [_end(scene, spring.a, spring.point_a), _end(scene, spring.b, spring.point_b)]
    first, last = (_place(poses, *end) for end in ends)
    length = spring.rest_length or max(float(np.linalg.norm(last - first)), _SHORTEST)
    return {
        "name": spring.name,
        "kind": "coil" if spring.stiffness or spring.table else "strut",
        "role": "joint",  # of its colour
        "size": [_SLIM * length, length],
        "ends": ends,
    }


def _end(scene: Scene, owner: BodyOf | None, point: Numbers) -> tuple[int, list[float]]:
    """The number of the body that moves with an end, and the end in its coordinates."""
    if owner is None:
        return 0, [float(x) for x in point]
    body = scene.model.body("/".join(owner))
    frame = Transform.translation(*point) @ body.frame
    return int(body.moving), [float(x) for x in frame.r]


def _place(poses: np.ndarray, body: int, point: list[float]) -> np.ndarray:
    """Where an end is, in base coordinates."""
    if not body:
        return np.array(point)
    return poses[body - 1, :3, :3] @ point + poses[body - 1, :3, 3]
