"""Springs of a scene as the arrays of `System`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ModelError
from ...scene import Bushing, Spring
from ...spatial import Transform
from .lowering import SceneLayout, pose_row
from .springs import LINE


def spring_fields(plan: SceneLayout) -> dict[str, Any]:
    """Springs between bodies, row by row, and springs in joints.

    Raises
    ------
    ModelError
        For a spring between bodies that do not move, or in a joint whose velocities are no rates
        of coordinates.
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
    stiffness, dofs, places, rest = np.zeros(plan.nv), [], [], []
    for node in plan.nodes:
        for joint in node.model.joints:
            dynamics = node.machine.dynamics(joint)
            if any(dynamics.stiffness) and joint.kind.nq != joint.kind.nv:
                raise ModelError(
                    f"expected a spring in a joint whose velocities are rates of coordinates, "
                    f"got the {joint.kind.name} joint '{joint.name}' (model "
                    f"'{node.machine.name}'); smooth integrators of models simulate it"
                )
            entries = np.arange(node.model.nv)[joint.v].tolist()
            for e, k, r in zip(entries, dynamics.stiffness, dynamics.rest, strict=True):
                if k:
                    stiffness[node.dof + e] = k
                    dofs.append(node.dof + e)
                    places.append(node.place + e)
                    rest.append(r)
    return {
        "stiffness": stiffness, "spring_dof": np.array(dofs, np.int64),
        "spring_place": np.array(places, np.int64), "spring_rest": np.array(rest, float),
    }  # fmt: skip
