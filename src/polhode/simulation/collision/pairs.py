"""Contacts of any two shapes: which way of finding them fits the pair."""

from __future__ import annotations

from . import layout as at
from .features import side
from .found import put
from .inner import inner
from .samples import n_samples, sample
from .special import ball_contacts, hull_contacts, special_contacts
from .vectors import along, dot, place, scaled, sub, turn_back


@inner
def pair_contacts(offsets, data, oa, Ra, pa, ob, Rb, pb, margin, work, found):
    """Gather the contacts of shapes a and b, where a's kind comes before b's or is the same.

    Returns 1.0 if their normals are from b to a, -1.0 if they are the other way.
    """
    kind_a, kind_b = int(data[oa]), int(data[ob])
    if kind_a > at.SPHERE:
        hull_contacts(offsets, data, oa, Ra, pa, ob, Rb, pb, margin, work, found)
    elif kind_a == at.SPHERE:
        ball_contacts(offsets, data, ob, Rb, pb, pa, data[oa + 1], margin, found)
    elif kind_a == at.PLANE and kind_b >= at.SPHERE:
        _on_plane(data, Ra, pa, ob, Rb, pb, margin, found)
        return -1.0
    elif kind_b > at.HEIGHTMAP:
        return special_contacts(offsets, data, oa, Ra, pa, ob, Rb, pb, margin, work, found)
    return 1.0


@inner
def _on_plane(data, Ra, pa, o, R, p, margin, found):
    """A shape on a plane: each of its points with its own height; normals out of the plane."""
    up = (Ra[2], Ra[5], Ra[8])
    e = side(turn_back(R, scaled(-1.0, up)))
    radius = data[o + at.ROUND]
    origin = pa
    for k in range(n_samples(data, o)):
        x = place(R, p, sample(data, o, k, e))
        gap = dot(up, sub(x, origin)) - radius
        if gap < margin:
            put(found, float(k), along(x, -radius - 0.5 * gap, up), up, gap)
