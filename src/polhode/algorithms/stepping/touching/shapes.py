"""Shapes as numbers, and points of contact."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from ....errors import ModelError
from ....model import Box, Capsule, Cone, Cylinder, Heightmap, Plane, Polyhedron, Sphere, Torus
from ....model import Shape as Geometry
from ....model.hull import hull_of
from ....scalar import Scalar, maximum, minimum, sqrt, where
from ....spatial import Vec3

FAR = 1e9
"""The gap [m] of a point that a pair does not have at a pose."""

TINY = 1e-18
"""Lengths [m] below this have no direction; their squares are numbers in single precision too."""


MOST = 8
"""Contacts of a hull on ground."""


class Kind(Enum):
    """What a shape is, in the order in which a pair is taken apart."""

    PLANE = auto()
    HEIGHT_MAP = auto()
    TORUS = auto()
    SPHERE = auto()
    ELLIPSOID = auto()
    CAPSULE = auto()
    CYLINDER = auto()
    CONE = auto()
    BOX = auto()
    HULL = auto()


@dataclass(frozen=True)
class Shape:
    """A shape as scalars, centred on its frame, with its axis or upward normal along z.

    Attributes
    ----------
    kind : Kind
    size : tuple of scalars
        Half edges of a box or height map, semi-axes of an ellipsoid; radius and half length of
        a round shape; both radii of a torus.
    corners : tuple of tuples of Vec3
        Of a hull, in groups: on ground, the lowest of each group is looked at.
    heights : tuple of tuples of scalars
        Of a height map: those of a row have the same x.
    """

    kind: Kind
    size: tuple[Scalar, ...] = ()
    corners: tuple[tuple[Vec3, ...], ...] = ()
    heights: tuple[tuple[Scalar, ...], ...] = ()

    @classmethod
    def of(cls, geometry: Geometry) -> Shape:
        """The scalars of a model's shape.

        Raises
        ------
        ModelError
            If it is a mesh.
        """
        match geometry:
            case Plane():
                return cls(Kind.PLANE)
            case Heightmap(heights, (x, y)):
                return cls(Kind.HEIGHT_MAP, (0.5 * x, 0.5 * y), heights=heights)
            case Torus(R, r):
                return cls(Kind.TORUS, (R, r))
            case Sphere(r):
                return cls(Kind.SPHERE, (r,))
            case Capsule(r, length):
                return cls(Kind.CAPSULE, (r, 0.5 * length))
            case Cylinder(r, length):
                return cls(Kind.CYLINDER, (r, 0.5 * length))
            case Cone(r, length):
                return cls(Kind.CONE, (r, 0.5 * length))
            case Box((x, y, z)):
                return cls(Kind.BOX, (0.5 * x, 0.5 * y, 0.5 * z))
            case Polyhedron():
                return cls(Kind.HULL, corners=_in_groups(hull_of(geometry)[0].tolist()))
        raise ModelError(
            f"expected a shape with a fixed number of contacts, got a {type(geometry).__name__}"
        )


def _in_groups(corners: list[list[float]]) -> tuple[tuple[Vec3, ...], ...]:
    """Few corners one by one; many by octants, those along the diagonals first."""
    if len(corners) <= MOST:
        return tuple((Vec3.of(corner),) for corner in corners)
    low, high = (tuple(map(f, zip(*corners, strict=True))) for f in (min, max))
    octants: dict[tuple[bool, ...], list[tuple[float, Vec3]]] = {}
    for corner in corners:
        sides = [(2.0 * x - a - b) / (b - a) for x, a, b in zip(corner, low, high, strict=True)]
        octant = octants.setdefault(tuple(side > 0.0 for side in sides), [])
        octant.append((-sum(map(abs, sides)), Vec3.of(corner)))
    groups = (sorted(group, key=lambda pair: pair[0]) for _, group in sorted(octants.items()))
    return tuple(tuple(corner for _, corner in group) for group in groups)


class Point(NamedTuple):
    """A place where two shapes touch or may touch.

    Attributes
    ----------
    position : Vec3
        Midway between the surfaces [m].
    normal : Vec3
        Unit vector from the second shape to the first.
    gap : scalar
        Distance of the surfaces along the normal [m]; negative where they overlap, `FAR` where
        there is no point.
    """

    position: Vec3
    normal: Vec3
    gap: Scalar


class VectorLength(NamedTuple):
    """The length of a vector, its inverse, and whether it has a direction.

    Values and derivatives are finite of every vector.
    """

    value: Scalar
    inverse: Scalar
    is_positive: Scalar

    @classmethod
    def of_square(cls, square: Scalar) -> VectorLength:
        """The length of a vector by its square."""
        least = TINY * TINY
        value = sqrt(maximum(square, least))
        return cls(value, 1.0 / value, square > least)


def choose(condition: Scalar, a: Vec3, b: Vec3) -> Vec3:
    """One vector or another."""
    return Vec3(*(where(condition, x, y) for x, y in zip(a, b, strict=True)))


def vector(*entries: tuple[int, Scalar]) -> Vec3:
    """A vector of some components by their numbers; the others are zero."""
    rest = dict(entries)
    return Vec3(*(rest.get(k, 0.0) for k in range(3)))


def away_from_zero(x: Scalar) -> Scalar:
    """A number of the same sign by which one can divide."""
    return where(x < 0.0, minimum(x, -TINY), maximum(x, TINY))
