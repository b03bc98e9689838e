"""From a scene to what a step in lanes is made for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from ...algorithms.constrained.closures import Closure
from ...algorithms.stepping.contact_model import (
    BodySpring,
    ContactLaw,
    ContactModel,
    CoordinateRange,
    DryFriction,
    GearRatio,
    HingeRange,
    Limit,
    Pair,
    Surface,
    TendonRange,
)
from ...algorithms.stepping.stretches import LINE
from ...algorithms.stepping.touching import Shape, count
from ...contact_problem import NO_SLIP
from ...errors import ModelError
from ...model.actuated import bodies_of_tendon
from ...scene import Geometry, Loop, LoopKind, Scene, Spring
from ...spatial import Motion, Transform, Vec3
from ..actuation import adhesive
from ..self_collision import neighbours

WIDEST = 2.0 * math.pi - 0.5
"""Limits of an angle of a loop that are farther apart [rad] are refused: turns are not counted."""

MOST_POINTS = 1000
"""Points of contact beyond which a scene is refused: its step would take minutes to compile."""

MOST_BETWEEN = 300
"""The same of points between trees: 360 of ten boxes take a minute, and are slow even then."""

MOST_TREES = 12
"""Trees that may touch each other, up to which worlds are faster in lanes than one by one.

Of 12 balls a step takes half the time, of 16 half as much again, and half a minute to compile.
"""


def refusal(scene: Scene) -> str | None:
    """Why worlds of a scene cannot be stepped in lanes; None if they can."""
    for has, what in (
        (scene.plugins, "plug-ins"),
        (scene.forces, "forces of the scene"),
        (scene.dissipation, "dissipation"),
        (any(not m.is_simulated for m in scene.machines), "models that are not simulated"),
        (not scene.model.nq, "step where nothing moves"),
    ):  # fmt: skip
        if has:
            return f"{what} (scene '{scene.name}')"
    for k in adhesive(scene.model):
        return f"adhesion of actuator '{scene.model.actuators[k].name}' (scene '{scene.name}')"
    for loop in scene.loops:
        if _is_wide(loop):
            return f"limits of loop '{loop.name}' that are a turn apart (scene '{scene.name}')"
    total, between, root = 0, 0, _roots(scene)
    for a, b in _pairs(scene):
        rule = scene.contact_parameters(a, b)
        for name, value in (
            ("friction_cone_edges", rule.friction_cone_edges),
            ("mu_static", max(rule.mu_static - rule.mu_coulomb, 0.0)),
        ):  # fmt: skip
            if value:
                return f"{name} of '{a.name}' and '{b.name}' (scene '{scene.name}')"
        try:
            points = count(Shape.of(a.shape), Shape.of(b.shape))  # type: ignore[arg-type]
        except ModelError:
            kinds = " and ".join(type(each.shape).__name__ for each in (a, b))
            return f"contact of {kinds} ('{a.name}' and '{b.name}', scene '{scene.name}')"
        total += points
        between += points * (len(_trees(scene, root, a, b)) == 2)
    for n, most, what in (
        (total, MOST_POINTS, "points of contact"),
        (between, MOST_BETWEEN, "points between bodies by themselves"),
    ):
        if n > most:
            return f"{n} {what}, more than {most} (scene '{scene.name}')"
    return None


def slower(scene: Scene) -> str | None:
    """Why worlds of a scene that `refusal` does not refuse are slower in lanes; None if not."""
    root, trees = _roots(scene), set()
    for a, b in _pairs(scene):
        both = _trees(scene, root, a, b)
        trees |= both if len(both) == 2 else set()
    if len(trees) > MOST_TREES:
        return f"{len(trees)} bodies may touch, more than {MOST_TREES} (scene '{scene.name}')"
    return None


def _roots(scene: Scene) -> dict[int, int]:
    """The first body of the tree of each body that moves."""
    model, root = scene.model, {}
    for i in model.bodies:
        root[int(i)] = root.get(model.parent[i], int(i))
    return root


def _trees(scene: Scene, root: dict[int, int], a: Geometry, b: Geometry) -> set[int]:
    """The trees that two geometries are on, by their first bodies."""
    return {root.get(_body(scene, each), 0) for each in (a, b)} - {0}


def contact_model_of(scene: Scene) -> ContactModel:
    """The contact model of a scene that `refusal` does not refuse."""
    pairs = []
    for a, b in _pairs(scene):
        pairs.append(Pair(_surface(scene, a), _surface(scene, b), _law(scene, a, b)))
    limits, frictions = _joints(scene)
    return ContactModel(
        scene.model, tuple(pairs), tuple(limits), tuple(frictions), tuple(_gears(scene)),
        tuple(_closures(scene)), tuple(_springs(scene)),
        tuple(_tendons(scene)), tuple(_hinges(scene)),
    )  # fmt: skip


def _law(scene: Scene, a: Geometry, b: Geometry) -> ContactLaw:
    """How two geometries touch."""
    rule = scene.contact_parameters(a, b)
    mu = 1e3 if rule.mu_coulomb >= NO_SLIP else rule.mu_coulomb
    stiffness, damping = rule.spring(a.is_compliant or b.is_compliant)
    restitution = 0.0 if stiffness else rule.restitution
    return ContactLaw(mu, restitution, stiffness, damping, rule.mu_viscous, rule.mu_torsional,
                      rule.mu_rolling)  # fmt: skip


def _pairs(scene: Scene) -> Iterator[tuple[Geometry, Geometry]]:
    """Geometries that may touch."""
    for i, j in geometry_pairs(scene):
        yield scene.geometries[i], scene.geometries[j]


def geometry_pairs(scene: Scene) -> Iterator[tuple[int, int]]:
    """Numbers of the geometries of the pairs of `contact_model_of`."""
    model, apart = scene.model, neighbours(scene)
    never = {*scene.disabled_geometries, *apart.jointed, *apart.overlapping}
    body = [_body(scene, each) for each in scene.geometries]
    for i, j in combinations(range(len(scene.geometries)), 2):
        if body[i] != body[j] and (i, j) not in never and model.n_bodies:
            yield i, j


def _body(scene: Scene, geometry: Geometry) -> int:
    return int(scene.model.body(f"{geometry.machine}/{geometry.body}").moving)


def _surface(scene: Scene, geometry: Geometry) -> Surface:
    link = scene.model.body(f"{geometry.machine}/{geometry.body}")
    frame = geometry.frame @ link.frame
    belt = _motion(geometry.surface_velocity)
    machine = scene.machine(geometry.machine)
    if any(machine.surface_velocity):  # in world axes, at the place of the link's frame
        at = _motion(machine.surface_velocity)
        linear = at.lin + at.ang.cross(frame.r - link.frame.r)
        belt = belt + Motion(frame.E @ at.ang, frame.E @ linear)
    return Surface(geometry.name, int(link.moving), frame, Shape.of(geometry.shape), belt)  # type: ignore[arg-type]


def _motion(velocity: Sequence[float]) -> Motion:
    return Motion(Vec3.of(velocity[:3]), Vec3.of(velocity[3:]))


def _joints(scene: Scene) -> tuple[list[Limit], list[DryFriction]]:
    """Limits and dry friction by entries of `Scene.model`."""
    limits, frictions, start = [], [], 0
    for machine in scene.machines:
        for joint in machine.model.joints:
            settings, dry = machine.settings(joint), machine.dynamics(joint).friction
            for k, e in enumerate(np.arange(machine.model.nv)[joint.v].tolist()):
                low = settings.lower[min(k, len(settings.lower) - 1)]
                high = settings.upper[min(k, len(settings.upper) - 1)]
                if dry[k]:
                    frictions.append(DryFriction(start + e, dry[k]))
                if low > -math.inf or high < math.inf:
                    limits.append(Limit(start + e, low, high, settings.restitution))
        start += machine.model.nv
    return limits, frictions


def _gears(scene: Scene) -> Iterator[GearRatio]:
    """Gears by entries of `Scene.model`; their constants are those of the scene's start."""
    start, first = scene.q0, {}
    at = 0
    for machine in scene.machines:
        first[machine.name] = at
        at += machine.model.nv
    for gear in scene.gears:
        a, b = (
            first[name] + int(np.arange(model.nv)[model.joint(joint).v][0])
            for name, joint in (gear.a, gear.b)
            for model in (scene.machine(name).model,)
        )
        yield GearRatio(a, b, gear.ratio, float(start[a]) - gear.ratio * float(start[b]))


def _closures(scene: Scene) -> Iterator[Closure]:
    """The joints that close loops, with frames on moving bodies."""
    for loop in scene.loops:
        yield _closure(scene, loop)


def _closure(scene: Scene, loop: Loop) -> Closure:
    (a, frame_a), (b, frame_b) = (
        _side(scene, pair, frame)
        for pair, frame in ((loop.a, loop.frame_a), (loop.b, loop.frame_b))
    )
    return Closure(loop.kind.value, loop.pitch, a, b, frame_a, frame_b)


def _hinges(scene: Scene) -> Iterator[HingeRange]:
    """Free coordinates of loops with limits or friction."""
    for loop in scene.loops:
        if loop.settings is not None:
            own = loop.settings
            friction, damping = (
                float(x or 0.0)  # type: ignore[arg-type]
                for x in (own.coulomb_friction, own.viscous_friction)
            )
            yield HingeRange(_closure(scene, loop), CoordinateRange(
                f"loop '{loop.name}'", own.lower[0], own.upper[0], own.restitution, friction,
                damping,
            ))  # fmt: skip


def _is_wide(loop: Loop) -> bool:
    """Whether limits are so far apart that an angle alone does not tell which is nearer."""
    own = loop.settings
    if own is None or loop.kind is LoopKind.PRISMATIC or (loop.pitch and loop.kind == "screw"):
        return False
    return own.is_limited and own.upper[0] - own.lower[0] > WIDEST


def _tendons(scene: Scene) -> Iterator[TendonRange]:
    """Tendons with limits or dry friction on something that moves."""
    model = scene.model
    for k, tendon in enumerate(model.tendons):
        bodies = {None if name is None else int(model.body(name).moving) or None
                  for name in bodies_of_tendon(tendon)}  # fmt: skip
        found = CoordinateRange(f"tendon '{tendon.name}'", *tendon.limits, friction=tendon.friction)
        if (found.friction or found.is_limited) and (tendon.joints or len(bodies) > 1):
            yield TendonRange(k, found)


def _springs(scene: Scene) -> Iterator[BodySpring]:
    """Springs between bodies, one for each axis."""
    for spring in scene.springs:
        is_line = isinstance(spring, Spring)
        if is_line:
            ends = Transform.translation(*spring.point_a), Transform.translation(*spring.point_b)
        else:
            ends = spring.frame_a, spring.frame_b
        (a, frame_a), (b, frame_b) = (
            _side(scene, pair, frame)
            for pair, frame in zip((spring.a, spring.b), ends, strict=True)
        )
        if a == b:
            raise ModelError(f"expected a spring with a body that moves, got two that do not "
                             f"(spring '{spring.name}')")  # fmt: skip
        if is_line:
            yield BodySpring(a, b, frame_a, frame_b, LINE, spring.stiffness, spring.rest_length,
                             spring.damping, spring.table)  # fmt: skip
            continue
        for axis, (stiffness, damping) in enumerate(
            zip(spring.stiffness, spring.damping, strict=True)
        ):
            if stiffness or damping:
                yield BodySpring(a, b, frame_a, frame_b, axis, stiffness, 0.0, damping)


def _side(scene: Scene, pair: tuple[str, str] | None, frame: Transform) -> tuple[int, Transform]:
    """The moving body of a side of a loop, and the frame on it; 0 is the world."""
    if pair is None:
        return 0, frame
    link = scene.model.body("/".join(pair))
    return int(link.moving), frame @ link.frame
