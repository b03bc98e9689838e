"""The rigs of ADAMS' cases: a body on a joint, a rod or a spring, and what these exert."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.constraints import ConstraintSet
from polhode.model import Axes, FloatingBase, Prismatic, Revolute, Spherical, Universal
from validation.rows import distance

Record = dict[str, Any]
BODY, ROD = "body", "rod"


@dataclass
class Rig:
    """A body on the ground, and what acts on it."""

    record: Record
    model: ph.Model
    place: np.ndarray
    controller: Callable[[float, Any], np.ndarray] | None = None
    f_ext: Callable[[float, Any], np.ndarray] | None = None
    constraints: ConstraintSet | None = None
    reactions: Callable[[Rig, Run], dict[str, np.ndarray]] = field(default=lambda *_: {})


@dataclass
class Run:
    """States and accelerations at the instants of a case, and the forces of its rows."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    f_ext: np.ndarray | None
    force: np.ndarray


def on_ground(rig: Rig, run: Run, name: str, point: Any) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment about a point of what a link's joint exerts on the body before it."""
    f = ph.constraints.joint_reactions(rig.model, run.q, run.qd, run.qdd, run.f_ext)
    return turned(rig, run, name, -f[:, rig.model.body(name).id - 1], point)


def turned(
    rig: Rig, run: Run, name: str, wrench: np.ndarray, point: Any
) -> tuple[np.ndarray, np.ndarray]:
    """A wrench of a link in world axes, its moment about a fixed point."""
    pose = ph.body_pose(rig.model, run.q, name)
    moment, force = (
        np.einsum("tij,tj->ti", pose[:, :3, :3], part) for part in np.split(wrench, 2, axis=1)
    )
    return force, moment + np.cross(pose[:, :3, 3] - np.asarray(point, float), force)


def joint_reaction(rig: Rig, run: Run) -> dict[str, np.ndarray]:
    """What the joint exerts on the ground, about the point fixed there."""
    force, moment = on_ground(rig, run, BODY, rig.place)
    return {"Rforce": force, "Rtorque": moment}


def orientation(record: Record) -> np.ndarray:
    """Of the body at the start, to world axes."""
    w, x, y, z = record["body"]["orientation_quaternion_wxyz"]
    return Rotation.from_quat([x, y, z, w]).as_matrix()


def with_body(model: ph.Model, record: Record, place: Any, joint: Any, **options: Any) -> ph.Model:
    """The body added, its link with the body's axes at ``place``, a point of the world."""
    data, R = record["body"], orientation(record)
    parent = options.get("parent_place", np.zeros(3))
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = R, np.array(place, float) - parent
    return model.add(
        BODY, parent=options.get("parent"), joint=joint, frame=frame, mass=data["mass"],
        com=R.T @ (np.array(data["com_position"], float) - place),
        inertia=data["inertia_com_body_axes_diagonal"],
    )  # fmt: skip


def empty(record: Record) -> ph.Model:
    """A model with the record's gravity."""
    return ph.Model(record["kind"], gravity=tuple(map(float, record["gravity"])))


def axes_of(record: Record, *names: str) -> list[tuple[float, ...]]:
    """Axes of a joint, in the body at the start."""
    R = orientation(record)
    return [tuple(R.T @ np.array(record["joint"][name], float)) for name in names]


def jointed(record: Record, joint: Any, **options: Any) -> Rig:
    """The body on a joint of a tree."""
    place = np.array(record["joint"]["point"], float)
    model = with_body(empty(record), record, place, joint)
    return Rig(record, model, place, reactions=joint_reaction, **options)


def revolute(record: Record) -> Rig:
    return jointed(record, Revolute(*axes_of(record, "axis")))


def prismatic(record: Record) -> Rig:
    return jointed(record, Prismatic(*axes_of(record, "axis")))


def cylindrical(record: Record) -> Rig:
    (axis,) = axes_of(record, "axis")
    return jointed(record, Axes(((0.0, 0.0, 0.0, *axis), (*axis, 0.0, 0.0, 0.0))))


def spherical(record: Record) -> Rig:
    return jointed(record, Spherical())


def universal(record: Record) -> Rig:
    names = "axis_fixed_in_ground", "axis_fixed_in_body_at_start"
    return jointed(record, Universal(*axes_of(record, *names)))


def rotational_spring(record: Record) -> Rig:
    """A hinge with a spring-damper about its axis."""
    spring = record["rotational_spring"]

    def torque(t: float, state: Any) -> np.ndarray:
        stiffness = spring["stiffness"] + spring["linear_growth_of_stiffness"] * np.abs(state.q)
        return -stiffness * state.q - spring["damping"] * state.qd

    rig = revolute(record)
    rig.controller = torque
    return rig


def linear_actuator(record: Record) -> Rig:
    """A slider at a given speed; the joint's reaction and the actuator's force apart."""

    def drive(t: float, state: Any) -> np.ndarray:
        return ph.inverse_dynamics(state.model, state.q, state.qd, np.zeros(1))

    rig = prismatic(record)
    rig.controller = drive
    rig.reactions = slider_reaction
    return rig


def slider_reaction(rig: Rig, run: Run) -> dict[str, np.ndarray]:
    """Of the prismatic joint on the ground, and of the actuator on the body."""
    f = ph.constraints.joint_reactions(rig.model, run.q, run.qd, run.qdd)[:, 0]
    axis = np.array(rig.model.joint(BODY).kind.axis)
    along = np.hstack([np.zeros((len(f), 3)), (f[:, 3:] @ axis)[:, None] * axis])
    joint = turned(rig, run, BODY, along - f, np.zeros(3))
    actuator = turned(rig, run, BODY, along, np.zeros(3))
    names = "RforceP", "RtorqueP", "RforceA", "RtorqueA"
    moment_free = np.zeros_like(actuator[1])
    return dict(zip(names, (*joint, actuator[0], moment_free), strict=True))


def free(record: Record) -> Rig:
    """The body free in space, its link at the centre of mass."""
    model = with_body(empty(record), record, record["body"]["com_position"], FloatingBase())
    return Rig(record, model, np.array(record["attachment_ground"], float))


def attachment(record: Record) -> np.ndarray:
    """The body's attachment, in its link at the centre of mass."""
    reach = np.array(record["attachment_body_world"]) - record["body"]["com_position"]
    return orientation(record).T @ reach


def at_distance(record: Record) -> Rig:
    """A massless rod with spherical joints at both ends."""
    rig, point = free(record), attachment(record)
    body = rig.model.body(BODY).id
    row = distance(0, rig.place, body, point, record["distance"])
    rig.constraints = ConstraintSet(rig.model).custom(1, row, name="rod")
    rig.reactions = rod_force
    return rig


def rod_force(rig: Rig, run: Run) -> dict[str, np.ndarray]:
    """The rod pushes the ground along the line between its ends."""
    line = ph.point_position(rig.model, run.q, BODY, attachment(rig.record)) - rig.place
    push = run.force * line / np.linalg.norm(line, axis=1, keepdims=True)
    return {"Rforce": -push, "Rtorque": np.zeros_like(push)}


def rod_on_hinge(record: Record) -> Rig:
    """A massless rod with a hinge at the ground and a spherical joint at the body."""
    hinge, end = (np.array(record[f"attachment_{x}"], float) for x in ("ground", "body_world"))
    frame = np.eye(4)
    frame[:3, 3] = hinge
    model = empty(record).add(ROD, joint=Revolute(tuple(record["axis"])), frame=frame)
    model = with_body(model, record, end, Spherical(), parent=ROD, parent_place=hinge)
    return Rig(record, model, hinge, reactions=reactions_of_rod)


def reactions_of_rod(rig: Rig, run: Run) -> dict[str, np.ndarray]:
    """On the ground about the hinge, and on the body about its end of the rod."""
    ground = on_ground(rig, run, ROD, rig.place)
    body = on_ground(rig, run, BODY, rig.place)[0]
    return {
        "Rforce_Body1": ground[0],
        "Rtorque_Body1": ground[1],
        "Rforce_Body2": -body,
        "Rtorque_Body2": np.zeros_like(body),
    }


def translational_spring(record: Record) -> Rig:
    """A spring-damper between the ground and the body."""
    rig, point = free(record), attachment(record)

    def push(t: float, state: Any) -> np.ndarray:
        place = ph.point_position(rig.model, state.q, BODY, point)
        speed = ph.point_velocity(rig.model, state.q, state.qd, BODY, point)
        force = -tension(record["spring"], place - rig.place, speed)
        load = np.zeros((rig.model.n_bodies, 6))
        load[rig.model.body(BODY).id - 1] = [*np.cross(place, force), *force]
        return load

    rig.f_ext = push
    rig.reactions = lambda rig, run: {
        "Rforce": -run.f_ext[:, rig.model.body(BODY).id - 1, 3:],
        "Rtorque": np.zeros((len(run.q), 3)),
    }
    return rig


def tension(spring: Record, line: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """The pull of a spring-damper on its first end; none where it has no length."""
    length = float(np.linalg.norm(line))
    if length == 0.0:
        return np.zeros(3)
    n, e = line / length, length - spring["rest_length"]
    elastic = spring["stiffness"] * e + spring["quadratic_stiffness"] * abs(e) * e
    return (elastic + spring["damping"] * (n @ speed)) * n


RIGS: dict[str, Callable[[Record], Rig]] = {
    "revolute": revolute,
    "prismatic": prismatic,
    "cylindrical": cylindrical,
    "spherical": spherical,
    "universal": universal,
    "revolute with rotational spring-damper": rotational_spring,
    "linact": linear_actuator,
    "distance": at_distance,
    "revsph": rod_on_hinge,
    "tsda": translational_spring,
}
"""By what the records call their kind."""
