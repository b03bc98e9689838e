"""A model's parameters as numbers that can be replaced: by other numbers, or by any scalars.

Parameters belong to the moving bodies, links that are fixed to them included.  The massless
bodies inside a joint have none: they stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..spatial import Mat3, Motion, Transform, Vec3
from ..spatial.transform import pose_matrix
from .lowering import Lowering
from .model import Model
from .records import JointDynamics, JointEntries, Link, RigidBody

_OF_BODY = ("mass", "com", "inertia")
_OF_JOINT = ("armature", "damping", "friction", "stiffness", "rest")
PARAMETERS = (*_OF_BODY, "frame", "gravity", *_OF_JOINT)
"""Parameters that can be replaced; those of joints have an entry for each velocity, gravity has
three, all others have one for each body."""
Values = Mapping[str, Any]


class ParametrizedModel(Model):
    """A model some of whose numbers are traced values or arrays; made by `parametrized`."""

    def with_constant_subspaces(self) -> tuple[Model, list[int]]:
        """As of `Model`; the parameters go with the links."""
        split, origin = super().with_constant_subspaces()
        if split is self:
            return split, origin
        low, theirs = self._lowered, split._lowered
        for link in self.links:
            if link.name in low.chain:
                here, there = low.chain[link.name], theirs.chain[link.name]
                first = f"{link.name}/0" if len(link.joint.series_axes) > 1 else link.name
                theirs.X_tree[theirs.chain[first][0]] = low.X_tree[here[0]]
                theirs.body[there[-1]] = low.body[here[-1]]
        return split, origin


def parametrized(model: Model, values: Values) -> ParametrizedModel:
    """``model`` with ``values``, nested sequences of any scalars, in the place of its own.

    ``mass[k]``, ``com[k]``, ``inertia[k]`` and ``frame[k]`` are those of body k + 1.  The inertia
    has three rows, about the centre of mass.  The frame has four, the joint frame's pose in the
    parent.  ``armature[k]`` and the like are those of velocity entry k.
    """
    low = model._lowered.copy()
    low.dynamics = [
        old if i in model.leaders else _entries(old, values, index)
        for i, (old, index) in enumerate(zip(low.dynamics, model.v_index, strict=True))
    ]
    for chain in low.chain.values():
        head, tail = chain[0], chain[-1]
        if "frame" in values:
            low.X_tree[head] = _transform(values["frame"][head - 1])
        low.body[tail] = _body(low.body[tail], values, tail - 1, _any_body)
    gravity = model.gravity
    if "gravity" in values:
        gravity = Motion(Vec3.zero(), Vec3.of(values["gravity"]))
    twin = object.__new__(ParametrizedModel)
    twin.__dict__.update(
        name=model.name, links=model.links, gravity=gravity, base=model.base,
        constraint_sets=model.constraint_sets, tendons=model.tendons, actuators=model.actuators,
        fluid=model.fluid, _lowered=low,
    )  # fmt: skip
    return twin


def edited(model: Model, values: Values) -> Model:
    """A model declared with ``values``, nested sequences of numbers as of `parametrized`.

    A body's mass properties become those of the link that moves; links fixed to it keep
    their names and places, and lose their masses.
    """
    low, links = model._lowered, []
    weighs = any(name in values for name in _OF_BODY)
    for link in model.links:
        chain = low.chain.get(link.name)
        link = replace(link, dynamics=_dynamics(link, model, values))
        if chain is None:
            carrier, _ = low.where[link.name]
            links.append(replace(link, body=RigidBody()) if carrier and weighs else link)
            continue
        frame = link.frame
        if "frame" in values:
            _, offset = low.where[link.parent]
            frame = _transform(values["frame"][chain[0] - 1])
            if offset != Transform.identity():
                frame = frame @ offset.inverse()
            frame = _at_zero(link, low) @ frame
        total = low.body[chain[-1]] if weighs else link.body
        body = _body(total, values, chain[-1] - 1, RigidBody)
        links.append(replace(link, frame=frame, body=body))
    gravity = tuple(values.get("gravity", model.gravity.lin))
    return replace(model, links=tuple(links), gravity=gravity)  # type: ignore[arg-type]


def _at_zero(link: Link, low: Lowering) -> Transform:
    """From the frame of a joint where its coordinate is zero to the one where its position is."""
    offset = low.relation(link.joint_name).offset
    return link.joint.jcalc((-offset,)).XJ if offset else Transform.identity()


def nominal(model: Model, name: str) -> Sequence[Any]:
    """The model's own values of a parameter, as nested sequences."""
    low = model._lowered
    if name == "gravity":
        return tuple(model.gravity.lin)
    if name in _OF_JOINT:
        return model.join_v({i: getattr(low.dynamics[i], name) for i in model.bodies})
    if name == "frame":
        return [pose_matrix(X) for X in low.X_tree[1:]]
    if name == "inertia":
        return [Mat3.of(body.inertia).rows() for body in low.body[1:]]
    return [getattr(body, name) for body in low.body[1:]]


def shape_of(model: Model, name: str) -> tuple[int, ...]:
    """The shape of a parameter."""
    if name == "gravity":
        return (3,)
    if name in _OF_JOINT:
        return (model.nv,)
    own = {"mass": (), "com": (3,), "inertia": (3, 3), "frame": (4, 4)}[name]
    return (model.n_bodies, *own)


def _body(old: RigidBody, values: Values, k: int, kind: Callable[..., RigidBody]) -> RigidBody:
    if not any(name in values for name in _OF_BODY):
        return old
    new = (values[name][k] if name in values else getattr(old, name) for name in _OF_BODY)
    return kind(*new)


def _any_body(mass: Any, com: Any, inertia: Any) -> RigidBody:
    """A body of any scalars: the checks of numbers are left out."""
    body = object.__new__(RigidBody)
    body.__dict__.update(mass=mass, com=tuple(com), inertia=tuple(map(tuple, inertia)))
    return body


def _entries(old: JointEntries, values: Values, index: Sequence[int]) -> JointEntries:
    """What a body's joint does by itself, of any scalars."""
    given = {name: tuple(values[name][k] for k in index) for name in _OF_JOINT if name in values}
    return old._replace(**given)


def _dynamics(link: Link, model: Model, values: Values) -> JointDynamics | None:
    """What a link's joint does by itself, with ``values``; equal entries are one number."""
    if not any(name in values for name in _OF_JOINT):
        return link.dynamics
    if link.joint_name in model._lowered.couplings:  # its leader's values have its share
        return None
    given: dict[str, Any] = {}
    chain = model._lowered.chain.get(link.name, ())
    index = [k for i in chain for k in model.v_index[i]]
    for name in _OF_JOINT:
        if name in values and index:
            entries = tuple(values[name][k] for k in index)
            given[name] = entries[0] if len(set(entries)) == 1 else entries
    own = model._lowered.link[chain[-1]] if chain else None
    dynamics = replace((own or link).dynamics or JointDynamics(), **given)
    return None if dynamics == JointDynamics() else dynamics


def _transform(pose: Sequence[Sequence[Any]]) -> Transform:
    """The transform to a frame from its pose: rotation and origin, in the parent's coordinates."""
    rows = [row[:3] for row in pose[:3]]
    return Transform(Mat3.of(rows).T, Vec3.of([row[3] for row in pose[:3]]))
