"""Contacts of cylinders, cones and capsules with a height map.

Where one first touches the ground, one of three functions has a least value.  The distance of the
shape has it along a line of the grid, or the height of a rim above a cell.  For the round side it
is the distance of the balls that fill it from a cell.  Each is a search along one coordinate.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..compiler.jit import Floats, Floats2, jit
from ..spatial import Vec3
from . import shape_layout as at
from .contact_list import add_contact, is_new
from .ground import (
    body_extent,
    cell_at,
    cell_size,
    grid_point,
    ground_distance,
    height,
    nearest_in_cell,
    slope_in_cell,
    surface,
)
from .height_map_lines import Ridge, is_ridge
from .placed import Placed
from .solids import solid_distance
from .support import world_support
from .vectors import unit

RIDGES, CELLS, RIMS = 2.0**46, 2.0**48, 2.0**49  # names of the first
LEVEL = 0.02  # radians by which a face, or a point, may miss being the farthest one
ANY = 2.0  # above every slope: ground beside a contact may do what it likes
NEARLY = 0.05  # sine of the angle between lines that are nearly parallel
FEWEST, MOST = 32, 256  # places on a rim from which its lowest points are sought
HALVINGS, NEWTON = 48, 6  # steps of searches
SMOOTH = 0.9999  # cosine of an angle between normals that is no edge
SAME = 1e5  # of 1e-8 of a body: how near contacts are taken for one
FLAT = 1e-9  # of a cell's width: twist below which it has no curvature


@jit
def is_round(shape: Placed):
    """Whether a shape has a round side and a straight axis."""
    kind = shape.kind
    return kind == at.CAPSULE or kind == at.CYLINDER or kind == at.CONE


@jit
def round_contacts(ground: Placed, shape: Placed, margin: float, found: Floats2):
    """Contacts of rims and of the round side inside cells, normal out of the ground."""
    side_contacts(ground, shape, margin, found)
    if shape.kind != at.CAPSULE:
        rim_contacts(ground, shape, -1.0, margin, found)
    if shape.kind == at.CYLINDER:
        rim_contacts(ground, shape, 1.0, margin, found)


class LineMinimum(NamedTuple):
    """Where a line is nearest to a round shape, or deepest in it, in the shape's coordinates.

    Attributes
    ----------
    t : float
        Share of the line.
    n : Vec3
        Normal of the shape.
    gap : float
        Distance along it [m].
    is_sharp : bool
        Whether a rim is there: the normal is one of those between both of its faces'.
    """

    t: float
    n: Vec3
    gap: float
    is_sharp: bool


@jit
def _lowest(shape: Placed, u: Vec3, w: Vec3, margin: float):
    """Where the shape's distance is least between ``u`` and ``u + w``; not sought above a margin.

    The distance of a convex shape is convex along a line: it lies above its tangents.  Where it
    has a corner, the normal is the one of those between both sides' that is perpendicular to the
    line.
    """
    data, o = shape.data, shape.at
    low, high = 0.0, 1.0
    d_low, n_low = solid_distance(data, o, u)
    d_high, n_high = solid_distance(data, o, u + w)
    falls, rises = n_low.dot(w), n_high.dot(w)
    if falls >= 0.0:
        return LineMinimum(low, n_low, d_low, False)
    if rises <= 0.0:
        return LineMinimum(high, n_high, d_high, False)
    for k in range(HALVINGS):
        t = (d_high - d_low + falls * low - rises * high) / (falls - rises)
        if d_low + falls * (t - low) >= margin:  # where both tangents meet
            return LineMinimum(-1.0, n_low, math.inf, False)
        t = 0.5 * (low + high)
        if k % 3:  # the secant's root, unless a corner keeps it at one end
            t = low - falls / (rises - falls) * (high - low)
        d, n = solid_distance(data, o, u + t * w)
        slope = n.dot(w)
        if slope < 0.0:
            low, falls, n_low, d_low = t, slope, n, d
        else:
            high, rises, n_high, d_high = t, slope, n, d
        if slope == 0.0 or high - low < 1e-13:
            break
    n = unit(rises * n_low - falls * n_high)
    return LineMinimum(high, n, d_high, n_low.dot(n_high) < SMOOTH)


@jit
def _on_rim(shape: Placed, u: Vec3, w: Vec3, place: LineMinimum):
    """The common normal of a line and a rim, from a place on the line inside that edge."""
    z, n = u + place.t * w, place.n
    radius, half = shape.number(1), shape.number(2)
    end = half if shape.kind == at.CYLINDER and z.z > 0.0 else -half
    t, gap, across = place.t, place.gap, unit(Vec3(z.x, z.y, 0.0))
    for _ in range(NEWTON):
        s = Vec3(radius * across.x, radius * across.y, end)
        tangent = Vec3(-across.y, across.x, 0.0)
        m = unit(tangent.cross(w))
        n = m if m.dot(n) >= 0.0 else -m
        # Feet of the common perpendicular of the line and the tangent of the rim.
        v, c = z - s, n.cross(tangent)
        t = place.t - v.dot(c) / w.dot(c)
        foot = u + t * w - s
        gap = n.dot(foot)
        across = unit(Vec3(s.x, s.y, 0.0) + foot.dot(tangent) * tangent)
    return LineMinimum(t, n, gap, True)


@jit
def on_ridge(
    ground: Placed, shape: Placed, ridge: Ridge, level: float, margin: float, found: Floats2
):
    """Contacts of a round shape with a convex line of the grid.

    One where it is nearest; where a cap or a side lies along the line, one at each end of what
    they have in common.
    """
    data, og = ground.data, ground.at
    x = ground.to_world(grid_point(data, og, ridge.i, ridge.j))
    y = ground.to_world(grid_point(data, og, ridge.i + ridge.di, ridge.j + ridge.dj))
    u = shape.to_local(x)
    w = shape.to_local(y) - u
    place = _lowest(shape, u, w, margin)
    if place.gap >= margin:
        return
    columns = int(ground.number(at.N_FACES))
    name = RIDGES + 4.0 * (2 * (ridge.i * columns + ridge.j) + ridge.di)
    least = math.inf
    for k in range(2):
        end = _end(shape, u, w, place.n, k)
        if end.t > 0.0 and end.t < 1.0 and end.gap < margin:
            n = shape.R @ -end.n
            if is_ridge(ground, ridge, end.t, n, level):
                point = x + end.t * (y - x) + 0.5 * end.gap * n
                add_contact(found, name + 1 + k, point, n, end.gap)
                least = min(least, end.gap)
    if place.t <= 0.0 or place.t >= 1.0 or (_is_cap(shape, place.n) and level < ANY):
        return
    if place.is_sharp:
        place = _valid(shape, u, w, place, _on_rim(shape, u, w, place), level)
    if place.gap >= margin or place.gap >= least - 1e-9 * shape.number(at.REACH):
        return
    n = shape.R @ -place.n
    if place.t > 0.0 and place.t < 1.0 and is_ridge(ground, ridge, place.t, n, level):
        add_contact(found, name, x + place.t * (y - x) + 0.5 * place.gap * n, n, place.gap)


@jit
def _valid(shape: Placed, u: Vec3, w: Vec3, deep: LineMinimum, rim: LineMinimum, level: float):
    """The place at a rim if its end is on the shape; else none, or at any level the deep one."""
    end = u + rim.t * w - rim.gap * rim.n
    if solid_distance(shape.data, shape.at, end)[0] < 1e-6 * shape.number(at.REACH):
        return rim
    return deep if level == ANY else LineMinimum(-1.0, rim.n, math.inf, True)


@jit
def _is_cap(shape: Placed, n: Vec3):
    """Whether a flat end of the shape faces ``n``."""
    kind = shape.kind
    if n.x * n.x + n.y * n.y > LEVEL * LEVEL:
        return False
    return kind == at.CYLINDER or (kind == at.CONE and n.z < 0.0)


@jit
def _end(shape: Placed, u: Vec3, w: Vec3, n: Vec3, k: int):
    """End ``k`` of what a line has in common with the face towards ``n``.

    Its share of the line is infinite where the line does not lie along that face.
    """
    if _is_cap(shape, n):
        return _on_cap(shape, u, w, math.copysign(1.0, n.z), k)
    none = LineMinimum(math.inf, n, math.inf, False)
    radius, half = shape.number(1), shape.number(2)
    nr, nz, base = 1.0, 0.0, 0.0  # normal of the side across and along the axis
    if shape.kind == at.CONE:
        length = math.hypot(2.0 * half, radius)
        nr, nz, base = 2.0 * half / length, radius / length, radius
    across = unit(Vec3(n.x, n.y, 0.0))
    along = Vec3(-nz * across.x, -nz * across.y, nr)
    off = w.cross(along)
    if abs(n.dot(along)) > LEVEL or off.dot(off) > NEARLY * NEARLY * w.dot(w):
        return none
    if shape.kind == at.CONE and k:
        return none  # the tip is a corner
    corner = Vec3(base * across.x, base * across.y, half if k else -half)
    t = (corner - u).dot(along) / w.dot(along)
    z = u + t * w
    rho = math.hypot(z.x, z.y)
    if rho == 0.0:
        return none
    gap = (rho - radius) * nr + (z.z + half) * nz
    return LineMinimum(t, Vec3(nr * z.x / rho, nr * z.y / rho, nz), gap, False)


@jit
def _on_cap(shape: Placed, u: Vec3, w: Vec3, sign: float, k: int):
    """Where a line comes over a cap, or leaves it."""
    n = Vec3(0.0, 0.0, sign)
    radius = shape.number(1)
    a, b = w.x * w.x + w.y * w.y, u.x * w.x + u.y * w.y
    inside = b * b - a * (u.x * u.x + u.y * u.y - radius * radius)
    if inside <= 0.0:
        return LineMinimum(math.inf, n, math.inf, False)
    t = (-b + (math.sqrt(inside) if k else -math.sqrt(inside))) / a
    return LineMinimum(t, n, sign * (u.z + t * w.z) - shape.number(2), False)


class Circle(NamedTuple):
    """A rim in the map's coordinates: centre, and radii at no and at a quarter turn [m]."""

    centre: Vec3
    x: Vec3
    y: Vec3


@jit
def _on(rim: Circle, angle: float):
    """(place on a rim, its derivative by the angle)."""
    c, s = math.cos(angle), math.sin(angle)
    return rim.centre + c * rim.x + s * rim.y, c * rim.y - s * rim.x


@jit
def _slope(ground: Placed, rim: Circle, angle: float):
    """How the height of a rim above the ground changes with the angle."""
    p, along = _on(rim, angle)
    i, j = cell_at(ground.data, ground.at, p.x, p.y)
    _, hx, hy = slope_in_cell(ground.data, ground.at, i, j, p)
    return along.z - hx * along.x - hy * along.y


@jit
def _clearance(ground: Placed, rim: Circle, angle: float):
    """The height of a rim above the ground; infinite beyond the map's border."""
    p, _ = _on(rim, angle)
    if abs(p.x) > ground.number(1) or abs(p.y) > ground.number(2):
        return math.inf
    return p.z - height(ground.data, ground.at, p.x, p.y)


@jit
def rim_contacts(ground: Placed, shape: Placed, end: float, margin: float, found: Floats2):
    """Contacts of the rim at an end of the axis (1 or -1) inside cells."""
    radius, half = shape.number(1), shape.number(2)
    turn = ground.R.T @ shape.R
    axis = turn.T.z
    centre = ground.to_local(shape.p) + end * half * axis
    rim = Circle(centre, radius * turn.T.x, radius * turn.T.y)
    top = ground.number(at.CENTRE + 2) + ground.number(at.HALF + 2) + margin
    if centre.z - radius * math.sqrt(max(1.0 - axis.z * axis.z, 0.0)) > top:
        return
    _, _, dx, dy = cell_size(ground.data, ground.at)
    count = FEWEST
    while count < MOST and 4.0 * math.pi * radius > count * min(dx, dy):
        count *= 2
    step = 2.0 * math.pi / count
    before, here = _clearance(ground, rim, -step), _clearance(ground, rim, 0.0)
    for k in range(count):
        after = _clearance(ground, rim, (k + 1) * step)
        if here <= before and here < after and here < 3.0 * margin + step * radius:
            _rim_contact(ground, shape, rim, (k - 1) * step, (k + 1) * step, margin, found)
        before, here = here, after


@jit
def _rim_contact(
    ground: Placed,
    shape: Placed,
    rim: Circle,
    low: float,
    high: float,
    margin: float,
    found: Floats2,
):
    """The contact where a rim is lowest between two angles, if that is inside a cell."""
    falls, rises = _slope(ground, rim, low), _slope(ground, rim, high)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        slope = _slope(ground, rim, middle)
        if slope < 0.0:
            low, falls = middle, slope
        else:
            high, rises = middle, slope
    if rises - falls > LEVEL * shape.number(1):
        return  # over a convex line of the grid
    p = _on(rim, high)[0]
    gap, n = ground_distance(ground.data, ground.at, p)
    n, x = ground.R @ n, ground.to_world(p)
    v = x - world_support(shape, -n)
    if gap >= margin or v.dot(n) > LEVEL * math.sqrt(v.dot(v)) + 1e-12 * shape.number(at.REACH):
        return
    point = x + -0.5 * gap * n
    if is_new(found, point, SAME * shape.number(at.REACH)):
        i, j = cell_at(ground.data, ground.at, p.x, p.y)
        add_contact(found, RIMS + float(i * int(ground.number(at.N_FACES)) + j), point, n, gap)


class Side(NamedTuple):
    """The balls that fill a round side, in the map's coordinates [m].

    Attributes
    ----------
    middle, axis : Vec3
        Where the axis is at zero, and its unit direction.
    low, high : float
        From where to where on the axis the balls are that touch the side.
    radius, taper : float
        Their radius at zero, and by how much it shrinks along the axis.
    """

    middle: Vec3
    axis: Vec3
    low: float
    high: float
    radius: float
    taper: float


@jit
def _side_of(ground: Placed, shape: Placed):
    """The side of a shape."""
    middle, axis = ground.to_local(shape.p), (ground.R.T @ shape.R).T.z
    radius, half = shape.number(1), shape.number(2)
    if shape.kind != at.CONE:
        return Side(middle, axis, -half, half, radius, 0.0)
    taper = radius / math.hypot(radius, 2.0 * half)
    square = taper * taper
    low = -half * (1.0 + square) / (1.0 - square)
    return Side(middle, axis, low, half, taper * half, taper)


class Nearest(NamedTuple):
    """A cell's nearest place ``s, t`` to a ball: the way to its centre, and the gap's slope."""

    s: float
    t: float
    away: Vec3
    slope: float


@jit
def _nearest(ground: Placed, side: Side, i: int, j: int, z: float):
    """Of a cell to the ball at ``z`` on the axis."""
    data, og = ground.data, ground.at
    _, _, dx, dy = cell_size(data, og)
    p = side.middle + z * side.axis
    s, t = (p.x + data[og + 1]) / dx - i, (p.y + data[og + 2]) / dy - j
    s, t = nearest_in_cell(data, og, i, j, min(max(s, 0.0), 1.0), min(max(t, 0.0), 1.0), p)
    h, hs, ht, _ = surface(data, og, i, j, s, t)
    q = Vec3((i + s) * dx - data[og + 1], (j + t) * dy - data[og + 2], h)
    away = p - q
    sign = 1.0 if away.dot(Vec3(-hs / dx, -ht / dy, 1.0)) >= 0.0 else -1.0
    return Nearest(s, t, away, sign * unit(away).dot(side.axis) + side.taper)


@jit
def side_contacts(ground: Placed, shape: Placed, margin: float, found: Floats2):
    """Contacts of a round side inside cells; of a capsule those of both ends, too."""
    side = _side_of(ground, shape)
    c, half = body_extent(shape, ground.R, ground.p)
    wide = min(margin, shape.number(at.REACH))
    data, og = ground.data, ground.at
    i0, j0 = cell_at(data, og, c.x - half.x - wide, c.y - half.y - wide)
    i1, j1 = cell_at(data, og, c.x + half.x + wide, c.y + half.y + wide)
    columns = int(ground.number(at.N_FACES))
    is_capsule = shape.kind == at.CAPSULE
    for i in range(i0, i1 + 1):
        for j in range(j0, j1 + 1):
            if _is_far(ground, shape, i, j, margin):
                continue
            name = CELLS + 4.0 * (i * columns + j)
            if _is_curved(data, og, i, j):
                z = _least_gap(ground, side, i, j)
                if z > side.low and z < side.high:
                    _ball(ground, side, Spot(i, j, z, name), margin, found)
            if is_capsule:
                _ball(ground, side, Spot(i, j, side.low, name + 1.0), margin, found)
                _ball(ground, side, Spot(i, j, side.high, name + 2.0), margin, found)


@jit
def _is_far(ground: Placed, shape: Placed, i: int, j: int, margin: float):
    """Whether a sphere around a cell is farther from a shape than a margin."""
    a, b = grid_point(ground.data, ground.at, i, j), grid_point(ground.data, ground.at, i + 1, j)
    c = grid_point(ground.data, ground.at, i, j + 1)
    d = grid_point(ground.data, ground.at, i + 1, j + 1)
    low, high = min(a.z, b.z, c.z, d.z), max(a.z, b.z, c.z, d.z)
    half = Vec3(0.5 * (d.x - a.x), 0.5 * (d.y - a.y), 0.5 * (high - low))
    middle = Vec3(a.x + half.x, a.y + half.y, low + half.z)
    x = shape.to_local(ground.to_world(middle))
    return solid_distance(shape.data, shape.at, x)[0] - math.sqrt(half.dot(half)) >= margin


@jit
def _is_curved(data: Floats, og: int, i: int, j: int):
    """Whether a cell is no plane."""
    _, _, dx, dy = cell_size(data, og)
    return abs(surface(data, og, i, j, 0.0, 0.0)[3]) > FLAT * (dx + dy)


@jit
def _least_gap(ground: Placed, side: Side, i: int, j: int):
    """Where on the axis the ball with the least gap from a cell is."""
    low, high = side.low, side.high
    falls, rises = _nearest(ground, side, i, j, low).slope, _nearest(ground, side, i, j, high).slope
    if falls >= 0.0:
        return low
    if rises <= 0.0:
        return high
    for k in range(HALVINGS):
        z = 0.5 * (low + high)
        if k % 3:
            z = low - falls / (rises - falls) * (high - low)
        slope = _nearest(ground, side, i, j, z).slope
        if slope < 0.0:
            low, falls = z, slope
        else:
            high, rises = z, slope
        if abs(slope) < 1e-12 or high - low < 1e-12 * (side.high - side.low):
            break
    return 0.5 * (low + high) if abs(slope) >= 1e-12 else z


class Spot(NamedTuple):
    """A ball at ``z`` on an axis, over cell ``i, j``; the name of its contact."""

    i: int
    j: int
    z: float
    name: float


@jit
def _ball(ground: Placed, side: Side, spot: Spot, margin: float, found: Floats2):
    """The contact of a ball of a side with the inside of a cell."""
    data, og = ground.data, ground.at
    near = _nearest(ground, side, spot.i, spot.j, spot.z)
    distance = math.sqrt(near.away.dot(near.away))
    gap = distance - (side.radius - side.taper * spot.z)
    if gap >= margin or not (0.0 < near.s < 1.0 and 0.0 < near.t < 1.0):
        return
    _, _, dx, dy = cell_size(data, og)
    _, hs, ht, _ = surface(data, og, spot.i, spot.j, near.s, near.t)
    if near.away.dot(Vec3(-hs / dx, -ht / dy, 1.0)) <= 0.0:
        return  # its centre is below the ground
    n = 1.0 / distance * near.away
    q = side.middle + spot.z * side.axis - near.away
    add_contact(found, spot.name, ground.to_world(q + 0.5 * gap * n), ground.R @ n, gap)
