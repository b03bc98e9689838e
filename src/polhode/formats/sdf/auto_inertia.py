"""Masses that follow from collision shapes: ``<inertial auto="true">``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...errors import ModelError
from ...model import Mesh, Plane, Polyhedron, RigidBody, Shape
from ...model.mass_properties import mass_properties
from ...spatial import Transform
from ..reading import Notes
from ..xml import Element
from .values import child, describe, number

WATER = 1000.0  # kg/m^3, where neither the collision nor the link says its density
Touching = tuple[str, Shape | None, Transform]


def solid(
    link: Element, inertial: Element, touching: Sequence[Touching], notes: Notes
) -> RigidBody:
    """All collision shapes of a link as one body, scaled to its mass if that is given.

    Raises
    ------
    ParseError
        For a link without shapes, and for shapes whose mass is not known.
    """
    usual, body = number(inertial, "density", default=WATER), RigidBody()
    for element, (_, shape, X) in zip(link.all("collision"), touching, strict=True):
        if shape is None or isinstance(shape, (Mesh, Plane, Polyhedron)):
            raise element.error(
                f"{describe(element)} has no mass for {describe(link)}: expected a box, sphere, "
                'cylinder or capsule with <inertial auto="true">'
            )
        density = number(element, "density", default=usual)
        try:
            body = body.joined(mass_properties(shape, density=density), X)
        except ModelError as error:
            raise element.error(f"{describe(element)}: {error}") from None
    if body.is_massless:
        raise inertial.error(f'{describe(link)} has auto="true" and no <collision>')
    for tag in ("pose", "inertia"):
        given = child(inertial, tag)
        if given is not None:
            text = f'{describe(link)}: <{tag}> of <inertial auto="true"> is not read'
            notes.add("ignored", text, given.line)
    return _scaled(body, number(inertial, "mass", default=body.mass), inertial, link)


def _scaled(body: RigidBody, mass: float, inertial: Element, link: Element) -> RigidBody:
    if mass <= 0.0:
        at = child(inertial, "mass") or inertial
        raise at.error(f"expected a mass above 0 of {describe(link)}, found {mass:g} kg")
    ratio = mass / body.mass
    inertia = tuple(tuple(ratio * x for x in row) for row in body.inertia)
    return replace(body, mass=mass, inertia=inertia)


def note_unused(link: Element, notes: Notes) -> None:
    """Note densities of a link whose mass does not follow from them."""
    for owner in (*link.all("inertial"), *link.all("collision")):
        density = child(owner, "density")
        if density is not None:
            text = f'{describe(link)}: <density> has no effect without <inertial auto="true">'
            notes.add("ignored", text, density.line)
