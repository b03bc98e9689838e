"""Free bodies and articulated bodies to models with initial states."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import ModelError
from ...model import Fixed, FloatingBase, Link, Model
from ...scene import Geometry, JointSettings, Machine
from ...spatial import Quaternion, Transform, Vec3
from ..mjcf.tree import unused
from ..xml import Element
from .bodies import MobyBody
from .joints import MobyJoint
from .tree import Tree
from .values import describe

if TYPE_CHECKING:
    from collections.abc import Iterable

SAME_PLACE = 1e-12  # of the distances at hand: link and joint frame are one
Triple = tuple[float, float, float]
AT_REST = (0.0,) * 6


@dataclass(frozen=True, eq=False)
class Built:
    """A model, its collision geometries, and its links and joints in the file."""

    machine: Machine
    geometries: tuple[Geometry, ...]
    inner: Mapping[str, str]
    """The joint that carries each link."""


def free_body(body: MobyBody, gravity: Triple) -> Built:
    """A model of one body: free, or immovable if it is disabled."""
    name = body.name
    if body.is_enabled:
        link = Link(name, None, FloatingBase(), body=body.body, visuals=body.visuals)
        q, qd = floating_start(body.place, body.velocity, body.spin, body.turn)
        machine = Machine(name, _model(name, [link], gravity), q, qd)
    else:
        link = Link(name, None, Fixed(), body.place, body.body, visuals=body.visuals)
        surface = (*body.spin, *body.velocity)
        machine = Machine(name, _model(name, [link], gravity), surface_velocity=surface)
    return Built(machine, tuple(body.geometries(name, name)), {})


def floating_start(
    place: Transform, velocity: Vec3, spin: Vec3, turn: Quaternion | None = None
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """``q`` and ``qd`` of a floating base with this pose and these velocities in world axes."""
    turn = turn or Quaternion.from_matrix(place.E)
    return (*place.r, turn.x, turn.y, turn.z, turn.w), (*velocity, *(place.E @ spin))


def articulated_body(
    owner: Element,
    name: str,
    tree: Tree,
    links: Mapping[str, MobyBody],
    *,
    floating: Collection[str],
    offset: Transform,
    gravity: Triple,
) -> Built:
    """A model of links and joints.

    The bases of these names are ``floating``.  ``offset`` turns the base about its own axes, then
    moves it in world axes; all else follows.
    """
    joints = {joint.name for joint in tree.inner.values()}
    named = owner.attributes.get("base-joint-id", "") if len(tree.bases) == 1 else ""
    roots = {base: named or unused(base, joints) for base in tree.bases}
    places = {base: _moved(links[base].place, offset) for base in tree.bases}
    declared = []
    for link in tree.order:
        if link in roots:
            declared.append(_base(links[link], places[link], roots[link], link in floating))
        else:
            declared += _carried(links[link], links[tree.inner[link].inboard], tree.inner[link])
    try:
        start = _Start(_model(name, declared, gravity))
        for base, root in roots.items():
            if base in floating:
                own = links[base]
                turn = own.turn if places[base] == own.place else None
                start.put(root, *floating_start(places[base], own.velocity, own.spin, turn))
        for link, joint in tree.inner.items():
            if joint.freedoms:
                start.put(joint.name, *joint.state(links[link].place.E), joint.q_tare)
        first = links[tree.base]
        surface = AT_REST if first.is_enabled else (*first.spin, *first.velocity)
        machine = start.machine(name, _settings(tree), surface)
    except ModelError as error:
        raise owner.error(f"{describe(owner)}: {error}") from None
    geometries = [g for link in tree.order for g in links[link].geometries(name, link)]
    inner = {link: joint.name for link, joint in tree.inner.items()}
    return Built(machine, tuple(geometries), inner)


def _moved(place: Transform, offset: Transform) -> Transform:
    return Transform(offset.E @ place.E, place.r + offset.r)


def _base(body: MobyBody, place: Transform, root: str, is_floating: bool) -> Link:
    """A base at its place; the start of a floating one says where it is."""
    kind = FloatingBase() if is_floating else Fixed()
    frame = Transform.identity() if is_floating else place
    return Link(body.name, None, kind, frame, body.body, root, visuals=body.visuals)


def _carried(child: MobyBody, parent: MobyBody, joint: MobyJoint) -> list[Link]:
    """A link on its joint.

    Where the joint is not at the link's origin, a massless link at the joint carries it. So the
    link keeps its frame of the file.
    """
    frame = child.place @ parent.place.inverse()
    kind = joint.kind(child.place.E)
    if isinstance(kind, Fixed) or joint.tag == "PrismaticJoint":
        offset = Vec3.zero()
    else:
        at = child.place.r if joint.location is None else joint.location
        offset = child.place.E @ (child.place.r - at)
        scale = 1.0 + max(map(abs, (*child.place.r, *at)))
        if max(map(abs, offset)) <= SAME_PLACE * scale:
            offset = Vec3.zero()
    own = {"body": child.body, "visuals": child.visuals}
    if not any(offset):
        return [Link(child.name, parent.name, kind, frame, joint_name=joint.name, **own)]
    carrier = f"{child.name}/joint"
    back = Transform(frame.E, frame.r - frame.E.T @ offset)
    return [
        Link(carrier, parent.name, kind, back, joint_name=joint.name),
        Link(child.name, carrier, Fixed(), Transform.translation(*offset), **own),
    ]


class _Start:
    """Initial positions and velocities of a model, joint by joint."""

    def __init__(self, model: Model):
        self.model = model
        self.q, self.qd, self.tare = [0.0] * model.nq, [0.0] * model.nv, [0.0] * model.nv
        self.every = list(range(model.nq))

    def put(
        self, joint: str, q: Sequence[float], qd: Sequence[float], tare: Sequence[float] = ()
    ) -> None:
        """The start of one joint."""
        found = self.model.joint(joint)
        values = [(self.q, found.q, q), (self.qd, found.v, qd)]
        if any(tare):
            values.append((self.tare, found.v, tare))
        for into, place, entries in values:
            indices = self.every[place] if isinstance(place, slice) else map(int, place)
            for k, value in zip(indices, entries, strict=True):
                into[k] = value

    def machine(
        self, name: str, settings: tuple[JointSettings, ...], surface: tuple[float, ...]
    ) -> Machine:
        q, qd, tare = tuple(self.q), tuple(self.qd), tuple(self.tare)
        return Machine(name, self.model, q, qd, tare, settings, surface)  # type: ignore[arg-type]


def _settings(tree: Tree) -> tuple[JointSettings, ...]:
    return tuple(joint.settings for joint in tree.inner.values() if joint.has_settings)


def _model(name: str, links: Iterable[Link], gravity: Triple) -> Model:
    return Model(name, tuple(links), gravity)  # type: ignore[arg-type]
