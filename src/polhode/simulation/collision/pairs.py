"""Contacts of any two shapes: which way of finding them fits the pair."""

from __future__ import annotations

from ...compiler.jit import Floats, Floats2, jit
from ...spatial import Mat3, Vec3
from . import layout as at
from .convex import box_contacts, convex_contacts
from .features import side
from .found import put
from .ground import ball_on_ground
from .mesh import ball_on_mesh
from .samples import n_samples, sample
from .solids import solid_distance
from .terrain import terrain_contacts
from .torus import torus_contacts


@jit
def pair_contacts(
    data: Floats,
    oa: int,
    Ra: Mat3,
    pa: Vec3,
    ob: int,
    Rb: Mat3,
    pb: Vec3,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """Gather the contacts of shapes a and b, where a's kind comes before b's or is the same.

    Returns 1.0 if their normals are from b to a, -1.0 if they are the other way.
    """
    kind_a, kind_b = int(data[oa]), int(data[ob])
    if kind_a > at.SPHERE:
        _hulls(data, oa, Ra, pa, ob, Rb, pb, margin, work, found)
    elif kind_a == at.SPHERE:
        _ball(data, ob, Rb, pb, pa, data[oa + 1], margin, found)
    elif kind_a == at.PLANE and kind_b >= at.SPHERE:
        _on_plane(data, Ra, pa, ob, Rb, pb, margin, found)
        return -1.0
    elif kind_b > at.HEIGHTMAP:
        return _special(data, oa, Ra, pa, ob, Rb, pb, margin, work, found)
    return 1.0


@jit
def _on_plane(
    data: Floats,
    Ra: Mat3,
    pa: Vec3,
    o: int,
    R: Mat3,
    p: Vec3,
    margin: float,
    found: Floats2,
):
    """A shape on a plane: each of its points with its own height; normals out of the plane."""
    up = Ra.T.z
    e = side(R.T @ -up)
    radius = data[o + at.ROUND]
    origin = pa
    for k in range(n_samples(data, o)):
        x = R @ sample(data, o, k, e) + p
        gap = up.dot(x - origin) - radius
        if gap < margin:
            put(found, float(k), x + (-radius - 0.5 * gap) * up, up, gap)


@jit
def _ball(
    data: Floats,
    o: int,
    R: Mat3,
    p: Vec3,
    centre: Vec3,
    radius: float,
    margin: float,
    found: Floats2,
):
    """Contacts of a ball at ``centre`` (world) with a shape, normal out of the shape."""
    kind = int(data[o])
    if kind == at.MESH:
        ball_on_mesh(data, o, R, p, R.T @ (centre - p), radius, margin, found)
    elif kind == at.HEIGHTMAP:
        ball_on_ground(data, o, R, p, R.T @ (centre - p), radius, margin, found)
    else:
        _ball_on_solid(data, o, R, p, centre, radius, margin, found)


@jit
def _hulls(
    data: Floats,
    oa: int,
    Ra: Mat3,
    pa: Vec3,
    ob: int,
    Rb: Mat3,
    pb: Vec3,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """Contacts of two convex shapes."""
    if int(data[oa]) == at.BOX and int(data[ob]) == at.BOX:
        box_contacts(data, oa, Ra, pa, ob, Rb, pb, margin, work, found)
    else:
        convex_contacts(data, oa, Ra, pa, ob, Rb, pb, margin, work, found)


@jit
def _special(
    data: Floats,
    oa: int,
    Ra: Mat3,
    pa: Vec3,
    ob: int,
    Rb: Mat3,
    pb: Vec3,
    margin: float,
    work: Floats2,
    found: Floats2,
):
    """Contacts where a torus, a height map or a mesh is involved, and the normals' sign."""
    kind_a, kind_b = int(data[oa]), int(data[ob])
    if kind_b == at.SPHERE:
        _ball(data, oa, Ra, pa, pb, data[ob + 1], margin, found)
        return -1.0
    if kind_a == at.TORUS:
        torus_contacts(data, oa, Ra, pa, ob, Rb, pb, margin, found)
        return 1.0
    if kind_b == at.TORUS:
        torus_contacts(data, ob, Rb, pb, oa, Ra, pa, margin, found)
    else:
        terrain_contacts(data, oa, Ra, pa, ob, Rb, pb, margin, work, found)
    return -1.0


@jit
def _ball_on_solid(
    data: Floats,
    o: int,
    R: Mat3,
    p: Vec3,
    centre: Vec3,
    radius: float,
    margin: float,
    found: Floats2,
):
    c = R.T @ (centre - p)
    d, n = solid_distance(data, o, c)
    _put_ball(R, p, c, d, n, radius, margin, found)


@jit
def _put_ball(
    R: Mat3,
    p: Vec3,
    c: Vec3,
    d: float,
    n: Vec3,
    radius: float,
    margin: float,
    found: Floats2,
):
    """The contact of a ball at ``c``, at a distance ``d`` from a surface with normal ``n``."""
    if d - radius < margin:
        x = R @ (c + -0.5 * (d + radius) * n) + p
        put(found, 0.0, x, R @ n, d - radius)
