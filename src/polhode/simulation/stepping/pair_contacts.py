"""Contacts near one another, out of the arrays of a scene."""

from __future__ import annotations

from ...compiler.jit import ShortInts2, jit
from ..collision import ContactBuffer, PlacedShapes, collide, overlapping_pairs
from .system import System


@jit
def close_pairs(s: System, margin: float, pairs: ShortInts2, out: ContactBuffer):
    """Contacts nearer than ``margin``: how many, or minus how many pairs there is room for.

    ``pairs`` takes those that may touch; the rest is what collision finds.
    """
    shapes = PlacedShapes(s.shape_data, s.shape_offset, s.rotation, s.origin)
    m = overlapping_pairs(shapes, s.may_touch, margin, s.order, pairs)
    if m < 0:
        return m
    return collide(shapes, pairs[:m], margin, out)
