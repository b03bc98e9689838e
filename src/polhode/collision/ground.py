"""Height maps: bilinear ground, its nearest point, and contacts of balls on it."""

from __future__ import annotations

import math

from ..compiler.jit import Floats, Floats2, jit
from ..spatial import Mat3, Vec3
from . import shape_layout as at
from .contact_list import ROOM, add_contact, is_new
from .placed import Placed
from .vectors import column, triple, unit

WALK = 40  # cells that a search may cross
STEPS = 12  # Newton steps inside one cell


@jit
def cell_size(data: Floats, o: int):
    """(rows, columns, spacing along x, along y)."""
    rows, columns = int(data[o + at.N_VERTICES]), int(data[o + at.N_FACES])
    return rows, columns, 2.0 * data[o + 1] / (rows - 1), 2.0 * data[o + 2] / (columns - 1)


@jit
def cell_at(data: Floats, o: int, x: float, y: float):
    """The cell at or nearest to a place."""
    rows, columns, dx, dy = cell_size(data, o)
    i = min(max(math.floor((x + data[o + 1]) / dx), 0), rows - 2)
    j = min(max(math.floor((y + data[o + 2]) / dy), 0), columns - 2)
    return i, j


@jit
def surface(data: Floats, o: int, i: int, j: int, s: float, t: float):
    """Height in cell (i, j) at ``s``, ``t`` in [0, 1], and its derivatives by s, t and both."""
    columns = int(data[o + at.N_FACES])
    k = int(data[o + at.VERTICES]) + i * columns + j
    a, b, c, d = data[k], data[k + columns], data[k + 1], data[k + columns + 1]
    twist = a - b - c + d
    return (
        a + (b - a) * s + (c - a) * t + twist * s * t,
        b - a + twist * t,
        c - a + twist * s,
        twist,
    )


@jit
def slope_in_cell(data: Floats, o: int, i: int, j: int, p: Vec3):
    """Height of cell (i, j) at the place of ``p``, and how it rises along x and y."""
    _, _, dx, dy = cell_size(data, o)
    s, t = (p.x + data[o + 1]) / dx - i, (p.y + data[o + 2]) / dy - j
    h, hs, ht, _ = surface(data, o, i, j, s, t)
    return h, hs / dx, ht / dy


@jit
def height(data: Floats, o: int, x: float, y: float):
    """Height of the ground at a place, or at the nearest place that has ground."""
    i, j = cell_at(data, o, x, y)
    _, _, dx, dy = cell_size(data, o)
    s = min(max((x + data[o + 1]) / dx - i, 0.0), 1.0)
    t = min(max((y + data[o + 2]) / dy - j, 0.0), 1.0)
    return surface(data, o, i, j, s, t)[0]


@jit
def grid_point(data: Floats, o: int, i: int, j: int):
    columns = int(data[o + at.N_FACES])
    _, _, dx, dy = cell_size(data, o)
    z = data[int(data[o + at.VERTICES]) + i * columns + j]
    return Vec3(i * dx - data[o + 1], j * dy - data[o + 2], z)


@jit
def body_extent(shape: Placed, Rg: Mat3, pg: Vec3):
    """Centre and half edges of a box along the map's axes that holds a body."""
    c = Rg.T @ (shape.to_world(triple(shape.data, shape.at + at.CENTRE)) - pg)
    half = triple(shape.data, shape.at + at.HALF)
    wide = Vec3(0.0, 0.0, 0.0)
    for k in range(3):
        way = Rg.T @ column(shape.R, k)
        wide = wide + half[k] * Vec3(abs(way.x), abs(way.y), abs(way.z))
    return c, wide


@jit
def grid_range(low: float, high: float, half: float, step: float, count: int):
    """Numbers of the grid lines between two places: first, one past the last."""
    first = max(math.ceil((low + half) / step), 0)
    return first, min(math.floor((high + half) / step) + 1, count)


@jit
def nearest_in_cell(data: Floats, o: int, i: int, j: int, s: float, t: float, p: Vec3):
    """The point of a cell nearest to ``p``, by projected Newton steps: (s, t)."""
    _, _, dx, dy = cell_size(data, o)
    px, py = (p.x + data[o + 1]) / dx - i, (p.y + data[o + 2]) / dy - j
    for _ in range(STEPS):
        h, hs, ht, twist = surface(data, o, i, j, s, t)
        r = h - p.z
        gs, gt = dx * dx * (s - px) + r * hs, dy * dy * (t - py) + r * ht
        a, b = dx * dx + hs * hs, dy * dy + ht * ht
        c = hs * ht + r * twist
        if c * c > 0.9 * a * b:
            c = hs * ht
        # On a border the step keeps to it if it would lead out.
        out_s = (s <= 0.0 and gs > 0.0) or (s >= 1.0 and gs < 0.0)
        out_t = (t <= 0.0 and gt > 0.0) or (t >= 1.0 and gt < 0.0)
        if out_s and out_t:
            break
        det = a * b - c * c
        ds, dt = (c * gt - b * gs) / det, (c * gs - a * gt) / det
        if out_s:
            ds, dt = 0.0, -gt / b
        if out_t:
            ds, dt = -gs / a, 0.0
        ns, nt = min(max(s + ds, 0.0), 1.0), min(max(t + dt, 0.0), 1.0)
        if abs(ns - s) + abs(nt - t) < 1e-14:
            break
        s, t = ns, nt
    return s, t


@jit
def nearest_ground(data: Floats, o: int, x: float, y: float, p: Vec3):
    """From the nearest ground, sought downhill from (x, y), to ``p``: (vector, normal there)."""
    rows, columns, dx, dy = cell_size(data, o)
    i, j = cell_at(data, o, x, y)
    s = min(max((x + data[o + 1]) / dx - i, 0.0), 1.0)
    t = min(max((y + data[o + 2]) / dy - j, 0.0), 1.0)
    best = math.inf
    away, normal = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0)
    for _ in range(WALK):
        s, t = nearest_in_cell(data, o, i, j, s, t, p)
        h, hs, ht, _ = surface(data, o, i, j, s, t)
        v = Vec3(p.x + data[o + 1] - (i + s) * dx, p.y + data[o + 2] - (j + t) * dy, p.z - h)
        if v.dot(v) >= best * (1.0 - 1e-14):
            break
        best, away, normal = v.dot(v), v, unit(Vec3(-hs / dx, -ht / dy, 1.0))
        # Go on from a border, if there is a cell beyond it.
        ni = i + (1 if s >= 1.0 else 0) - (1 if s <= 0.0 else 0)
        nj = j + (1 if t >= 1.0 else 0) - (1 if t <= 0.0 else 0)
        ni, nj = min(max(ni, 0), rows - 2), min(max(nj, 0), columns - 2)
        if ni == i and nj == j:
            break
        s, t = min(max(s + i - ni, 0.0), 1.0), min(max(t + j - nj, 0.0), 1.0)
        i, j = ni, nj
    return away, normal


@jit
def _below_cell(data: Floats, o: int, i: int, j: int, p: Vec3):
    """A lower bound on the squared distance of a cell from ``p``: that of a box about it."""
    _rows, columns, dx, dy = cell_size(data, o)
    k = int(data[o + at.VERTICES]) + i * columns + j
    a, b, c, d = data[k], data[k + columns], data[k + 1], data[k + columns + 1]
    x, y = p.x + data[o + 1] - i * dx, p.y + data[o + 2] - j * dy
    x, y = max(-x, x - dx, 0.0), max(-y, y - dy, 0.0)
    z = max(min(a, b, c, d) - p.z, p.z - max(a, b, c, d), 0.0)
    return x * x + y * y + z * z


@jit
def _nearest_in_reach(data: Floats, o: int, p: Vec3, reach: float):
    """As `nearest_ground`, of all ground that is no farther than ``reach``."""
    _, _, dx, dy = cell_size(data, o)
    away, normal = nearest_ground(data, o, p.x, p.y, p)
    own_i, own_j = cell_at(data, o, p.x - away.x, p.y - away.y)  # searched already
    best = min(away.dot(away), reach * reach)
    wide = math.sqrt(best)
    i0, j0 = cell_at(data, o, p.x - wide, p.y - wide)
    i1, j1 = cell_at(data, o, p.x + wide, p.y + wide)
    for i in range(i0, i1 + 1):
        for j in range(j0, j1 + 1):
            if (i == own_i and j == own_j) or _below_cell(data, o, i, j, p) >= best:
                continue
            s = min(max((p.x + data[o + 1]) / dx - i, 0.0), 1.0)
            t = min(max((p.y + data[o + 2]) / dy - j, 0.0), 1.0)
            s, t = nearest_in_cell(data, o, i, j, s, t, p)
            h, hs, ht, _ = surface(data, o, i, j, s, t)
            v = Vec3(p.x + data[o + 1] - (i + s) * dx, p.y + data[o + 2] - (j + t) * dy, p.z - h)
            if v.dot(v) < best * (1.0 - 1e-14):
                best, away, normal = v.dot(v), v, unit(Vec3(-hs / dx, -ht / dy, 1.0))
    return away, normal


@jit
def _signed(data: Floats, o: int, p: Vec3, v: Vec3, normal: Vec3):
    """(signed distance, direction away from the ground)."""
    d = math.sqrt(v.dot(v))
    if d < 1e-12 * data[o + at.REACH]:
        return d, normal
    inside = abs(p.x) <= data[o + 1] and abs(p.y) <= data[o + 2]
    if inside and p.z < height(data, o, p.x, p.y):
        return -d, -1.0 / d * v
    return d, 1.0 / d * v


@jit
def ground_distance(data: Floats, o: int, p: Vec3):
    """(signed distance, direction away from the ground), sought from straight below."""
    v, normal = nearest_ground(data, o, p.x, p.y, p)
    return _signed(data, o, p, v, normal)


@jit
def ground_in_reach(data: Floats, o: int, p: Vec3, reach: float):
    """As `ground_distance`: the least of all ground, where that is below ``reach``."""
    v, normal = _nearest_in_reach(data, o, p, reach)
    return _signed(data, o, p, v, normal)


@jit
def ball_on_ground(
    shape: Placed,
    centre: Vec3,
    radius: float,
    margin: float,
    found: Floats2,
):
    """Contacts of a ball at ``centre`` (the map's coordinates), normal out of it."""
    _rows, columns, dx, dy = cell_size(shape.data, shape.at)
    top = shape.number(at.CENTRE + 2) + shape.number(at.HALF + 2)
    if centre.z - top - radius >= margin:
        return
    i0 = j0 = i1 = j1 = 0
    di = dj = 1
    least = math.inf
    start, most = -1, 0
    while start < most:
        x, y = centre.x, centre.y
        if start >= 0:
            across = (j1 - j0) // dj + 1
            x = (i0 + di * (start // across) + 0.5) * dx - shape.number(1)
            y = (j0 + dj * (start % across) + 0.5) * dy - shape.number(2)
        v, normal = nearest_ground(shape.data, shape.at, x, y, centre)
        d, n = _signed(shape.data, shape.at, centre, v, normal)
        if start < 0:  # what is nearer than the ground below lies in its reach
            reach = min(radius + margin, max(2.0 * radius, abs(d)))
            i0, j0 = cell_at(shape.data, shape.at, centre.x - reach, centre.y - reach)
            i1, j1 = cell_at(shape.data, shape.at, centre.x + reach, centre.y + reach)
            di, dj = 1 + (i1 - i0) // 5, 1 + (j1 - j0) // 5
            most = ((i1 - i0) // di + 1) * ((j1 - j0) // dj + 1)
        start += 1
        # Below ground every way out but the shortest leads through it.
        if d - radius >= margin or (d < 0.0 and -d >= least):
            continue
        point = shape.to_world(centre + -0.5 * (d + radius) * n)
        if d < 0.0:
            found[ROOM, 0], least = 0.0, -d
        if is_new(found, point, 100.0 * min(dx, dy)):
            i, j = cell_at(shape.data, shape.at, centre.x - d * n.x, centre.y - d * n.y)
            add_contact(found, float(i * columns + j), point, shape.R @ n, d - radius)
