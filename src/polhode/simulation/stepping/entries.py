"""Contacts near one another, out of the arrays of a scene."""

from __future__ import annotations

from ...compiler.jit import Floats, Floats2, Ints, ShortInts, ShortInts2, jit
from ..collision import ContactBuffer, collide, overlapping_pairs
from .fields import Fields


@jit
def close_pairs(
    s: Fields,
    margin: float,
    pairs: ShortInts2,
    pair: ShortInts,
    feature: Ints,
    point: Floats2,
    normal: Floats2,
    gap: Floats,
):
    """Contacts nearer than ``margin``: how many, or minus how many pairs there is room for.

    ``pairs`` takes those that may touch; the rest is what collision finds.
    """
    data, offsets = s.shape_data, s.shape_offset
    m = overlapping_pairs(data, offsets, s.rotation, s.origin, s.may_touch, margin, s.order, pairs)
    if m < 0:
        return m
    out = ContactBuffer(pair, feature, point, normal, gap, s.work)
    return collide(data, offsets, s.rotation, s.origin, pairs[:m], margin, out)
