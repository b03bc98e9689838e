"""Forces, joints, couplings and geometries of a scene as flat arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...algorithms.constrained.closures import ROWS
from ...collision import PlacedShapes, ShapeTable, contact_buffer, shape_bounds
from ...errors import ModelError
from ...model import Sphere
from ...scene import (
    ContactParameters,
    Damping,
    LoopKind,
    Scene,
    StokesDrag,
    UniformGravity,
)
from ...spatial import Vec3
from ..actuation import adhesive
from ..self_collision import neighbours
from .contacts import N_REAL, N_RULE
from .coordinates import inward
from .held_actuators import no_actuators
from .lowering import (
    Lowered,
    SceneLayout,
    machine_fields,
    node_fields,
    pose_row,
    state_fields,
)
from .spring_fields import spring_fields
from .system import System
from .tendon_fields import tendon_fields, tendon_limits

UNKNOWN = Sphere(1e-3)  # stands for shapes that only a plug-in knows
_REACH = 1.0  # of these, from their frames [m]
_FARTHEST = 1e3  # of a plane's points from its body, for bounds on their speed [m]


def require_simulable(scene: Scene) -> None:
    """Refuse scenes that cannot be simulated, without compiling anything.

    Raises
    ------
    ModelError
        With the body, geometry, name, loop or gear in question.
    """
    scene.check_complete()
    _couplings(SceneLayout(scene))


def _shape_table(scene: Scene, chosen: list[int]) -> ShapeTable:
    """The shapes of some geometries, by number; an error names the geometry."""
    shapes: list[Any] = [scene.geometries[i].shape or UNKNOWN for i in chosen]
    try:
        return ShapeTable.of(shapes)
    except ModelError:
        for i, shape in zip(chosen, shapes, strict=True):
            try:
                ShapeTable.of([shape])
            except ModelError as error:
                where = f"geometry '{scene.geometries[i].name}', scene '{scene.name}'"
                raise ModelError(f"{error} ({where})") from None
        raise


def lower(scene: Scene, options: dict[str, Any]) -> Lowered:
    """A scene as arrays, at its start; ``options`` are the fields that steer the stepping.

    Raises
    ------
    ModelError
        For what cannot be simulated: a free body without inertia, a mesh that was not read.
    """
    plan = SceneLayout(scene)
    nodes = node_fields(plan)
    active = {machine.name for machine in scene.simulated}
    finders = [plugin for plugin in scene.plugins if plugin.kind == "collision"]
    chosen = [
        i
        for i, g in enumerate(scene.geometries)
        if g.machine in active and (g.shape is not None or finders)
    ]
    table = _shape_table(scene, chosen)
    state = state_fields(plan, nodes, len(chosen))
    surfaces = _surfaces(plan, chosen, table, state)
    machines, kept = machine_fields(plan, nodes, state)
    tendons, of_tendons = tendon_fields(plan, state)
    couplings = _couplings(plan)
    state["loop_past"] = np.zeros((len(couplings["loop_rows"]), 2))
    # Impulses of loops, gears, springs, and dry friction, of which there is no more than that.
    springs = spring_fields(plan)
    most = 2 * len(couplings["loop_rows"]) + len(couplings["gear_dof"]) + plan.nv
    most += len(springs["spring_rows"]) + len(tendons["tendon_friction"])
    state["coupling"] = np.zeros(most)
    forces = _forces(plan, nodes)
    may_touch = _pairs(plan, chosen, surfaces["surface_body"])
    asked = _pairs_asked(scene, finders, chosen, may_touch, surfaces["surface_body"])
    group, may_touch = collision_groups(may_touch)
    fields = System(
        **nodes, **machines, **forces, **_hinges(plan, _joints(plan)), **couplings,
        **tendons, **_adhesion(scene, chosen, plan.nv), **surfaces, **springs, **state,
        **no_actuators(plan.nv),
        group=group, may_touch=may_touch, shape_data=table.arrays[0], shape_offset=table.arrays[1],
        work=contact_buffer(1).work, source=len(asked) > 0,
        given_whole=np.zeros((0, 4), np.int64), given_real=np.zeros((0, N_REAL)), **options,
    )  # fmt: skip
    q = np.array([x for node in plan.nodes for x in node.machine.q])
    qd = np.array([x for node in plan.nodes for x in node.machine.qd])
    fields.position[:], fields.velocity[:] = inward(plan, q, qd)
    return Lowered(scene, plan, fields, tuple(chosen), (kept, table, of_tendons), asked)


def _pairs_asked(
    scene: Scene, finders: list[Any], chosen: list[int], may_touch: np.ndarray, body: np.ndarray
) -> np.ndarray:
    """Pairs for which plug-ins are called; geometries without shapes touch in no other way."""
    if not finders:
        return np.zeros((0, 2), np.int64)
    i, j = np.nonzero(np.triu(may_touch, 1))
    pairs = np.stack((i, j), axis=1)[(body[i] >= 0) | (body[j] >= 0)]
    for g, index in enumerate(chosen):
        if scene.geometries[index].shape is None:
            may_touch[g, :] = may_touch[:, g] = 0
    return pairs


def _forces(plan: SceneLayout, nodes: dict[str, Any]) -> dict[str, Any]:
    drag_body, drag, push_body, push = [], [], [], []
    for force in plan.scene.forces:
        for machine, link in plan.scene.bodies_of(force):
            place, node = plan.places[machine, link], plan.node_of(machine)
            if node is None or place.body < 0:
                continue
            if isinstance(force, UniformGravity):
                if node.is_free:
                    for key in ("gravity", "extra_gravity"):
                        nodes[key][plan.nodes.index(node)] += force.acceleration
                    continue
                body = node.model.body(link).body
                weight = body.mass * np.array(force.acceleration)
                point = place.frame.point(Vec3.of(body.com))
                push_body.append(place.body)
                push.append([*weight, *(float(x) for x in point)])
                continue
            gains = gains_of(plan.scene, force, machine, link)
            if any(gains):
                drag_body.append(place.body)
                drag.append([*gains, *(float(x) for x in place.frame.r)])
    viscous = np.zeros(plan.nv)
    for node in plan.nodes:
        for joint in node.model.joints:
            entries = np.arange(node.model.nv)[joint.v]
            viscous[node.dof + entries] = node.machine.dynamics(joint).damping
    return {
        "drag_body": np.array(drag_body, np.int64), "drag": np.array(drag, float).reshape(-1, 7),
        "push_body": np.array(push_body, np.int64), "push": np.array(push, float).reshape(-1, 6),
        "viscous": viscous,
    }  # fmt: skip


def gains_of(
    scene: Scene, force: StokesDrag | Damping, machine: str, link: str
) -> tuple[float, float, float, float]:
    """Linear and angular drag, and the same for squares."""
    if isinstance(force, StokesDrag):
        return force.linear, force.angular, 0.0, 0.0
    for wanted in (("body", machine, link), ("machine", machine)):
        for each in force.gains:
            if wanted in scene.names.find(each.body, f"force '{force.name}'"):
                return each.linear, each.angular, each.linear_squared, each.angular_squared
    return 0.0, 0.0, 0.0, 0.0


def _joints(plan: SceneLayout) -> dict[str, Any]:
    limits, frictions = [], []
    for node in plan.nodes:
        for joint in node.model.joints:
            settings = node.machine.settings(joint)
            entries = np.arange(node.model.nv)[joint.v].tolist()
            dry = node.machine.dynamics(joint).friction
            for k, e in enumerate(entries):
                if dry[k]:
                    frictions.append((node.dof + e, dry[k]))
                low = settings.lower[min(k, len(settings.lower) - 1)]
                high = settings.upper[min(k, len(settings.upper) - 1)]
                if low > -math.inf or high < math.inf:
                    row = (node.dof + e, node.place + e, low, high, settings.restitution)
                    limits.append(row)
    table = np.array(limits, float).reshape(-1, 5)
    rubbing = np.array(frictions, float).reshape(-1, 2)
    return {
        "limit_dof": table[:, 0], "limit_place": table[:, 1], "limit_lower": table[:, 2],
        "limit_upper": table[:, 3], "limit_restitution": table[:, 4],
        "friction_dof": rubbing[:, 0], "friction": rubbing[:, 1],
    }  # fmt: skip


def _hinges(plan: SceneLayout, joints: dict[str, Any]) -> dict[str, Any]:
    """Free coordinates of loops with limits or friction.

    Their limits follow those of joints; those of tendons come last.
    """
    loops = [(k, loop) for k, loop in enumerate(plan.scene.loops) if loop.settings is not None]
    of = [loop.settings for _, loop in loops if loop.settings is not None]
    own = {
        "limit_lower": [x.lower[0] for x in of], "limit_upper": [x.upper[0] for x in of],
        "limit_restitution": [x.restitution for x in of],
    }  # fmt: skip
    last = tendon_limits(plan)
    return {
        **joints, **{name: np.concatenate([joints[name], own[name], last[name]]) for name in own},
        "hinge_loop": [k for k, _ in loops],
        "hinge_turns": [loop.kind != LoopKind.PRISMATIC for _, loop in loops],
        "hinge_place": np.zeros(len(loops)), "hinge_dry": [x.coulomb_friction or 0.0 for x in of],
        "hinge_viscous": [x.viscous_friction or 0.0 for x in of],
    }  # fmt: skip


def _couplings(plan: SceneLayout) -> dict[str, Any]:
    bodies, frames, rows = ([], []), ([], []), []
    for k, loop in enumerate(plan.scene.loops):
        for side, (owner, frame) in enumerate(((loop.a, loop.frame_a), (loop.b, loop.frame_b))):
            place = None if owner is None else plan.places[owner]
            bodies[side].append(-1 if place is None else place.body)
            frames[side].append(pose_row(frame if place is None else place.local(frame)))
        if bodies[0][-1] < 0 and bodies[1][-1] < 0:
            raise ModelError(f"expected a loop with a body that moves, got two that do not "
                             f"(loop '{loop.name}')")  # fmt: skip
        rows += [(k, *row) for row in ROWS[loop.kind.value]]
    dofs, places, ratios, constants = [], [], [], []
    for gear in plan.scene.gears:
        ends = [joint_place(plan, *end) for end in (gear.a, gear.b)]
        if any(end is None for end in ends):
            raise ModelError(f"expected joints that are simulated (gear '{gear.name}')")
        (da, pa, qa), (db, pb, qb) = ends  # type: ignore[misc]
        dofs.append((da, db))
        places.append((pa, pb))
        ratios.append(gear.ratio)
        constants.append(qa - gear.ratio * qb)
    pitch = np.array([loop.pitch for loop in plan.scene.loops], float)
    names = {pair[0] for loop in plan.scene.loops for pair in (loop.a, loop.b) if pair}
    names |= {pair[0] for gear in plan.scene.gears for pair in (gear.a, gear.b)}
    coupled = [np.full(n.model.nv, n.machine.name in names) for n in plan.nodes]
    return {
        "loop_a": bodies[0], "loop_b": bodies[1], "pitch": pitch,
        "frame_a": np.array(frames[0], float).reshape(-1, 12),
        "frame_b": np.array(frames[1], float).reshape(-1, 12),
        "loop_rows": np.array(rows, np.int64).reshape(-1, 4),
        "gear_dof": np.array(dofs, np.int64).reshape(-1, 2),
        "gear_place": np.array(places, np.int64).reshape(-1, 2),
        "gear_ratio": ratios, "gear_constant": constants, "held": np.zeros(plan.nv),
        "is_coupled": np.concatenate([*coupled, np.zeros(0, bool)]),
    }  # fmt: skip


def joint_place(plan: SceneLayout, machine: str, joint: str) -> tuple[int, int, float] | None:
    """A joint's first entries among all velocities and positions, and where it starts."""
    node = plan.node_of(machine)
    if node is None:
        return None
    entry = int(np.arange(node.model.nv)[node.model.joint(joint).v][0])
    return node.dof + entry, node.place + entry, node.machine.q[entry]


def _adhesion(scene: Scene, chosen: list[int], nv: int) -> dict[str, Any]:
    """Geometries on the bodies of adhesion actuators, a row for each of these."""
    bodies = [scene.actuators[k].transmission.body for k in adhesive(scene)]  # type: ignore[union-attr]
    of = ["/".join((scene.geometries[i].machine, scene.geometries[i].body)) for i in chosen]
    return {
        "adhesion": np.zeros(len(bodies)), "adhesive": np.zeros(nv),
        "is_adhesive": np.array([[name == body for name in of] for body in bodies], np.uint8)
        .reshape(len(bodies), len(of)),
    }  # fmt: skip


def _surfaces(
    plan: SceneLayout, chosen: list[int], table: ShapeTable, state: dict[str, Any]
) -> dict[str, Any]:
    scene, count = plan.scene, len(chosen)
    body, pose = np.zeros(count, np.int64), np.zeros((count, 12))
    reach, velocity = np.zeros(count), np.zeros((count, 6))
    box = np.zeros(6)
    data, offsets = table.arrays
    for g, i in enumerate(chosen):
        geometry = scene.geometries[i]
        place = plan.places[geometry.machine, geometry.body]
        body[g], pose[g] = place.body, pose_row(place.local(geometry.frame))
        R, o = pose[g, :9].reshape(3, 3), pose[g, 9:].copy()
        velocity[g] = geometry.surface_velocity
        if place.body < 0:
            state["rotation"][g], state["origin"][g] = R, o
            w, v = R @ velocity[g, :3], R @ velocity[g, 3:]
            velocity[g] = _belt(plan, geometry.machine)
            velocity[g] += np.concatenate((w, v - np.cross(w, o)))
        shapes = PlacedShapes(data, offsets[g : g + 1].copy(), R[None].copy(), o[None])
        shape_bounds(shapes, 0, box)
        farthest = np.minimum(np.maximum(np.abs(box[:3]), np.abs(box[3:])), _FARTHEST)
        reach[g] = np.linalg.norm(farthest) if geometry.shape is not None else _REACH
    families, rules, table_of = _rules(scene, chosen)
    return {
        "surface_body": body, "surface_pose": pose, "surface_reach": reach, "belt": velocity,
        "has_belt": velocity.any(axis=1).astype(np.uint8),
        "family": families, "rule_of": table_of, "rules": rules,
    }  # fmt: skip


def _belt(plan: SceneLayout, machine: str) -> np.ndarray:
    """Velocity of an immovable model's surface, about the world's origin."""
    owner = plan.scene.machine(machine)
    w, v = np.array(owner.surface_velocity[:3]), np.array(owner.surface_velocity[3:])
    at = np.array([float(x) for x in plan.places[machine, owner.link_names[0]].frame.r])
    return np.concatenate((w, v - np.cross(w, at)))


def _rules(scene: Scene, chosen: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Families of geometries that no rule tells apart, the rules, and the rule of each pair."""
    named = {name for rule in scene.contacts for name in (rule.a, rule.b) if name is not None}
    keys = [key for name in named for key in scene.names.find(name, "contact")]
    mentioned = set(keys)
    families: dict[tuple, int] = {}
    family, members = np.zeros(len(chosen), np.int64), []
    for g, i in enumerate(chosen):
        geometry = scene.geometries[i]
        sides = tuple(key for key in scene.names.sides(geometry) if key in mentioned)
        has_joints = not scene.machine(geometry.machine).is_fixed
        key = (sides, geometry.is_compliant, has_joints)
        if key not in families:
            families[key] = len(members)
            members.append(geometry)
        family[g] = families[key]
    rules: dict[tuple, int] = {}
    table = np.zeros((len(members), len(members)), np.int64)
    for i, a in enumerate(members):
        for j, b in enumerate(members):
            rule = _rule(scene.contact_parameters(a, b), a.is_compliant or b.is_compliant)
            table[i, j] = rules.setdefault(rule, len(rules))
    return family, np.array(list(rules), float).reshape(-1, N_RULE), table


def _rule(p: ContactParameters, is_soft: bool) -> tuple[float, ...]:
    stiffness, damping = p.spring(is_soft)
    is_soft = stiffness > 0.0
    restitution = 0.0 if is_soft else p.restitution
    return (restitution, p.mu_coulomb, p.mu_viscous, float(p.friction_cone_edges),
            float(is_soft), stiffness, damping, max(p.mu_static, p.mu_coulomb), p.mu_torsional,
            p.mu_rolling)  # fmt: skip


def _pairs(plan: SceneLayout, chosen: list[int], body: np.ndarray) -> np.ndarray:
    """Which geometries may touch."""
    mask = (body[:, None] != body[None, :]).astype(np.uint8)
    where = {i: g for g, i in enumerate(chosen)}
    apart = neighbours(plan.scene)
    for i, j in (*plan.scene.disabled_geometries, *apart.jointed, *apart.overlapping):
        if i in where and j in where:
            mask[where[i], where[j]] = mask[where[j], where[i]] = 0
    return mask


def collision_groups(may_touch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Collision groups of geometries that no pair tells apart, and which groups may touch.

    All of a group may touch each other, as the balls of a heap, or none may, as what is fixed.
    The table of many geometries themselves is too large for a cache.
    """
    group, rows = np.arange(len(may_touch)), may_touch.copy()
    for own in (1, 0):
        np.fill_diagonal(rows, own)
        first: dict[bytes, int] = {}
        for g in np.unique(group):
            group[group == g] = first.setdefault(rows[g].tobytes(), g)
    first_of, group = np.unique(group, return_inverse=True)
    last_of = [np.flatnonzero(group == k)[-1] for k in range(len(first_of))]
    table = may_touch[np.ix_(first_of, first_of)].copy()
    np.fill_diagonal(table, may_touch[first_of, last_of])
    return group.astype(np.int64), table
