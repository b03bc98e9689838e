"""The fields of an RBDL model that say what was built, read off one of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polhode.model import Model, Spherical
from polhode.spatial import Transform
from reference.rbdl_models import FIXED_BODY

OF_THE_IMPLEMENTATION = {
    "lambda_q": "0, 0, 1, 2, ... whatever the branching",
    "joint_update_order": "the order of RBDL's own update loop",
    "fixed_body_discriminator": "the first number RBDL gives to a fixed body",
    "GetModelDOFOverview": "text, of the RBDL facade",
    "GetModelHierarchy": "text, of the RBDL facade",
    "GetNamedBodyOriginsOverview": "text, of the RBDL facade",
}


def expectation(structure: dict) -> dict[str, Any]:
    """The fields that say something of any implementation.

    A joint's type and axes are compared through what it does, in the states; the centre of
    mass of a massless body, null in the reference, has no meaning; and of an inertia only
    the lower triangle counts (the manual's examples have one that is not symmetric).
    """
    fields = {k: v for k, v in structure.items() if k not in OF_THE_IMPLEMENTATION}
    layout = ("dof_count", "q_index")
    fields["joints"] = [{k: joint[k] for k in layout} for joint in fields["joints"]]
    for key in ("bodies", "fixed_bodies"):
        fields[key] = [{k: v for k, v in body.items() if v is not None} for body in fields[key]]
        for body in fields[key]:
            body["inertia"] = lower_triangle(body["inertia"])
    return fields


def lower_triangle(matrix: Sequence[Sequence[float]]) -> list[float]:
    return [x for i, row in enumerate(matrix) for x in row[: i + 1]]


def structure(model: Model, expected: dict) -> dict[str, Any]:
    """RBDL's structure fields of ``model``, as far as `expectation` keeps them."""
    parents = [max(p, 0) for p in model.parent]
    return {
        "dof_count": model.nv,
        "qdot_size": model.nv,
        "q_size": model.nq,
        "gravity": list(model.gravity.lin),
        "lambda": parents,
        "mu": [[i for i in range(1, len(parents)) if parents[i] == p] for p in range(len(parents))],
        "body_ids": _body_ids(model),
        "bodies": [_body(model, i, row) for i, row in enumerate(expected["bodies"])],
        "joints": [_joint(model, i) for i in range(len(parents))],
        "X_T": [_frame(X) for X in model.X_tree],
        "multdof3_w_index": [_w_index(model, i) for i in range(len(parents))],
        "fixed_bodies": [_fixed(model, i, row) for i, row in enumerate(expected["fixed_bodies"])],
        "previously_added_body_id": _body_ids(model)[model.links[-1].name],
        "queries": {number: _query(model, int(number)) for number in expected["queries"]},
    }


def _body_ids(model: Model) -> dict[str, int]:
    ids = {model.base: 0}
    ids |= {body.name: body.id for body in model.bodies if body.name}
    ids |= {body.name: FIXED_BODY + k for k, body in enumerate(model.fixed_bodies)}
    return ids


def _frame(X: Transform) -> dict[str, Any]:
    return {"E": X.E.rows(), "r": list(X.r)}


def _mass_properties(body: Any, expected: dict) -> dict[str, Any]:
    record = {"mass": body.mass, "com": body.com, "inertia": lower_triangle(body.inertia)}
    return {key: value for key, value in record.items() if key in expected}


def _body(model: Model, i: int, expected: dict) -> dict[str, Any]:
    body = model.body(i)
    return {**_mass_properties(body, expected), "virtual": not body.name}


def _joint(model: Model, i: int) -> dict[str, int]:
    if i == 0:
        return {"dof_count": 0, "q_index": 0}
    return {"dof_count": model.joint[i].nv, "q_index": model.v_index[i][0]}


def _w_index(model: Model, i: int) -> int:
    is_quaternion = i > 0 and isinstance(model.joint[i], Spherical)
    return model.q_index[i][-1] if is_quaternion else 0


def _fixed(model: Model, k: int, expected: dict) -> dict[str, Any]:
    body = model.fixed_bodies[k]
    return {
        "id": FIXED_BODY + k,
        "movable_parent": body.moving,
        "parent_transform": _frame(body.frame),
        **_mass_properties(body, expected),
    }


def _query(model: Model, number: int) -> dict[str, Any]:
    """RBDL looks through the virtual bodies of a joint with several axes."""
    if number >= FIXED_BODY:
        body = model.fixed_bodies[number - FIXED_BODY]
        return _answers(body.moving, body.frame, body.name)
    first = number
    while model.parent[first] > 0 and not model.body(model.parent[first]).name:
        first = model.parent[first]
    parent = model.parent[first]
    return _answers(max(parent, 0), model.X_tree[first], model.body(number).name)


def _answers(parent: int, frame: Transform, name: str) -> dict[str, Any]:
    return {"GetParentBodyId": parent, "GetJointFrame": _frame(frame), "GetBodyName": name}
