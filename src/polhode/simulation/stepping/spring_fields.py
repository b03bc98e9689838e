"""Springs of a scene as the arrays of `System`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ModelError
from ...scene import Bushing, Spring
from ...spatial import Quaternion, Transform, Vec3
from .lowering import SceneLayout, balls_of, pose_row
from .springs import LINE


def spring_fields(plan: SceneLayout) -> dict[str, Any]:
    """Springs between bodies, row by row, and springs in joints.

    Raises
    ------
    ModelError
        For a spring between bodies that do not move.
    """
    bodies, frames = ([], []), ([], [])
    rows, law, table = [], [], []
    for k, spring in enumerate(plan.scene.springs):
        for side, (owner, frame) in enumerate(
            zip((spring.a, spring.b), _frames(spring), strict=True)
        ):
            place = None if owner is None else plan.places[owner]
            bodies[side].append(-1 if place is None else place.body)
            frames[side].append(pose_row(frame if place is None else place.local(frame)))
        if bodies[0][-1] < 0 and bodies[1][-1] < 0:
            raise ModelError(f"expected a spring with a body that moves, got two that do not "
                             f"(spring '{spring.name}')")  # fmt: skip
        first = len(table)
        if isinstance(spring, Spring):
            table += spring.table
            rows.append((k, LINE, first, len(table)))
            law.append((spring.stiffness, spring.rest_length, spring.damping))
            continue
        for axis, (stiffness, damping) in enumerate(
            zip(spring.stiffness, spring.damping, strict=True)
        ):
            if stiffness or damping:
                rows.append((k, axis, first, first))
                law.append((stiffness, 0.0, damping))
    return {
        "spring_a": np.array(bodies[0], np.int64), "spring_b": np.array(bodies[1], np.int64),
        "spring_frame_a": np.array(frames[0], float).reshape(-1, 12),
        "spring_frame_b": np.array(frames[1], float).reshape(-1, 12),
        "spring_rows": np.array(rows, np.int64).reshape(-1, 4),
        "spring_law": np.array(law, float).reshape(-1, 3),
        "spring_table": np.array(table, float).reshape(-1, 2),
        "elastic": np.zeros(plan.nv), **_joint_springs(plan),
    }  # fmt: skip


def _frames(spring: Spring | Bushing) -> tuple[Transform, Transform]:
    if isinstance(spring, Spring):
        return Transform.translation(*spring.point_a), Transform.translation(*spring.point_b)
    return spring.frame_a, spring.frame_b


def _joint_springs(plan: SceneLayout) -> dict[str, Any]:
    """Springs along coordinates; then those of spherical joints, along the turn from their rest."""
    stiffness, rest = np.zeros(plan.nv), np.zeros(plan.nv)
    for node in plan.nodes:
        for joint in node.model.joints:
            entries = node.dof + np.arange(node.model.nv)[joint.v]
            dynamics = node.machine.dynamics(joint)
            stiffness[entries], rest[entries] = dynamics.stiffness, dynamics.rest
    place = np.zeros(plan.nv, np.int64)
    is_line, turns = np.ones(plan.nv, bool), []
    for node in plan.nodes:
        place[node.dof : node.dof + node.model.nv] = node.place + np.arange(node.model.nv)
        for dof, places in balls_of(node):
            of_ball = slice(dof, dof + 3)
            is_line[of_ball] = False
            if stiffness[of_ball].any():
                turn = Quaternion.exp(Vec3.of(rest[of_ball].tolist()))
                turns.append((dof, *places, turn.x, turn.y, turn.z, turn.w))
    dofs = np.flatnonzero(is_line & (stiffness > 0.0))
    table = np.array(turns, float).reshape(-1, 9)
    return {
        "stiffness": stiffness, "spring_dof": dofs, "spring_place": place[dofs],
        "spring_rest": rest[dofs], "turn_spring": table[:, :5].astype(np.int64),
        "turn_rest": np.ascontiguousarray(table[:, 5:]),
    }  # fmt: skip
