"""What a step with contact is made for: surfaces, laws of contact, limits, friction, couplings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ...model import Model
from ...model.parameters import PARAMETERS, parametrized, shape_of
from ...scalar import Scalar
from ...spatial import Motion, Transform
from ..constrained.closures import Closure
from .touching import Kind, Shape, count


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
    """Coefficient of Coulomb's friction, and Poisson's coefficient of restitution.

    ``stiffness`` [N/m] and ``damping`` [N s/m] of a compliant point, ``viscous`` friction
    [N s/m] by slip.  ``torsional`` and ``rolling`` friction are lengths [m].
    """

    mu: Scalar = 0.0
    restitution: Scalar = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    viscous: float = 0.0
    torsional: float = 0.0
    rolling: float = 0.0

    @property
    def is_plain(self) -> bool:
        """Whether it is rigid, with Coulomb's friction alone."""
        return not (self.stiffness or self.viscous or self.has_torques)

    @property
    def has_torques(self) -> bool:
        """Whether it has torsional or rolling friction."""
        return bool(self.torsional or self.rolling)


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


class CoordinateRange(NamedTuple):
    """Ends of a coordinate that no joint has, Poisson's coefficient there, and friction.

    ``name`` says in messages what has it.
    """

    name: str
    lower: float
    upper: float
    restitution: float = 0.0
    friction: float = 0.0
    damping: float = 0.0

    @property
    def is_limited(self) -> bool:
        """Whether it has an end."""
        return self.lower > -math.inf or self.upper < math.inf


class TendonRange(NamedTuple):
    """The range of the length of a tendon, which has a number."""

    tendon: int
    range: CoordinateRange


class HingeRange(NamedTuple):
    """The range of the free coordinate of a loop."""

    closure: Closure
    range: CoordinateRange


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


class BodySpring(NamedTuple):
    """A spring and damper along one axis between frames of two moving bodies; 0 is the world.

    ``table`` has lengths and forces [m and N] instead of a stiffness.
    """

    a: int
    b: int
    frame_a: Transform
    frame_b: Transform
    axis: int
    stiffness: float
    rest: float
    damping: float
    table: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class ContactModel:
    """A model and everything that its bodies may touch.

    Attributes
    ----------
    model : Model
    pairs, limits, frictions, gears, closures, springs, tendons, hinges : tuple
    """

    model: Model
    pairs: tuple[Pair, ...] = ()
    limits: tuple[Limit, ...] = ()
    frictions: tuple[DryFriction, ...] = ()
    gears: tuple[GearRatio, ...] = ()
    closures: tuple[Closure, ...] = ()
    springs: tuple[BodySpring, ...] = ()
    tendons: tuple[TendonRange, ...] = ()
    hinges: tuple[HingeRange, ...] = ()

    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        """Parameters that `with_values` replaces: those of the model, and of contact."""
        shapes = {name: shape_of(self.model, name) for name in PARAMETERS}
        maps = self._height_maps()
        if len(maps) == 1:
            shapes["heights"] = len(maps[0].heights), len(maps[0].heights[0])
        return {**shapes, "mu_coulomb": (), "restitution": ()}

    def with_values(self, values: Mapping[str, Any]) -> ContactModel:
        """The same with nested sequences of any scalars in the place of parameters.

        Friction and restitution are those of all pairs, heights those of the only height map.
        """
        own = {name: x for name, x in values.items() if name in PARAMETERS}
        laws = {old: values[name] for old, name in (("mu", "mu_coulomb"),
                ("restitution", "restitution")) if name in values}  # fmt: skip
        pairs = tuple(
            Pair(_raised(pair.a, values), _raised(pair.b, values), _replaced(pair.law, laws))
            for pair in self.pairs
        )
        frictions = self.frictions
        if "friction" in values:
            frictions = tuple(each._replace(most=values["friction"][each.entry])
                              for each in frictions)  # fmt: skip
        model = parametrized(self.model, own) if own else self.model
        return replace(self, model=model, pairs=pairs, frictions=frictions)

    def _height_maps(self) -> list[Shape]:
        """The different height maps."""
        found = {id(side.shape.heights): side.shape for pair in self.pairs
                 for side in (pair.a, pair.b) if side.shape.kind is Kind.HEIGHT_MAP}  # fmt: skip
        return list(found.values())

    @property
    def shares_loads(self) -> bool:
        """Whether two surfaces may touch at more than two points, as faces do."""
        return any(count(pair.a.shape, pair.b.shape) > 2 for pair in self.pairs)

    @property
    def has_rebound(self) -> bool:
        """Whether anything may rebound."""
        values = [x.restitution for x in self.limits]
        values += [x.range.restitution for x in self.hinges]
        values += [x.law.restitution for x in self.pairs]
        return any(not (isinstance(e, float) and e == 0.0) for e in values)


def _replaced(law: ContactLaw, values: dict[str, Scalar]) -> ContactLaw:
    """A law with other coefficients; a compliant point does not rebound."""
    law = law._replace(**values)
    return law._replace(restitution=0.0) if law.stiffness else law


def _raised(surface: Surface, values: Mapping[str, Any]) -> Surface:
    """A surface with the heights that are given, if it is a height map."""
    if "heights" not in values or surface.shape.kind is not Kind.HEIGHT_MAP:
        return surface
    heights = tuple(tuple(row) for row in values["heights"])
    return replace(surface, shape=replace(surface.shape, heights=heights))
