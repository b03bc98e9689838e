"""Fluids: ellipsoids as geoms that touch nothing, boxes by the axes of the inertia."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...model import Fluid, FluidBox, FluidEllipsoid, Link, RigidBody
from ...model.fluids import inertia_box
from ...spatial import Mat3
from ..lost import Lost
from ..markup import MarkupElement, number, numbers
from .geom_writer import Attributes, posed

_NEAR = 1e-9  # relative, of the sides of a box
_ROUNDING = 1e-13  # relative, of products of inertia
_ADDED = 1e-2  # relative, of added masses: MuJoCo computes them itself, of thin bodies to 1e-3
_HIDDEN = {"contype": "0", "conaffinity": "0", "group": "3", "mass": "0"}


def fluid_option(fluid: Fluid | None) -> Attributes:
    """What ``<option>`` says of a fluid."""
    if fluid is None:
        return {}
    values = {"density": number(fluid.density), "viscosity": number(fluid.viscosity)}
    return values | {"wind": numbers(fluid.wind)} if any(fluid.wind) else values


def inertia_axes_of(link: Link, mass: RigidBody) -> Mat3 | None:
    """The axes that ``<inertial>`` must have for the box of a link; None if any will do."""
    if not _has_own_box(link, mass):
        return None
    E = link.fluid_shapes[0].frame.E
    turned = np.array((E @ (Mat3.of(mass.inertia) @ E.T)).rows())
    beside = np.abs(turned - np.diag(turned.diagonal())).max()
    return E if beside <= _ROUNDING * turned.diagonal().max() else None


def _has_own_box(link: Link, mass: RigidBody) -> bool:
    """Whether a fluid resists a link as the box of its inertia."""
    if len(link.fluid_shapes) != 1 or not mass.mass:
        return False
    (box,) = link.fluid_shapes
    if not isinstance(box, FluidBox):
        return False
    own = inertia_box(mass, box.frame.E)
    pairs = ((own.size, box.size), (tuple(own.frame.r), tuple(box.frame.r)))
    return all(np.allclose(a, b, rtol=0.0, atol=_NEAR * max(box.size)) for a, b in pairs)


def ellipsoids(link: Link) -> Iterator[MarkupElement]:
    """The geoms of a link that a fluid resists."""
    for shape in link.fluid_shapes:
        if isinstance(shape, FluidEllipsoid):
            size, given = numbers(shape.semi_axes), numbers(shape.coefficients)
            own = {"type": "ellipsoid", "size": size, "fluidshape": "ellipsoid", "fluidcoef": given}
            yield MarkupElement("geom", {**_HIDDEN, **own, **posed(shape.frame)})


def note_lost(link: Link, mass: RigidBody, lost: Lost) -> None:
    """Tell what MuJoCo's fluid does to a link that moves otherwise."""
    shapes = link.fluid_shapes
    if not shapes and mass.mass:
        lost.add("links that a fluid does not resist", link.name)
    elif shapes and not mass.mass:
        lost.add("fluid shapes of links without mass", link.name)
    elif any(isinstance(x, FluidBox) for x in shapes) and not _has_own_box(link, mass):
        lost.add("fluid boxes that are not those of the inertia", link.name)
    if any(isinstance(each, FluidEllipsoid) and _has_own_masses(each) for each in shapes):
        lost.add("added masses of a fluid", link.name)


def _has_own_masses(shape: FluidEllipsoid) -> bool:
    potential = FluidEllipsoid(shape.semi_axes)
    pairs = ((shape.added_mass, potential.added_mass),
             (shape.added_inertia, potential.added_inertia))  # fmt: skip
    return any(not np.allclose(a, b, rtol=_ADDED, atol=_ADDED * max(b)) for a, b in pairs)
