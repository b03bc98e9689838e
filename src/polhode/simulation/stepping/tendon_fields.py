"""Tendons of a scene as the arrays of `System`: those with limits or dry friction."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.actuation.posed import LinkPlace, TendonTerms, posed_lengths
from ...binding.programs import made
from ...model import Tendon
from ...model.actuated import bodies_of_tendon
from ...model.coupling import Coupling
from .lowering import SCALAR, SceneLayout, address_of, loop_steps

_UNKNOWN = -1.0  # drift since a rate that is not known


def tendon_fields(plan: SceneLayout, state: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The arrays of tendons, with the program of their lengths, which must be kept alive."""
    tendons = constraining_tendons(plan)
    terms = tuple(_terms(plan, each) for each in tendons)
    bodies = [each.bodies for each in terms]
    nodes = [_nodes(plan, each) for each in terms]
    rows = np.zeros((len(terms), plan.nv))
    for k, each in enumerate(tendons):
        for joint, factor in each.joints:
            place = _joint(plan, joint)
            if place is not None:
                rows[k, place.dof] += factor * place.relation.multiplier
    limited = [k for k, each in enumerate(tendons) if is_limited(each)]
    wrenches = np.zeros((max(sum(map(len, bodies)), 1), 6))
    lengths = np.zeros(len(terms))
    program = None
    call, arguments, steps = (np.zeros(n, np.int64) for n in (0, 4, 24))
    if terms:
        own = {"poses": (plan.n_bodies, 12), "positions": (plan.nq,)}
        program = made(posed_lengths, plan.scene.model, own, {"tendons": terms})
        kernel = program.kernel(SCALAR)
        call = np.array([kernel.descriptor["loop"], kernel.descriptor.address])
        arrays = state["pose"], state["position"], lengths, wrenches
        arguments[:] = [address_of(array, 0) for array in arrays]
        row = loop_steps(program)
        steps[: len(row)] = row
        program = program, kernel
    fields = {
        "tendon_program": call, "tendon_arguments": arguments, "tendon_steps": steps,
        "tendon_length": lengths, "tendon_wrench": wrenches, "tendon_row": rows,
        "tendon_body": [body - 1 for row in bodies for body in row],
        "tendon_wrench_start": _starts(bodies),
        "tendon_node": [n for row in nodes for n in row], "tendon_node_start": _starts(nodes),
        "tendon_friction": [each.friction for each in tendons], "limit_tendon": limited,
        "tendon_past": np.tile([0.0, _UNKNOWN], (len(terms), 1)),
    }  # fmt: skip
    return fields, program


def tendon_limits(plan: SceneLayout) -> dict[str, list[float]]:
    """The limits of tendons, which come after those of joints and loops; without restitution."""
    limits = [each.limits for each in constraining_tendons(plan) if is_limited(each)]
    return {
        "limit_lower": [low for low, _ in limits], "limit_upper": [high for _, high in limits],
        "limit_restitution": [0.0] * len(limits),
    }  # fmt: skip


def constraining_tendons(plan: SceneLayout) -> list[Tendon]:
    """The tendons with limits or dry friction on something that moves."""
    return [
        each
        for each in plan.scene.tendons
        if (is_limited(each) or each.friction > 0.0) and _nodes(plan, _terms(plan, each))
    ]


def _nodes(plan: SceneLayout, terms: TendonTerms) -> list[int]:
    """The nodes that a tendon touches."""
    of_path = {_node_of_body(plan, body - 1) for body in terms.bodies}
    places = [_joint(plan, joint) for joint, _ in terms.tendon.joints]
    return sorted(of_path | {_node_of_dof(plan, place.dof) for place in places if place})


def is_limited(tendon: Tendon) -> bool:
    """Whether a tendon has a shortest or a longest length."""
    return tendon.limits != (-math.inf, math.inf)


def _terms(plan: SceneLayout, tendon: Tendon) -> TendonTerms:
    places = {"/".join(pair): place for pair, place in plan.places.items()}
    names = {name for name in bodies_of_tendon(tendon) if name is not None}
    links = [(name, LinkPlace(places[name].body + 1, places[name].frame)) for name in sorted(names)]
    terms, constant = [], 0.0
    for joint, factor in tendon.joints:
        place = _joint(plan, joint)
        if place is None:
            constant += factor * _still(plan, joint)
        else:
            terms.append((place.place, factor * place.relation.multiplier))
            constant += factor * place.relation.offset
    forces = {"stiffness": 0.0, "damping": 0.0, "armature": 0.0, "friction": 0.0}
    return TendonTerms(replace(tendon, **forces), tuple(links), tuple(terms), constant)


class JointPlace(NamedTuple):
    """A joint of one axis: where it is among all velocities and positions, and its relation."""

    dof: int
    place: int
    relation: Coupling


def _joint(plan: SceneLayout, name: str) -> JointPlace | None:
    for node in plan.nodes:
        model = node.model
        for joint in (*model.joints, *model.followers):
            if f"{node.machine.name}/{joint.name}" == name:
                entry = int(np.arange(model.nv)[joint.v][0])
                at = node.dof + entry, node.place + entry
                return JointPlace(*at, model.relation(joint.name))
    return None


def _still(plan: SceneLayout, name: str) -> float:
    """The position of a joint that does not move."""
    model = plan.scene.model
    joint = model.joint(name)
    x = plan.scene.q0[int(np.arange(model.nq)[joint.q][0])]
    return model.relation(name).position(x)


def _node_of_body(plan: SceneLayout, body: int) -> int:
    return max(n for n, node in enumerate(plan.nodes) if node.body <= body)


def _node_of_dof(plan: SceneLayout, dof: int) -> int:
    return max(n for n, node in enumerate(plan.nodes) if node.dof <= dof)


def _starts(rows: list[list[int]]) -> np.ndarray:
    return np.cumsum([0, *map(len, rows)])
