"""Mechanisms of bodies, joints and forces in one notation, built as trees with closed loops.

A joint that reaches a body first becomes its joint in the tree; those left over, and all that are
no joints of a tree, become constraints.  Bodies that no joint of a tree reaches are free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import polhode as ph
from polhode.constraints import ConstraintSet
from polhode.model import FloatingBase, Prismatic, Revolute, Spherical, TranslationXYZ
from polhode.spatial import Transform
from validation.rows import distance, perpendicular, rolling

Record = dict[str, Any]
GROUND = "ground"
IN_TREE = ("revolute", "spherical", "prismatic")
AXES = np.eye(6)


@dataclass
class Mechanism:
    """A model at the start of its record, and how its links lie in the record's bodies.

    Attributes
    ----------
    place : dict
        Of each body at the start: rotation to world, origin of its link in the world.
    origin : dict
        The origin of the record's body frame in the link's coordinates.
    """

    record: Record
    model: ph.Model
    place: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    origin: dict[str, np.ndarray] = field(default_factory=dict)
    in_tree: dict[int, tuple[str, float]] = field(default_factory=dict)
    rows: ConstraintSet | None = None

    def body(self, name: str) -> str:
        """What the model calls a body."""
        return "ROOT" if name == GROUND else name

    def point(self, name: str, point: Any) -> np.ndarray:
        """A point of a body's frame, in coordinates of its link."""
        return np.asarray(point, float) + (0.0 if name == GROUND else self.origin[name])

    def world(self, name: str, point: Any) -> np.ndarray:
        """A point of a body's frame, in the world at the start."""
        R, r = self.place[name]
        return r + R @ self.point(name, point)


def built(record: Record) -> Mechanism:
    """The model of a record, with constraints for what its tree does not hold."""
    gravity = tuple(map(float, record["gravity"]))
    made = Mechanism(record, ph.Model(record["name"], gravity=gravity))
    made.place[GROUND] = np.eye(3), np.zeros(3)
    while len(made.place) <= len(record["bodies"]):
        k = next(_ready(made), None)
        if k is None:
            free = next(name for name in record["bodies"] if name not in made.place)
            _add_free(made, free)
        else:
            _add_jointed(made, k)
    made.rows = _constraints(made)
    return made


def _ready(made: Mechanism) -> Iterator[int]:
    """Joints of a tree between a body that is placed and one that is not."""
    for k, joint in enumerate(made.record["joints"]):
        if joint["type"] in IN_TREE and (joint["a"] in made.place) != (joint["b"] in made.place):
            yield k


def _add_free(made: Mechanism, name: str) -> None:
    """A body that nothing of the tree holds; without inertia it is a point."""
    data = made.record["bodies"][name]
    joint = FloatingBase() if "inertia_about_com" in data else TranslationXYZ()
    _add(made, name, GROUND, np.array(data["position"], float), joint)


def _add_jointed(made: Mechanism, k: int) -> None:
    joint = made.record["joints"][k]
    a_is_parent = joint["a"] in made.place
    parent, name = (joint["a"], joint["b"]) if a_is_parent else (joint["b"], joint["a"])
    R = _rotation(made.record["bodies"][name])
    axis = R.T @ _axis(made, joint) if "axis" in joint or "axis_a" in joint else None
    kind = {
        "revolute": lambda: Revolute(tuple(axis)),
        "prismatic": lambda: Prismatic(tuple(axis)),
        "spherical": Spherical,
    }[joint["type"]]()
    _add(made, name, parent, _point_of_joint(made, joint), kind)
    made.in_tree[k] = name, 1.0 if a_is_parent else -1.0


def _add(made: Mechanism, name: str, parent: str, place: np.ndarray, joint: Any) -> None:
    """A link whose frame has the body's axes and lies at ``place``."""
    data = made.record["bodies"][name]
    R, (R_p, r_p) = _rotation(data), made.place[parent]
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = R_p.T @ R, R_p.T @ (place - r_p)
    origin = R.T @ (np.array(data["position"], float) - place)
    made.model = made.model.add(
        name, parent=None if parent == GROUND else parent, joint=joint, frame=frame,
        mass=data["mass"], com=origin + data.get("com", np.zeros(3)),
        inertia=data.get("inertia_about_com", np.zeros((3, 3))),
    )  # fmt: skip
    made.place[name], made.origin[name] = (R, place), origin


def _rotation(data: Record) -> np.ndarray:
    return np.array(data.get("rotation", np.eye(3)), float)


def _axis(made: Mechanism, joint: Record) -> np.ndarray:
    """The axis of a joint in the world at the start."""
    axis = np.array(joint.get("axis", (0, 0, 0)), float)
    if "axis" not in joint:
        body = joint["a"]
        R = np.eye(3) if body == GROUND else _rotation(made.record["bodies"][body])
        axis = R @ np.array(joint["axis_a"], float)
    return axis / np.linalg.norm(axis)


def _point_of_joint(made: Mechanism, joint: Record) -> np.ndarray:
    """The place of a joint in the world at the start."""
    if "point" in joint:
        return np.array(joint["point"], float)
    for end in "ab":
        if joint[end] != GROUND and f"point_{end}" in joint:
            data = made.record["bodies"][joint[end]]
            return np.array(data["position"], float) + _rotation(data) @ joint[f"point_{end}"]
    return np.array(joint["point_a"], float)


def _constraints(made: Mechanism) -> ConstraintSet | None:
    """Rows of all joints that are not in the tree; None if there is none."""
    rows = ConstraintSet(made.model)
    for k, joint in enumerate(made.record["joints"]):
        if k not in made.in_tree:
            rows = CONSTRAINTS[joint["type"]](made, rows, joint)
    return rows if rows.n_rows else None


def _loop(made: Mechanism, rows: ConstraintSet, joint: Record, axes: np.ndarray) -> ConstraintSet:
    """A loop whose frame has z along the joint's axis; without one, the axes of a."""
    place = _point_of_joint(made, joint)
    R = _frame_of(made, joint)
    frames = []
    for end in "ab":
        R_body, r_body = made.place[joint[end]]
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = R_body.T @ R, R_body.T @ (place - r_body)
        frames.append(Transform.from_pose(pose))
    ends = made.body(joint["a"]), made.body(joint["b"])
    return rows.loop(*ends, *frames, axes.tolist(), name=joint["type"])


def _frame_of(made: Mechanism, joint: Record) -> np.ndarray:
    if not {"axis", "axis_a"} & set(joint):
        return made.place[joint["a"]][0]
    z = _axis(made, joint)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _revolute(made: Mechanism, rows: ConstraintSet, joint: Record) -> ConstraintSet:
    return _loop(made, rows, joint, AXES[[3, 4, 5, 0, 1]])


def _spherical(made: Mechanism, rows: ConstraintSet, joint: Record) -> ConstraintSet:
    return _loop(made, rows, joint, AXES[3:])


def _prismatic(made: Mechanism, rows: ConstraintSet, joint: Record) -> ConstraintSet:
    return _loop(made, rows, joint, AXES[:5])


def _point(made: Mechanism, rows: ConstraintSet, joint: Record) -> ConstraintSet:
    directions = np.array(joint["directions_a"], float)
    return _loop(made, rows, joint, np.hstack([np.zeros_like(directions), directions]))


def _distance(made: Mechanism, rows: ConstraintSet, joint: Record) -> ConstraintSet:
    ends = [_end(made, joint, end) for end in "ab"]
    return rows.custom(1, distance(*ends[0], *ends[1], joint["length"]), name="distance")


def _perpendicular(made: Mechanism, rows: ConstraintSet, joint: Record) -> ConstraintSet:
    """Samples of a record whose vectors are not perpendicular at the start keep their product."""
    a, b = (rows.model.body(made.body(joint[end])).id for end in "ab")
    u, w = (made.place[joint[end]][0] @ joint[f"vector_{end}"] for end in "ab")
    row = perpendicular(a, joint["vector_a"], b, joint["vector_b"], float(u @ w))
    return rows.custom(1, row, name="perpendicular")


def _rolling(made: Mechanism, rows: ConstraintSet, joint: Record) -> ConstraintSet:
    if joint["a"] != GROUND:
        raise NotImplementedError("rolling on a plane that moves")
    body, centre = _end(made, joint, "b")
    plane = joint["plane_point"], joint["plane_normal"]
    return rows.custom(
        3, rolling(body, centre, joint["axis_b"], joint["radius"], *plane), name="rolling"
    )


def _end(made: Mechanism, joint: Record, end: str) -> tuple[int, np.ndarray]:
    """The body of an end of a joint, and its point in coordinates of the link."""
    name = joint[end]
    point = made.point(name, joint.get(f"point_{end}", np.zeros(3)))
    return made.model.body(made.body(name)).id, point


CONSTRAINTS: dict[str, Callable[[Mechanism, ConstraintSet, Record], ConstraintSet]] = {
    "revolute": _revolute,
    "spherical": _spherical,
    "prismatic": _prismatic,
    "point": _point,
    "distance": _distance,
    "perpendicular": _perpendicular,
    "rolling": _rolling,
}
