"""Masses as MuJoCo takes them: moving bodies have some, and moments are those of a rigid body."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from ...model import Fixed, Model, RigidBody
from ...spatial import Mat3, Transform, Vec3
from ..lost import Lost
from ..markup import MarkupElement, number, numbers
from .geom_writer import posed
from .inertia import MINIMUM

LEAST = 1e-14  # mass and moments of a moving link without any [kg, kg m^2]
ROUND = 1e-9  # relative, of what is not told
Masses = Mapping[str, RigidBody]


def written_masses(model: Model) -> Masses:
    """The mass of each link of a model.

    What MuJoCo does not take as a body of its own, but is fixed to another, becomes part of that.
    """
    masses = {link.name: _lower(link.body) for link in model.links}
    for link in reversed(model.links):
        own = masses[link.name]
        moments, _ = _principal(own)
        is_fixed = isinstance(link.joint, Fixed)
        if is_fixed and link.parent is not None and _differ(moments, _nearest(moments)):
            masses[link.parent] = masses[link.parent].joined(own, link.frame)
            masses[link.name] = RigidBody()
    return masses


def heavy_links(model: Model, masses: Masses) -> set[str]:
    """Links with mass and three moments above MuJoCo's least, or with such links fixed to them."""
    found = set()
    for link in reversed(model.links):
        own = masses[link.name]
        if min(own.mass, *_principal(own)[0]) > MINIMUM:
            found.add(link.name)
        if link.name in found and isinstance(link.joint, Fixed) and link.parent is not None:
            found.add(link.parent)
    return found


def with_least(body: RigidBody) -> RigidBody:
    """A moving body with mass and moments of at least `LEAST`."""
    moments, axes = _principal(body)
    raised = np.maximum(moments, LEAST)
    inertia = ((axes * raised) @ axes.T).tolist()
    return replace(body, mass=max(body.mass, LEAST), inertia=inertia)


def inertial(
    body: RigidBody, link: str, lost: Lost, own: Mat3 | None = None
) -> Iterator[MarkupElement]:
    """``<inertial>`` of a body that has mass; by its principal axes where MuJoCo might refuse.

    ``own`` are those to take, if any.
    """
    if body.is_massless:
        return
    moments, axes = _principal(body) if own is None else _along(body, own)
    nearest = _nearest(moments)
    if _differ(moments, nearest):
        lost.add("moments of inertia that no rigid body has, here the nearest ones,", link)
    place, values = Transform.translation(*body.com), {}
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    if own is None and _is_plain(moments) and (xy or xz or yz):
        values["fullinertia"] = numbers((xx, yy, zz, xy, xz, yz))
    else:
        place = Transform(Mat3.of(axes.T.tolist()), Vec3(*body.com))
        values["diaginertia"] = numbers(nearest)
    values = {"pos": numbers(body.com), **posed(place), "mass": number(body.mass), **values}
    yield MarkupElement("inertial", values)


def _lower(body: RigidBody) -> RigidBody:
    """With the inertia that dynamics reads: that of the lower triangle."""
    (xx, _, _), (yx, yy, _), (zx, zy, zz) = body.inertia
    return replace(body, inertia=((xx, yx, zx), (yx, yy, zy), (zx, zy, zz)))


def _principal(body: RigidBody) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments, and right-handed axes as columns; the body's own axes where they are."""
    inertia = np.array(body.inertia)
    diagonal = inertia.diagonal()
    if (inertia == np.diag(diagonal)).all():
        return diagonal, np.eye(3)
    moments, axes = np.linalg.eigh(inertia)
    return moments, axes * np.sign(np.linalg.det(axes))


def _along(body: RigidBody, E: Mat3) -> tuple[np.ndarray, np.ndarray]:
    """The moments about principal axes that are known, and these as columns."""
    turned = E @ (Mat3.of(body.inertia) @ E.T)
    return np.array(turned.rows()).diagonal(), np.array(E.T.rows())


def _nearest(moments: np.ndarray) -> np.ndarray:
    """Moments that a rigid body can have: none below zero, none above the sum of the others."""
    found = np.maximum(moments, 0.0)
    k = int(found.argmax())
    found[k] = min(found[k], np.delete(found, k).sum())
    return found


def _is_plain(moments: np.ndarray) -> bool:
    """Whether rounding cannot make of them what no body has."""
    largest = moments.max()
    is_large = min(moments) > ROUND * max(largest, 1.0)
    return is_large and moments.sum() > (2.0 + ROUND) * largest


def _differ(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.abs(a - b).max() > ROUND * np.abs(a).max())
