"""Contacts of a step matched with those of the step before: by pair and feature, else by place.

The names of features depend on how contacts were found, and on rounding.  A capsule on the face of
a disk may be a clipped corner in one step, and the nearest points in the next.  Two ends of an edge
may swap their names as their body rolls.  So a contact far from the one of its name is sought by
its place first.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.jit import Floats, Ints, jit
from ...spatial import Vec3
from .contacts import FEATURE, POINT, A, B, Contacts, vector
from .motion import velocity_at
from .system import System

_BESIDE = 1e-3  # of the smaller geometry: how far a contact may be from where it was, at rest
_AHEAD = 2.0  # times what its bodies move in the step


@jit
def matched(s: System, h: float, found: Contacts, previous: Contacts):
    """For each contact its row in ``previous``, or -1; both lists are sorted."""
    count, others = len(found.whole), len(previous.whole)
    of, is_taken = np.full(count, -1), np.zeros(others, np.int64)
    if count == 0 or others == 0:
        return of
    ahead = _ways(s, h)
    if _match_by_name(s, ahead, found, previous, of, is_taken, True) > 0:
        _match_by_place(s, ahead, found, previous, of, is_taken)
        _match_by_name(s, ahead, found, previous, of, is_taken, False)
    return of


@jit
def _ways(s: System, h: float):
    """How far contacts may move with each geometry in a step of ``h``."""
    out = np.zeros(len(s.surface_body))
    for g in range(len(out)):
        if s.surface_body[g] >= 0:
            place = Vec3(s.origin[g, 0], s.origin[g, 1], s.origin[g, 2])
            v, _ = velocity_at(s, s.velocity, s.surface_body[g], place)
            out[g] = _AHEAD * h * math.sqrt(v.dot(v))
    return out


@jit
def _match_by_name(
    s: System, ahead: Floats, found: Contacts, previous: Contacts, of: Ints, is_taken: Ints,
    if_near: bool,
):  # fmt: skip
    """Give contacts without a row that of their name, if it is left; how many have none."""
    j, others, open_count = 0, len(previous.whole), 0
    for c in range(len(found.whole)):
        while j < others and _before(previous, j, found, c):
            j += 1
        is_open = of[c] < 0 and j < others and is_taken[j] == 0
        is_named = is_open and not _before(found, c, previous, j)
        if is_named and (not if_near or _is_near(s, ahead, found, c, previous, j)):
            of[c], is_taken[j] = j, 1
        open_count += int(of[c] < 0)
    return open_count


@jit
def _is_near(s: System, ahead: Floats, found: Contacts, c: int, previous: Contacts, j: int):
    """Whether contact ``c`` may be that of row ``j`` by its place."""
    square = _square(found, c, previous, j)
    beside = _BESIDE * _size(s, found, c)
    if square <= beside * beside:
        return True
    reach = _reach(s, ahead, found, c)
    return square <= reach * reach


@jit
def _match_by_place(
    s: System, ahead: Floats, found: Contacts, previous: Contacts, of: Ints, is_taken: Ints
):
    """Give contacts without a row the nearest that is left of the same pair, if it is near."""
    start, others = 0, len(previous.whole)
    for c in range(len(found.whole)):
        if of[c] >= 0:
            continue
        while start < others and _pair_before(previous, start, found, c):
            start += 1
        least, j = math.inf, start
        while j < others and not _pair_before(found, c, previous, j):
            if is_taken[j] == 0:
                square = _square(found, c, previous, j)
                if square < least:
                    least, of[c] = square, j
            j += 1
        if of[c] >= 0:
            reach = _reach(s, ahead, found, c)
            if least <= reach * reach:
                is_taken[of[c]] = 1
            else:
                of[c] = -1


@jit
def _square(found: Contacts, c: int, previous: Contacts, j: int):
    """The square of the distance of two contacts."""
    away = vector(previous.real[j], POINT) - vector(found.real[c], POINT)
    return away.dot(away)


@jit
def _size(s: System, found: Contacts, c: int):
    """The reach of the smaller geometry of contact ``c``, 0 if both are unbounded."""
    size = min(s.surface_reach[found.whole[c, A]], s.surface_reach[found.whole[c, B]])
    return size if size < math.inf else 0.0


@jit
def _reach(s: System, ahead: Floats, found: Contacts, c: int):
    """How far contact ``c`` may be from where it was; ``ahead`` is of `_ways`."""
    ways = ahead[found.whole[c, A]] + ahead[found.whole[c, B]]
    return ways + _BESIDE * _size(s, found, c)


@jit
def _pair_before(one: Contacts, i: int, other: Contacts, j: int):
    """Whether the pair of one contact stands before that of another."""
    if one.whole[i, A] != other.whole[j, A]:
        return one.whole[i, A] < other.whole[j, A]
    return one.whole[i, B] < other.whole[j, B]


@jit
def _before(one: Contacts, i: int, other: Contacts, j: int):
    """Whether one contact stands before another."""
    if _pair_before(one, i, other, j):
        return True
    if _pair_before(other, j, one, i):
        return False
    return one.whole[i, FEATURE] < other.whole[j, FEATURE]
