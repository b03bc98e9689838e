"""Where a ray first meets a shape.

A ray crosses a convex shape in one interval; from inside it meets the shape where it leaves.
Distances count in lengths of the direction, which need not be 1; infinite where nothing is met.
"""

from __future__ import annotations

import math

from ..compiler.jit import Bytes2, Floats, Floats2, Floats3, Ints, jit
from ..spatial import Mat3, Vec3
from . import shape_layout as at
from .ground import cell_at, cell_size, surface
from .mesh import leaf
from .placed import PlacedShapes
from .solids import solid_distance
from .vectors import pose, triple

MARCH = 2000  # steps towards a torus, each as long as the distance
NEAR = 1e-13  # of the size of a torus: a distance that counts as none
SLACK = 1e-12  # of a cell or a triangle: rays between two neighbours meet one of them


@jit
def ray_distance(data: Floats, o: int, p: Vec3, d: Vec3):
    """How far from ``p`` along ``d``, in the shape's coordinates, a ray meets the shape.

    A plane is met from above only; meshes and height maps from both sides.
    """
    kind = int(data[o])
    if kind == at.PLANE:
        return -p.z / d.z if p.z >= 0.0 and d.z < 0.0 else math.inf
    if kind == at.HEIGHTMAP:
        return _to_ground(data, o, p, d)
    if kind == at.MESH:
        return _to_mesh(data, o, p, d)
    if kind == at.TORUS:
        return _to_torus(data, o, p, d)
    enter, leave = _interval(data, o, p, d)
    if enter > leave or leave < 0.0:
        return math.inf
    return enter if enter >= 0.0 else leave


@jit
def _interval(data: Floats, o: int, p: Vec3, d: Vec3):
    """Where a line enters and leaves a convex shape; the first is larger if it misses."""
    kind = int(data[o])
    a, b, c = data[o + 1], data[o + 2], data[o + 3]
    if kind == at.SPHERE:
        return _in_ball(p, d, a)
    if kind == at.CAPSULE:
        return _in_capsule(p, d, a, b)
    if kind == at.CYLINDER:
        return _in_round(p, d, a, b)
    if kind == at.CONE:
        return _in_cone(p, d, a, b)
    if kind == at.BOX:
        low, high = _between(p.x, d.x, -a, a)
        for k in range(1, 3):
            half = b if k == 1 else c
            low, high = _common(low, high, _between(p[k], d[k], -half, half))
        return low, high
    return _in_polyhedron(data, o, p, d)


@jit
def _between(x: float, slope: float, lower: float, upper: float):
    """The interval in which ``x + slope t`` is between two bounds."""
    if slope == 0.0:
        return (-math.inf, math.inf) if lower <= x and x <= upper else (math.inf, -math.inf)
    s, t = (lower - x) / slope, (upper - x) / slope
    return min(s, t), max(s, t)


@jit
def _common(low: float, high: float, other: tuple[float, float]):
    """What two intervals have in common."""
    return max(low, other[0]), min(high, other[1])


@jit
def _in_ball(p: Vec3, d: Vec3, radius: float):
    middle = -p.dot(d) / d.dot(d)
    x = p + middle * d
    square = radius * radius - x.dot(x)
    if square < 0.0:
        return math.inf, -math.inf
    half = math.sqrt(square / d.dot(d))
    return middle - half, middle + half


@jit
def _in_round(p: Vec3, d: Vec3, radius: float, half: float):
    """In a cylinder about z."""
    flat_p, flat_d = Vec3(p.x, p.y, 0.0), Vec3(d.x, d.y, 0.0)
    if flat_d.dot(flat_d) > 0.0:
        low, high = _in_ball(flat_p, flat_d, radius)
    else:
        low, high = _between(flat_p.dot(flat_p), 0.0, 0.0, radius * radius)
    return _common(low, high, _between(p.z, d.z, -half, half))


@jit
def _in_capsule(p: Vec3, d: Vec3, radius: float, half: float):
    """In a cylinder or one of the balls at its ends."""
    low, high = math.inf, -math.inf
    z = Vec3(0.0, 0.0, half)
    for k in range(3):
        if k == 0:
            enter, leave = _in_round(p, d, radius, half)
        else:
            enter, leave = _in_ball(p - z if k == 1 else p + z, d, radius)
        if enter <= leave:
            low, high = min(low, enter), max(high, leave)
    return low, high


@jit
def _in_cone(p: Vec3, d: Vec3, radius: float, half: float):
    """In a cone about z with its tip at ``half``: in a nappe of ``a t^2 + 2 b t + c <= 0``."""
    k = 0.5 * radius / half
    z = half - p.z
    a = d.x * d.x + d.y * d.y - k * k * d.z * d.z
    b = p.x * d.x + p.y * d.y + k * k * z * d.z
    c = p.x * p.x + p.y * p.y - k * k * z * z
    low, high = -math.inf, math.inf
    square = b * b - a * c
    if a == 0.0:
        low, high = _between(c, 2.0 * b, -math.inf, 0.0)
    elif square >= 0.0:
        s = -(b + math.copysign(math.sqrt(square), b))
        t, u = (s / a, c / s) if s != 0.0 else (0.0, 0.0)
        if a > 0.0:
            low, high = min(t, u), max(t, u)
        elif d.z < 0.0:
            low = max(t, u)
        else:
            high = min(t, u)
    elif a > 0.0:
        low, high = math.inf, -math.inf
    return _common(low, high, _between(p.z, d.z, -half, half))


@jit
def _in_polyhedron(data: Floats, o: int, p: Vec3, d: Vec3):
    low, high = -math.inf, math.inf
    first = int(data[o + at.FACES])
    for f in range(int(data[o + at.N_FACES])):
        face = first + at.FACE * f
        normal = triple(data, face)
        side = _between(normal.dot(p), normal.dot(d), -math.inf, data[face + 3])
        low, high = _common(low, high, side)
    return low, high


@jit
def _to_mesh(data: Floats, o: int, p: Vec3, d: Vec3):
    """To the nearest triangle, through the tree of boxes."""
    best = math.inf
    tree, vertices = int(data[o + at.TREE]), int(data[o + at.VERTICES])
    faces = int(data[o + at.FACES])
    k = 0
    while k < int(data[o + at.N_NODES]):
        node = tree + at.NODE * k
        low, high = 0.0, best
        for i in range(3):
            low, high = _common(low, high, _between(p[i], d[i], data[node + i], data[node + 3 + i]))
        if low > high:
            k = int(data[node + 8])
            continue
        first, last, k = leaf(data, node, k)
        for f in range(first, last):
            corner = faces + 3 * f
            a = triple(data, vertices + 3 * int(data[corner]))
            b = triple(data, vertices + 3 * int(data[corner + 1]))
            c = triple(data, vertices + 3 * int(data[corner + 2]))
            best = min(best, _to_triangle(p - a, d, b - a, c - a))
    return best


@jit
def _to_triangle(p: Vec3, d: Vec3, u: Vec3, v: Vec3):
    """To a triangle with a corner at the origin and two edges, by Cramer's rule."""
    normal = u.cross(v)
    slope = normal.dot(d)
    if slope == 0.0:
        return math.inf
    turn = p.cross(d)
    s, t = -turn.dot(v) / slope, turn.dot(u) / slope
    if min(s, t, 1.0 - s - t) < -SLACK:
        return math.inf
    distance = -normal.dot(p) / slope
    return distance if distance >= 0.0 else math.inf


@jit
def _to_ground(data: Floats, o: int, p: Vec3, d: Vec3):
    """To a height map, from cell to cell below the ray."""
    rows, columns, dx, dy = cell_size(data, o)
    enter, leave = _between(p.x, d.x, -data[o + 1], data[o + 1])
    enter, leave = _common(enter, leave, _between(p.y, d.y, -data[o + 2], data[o + 2]))
    t = max(enter, 0.0)
    if t > leave:
        return math.inf
    i, j = cell_at(data, o, p.x + t * d.x, p.y + t * d.y)
    while i >= 0 and i < rows - 1 and j >= 0 and j < columns - 1:
        _, across = _between(p.x + data[o + 1], d.x, i * dx, (i + 1) * dx)
        _, along = _between(p.y + data[o + 2], d.y, j * dy, (j + 1) * dy)
        across = math.inf if d.x == 0.0 else across
        along = math.inf if d.y == 0.0 else along
        end = max(min(across, along, leave), t)
        met = _to_cell(data, o, i, j, p + t * d, d, end - t)
        if met < math.inf:
            return max(t + met, 0.0)
        if min(across, along) >= leave:
            break
        t = end
        if across <= along:
            i += 1 if d.x > 0.0 else -1
        else:
            j += 1 if d.y > 0.0 else -1
    return math.inf


@jit
def _to_cell(data: Floats, o: int, i: int, j: int, p: Vec3, d: Vec3, length: float):
    """To the ground of a cell within a length: a root of a quadratic, as the ground is bilinear."""
    _, _, dx, dy = cell_size(data, o)
    s, t = (p.x + data[o + 1]) / dx - i, (p.y + data[o + 2]) / dy - j
    ds, dt = d.x / dx, d.y / dy
    h, hs, ht, twist = surface(data, o, i, j, s, t)
    a, b, c = -twist * ds * dt, 0.5 * (d.z - hs * ds - ht * dt), p.z - h
    slack = SLACK * (1.0 + length if length < math.inf else 1.0)  # a vertical ray stays in a cell
    if a == 0.0:
        low = -0.5 * c / b if b != 0.0 else math.inf
        high = low
    else:
        square = b * b - a * c
        if square < 0.0:
            return math.inf
        root = -(b + math.copysign(math.sqrt(square), b))
        u, v = (root / a, c / root) if root != 0.0 else (0.0, 0.0)
        low, high = min(u, v), max(u, v)
    if low >= -slack and low <= length + slack:
        return low
    return high if high >= -slack and high <= length + slack else math.inf


@jit
def _to_torus(data: Floats, o: int, p: Vec3, d: Vec3):
    """By steps as long as the distance, which never pass the surface."""
    enter, leave = _in_ball(p, d, data[o + at.REACH])
    if enter > leave:
        return math.inf
    t, speed = max(enter, 0.0), math.sqrt(d.dot(d))
    near = NEAR * data[o + at.REACH]
    for _ in range(MARCH):
        distance = abs(solid_distance(data, o, p + t * d)[0])
        if distance <= near:
            return t
        t += distance / speed
        if t > leave:
            return math.inf
    return t


@jit
def cast_rays(
    shapes: PlacedShapes, carrier: Ints, poses: Floats3, rays: Floats3, is_met: Bytes2, out: Floats2
):
    """The distance of the nearest shape along rays of unit direction; infinite without any.

    Parameters
    ----------
    shapes : PlacedShapes
        Shapes where they are on the bodies that carry them.
    carrier : ndarray of int64, shape (G,)
        Those bodies.
    poses : ndarray, shape (N, bodies, 12)
        Of the bodies, for each state: rotation to world coordinates row by row, then the origin.
    rays : ndarray, shape (N, R, 6)
        Origins and directions in the world.
    is_met : ndarray of uint8, shape (R, G)
        Which rays meet which shapes.
    out : ndarray, shape (N, R)
        Takes the distances.
    """
    data = shapes.data
    out[:] = math.inf
    for n in range(len(rays)):
        for g in range(len(carrier)):
            o = shapes.offsets[g]
            turn, place = pose(shapes.rotations, shapes.positions, g)
            row = poses[n, carrier[g]]
            R = Mat3(triple(row, 0), triple(row, 3), triple(row, 6))
            R, r = R @ turn, R @ place + triple(row, 9)
            centre, reach = R @ triple(data, o + at.CENTRE) + r, data[o + at.REACH]
            for k in range(rays.shape[1]):
                if not is_met[k, g]:
                    continue
                p, d = triple(rays[n, k], 0), triple(rays[n, k], 3)
                away = (centre - p).cross(d)
                if int(data[o]) != at.PLANE and away.dot(away) > reach * reach * (1.0 + SLACK):
                    continue
                met = ray_distance(data, o, R.T @ (p - r), R.T @ d)
                out[n, k] = min(out[n, k], met)
