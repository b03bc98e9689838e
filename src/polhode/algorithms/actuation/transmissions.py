"""Lengths of actuators with their gradients, by what they act on."""

from __future__ import annotations

from ...model import (
    Actuator,
    FloatingBase,
    JointTransmission,
    Model,
    SiteFrame,
    SiteTransmission,
    SliderCrankTransmission,
    Spherical,
    TendonTransmission,
)
from ...scalar import Scalar, maximum, sqrt, where
from ...spatial import Force, Quaternion, Vec3
from .lengths import Length, PlacedTree, force_at, gathered
from .tendons import tendon_length


def actuator_length(placed: PlacedTree, actuator: Actuator, tendons: dict[str, Length]) -> Length:
    """The length of an actuator; ``tendons`` are those that are known, and is added to."""
    match actuator.transmission:
        case JointTransmission() as transmission:
            return _of_joint(placed, transmission, actuator.gear)
        case TendonTransmission(name):
            if name not in tendons:
                tendon = next(each for each in placed.model.tendons if each.name == name)
                tendons[name] = tendon_length(placed, tendon)
            return tendons[name].times(actuator.gear[0])
        case SiteTransmission(site, None):
            return _of_site(placed, site, actuator.gear)
        case SiteTransmission(site, SiteFrame() as reference):
            return _of_sites(placed, site, reference, actuator.gear)
        case SliderCrankTransmission() as transmission:
            return _of_slider(placed, transmission).times(actuator.gear[0])
    return Length(0.0, {}, {})  # adhesion acts along no length


def _of_joint(
    placed: PlacedTree, transmission: JointTransmission, gear: tuple[float, ...]
) -> Length:
    model = placed.model
    joint = model.joint(transmission.joint)
    i = joint.body
    if joint.kind.nv == 1:
        (k,) = model.v_index[i]
        relation = model.relation(joint.name)
        length = relation.position(placed.q[i][0]) * gear[0]
        return Length(length, {}, {k: gear[0] * relation.multiplier})
    x, y, z, w = placed.q[i]
    if isinstance(joint.kind, Spherical):
        axis = Vec3(*gear[:3])
        length = Quaternion(w, x, y, z).log().dot(axis)
        return Length(length, {}, dict(zip(model.v_index[i], _turned(placed, i, transmission, axis),
                                           strict=True)))  # fmt: skip
    moves = [k for j in _bodies_of(model, i) for k in model.v_index[j]]
    turn = _turned(placed, i, transmission, Vec3(*gear[3:]))
    return Length(0.0, {}, dict(zip(moves, (*gear[:3], *turn), strict=True)))


def _bodies_of(model: Model, i: int) -> list[int]:
    """The bodies of a free joint, whose last one is ``i``."""
    found, n = [], 0
    while n < FloatingBase().nv:
        found.append(i)
        n += len(model.v_index[i])
        i = model.parent[i]
    return found[::-1]


def _turned(placed: PlacedTree, i: int, transmission: JointTransmission, axis: Vec3) -> Vec3:
    """An axis of rotation in the coordinates of the body."""
    if not transmission.in_parent:
        return axis
    return placed.model.joint[i].jcalc(placed.q[i]).XJ.E @ axis


def _of_site(placed: PlacedTree, site: SiteFrame, gear: tuple[float, ...]) -> Length:
    i, X = placed.frame(site.body)
    wrench = (site.frame @ X).T @ Force(Vec3(*gear[3:]), Vec3(*gear[:3]))
    return Length(0.0, gathered([(i, wrench)]), {})


def _of_sites(
    placed: PlacedTree, site: SiteFrame, reference: SiteFrame, gear: tuple[float, ...]
) -> Length:
    """The pose of a site against another, along ``gear``.

    The force is between both sites, without what their distance would turn: as in MuJoCo, joints
    that carry both feel nothing of it.
    """
    (i, X), (j, Y) = placed.frame(site.body), placed.frame(reference.body)
    X, Y = site.frame @ X, reference.frame @ Y
    move, turn = Vec3(*gear[:3]), Vec3(*gear[3:])
    value: Scalar = (Y.E @ (X.r - Y.r)).dot(move)
    if any(turn):
        value = value + Quaternion.from_matrix(X.E @ Y.E.T).log().dot(turn)
    force, moment = Y.E.T @ move, Y.E.T @ turn
    shared = set(_carriers(placed.model, i)) & {*_carriers(placed.model, j)}
    entries: dict[int, Scalar] = {}
    for body, point, sign in ((i, X.r, 1.0), (j, Y.r, -1.0)):
        wrench = (force_at(point, force) + Force(moment, Vec3.zero())) * sign
        row = placed.row(Length(0.0, gathered([(body, wrench)]), {}), still=shared)
        for k, x in row.items():
            entries[k] = entries.get(k, 0.0) + x
    return Length(value, {}, dict(sorted(entries.items())))


def _carriers(model: Model, i: int) -> list[int]:
    """A body and those that carry it, without the base."""
    found = []
    while i:
        found.append(i)
        i = model.parent[i]
    return found


def _of_slider(placed: PlacedTree, transmission: SliderCrankTransmission) -> Length:
    """Where the slider is on its axis ``z``: ``z . c - sqrt(rod^2 - |c|^2 + (z . c)^2)``.

    ``c`` leads from the slider's origin to the crank's pin.  If the rod is too short, the slider is
    at the place next to the pin.
    """
    crank, slider = transmission.crank, transmission.slider
    (i, p), (j, X) = placed.point(crank.body, crank.point), placed.frame(slider.body)
    X = slider.frame @ X
    c, z = p - X.r, X.E.T @ Vec3(0.0, 0.0, 1.0)
    along = c.dot(z)
    square = transmission.rod**2 - c.dot(c) + along * along
    reaches = square > 0.0
    root = sqrt(maximum(square, 0.0))
    inverse = where(reaches, 1.0 / where(reaches, root, 1.0), 0.0)
    # The gradient by c.  That by z follows: a rigid motion of both bodies changes nothing.
    force = force_at(p, z * (1.0 - along * inverse) + c * inverse)
    return Length(along - root, gathered([(i, force), (j, -force)]), {})
