"""Collision behind an address, so that it is compiled once, by itself."""

from __future__ import annotations

import numpy as np
from numba import carray  # type: ignore[attr-defined]

from ..addresses import call_entry, pointer_at
from ..collision import collide, overlapping_pairs
from ..collision.inner import inner
from ..jit import Entry
from .counters import MARGIN
from .fields import address_of, fields_at


@inner
def close_pairs(s, margin, pairs, pair, feature, point, normal, gap):
    """Contacts nearer than ``margin``: how many, or minus how many pairs there is room for.

    ``pairs`` takes those that may touch; the rest is what collision finds.
    """
    t = np.empty(9, np.int64)
    t[0], t[1] = pairs.ctypes.data, len(pairs)
    t[2], t[3], t[4] = pair.ctypes.data, feature.ctypes.data, point.ctypes.data
    t[5], t[6], t[7] = normal.ctypes.data, gap.ctypes.data, len(gap)
    s.totals[MARGIN] = margin
    count = call_entry(s.collider, address_of(s), t.ctypes.data)
    t[8] = count  # its use after the call keeps the table alive until then
    return t[8]


@inner
def _collide(s, table, offsets):
    t = carray(pointer_at(table), (9,), np.int64)
    pairs = carray(pointer_at(t[0]), (t[1], 2), np.int32)
    margin = s.totals[MARGIN]
    data = s.shape_data
    m = overlapping_pairs(data, offsets, s.rotation, s.origin, s.may_touch, margin, s.order, pairs)
    if m < 0:
        return m
    room = t[7]
    out = (
        carray(pointer_at(t[2]), (room,), np.int32), carray(pointer_at(t[3]), (room,), np.int64),
        carray(pointer_at(t[4]), (room, 3), np.float64),
        carray(pointer_at(t[5]), (room, 3), np.float64),
        carray(pointer_at(t[6]), (room,), np.float64), s.work,
    )  # fmt: skip
    return collide(data, offsets, s.rotation, s.origin, pairs[:m], margin, out)


def _plain(fields: int, table: int) -> int:
    s = fields_at(fields)
    return _collide(s, table, s.shape_offset.astype(np.int16))


def _convex(fields: int, table: int) -> int:
    s = fields_at(fields)
    return _collide(s, table, s.shape_offset.astype(np.int32))


def _any(fields: int, table: int) -> int:
    s = fields_at(fields)
    return _collide(s, table, s.shape_offset)


# By the type that a table's offsets may have: it tells what need not be compiled.
COLLISIONS = {np.int16: Entry(_plain), np.int32: Entry(_convex), np.int64: Entry(_any)}
