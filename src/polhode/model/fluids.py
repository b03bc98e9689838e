"""A fluid around a model, and the shapes by which links feel it.

Models of drag and lift are those of MuJoCo's documentation (*Computation*, fluid forces).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from ..spatial import Mat3, Transform, Vec3
from .checks import known, number, numbers, records, transform
from .shapes import Triple

if TYPE_CHECKING:
    from .records import Link, RigidBody

_LEAST = 1e-15  # of sums of moments of inertia, as in MuJoCo [kg m^2]
_NEAR = 2e-3  # spread of Carlson's arguments: the error of his series is its sixth power


@dataclass(frozen=True)
class Fluid:
    """A medium that fills all space.

    Attributes
    ----------
    density : float
        [kg/m^3]
    viscosity : float
        Dynamic viscosity [Pa s].
    wind : three numbers
        Velocity of the fluid where nothing moves it, in base coordinates [m/s].
    """

    density: float = 0.0
    viscosity: float = 0.0
    wind: Triple = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for key in ("density", "viscosity"):
            value = number(getattr(self, key), key, "fluid", least=0.0)
            object.__setattr__(self, key, value)
        object.__setattr__(self, "wind", numbers(self.wind, 3, "wind", "fluid"))


@dataclass(frozen=True)
class FluidBox:
    """A box that a fluid resists, along and about each of its axes by itself.

    Attributes
    ----------
    size : three numbers
        Sides [m].
    frame : Transform, or array_like of shape (4, 4)
        From the link's coordinates to those of the box, whose origin is its middle.
    """

    size: Triple
    frame: Transform = field(default_factory=Transform.identity)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", _lengths(self.size, "size of a fluid box"))
        object.__setattr__(self, "frame", transform(self.frame, "frame of a fluid box"))


@dataclass(frozen=True)
class FluidEllipsoid:
    """An ellipsoid with drag, lift and added mass in a fluid.

    Attributes
    ----------
    semi_axes : three numbers
        [m]
    frame : Transform, or array_like of shape (4, 4)
        From the link's coordinates to those of the ellipsoid.
    blunt_drag, slender_drag, angular_drag : float
        Coefficients of drag: of the projected area, of what the largest one has more, and of
        rotation.
    kutta_lift, magnus_lift : float
        Coefficients of lift: by the angle of attack, and by rotation.
    added_mass, added_inertia : three numbers, optional
        Of the fluid that moves along, for a density of one, along and about each axis [m^3, m^5].
        That of potential flow where they are omitted.
    """

    semi_axes: Triple
    frame: Transform = field(default_factory=Transform.identity)
    blunt_drag: float = 0.5
    slender_drag: float = 0.25
    angular_drag: float = 1.5
    kutta_lift: float = 1.0
    magnus_lift: float = 1.0
    added_mass: Triple = None  # type: ignore[assignment]
    added_inertia: Triple = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        where = "fluid ellipsoid"
        object.__setattr__(self, "semi_axes", _lengths(self.semi_axes, f"semi_axes of a {where}"))
        object.__setattr__(self, "frame", transform(self.frame, f"frame of a {where}"))
        for key in ("blunt_drag", "slender_drag", "angular_drag", "kutta_lift", "magnus_lift"):
            value = number(getattr(self, key), key, where, least=0.0)
            object.__setattr__(self, key, value)
        potential = added_masses(self.semi_axes, _shares(self.semi_axes))
        for key, default in zip(("added_mass", "added_inertia"), potential, strict=True):
            given = getattr(self, key)
            value = default if given is None else numbers(given, 3, key, where)
            object.__setattr__(self, key, value)

    @property
    def coefficients(self) -> tuple[float, float, float, float, float]:
        """Of drag: blunt, slender, angular; of lift: Kutta's and Magnus's."""
        return (self.blunt_drag, self.slender_drag, self.angular_drag, self.kutta_lift,
                self.magnus_lift)  # fmt: skip


FluidShape = FluidBox | FluidEllipsoid


def _lengths(values: Iterable[float], what: str) -> Triple:
    found = numbers(values, 3, what)
    if min(found) <= 0.0:
        raise ModelError(f"expected numbers above zero as {what}, got {found}")
    return found  # type: ignore[return-value]


# -- the fluid that moves with an ellipsoid --


def added_masses(semi_axes: Triple, shares: Sequence[float]) -> tuple[Triple, Triple]:
    """Added mass and added inertia of an ellipsoid, for a density of one.

    ``shares`` are the integrals ``abc \\int_0^\\infty dl / ((a_i^2 + l) D)`` with
    ``D^2 = (a^2 + l)(b^2 + l)(c^2 + l)`` of Lamb, *Hydrodynamics*, articles 114 and 115.
    """
    volume = 4.0 / 3.0 * math.pi * math.prod(semi_axes)
    mass = [volume * x / max(2.0 - x, _LEAST) for x in shares]
    inertia = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        b, c, more = semi_axes[j] ** 2, semi_axes[k] ** 2, shares[k] - shares[j]
        rest = abs(2.0 * (b - c) - (b + c) * more)
        inertia.append(volume / 5.0 * (b - c) ** 2 * abs(more) / max(rest, _LEAST))
    return tuple(mass), tuple(inertia)  # type: ignore[return-value]


def _shares(semi_axes: Triple) -> list[float]:
    squares = [x * x for x in semi_axes]
    product = math.prod(semi_axes)
    return [2.0 / 3.0 * product * _carlson(squares[k - 2], squares[k - 1], squares[k])
            for k in range(3)]  # fmt: skip


def _carlson(x: float, y: float, z: float) -> float:
    """``R_D(x, y, z)`` by duplication (Carlson 1995, algorithm for the second kind)."""
    total, factor = 0.0, 1.0
    while True:
        mean = (x + y + 3.0 * z) / 5.0
        X, Y, Z = (1.0 - u / mean for u in (x, y, z))
        if max(abs(X), abs(Y), abs(Z)) < _NEAR:
            break
        a, b, c = math.sqrt(x), math.sqrt(y), math.sqrt(z)
        step = a * b + b * c + c * a
        total += factor / (c * (z + step))
        factor *= 0.25
        x, y, z = (x + step) / 4.0, (y + step) / 4.0, (z + step) / 4.0
    e2 = X * Y - 6.0 * Z * Z
    e3 = (3.0 * X * Y - 8.0 * Z * Z) * Z
    e4 = 3.0 * (X * Y - Z * Z) * Z * Z
    e5 = X * Y * Z**3
    series = (1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0
              - 9.0 * e2 * e3 / 52.0 + 3.0 * e5 / 26.0)  # fmt: skip
    return 3.0 * total + factor * series / (mean * math.sqrt(mean))


# -- boxes of the same inertia --


def principal_axes(inertia: Mat3, precision: float = 1e-14) -> Mat3:
    """Coordinate rotation to axes about which a symmetric matrix is diagonal.

    By Jacobi rotations, so that axes which are principal already are kept (Golub and Van Loan,
    section 8.5).  They end where what is off the diagonal is within the relative ``precision``.
    """
    A, E = np.array(inertia.rows(), float), np.eye(3)
    smallest = precision * np.abs(A).max()
    for _ in range(100):
        p, k = max(((0, 1), (0, 2), (1, 2)), key=lambda place: abs(A[place]))
        if abs(A[p, k]) <= smallest:
            break
        tau = (A[k, k] - A[p, p]) / (2.0 * A[p, k])
        t = math.copysign(1.0, tau) / (abs(tau) + math.hypot(1.0, tau))
        c = 1.0 / math.hypot(1.0, t)
        J = np.eye(3)
        J[p, p], J[k, k], J[p, k], J[k, p] = c, c, t * c, -t * c
        A, E = J.T @ A @ J, J.T @ E
    return Mat3.of(E.tolist())


def inertia_box(body: RigidBody, axes: Mat3 | None = None) -> FluidBox:
    """The uniform box that has the mass and inertia of a body, along its principal axes."""
    inertia = Mat3.of(body.inertia)
    E = principal_axes(inertia) if axes is None else axes
    turned = E @ (inertia @ E.T)
    xx, yy, zz = turned.x.x, turned.y.y, turned.z.z
    sums = (yy + zz - xx, xx + zz - yy, xx + yy - zz)
    size = [math.sqrt(6.0 * max(x, _LEAST) / body.mass) for x in sums]
    return FluidBox(tuple(size), Transform(E, Vec3.of(body.com)))  # type: ignore[arg-type]


def immersed(
    links: Sequence[Link], shapes: Mapping[str, Sequence[FluidShape]], where: str
) -> tuple[Link, ...]:
    """The links with the shapes given; others with mass get the box of their inertia."""
    for name in shapes:
        known(name, [link.name for link in links], "link of fluid shapes", where)
    found = []
    for link in links:
        own = fluid_shapes(shapes.get(link.name, link.fluid_shapes), f"link '{link.name}', {where}")
        if not own and link.name not in shapes and link.body.mass:
            own = (inertia_box(link.body),)
        found.append(replace(link, fluid_shapes=own))
    return tuple(found)


def fluid_shapes(values: Iterable[FluidShape], where: str) -> tuple[FluidShape, ...]:
    """A sequence of boxes and ellipsoids."""
    return records(values, (FluidBox, FluidEllipsoid), "fluid shapes", where)
