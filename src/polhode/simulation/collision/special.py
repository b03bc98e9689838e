"""What only some tables need, so that a first run compiles no more than it uses.

A table of planes, spheres and boxes has its offsets as 16-bit numbers; one without torus,
height map and mesh as 32-bit numbers; by that type the compiler leaves the rest out.
"""

from __future__ import annotations

from numba import types
from numba.extending import overload

from . import layout as at
from .convex import box_contacts, convex_contacts
from .found import put
from .ground import ball_on_ground
from .inner import inner
from .mesh import ball_on_mesh
from .solids import plain_distance, solid_distance
from .terrain import terrain_contacts
from .torus import torus_contacts
from .vectors import along, local, place, turn


def ball_contacts(offsets, data, o, R, p, centre, radius, margin, found):
    """Contacts of a ball at ``centre`` (world) with a shape, normal out of the shape."""
    raise NotImplementedError("compiled code only")


def hull_contacts(offsets, data, oa, Ra, pa, ob, Rb, pb, margin, work, found):
    """Contacts of two convex shapes."""
    raise NotImplementedError("compiled code only")


def special_contacts(offsets, data, oa, Ra, pa, ob, Rb, pb, margin, work, found):
    """Contacts where a torus, a height map or a mesh is involved, and the normals' sign."""
    raise NotImplementedError("compiled code only")


@overload(ball_contacts)
def _ball_contacts(offsets, data, o, R, p, centre, radius, margin, found):
    if offsets.dtype == types.int16:

        def plain(offsets, data, o, R, p, centre, radius, margin, found):
            c = local(R, p, centre)
            d, n = plain_distance(data, o, c)
            _put_ball(R, p, c, d, n, radius, margin, found)

        return plain
    if offsets.dtype == types.int32:

        def simple(offsets, data, o, R, p, centre, radius, margin, found):
            _ball_on_solid(data, o, R, p, centre, radius, margin, found)

        return simple

    def any_kind(offsets, data, o, R, p, centre, radius, margin, found):
        kind = int(data[o])
        if kind == at.MESH:
            ball_on_mesh(data, o, R, p, local(R, p, centre), radius, margin, found)
        elif kind == at.HEIGHTMAP:
            ball_on_ground(data, o, R, p, local(R, p, centre), radius, margin, found)
        else:
            _ball_on_solid(data, o, R, p, centre, radius, margin, found)

    return any_kind


@overload(hull_contacts)
def _hull_contacts(offsets, data, oa, Ra, pa, ob, Rb, pb, margin, work, found):
    return box_contacts if offsets.dtype == types.int16 else convex_contacts


@overload(special_contacts)
def _special_contacts(offsets, data, oa, Ra, pa, ob, Rb, pb, margin, work, found):
    if offsets.dtype in (types.int16, types.int32):
        return lambda offsets, data, oa, Ra, pa, ob, Rb, pb, margin, work, found: 1.0

    def special(offsets, data, oa, Ra, pa, ob, Rb, pb, margin, work, found):
        kind_a, kind_b = int(data[oa]), int(data[ob])
        if kind_b == at.SPHERE:
            ball_contacts(offsets, data, oa, Ra, pa, pb, data[ob + 1], margin, found)
            return -1.0
        if kind_a == at.TORUS:
            torus_contacts(data, oa, Ra, pa, ob, Rb, pb, margin, found)
            return 1.0
        if kind_b == at.TORUS:
            torus_contacts(data, ob, Rb, pb, oa, Ra, pa, margin, found)
        else:
            terrain_contacts(data, oa, Ra, pa, ob, Rb, pb, margin, work, found)
        return -1.0

    return special


@inner
def _ball_on_solid(data, o, R, p, centre, radius, margin, found):
    c = local(R, p, centre)
    d, n = solid_distance(data, o, c)
    _put_ball(R, p, c, d, n, radius, margin, found)


@inner
def _put_ball(R, p, c, d, n, radius, margin, found):
    """The contact of a ball at ``c``, at a distance ``d`` from a surface with normal ``n``."""
    if d - radius < margin:
        x = place(R, p, along(c, -0.5 * (d + radius), n))
        put(found, 0.0, x, turn(R, n), d - radius)
