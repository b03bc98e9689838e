"""Bodies to models: one for each body that stands in the world, and one for the world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...model import Fixed, Link, Model, RigidBody, Visual
from ...scene import Machine
from ..reading import Notes
from .geoms import HIDDEN, Geom
from .joints import MjcfJoint, chain
from .tree import WORLD, MjcfBody, unused

Triple = tuple[float, float, float]


def owners(bodies: Sequence[MjcfBody]) -> dict[MjcfBody, str]:
    """The name of the model of each body."""
    return {body: _root(body).name for body in bodies}


def make_machines(
    bodies: Sequence[MjcfBody],
    joints: Mapping[MjcfBody, list[MjcfJoint]],
    masses: Mapping[MjcfBody, RigidBody],
    geoms: Mapping[MjcfBody, list[Geom]],
    gravity: Triple,
    notes: Notes,
) -> tuple[Machine, ...]:
    """The models, in the order of the file."""
    owner, names = owners(bodies), {body.name for body in bodies}
    links: dict[str, list[Link]] = {}
    start: dict[str, list[MjcfJoint]] = {}
    for body in bodies:
        links.setdefault(owner[body], []).extend(
            _links(body, joints[body], masses[body], tuple(_visuals(geoms[body], notes)), names)
        )
        start.setdefault(owner[body], []).extend(joints[body])
    if not geoms[bodies[0]] and not bodies[0].sites and len(bodies) > 1:
        del links[WORLD]
    return tuple(_machine(name, links[name], start[name], gravity) for name in links)


def uncompensated(machines: Sequence[Machine]) -> tuple[Machine, ...]:
    """The models without compensation of gravity."""
    return tuple(
        replace(machine, model=replace(machine.model, links=tuple(
            replace(link, gravity_compensation=0.0) for link in machine.model.links)))
        for machine in machines
    )  # fmt: skip


def _root(body: MjcfBody) -> MjcfBody:
    while body.parent is not None and not body.is_root:
        body = body.parent
    return body


def _links(
    body: MjcfBody, joints: list[MjcfJoint], mass: RigidBody, visuals: tuple[Visual, ...],
    names: set[str],
) -> Iterator[Link]:  # fmt: skip
    parent = None if body.parent is None or body.is_root else body.parent.name
    yield from chain(body, joints, mass, visuals, parent, names)
    for site in body.sites:
        if site.name:
            name = site.name if site.name not in names else f"{site.name} site"
            yield Link(unused(name, names), body.name, Fixed(), site.pose)


def _visuals(geoms: Sequence[Geom], notes: Notes) -> Iterator[Visual]:
    for geom in geoms:
        visual = geom.visual(notes) if geom.group < HIDDEN and geom.is_known else None
        if visual is not None:
            yield visual


def _machine(name: str, links: list[Link], joints: list[MjcfJoint], gravity: Triple) -> Machine:
    base = WORLD if name != WORLD else "base of the world"
    model = Model(name, links, gravity, base)
    q, every = [0.0] * model.nq, list(range(model.nq))
    for joint in joints:
        place = model.joint(joint.name).q
        indices = every[place] if isinstance(place, slice) else map(int, place)
        for k, value in zip(indices, joint.start, strict=True):
            q[k] = value
    return Machine(name, model, tuple(q))
