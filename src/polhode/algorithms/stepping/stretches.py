"""Springs and dampers between bodies in a step: forces at its start, and what acts implicitly.

A spring has a deflection ``e`` with rate ``u = J v``, and the force ``-f(e) - c u`` along it.  Its
impulse in a step is, with its slope ``k``,

    dt (-f - c u1 - (1 - s) k dt / 4 (u1 - u0) - s k dt u1).

The terms of ``u1`` enter the inertia: damping acts at the end of the step, and springs of any
stiffness are stable.  With ``s = 0`` an oscillation keeps its energy, with ``s = 1`` (the implicit
Euler rule) one that is too fast for the step dies out.  ``s = z^2 / (16 + z^2)``, where ``z`` is
about the square of the angle by which it goes on in a step: without, 4 would be the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...scalar import Scalar, atan2, maximum, reciprocal, sqrt, where
from ...spatial import Force, Transform, Vec3
from ..actuation.gains import Gains
from ..constrained.closures import JointFrame
from ..tree.scatter import scatter_row
from .contact_model import BodySpring
from .inertia import Row
from .placed import PlacedBodies, signs_of

TURNS, SLIDES, LINE = 0, 3, 6
"""Axes of a spring: about x, y, z of frame a; along them; along the line between the origins."""

SMALL_TURN = 0.05  # rad; below it a series stands for a difference of large numbers


class Stretch(NamedTuple):
    """A length in a step: its rate is ``row.v``.

    ``force`` acts along it at the start of the step, less ``resistance`` times the change of rate.
    """

    row: Row
    force: Scalar
    resistance: Scalar


def spring_stretches(
    placed: PlacedBodies,
    springs: Sequence[BodySpring],
    v: Sequence[Scalar],
    mass: Sequence[Scalar],
    dt: Scalar,
) -> list[Stretch]:
    """The springs between bodies at velocities ``v``; ``mass`` is the inertia of each velocity."""
    found = []
    for spring in springs:
        a = frame_on(placed, spring.a, spring.frame_a)
        b = frame_on(placed, spring.b, spring.frame_b)
        value, wrench = deflection(a, b, spring.axis)
        row = row_of_wrench(placed, spring.a, spring.b, wrench)
        force, slope = tension(spring, value)
        rate, resistance = rate_of(row, v), spring.damping
        if spring.table or spring.stiffness:
            fades, change = fading(row, slope, mass, dt)
            force, resistance = force + fades * rate, resistance + change
        found.append(Stretch(row, -(force + spring.damping * rate), resistance))
    return found


def gain_stretches(
    gains: Sequence[Gains], v: Sequence[Scalar], mass: Sequence[Scalar], dt: Scalar
) -> list[Stretch]:
    """Gains as springs and dampers, without the forces that actuators and tendons begin with."""
    found = []
    for row, stiffness, damping in gains:
        fades, change = fading(row, stiffness, mass, dt)
        found.append(Stretch(row, -(fades * rate_of(row, v)), damping + change))
    return found


def fading(row: Row, slope: Scalar, mass: Sequence[Scalar], dt: Scalar) -> tuple[Scalar, Scalar]:
    """Damping ``s k dt`` of what is too fast for the step, and ``(1 + 3 s) k dt / 4``."""
    if isinstance(slope, float) and not slope:
        return 0.0, 0.0
    own: Scalar = 0.0
    for k, x in row.items():
        own = own + x * x / mass[k]
    z = dt * dt * slope * own
    fades = slope * dt * (z * z / (16.0 + z * z))
    return fades, fades + 0.25 * (slope * dt - fades)


def damper(row: Row, damping: float, v: Sequence[Scalar]) -> Stretch:
    """A damper along a length."""
    return Stretch(row, -(damping * rate_of(row, v)), damping)


def rate_of(row: Row, v: Sequence[Scalar]) -> Scalar:
    """The rate of a length."""
    rate: Scalar = 0.0
    for k, x in row.items():
        rate = rate + x * v[k]
    return rate


def along_coordinates(stretches: Sequence[Stretch], nv: int) -> list[Scalar]:
    """Joint forces of lengths at the start of a step."""
    found: list[Scalar] = [0.0] * nv
    for each in stretches:
        for k, x in each.row.items():
            found[k] = found[k] + x * each.force
    return found


def frame_on(placed: PlacedBodies, body: int, frame: Transform) -> JointFrame:
    """A frame of a body in base coordinates."""
    X = frame @ placed.X_0[body]
    return JointFrame(X.E.x, X.E.y, X.E.z, X.r)


def row_of_wrench(placed: PlacedBodies, a: int, b: int, wrench: Force) -> Row:
    """The power of a wrench on body b, and its opposite on body a, by velocities."""
    model = placed.model
    signs = signs_of(model, b, a)
    power = {k: wrench.dot(axis) * signs[k] for k, axis in placed.axes().items() if signs[k]}
    return scatter_row(power, model.coordinate_of_axis)


def deflection(a: JointFrame, b: JointFrame, axis: int) -> tuple[Scalar, Force]:
    """How far frame b is from frame a along an axis, and the wrench on body b of its rate."""
    if axis < SLIDES:
        return _turn(a, b, axis)
    way = b.origin - a.origin
    if axis < LINE:
        along = a.axis(axis - SLIDES)
        return along.dot(way), Force(b.origin.cross(along), along)
    length = sqrt(way.dot(way))
    is_long = length > 0.0
    along = way * where(is_long, reciprocal(where(is_long, length, 1.0)), 0.0)
    return length, Force(b.origin.cross(along), along)


def _turn(a: JointFrame, b: JointFrame, axis: int) -> tuple[Scalar, Force]:
    """An entry of the rotation vector of frame b against frame a.

    Rates are the angular velocity times the inverse of the left Jacobian of the rotation group.
    """
    sines = Vec3(a.z.dot(b.y) - a.y.dot(b.z), a.x.dot(b.z) - a.z.dot(b.x),
                 a.y.dot(b.x) - a.x.dot(b.y)) * 0.5  # fmt: skip
    sine = sqrt(sines.dot(sines))
    cosine = 0.5 * (a.x.dot(b.x) + a.y.dot(b.y) + a.z.dot(b.z) - 1.0)
    angle, turns = atan2(sine, cosine), sine > 0.0
    phi = sines * where(turns, angle * reciprocal(where(turns, sine, 1.0)), 1.0)
    square = phi.dot(phi)
    is_large = angle > SMALL_TURN
    rest = (1.0 + cosine) * 0.5 * reciprocal(where(is_large, angle * sine, 1.0))
    exact = reciprocal(where(is_large, square, 1.0)) - rest
    factor = where(is_large, exact, 1.0 / 12.0 + square * (1.0 / 720.0))
    e = Vec3(*(1.0 if k == axis else 0.0 for k in range(3)))
    value = e.dot(phi)
    row = e + phi.cross(e) * 0.5 + (phi * value - e * square) * factor
    return value, Force(a.x * row.x + a.y * row.y + a.z * row.z, Vec3.zero())


def tension(spring: BodySpring, value: Scalar) -> tuple[Scalar, Scalar]:
    """The force that reduces a deflection, and its slope where that is positive."""
    if not spring.table:
        return spring.stiffness * (value - spring.rest), spring.stiffness
    (x, f), *later = spring.table
    force: Scalar = 0.0
    slope: Scalar = 0.0
    for n, (y, g) in enumerate(later):
        rise = (g - f) / (y - x)
        here = f + rise * (value - x)
        is_past = value > x if n else True
        force = here if is_past is True else where(is_past, here, force)
        slope = rise if is_past is True else where(is_past, rise, slope)
        x, f = y, g
    return force, maximum(slope, 0.0)
