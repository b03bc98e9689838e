"""What a step with contact is made for: surfaces, laws of contact, limits, friction, couplings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ...model import Model
from ...scalar import Scalar
from ...spatial import Motion, Transform
from ..constrained.closures import Closure
from .touching import Shape


@dataclass(frozen=True)
class Surface:
    """A shape on a body.

    Attributes
    ----------
    name : str
    body : int
        Number of the moving body; 0 is the world.
    frame : Transform
        From the body's coordinates to the shape's.
    shape : Shape
    belt : Motion
        Velocity of the surface against its body, in the shape's coordinates.
    """

    name: str
    body: int
    frame: Transform
    shape: Shape
    belt: Motion = field(default_factory=Motion.zero)


class ContactLaw(NamedTuple):
    """Coefficient of Coulomb's friction, and Poisson's coefficient of restitution."""

    mu: Scalar = 0.0
    restitution: Scalar = 0.0


class Pair(NamedTuple):
    """Two surfaces that may touch."""

    a: Surface
    b: Surface
    law: ContactLaw


class Limit(NamedTuple):
    """The range of a coordinate whose velocity is its rate, and Poisson's coefficient there."""

    entry: int
    lower: Scalar
    upper: Scalar
    restitution: Scalar = 0.0


class DryFriction(NamedTuple):
    """The greatest dry friction [N or N m] of a velocity entry."""

    entry: int
    most: Scalar


class GearRatio(NamedTuple):
    """Coordinates of two joints with one axis: ``q[a] = ratio q[b] + constant``."""

    a: int
    b: int
    ratio: Scalar
    constant: Scalar


@dataclass(frozen=True)
class ContactModel:
    """A model and everything that its bodies may touch.

    Attributes
    ----------
    model : Model
    pairs, limits, frictions, gears, closures : tuple
    """

    model: Model
    pairs: tuple[Pair, ...] = ()
    limits: tuple[Limit, ...] = ()
    frictions: tuple[DryFriction, ...] = ()
    gears: tuple[GearRatio, ...] = ()
    closures: tuple[Closure, ...] = ()

    @property
    def has_rebound(self) -> bool:
        """Whether anything may rebound."""
        values = [x.restitution for x in self.limits] + [x.law.restitution for x in self.pairs]
        return any(not (isinstance(e, float) and e == 0.0) for e in values)
