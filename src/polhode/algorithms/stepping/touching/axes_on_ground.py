"""The nearest place on a height map to the axis of a capsule.

A cell consists of straight lines between two of its sides, and on each the nearest place to the
axis is known.  Among the lines it is sought by false position of the distance's slope (Dowell and
Jarratt 1971).
"""

from __future__ import annotations

from typing import NamedTuple

from ....scalar import Scalar, absolute, maximum, repeat, where
from ....spatial import Vec3
from .ground import (
    CONVERGED,
    TURNS,
    CellPlace,
    HeightGrid,
    leads_out,
    surface_at,
    unit_share,
    way_from,
)
from .spheres import clamped

PARALLEL = 1e-12
"""Squared sine of the angle of two lines below which any of their places are the nearest."""

HALVINGS = 60
"""Steps of false position at most."""

LEVEL = 1e-5
"""Share of the slopes at both sides of a cell below which a slope is none."""

FLAT = 1e-6
"""Share of the squared lengths below which a determinant is none: the axis lies on a plane cell."""


class CapsuleAxis(NamedTuple):
    """The axis of a capsule in the map's coordinates: its middle, direction, and half length."""

    middle: Vec3
    direction: Vec3
    half: Scalar

    @property
    def spread(self) -> tuple[Scalar, ...]:
        """How far it reaches along the map's axes [m]."""
        return tuple(absolute(x) * self.half for x in self.direction)

    def along(self, n: Vec3) -> Scalar:
        """How far it reaches along a vector, times its length."""
        return absolute(n.dot(self.direction)) * self.half

    def is_searched(self, i: Scalar, j: Scalar, nearest: CellPlace) -> Scalar:
        """Whether a cell is known to have no place that is nearer than the nearest so far."""
        return False

    def place(self, v: Vec3) -> Scalar:
        """The place nearest to a point, from which ``v`` leads to the middle."""
        return -clamped(v.dot(self.direction), self.half)

    def way(self, v: Vec3) -> Vec3:
        """From the point to that place."""
        return v + self.direction * self.place(v)

    def nearest_in_cell(self, ground: HeightGrid, i: Scalar, j: Scalar) -> CellPlace:
        """The place of a cell nearest to the axis."""
        cell = _Cell.of(ground, self, i, j)
        low, high = cell.on_line(0.0), cell.on_line(1.0)
        is_between = (low.slope < 0.0) & (high.slope > 0.0)
        side = where(low.square <= high.square, 0.0, 1.0)
        least = LEVEL * (absolute(low.slope) + absolute(high.slope))

        def step(x: _Bracket) -> _Bracket:
            t = (x.low * x.rises - x.high * x.falls) / (x.rises - x.falls)
            slope = cell.on_line(t).slope
            is_low = slope < 0.0
            return _Bracket(
                where(is_low, t, x.low),
                where(is_low, x.high, t),
                where(is_low, slope, where(x.last > 0.0, 0.5 * x.falls, x.falls)),
                where(is_low, where(x.last < 0.0, 0.5 * x.rises, x.rises), slope),
                where(is_low, -1.0, 1.0),
                t,
                slope,
            )

        def is_done(x: _Bracket) -> Scalar:
            return (absolute(x.slope) <= least) | (x.high - x.low < CONVERGED)

        start = _Bracket(
            0.0,
            1.0,
            where(is_between, low.slope, -1.0),
            where(is_between, high.slope, 1.0),
            0.0,
            side,
            where(is_between, high.slope - low.slope, 0.0),
        )
        t = repeat(step, start, is_done, HALVINGS).t
        return CellPlace(cell.on_line(t).s, t, i, j, 0.0, 0.0)


class _Bracket(NamedTuple):
    """Where the slope is negative and positive, both slopes, which end is new, and the last try."""

    low: Scalar
    high: Scalar
    falls: Scalar
    rises: Scalar
    last: Scalar
    t: Scalar
    slope: Scalar


class _OnLine(NamedTuple):
    """The place of a line nearest to the axis, the squared distance, and half its slope by t."""

    s: Scalar
    square: Scalar
    slope: Scalar


class _Cell(NamedTuple):
    """A cell: from its first corner to the axis' middle, its rises, and its widths."""

    axis: CapsuleAxis
    to_middle: Vec3
    rise_s: Scalar
    rise_t: Scalar
    twist: Scalar
    width: tuple[Scalar, Scalar]

    @classmethod
    def of(cls, ground: HeightGrid, axis: CapsuleAxis, i: Scalar, j: Scalar) -> _Cell:
        corner = CellPlace(0.0, 0.0, i, j, 0.0, 0.0)
        surface = surface_at(ground, corner)
        v = way_from(ground, corner, surface, axis.middle)
        return cls(axis, v, surface.along_s, surface.along_t, surface.twist, ground.cell)

    def on_line(self, t: Scalar) -> _OnLine:
        """The nearest place to the axis on the line at ``t`` (Ericson 2005, section 5.1.9)."""
        (dx, dy), u = self.width, self.axis.direction
        v, rise = self.to_middle, self.rise_s + self.twist * t
        v = Vec3(v.x, v.y - dy * t, v.z - self.rise_t * t)
        square = dx * dx + rise * rise
        across, on_line, on_axis = dx * u.x + rise * u.z, dx * v.x + rise * v.z, -v.dot(u)
        sine = maximum(square - across * across, PARALLEL * square)
        s = unit_share((across * on_axis + on_line) / sine)
        z = clamped(on_axis + across * s, self.axis.half)
        s = unit_share((across * z + on_line) / square)
        way = v + u * z - Vec3(dx * s, 0.0, rise * s)
        return _OnLine(s, way.dot(way), -(dy * way.y + (self.rise_t + self.twist * s) * way.z))


def settled(ground: HeightGrid, nearest: CellPlace, axis: CapsuleAxis) -> CellPlace:
    """The nearest place again as a fixed point of Newton's steps, with its derivatives."""
    return repeat(lambda at: _step(ground, at, axis), nearest, CONVERGED, TURNS)


def _step(ground: HeightGrid, at: CellPlace, axis: CapsuleAxis) -> CellPlace:
    """A Newton step in a cell for half the squared distance from the axis."""
    (dx, dy), u = ground.cell, axis.direction
    surface = surface_at(ground, at)
    v = way_from(ground, at, surface, axis.middle)
    is_inside = absolute(v.dot(u)) < axis.half
    v = axis.way(v)
    _, h_s, h_t, twist = surface
    slope_s, slope_t = -dx * v.x - h_s * v.z, -dy * v.y - h_t * v.z
    along_s, along_t = dx * u.x + h_s * u.z, dy * u.y + h_t * u.z
    a = dx * dx + h_s * h_s
    b = dy * dy + h_t * h_t
    least_a, least_b = FLAT * a, FLAT * b
    a = maximum(a - where(is_inside, along_s * along_s, 0.0), least_a)
    b = maximum(b - where(is_inside, along_t * along_t, 0.0), least_b)
    c = h_s * h_t - v.z * twist - where(is_inside, along_s * along_t, 0.0)
    is_out_s, is_out_t = leads_out(at.s, slope_s), leads_out(at.t, slope_t)
    inverse = 1.0 / maximum(a * b - c * c, FLAT * a * b)
    step_s, step_t = (c * slope_t - b * slope_s) * inverse, (c * slope_s - a * slope_t) * inverse
    step_s = where(is_out_s, 0.0, where(is_out_t, -slope_s / a, step_s))
    step_t = where(is_out_t, 0.0, where(is_out_s, -slope_t / b, step_t))
    return at._replace(s=unit_share(at.s + step_s), t=unit_share(at.t + step_t))
