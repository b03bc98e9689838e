"""The mass and inertia of bodies: as written, or from their geoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...errors import ModelError
from ...model import RigidBody
from ...spatial import Mat3
from .axes import as_kept, sorted_axes
from .compiler import Compiler
from .geoms import Geom
from .tree import MjcfBody, Part
from .values import describe, errors_at, number, numbers, required, text

MINIMUM = 1e-15  # of the mass and moments that a moving body has, as in MuJoCo
_ROUNDING = 1e-14  # relative: of moments that are zero, turned to the body's axes
_SLACK = 1e-6  # relative: files round their inertias


def read_masses(
    bodies: Sequence[MjcfBody], geoms: dict[MjcfBody, list[Geom]]
) -> dict[MjcfBody, RigidBody]:
    """The mass properties of all bodies, in their own coordinates."""
    masses = {body: RigidBody() for body in bodies}
    for body in bodies[1:]:
        masses[body] = _body(body, geoms[body])
    total, scaled = sum(mass.mass for mass in masses.values()), bodies[0].source.document.compiler
    if scaled.settotalmass > 0.0 and total > 0.0:
        factor = scaled.settotalmass / total
        masses = {body: _times(mass, factor) for body, mass in masses.items()}
    return masses


def _times(body: RigidBody, factor: float) -> RigidBody:
    inertia = [[factor * x for x in row] for row in body.inertia]
    return RigidBody(factor * body.mass, body.com, inertia)  # type: ignore[arg-type]


def _body(body: MjcfBody, geoms: Sequence[Geom]) -> RigidBody:
    compiler = body.source.document.compiler
    with errors_at(body.element):
        if body.inertial is not None and compiler.inertiafromgeom != "true":
            mass = _inertial(body.inertial)
        elif compiler.inertiafromgeom == "false":
            mass = RigidBody()
        else:
            mass = _from_geoms(compiler, geoms)
        if not mass.mass and compiler.boundmass > 0.0:
            mass = replace(mass, com=_place_of_bound(body))
        return _bounded(body, mass, compiler)


def _place_of_bound(body: MjcfBody) -> tuple[float, ...]:
    """Where MuJoCo puts the least mass of a body that has none."""
    if any(body.place.r):
        text = (f"{describe(body.element)} has no mass: that of 'boundmass' is as far from its "
                "origin as that is from its parent's, as in MuJoCo")  # fmt: skip
        body.source.document.notes.add("doubtful", text, body.element.line)
    return tuple(body.place.r)


def _inertial(part: Part) -> RigidBody:
    element = part.element
    required(element, "mass")
    required(element, "pos")
    mass = number(element, "mass", 0.0)
    if mass < 0.0:
        raise element.error(f"expected a mass of at least 0, found {mass:g} kg")
    full, diagonal = numbers(element, "fullinertia", 6), numbers(element, "diaginertia", 3)
    if bool(full) == bool(diagonal):
        found = "both" if full else "neither"
        raise element.error(f"expected diaginertia or fullinertia in <inertial>, found {found}")
    if full:
        xx, yy, zz, xy, xz, yz = full
        rows = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    else:
        xx, yy, zz = diagonal
        rows = ((xx, 0.0, 0.0), (0.0, yy, 0.0), (0.0, 0.0, zz))
    frame = part.pose
    turned = frame.E.T @ (Mat3.of(rows) @ frame.E)
    return RigidBody(mass, tuple(frame.r), turned.rows())  # type: ignore[arg-type]


def _from_geoms(compiler: Compiler, geoms: Sequence[Geom]) -> RigidBody:
    total = RigidBody()
    for geom in _weighing(compiler, geoms):
        total = total.joined(geom.mass, geom.frame)
    return total


def _weighing(compiler: Compiler, geoms: Sequence[Geom]) -> list[Geom]:
    low, high = compiler.inertiagroups
    return [geom for geom in geoms if low <= geom.group <= high]


def inertia_axes(body: MjcfBody, geoms: Sequence[Geom], mass: RigidBody) -> Mat3:
    """The principal axes that MuJoCo takes, where moments are equal as well."""
    compiler, inertial = body.source.document.compiler, body.inertial
    if inertial is not None and compiler.inertiafromgeom != "true":
        E = inertial.pose.E
        if not text(inertial.element, "fullinertia"):
            return as_kept(E)
        return as_kept(sorted_axes(E @ (Mat3.of(mass.inertia) @ E.T)) @ E)
    heavy = [geom for geom in _weighing(compiler, geoms) if geom.mass.mass > MINIMUM]
    if not heavy or compiler.inertiafromgeom == "false":
        return as_kept(body.place.E)  # also where a least mass is given
    if len(heavy) != 1:
        return as_kept(sorted_axes(Mat3.of(mass.inertia)))
    (geom,) = heavy
    return as_kept(geom.own_frame.E)


def _bounded(body: MjcfBody, mass: RigidBody, compiler: Compiler) -> RigidBody:
    """With the least mass and moments, and moments that satisfy the triangle inequality."""
    heavy = max(mass.mass, compiler.boundmass)
    moments, axes = np.linalg.eigh(np.array(mass.inertia))
    least = compiler.boundinertia
    bounded = np.maximum(moments, least) if least > 0.0 else moments
    if min(bounded) < -_ROUNDING * max(abs(bounded)):
        raise ModelError(f"expected moments of inertia of at least 0, found {min(moments):.3g}")
    a, b, c = bounded
    if a + b < c * (1.0 - _SLACK):
        if not compiler.balanceinertia:
            raise ModelError(
                f"principal moments {a:.3g}, {b:.3g}, {c:.3g} violate the triangle inequality "
                '(<compiler balanceinertia="true"> would make them equal)'
            )
        bounded = np.full(3, bounded.mean())
    if (bounded == moments).all():
        return replace(mass, mass=heavy)
    return RigidBody(heavy, mass.com, ((axes * bounded) @ axes.T).tolist())


def require_mass(bodies: Sequence[MjcfBody], masses: dict[MjcfBody, RigidBody]) -> None:
    """Refuse a body that moves, but has neither mass itself nor anything fixed to it."""
    heavy = {body: masses[body].mass > MINIMUM for body in bodies}
    for body in reversed(bodies[1:]):
        if body.parent is not None and not body.joints:
            heavy[body.parent] |= heavy[body]
    for body in bodies:
        if body.joints and not heavy[body]:
            raise body.element.error(
                f"{describe(body.element)} moves but has no mass: it needs geoms or <inertial>"
            )
