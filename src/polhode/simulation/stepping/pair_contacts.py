"""Contacts of all pairs of geometries of a scene."""

from __future__ import annotations

from ...collision import ContactBuffer, PlacedShapes, collide, overlapping_pairs
from ...compiler.jit import ShortInts2, jit
from .system import System


@jit
def close_pairs(s: System, margin: float, pairs: ShortInts2, out: ContactBuffer):
    """Contacts with gaps below ``margin``: their number, or minus the number of pairs if no room.

    ``pairs`` takes the pairs of the broad phase, ``out`` the contacts.
    """
    shapes = PlacedShapes(s.shape_data, s.shape_offset, s.rotation, s.origin)
    m = overlapping_pairs(shapes, s.may_touch, margin, s.order, pairs)
    if m < 0:
        return m
    return collide(shapes, pairs[:m], margin, out)
