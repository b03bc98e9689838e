"""Contacts of any two shapes: the choice of a method by the kinds of the pair."""

from __future__ import annotations

import math

from ..compiler.jit import Floats2, jit
from ..spatial import Mat3, Vec3
from . import shape_layout as at
from .contact_list import add_contact
from .convex import box_contacts, convex_contacts
from .ground import ball_on_ground
from .mesh import ball_on_mesh
from .placed import Placed
from .sample_points import n_samples, sample
from .solids import solid_distance
from .support_features import side
from .terrain import terrain_contacts
from .torus import torus_contacts

_ROUNDING = 1e-12  # of coordinates, more than it may change a height


@jit
def pair_contacts(
    a: Placed,
    b: Placed,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """Gather the contacts of shapes a and b, where a's kind comes before b's or is the same.

    Returns 1.0 if their normals are from b to a, -1.0 if they are the other way.
    """
    kind_a, kind_b = a.kind, b.kind
    if kind_a > at.SPHERE:
        _hulls(a, b, margin, work, found)
    elif kind_a == at.SPHERE:
        _ball(b, a.p, a.number(1), margin, found)
    elif kind_a == at.PLANE and kind_b >= at.SPHERE:
        _on_plane(a.R, a.p, b, margin, found)
        return -1.0
    elif kind_b > at.HEIGHTMAP:
        return _special(a, b, margin, work, found)
    return 1.0


@jit
def _on_plane(
    Ra: Mat3,
    pa: Vec3,
    shape: Placed,
    margin: float,
    found: Floats2,
):
    """A shape on a plane: each of its points with its own height; normals out of the plane."""
    up = Ra.T.z
    own_up = shape.R.T @ up
    e = side(-own_up)
    radius = shape.number(at.ROUND)
    # Most points of a mesh are far away.  In its own coordinates that is seen without placing them.
    rounding = _ROUNDING * (1.0 + math.sqrt(shape.p.dot(shape.p)) + math.sqrt(pa.dot(pa)))
    far = margin + radius - up.dot(shape.p - pa) + rounding
    for k in range(n_samples(shape.data, shape.at)):
        point = sample(shape.data, shape.at, k, e)
        if own_up.dot(point) > far:
            continue
        x = shape.to_world(point)
        gap = up.dot(x - pa) - radius
        if gap < margin:
            add_contact(found, float(k), x + (-radius - 0.5 * gap) * up, up, gap)


@jit
def _ball(
    shape: Placed,
    centre: Vec3,
    radius: float,
    margin: float,
    found: Floats2,
):
    """Contacts of a ball at ``centre`` (world) with a shape, normal out of the shape."""
    kind = shape.kind
    if kind == at.MESH:
        ball_on_mesh(shape, shape.to_local(centre), radius, margin, found)
    elif kind == at.HEIGHTMAP:
        ball_on_ground(shape, shape.to_local(centre), radius, margin, found)
    else:
        _ball_on_solid(shape, centre, radius, margin, found)


@jit
def _hulls(
    a: Placed,
    b: Placed,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """Contacts of two convex shapes."""
    if a.kind == at.BOX and b.kind == at.BOX:
        box_contacts(a, b, margin, work, found)
    else:
        convex_contacts(a, b, margin, work, found)


@jit
def _special(
    a: Placed,
    b: Placed,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """Contacts where a torus, a height map or a mesh is involved, and the normals' sign."""
    kind_a, kind_b = a.kind, b.kind
    if kind_b == at.SPHERE:
        _ball(a, b.p, b.number(1), margin, found)
        return -1.0
    if kind_a == at.TORUS:
        torus_contacts(a, b, margin, found)
        return 1.0
    if kind_b == at.TORUS:
        torus_contacts(b, a, margin, found)
    else:
        terrain_contacts(a, b, margin, work, found)
    return -1.0


@jit
def _ball_on_solid(
    shape: Placed,
    centre: Vec3,
    radius: float,
    margin: float,
    found: Floats2,
):
    c = shape.to_local(centre)
    d, n = solid_distance(shape.data, shape.at, c)
    _put_ball(shape, c, d, n, radius, margin, found)


@jit
def _put_ball(
    shape: Placed, c: Vec3, d: float, n: Vec3, radius: float, margin: float, found: Floats2
):
    """The contact of a ball at ``c``, at a distance ``d`` from a surface with normal ``n``."""
    if d - radius < margin:
        x = shape.to_world(c + -0.5 * (d + radius) * n)
        add_contact(found, 0.0, x, shape.R @ n, d - radius)
