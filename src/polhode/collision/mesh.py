"""Triangle meshes: the nearest triangle through the tree of boxes, and contacts of balls."""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Floats, Floats2, jit
from ..spatial import Vec3
from . import shape_layout as at
from .contact_list import add_contact, is_new
from .placed import Placed
from .vectors import triple, unit


@jit
def _to_triangle(p: Vec3, a: Vec3, b: Vec3, c: Vec3):
    """(p - nearest point, feature): 0 the face, 1 to 3 an edge, 4 to 6 a corner."""
    normal = (b - a).cross(c - a)
    best, away, feature = math.inf, Vec3(0.0, 0.0, 0.0), 0
    for k in range(3):
        u, v = (a, b) if k == 0 else ((b, c) if k == 1 else (c, a))
        edge, rel = v - u, p - u
        if normal.cross(edge).dot(rel) < 0.0:
            t = edge.dot(rel) / edge.dot(edge)
            x = rel - min(max(t, 0.0), 1.0) * edge
            if x.dot(x) < best:
                best, away = x.dot(x), x
                feature = 1 + k if t > 0.0 and t < 1.0 else (4 + k if t <= 0.0 else 4 + (k + 1) % 3)
    if feature == 0:
        away = normal.dot(p - a) / normal.dot(normal) * normal
    return away, feature


@jit
def _corner(data: Floats, o: int, f: int, k: int):
    """Number of corner ``k`` of face ``f``."""
    return int(data[int(data[o + at.FACES]) + 3 * f + k])


@jit
def _from_face(data: Floats, o: int, f: int, p: Vec3):
    v, k = int(data[o + at.VERTICES]), int(data[o + at.FACES]) + 3 * f
    a, b = triple(data, v + 3 * int(data[k])), triple(data, v + 3 * int(data[k + 1]))
    return _to_triangle(p, a, b, triple(data, v + 3 * int(data[k + 2])))


@jit
def to_node(data: Floats, node: int, p: Vec3):
    """Squared distance from a box of the tree."""
    total = 0.0
    for i in range(3):
        x = max(data[node + i] - p[i], p[i] - data[node + 3 + i], 0.0)
        total += x * x
    return total


@jit
def leaf(data: Floats, node: int, k: int):
    """(first face, one past the last face, next node) of node ``k``; none of an inner node."""
    first, count = int(data[node + 6]), int(data[node + 7])
    return first, first + count, int(data[node + 8]) if count else k + 1


@jit
def nearest_on_mesh(data: Floats, o: int, p: Vec3):
    """(signed distance, direction away from the surface, face, feature as of `_to_triangle`).

    The sign is that of the normal there.
    """
    best, away, face, feature = math.inf, Vec3(0.0, 0.0, 0.0), 0, 0
    tree = int(data[o + at.TREE])
    k = np.int64(0)
    while k < int(data[o + at.N_NODES]):
        if to_node(data, tree + at.NODE * k, p) >= best:
            k = int(data[tree + at.NODE * k + 8])
            continue
        first, last, k = leaf(data, tree + at.NODE * k, k)
        for f in range(first, last):
            v, where = _from_face(data, o, f, p)
            if v.dot(v) < best:
                best, away, face, feature = v.dot(v), v, f, where
    normals = int(data[o + at.NORMALS]) + at.NORMAL * face
    normal = triple(data, normals + 3 * feature)
    d = math.sqrt(best)
    if d < 1e-12 * data[o + at.REACH]:
        return d, unit(normal), face, feature
    if away.dot(normal) < 0.0:
        return -d, -1.0 / d * away, face, feature
    return d, 1.0 / d * away, face, feature


@jit
def mesh_distance(data: Floats, o: int, p: Vec3):
    """(signed distance, direction away from the surface)."""
    d, n, _, _ = nearest_on_mesh(data, o, p)
    return d, n


@jit
def region(mesh: Placed, face: int):
    """(flat region of a face, bits of what lies on its border)."""
    k = int(mesh.number(at.REGIONS)) + 2 * face
    return int(mesh.data[k]), int(mesh.data[k + 1])


@jit
def is_corner(mesh: Placed, vertex: int):
    """Whether a vertex is a corner of a flat region of a mesh, not within it or its borders."""
    return mesh.data[int(mesh.number(at.CORNERS)) + vertex] != 0.0


@jit
def in_normal_cone(data: Floats, o: int, vertex: int, d: Vec3):
    """Whether no edge from a vertex leads towards the unit direction ``d``."""
    v = int(data[o + at.VERTICES])
    x = triple(data, v + 3 * vertex)
    ring = int(data[o + at.RINGS]) + 2 * vertex
    first = int(data[ring])
    for k in range(first, first + int(data[ring + 1])):
        edge = triple(data, v + 3 * int(data[k])) - x
        if edge.dot(d) > 1e-3 * math.sqrt(edge.dot(edge)):
            return False
    return True


@jit
def _is_nearest(data: Floats, o: int, f: int, feature: int, v: Vec3, p: Vec3):
    """Whether the distance has a minimum where it is met on an edge or a corner."""
    if feature == 0:
        return True
    d = unit(v)
    if feature > 3:
        return in_normal_cone(data, o, _corner(data, o, f, feature - 4), d)
    a, b = _corner(data, o, f, feature - 1), _corner(data, o, f, feature % 3)
    x = p - v
    vertices, rings = int(data[o + at.VERTICES]), int(data[o + at.RINGS])
    for i in range(int(data[rings + 2 * a + 1])):
        for j in range(int(data[rings + 2 * b + 1])):
            k = int(data[int(data[rings + 2 * a]) + i])
            if k == int(data[int(data[rings + 2 * b]) + j]):
                edge = triple(data, vertices + 3 * k) - x
                if edge.dot(d) > 1e-3 * math.sqrt(edge.dot(edge)):
                    return False
    return True


@jit
def _name(data: Floats, o: int, f: int, feature: int):
    """The same number for an edge or a corner from whichever face it is met."""
    if feature == 0:
        return float(f)
    if feature > 3:
        return float(1 << 24) + _corner(data, o, f, feature - 4)
    a, b = _corner(data, o, f, feature - 1), _corner(data, o, f, feature % 3)
    return float(1 << 25) * (1.0 + min(a, b)) + max(a, b)


@jit
def ball_on_mesh(
    shape: Placed,
    centre: Vec3,
    radius: float,
    margin: float,
    found: Floats2,
):
    """Contacts of a ball at ``centre`` (mesh coordinates), normal out of the mesh."""
    d, n = mesh_distance(shape.data, shape.at, centre)
    if d - radius >= margin:
        return
    any_found = False
    reach = (radius + margin) * (radius + margin)
    tree = int(shape.number(at.TREE))
    k = int(0.0 if d >= 0.0 else shape.number(at.N_NODES))  # below the surface: one way out
    while k < int(shape.number(at.N_NODES)):
        if to_node(shape.data, tree + at.NODE * k, centre) >= reach:
            k = int(shape.data[tree + at.NODE * k + 8])
            continue
        first, last, k = leaf(shape.data, tree + at.NODE * k, k)
        for f in range(first, last):
            v, feature = _from_face(shape.data, shape.at, f, centre)
            normal = triple(shape.data, int(shape.number(at.NORMALS)) + at.NORMAL * f + 3 * feature)
            if v.dot(v) >= reach or v.dot(normal) <= 0.0:
                continue
            if _is_nearest(shape.data, shape.at, f, feature, v, centre):
                n, length = unit(v), math.sqrt(v.dot(v))
                x = shape.to_world(centre + -0.5 * (length + radius) * n)
                name = _name(shape.data, shape.at, f, feature)
                if is_new(found, x, radius + length):
                    add_contact(found, name, x, shape.R @ n, length - radius)
                any_found = True
    if not any_found:
        x = shape.to_world(centre + -0.5 * (d + radius) * n)
        add_contact(found, 0.0, x, shape.R @ n, d - radius)
