"""Contacts of all pairs of geometries of a scene."""

from __future__ import annotations

import math

import numpy as np

from ...collision import (
    ContactBuffer,
    Groups,
    PlacedShapes,
    are_apart,
    bounding_spheres,
    collide,
    overlapping_in_groups,
)
from ...compiler.jit import Floats, Floats2, ShortInts2, jit
from .contacts import set_vector, vector
from .motion import velocity_at
from .system import System

# Of the speeds of both: impulses may change their difference by as much, and what they change lasts
# for half a step, from the velocity update on.  That is a quarter of the time that is looked ahead.
CHANGED = 0.25


@jit
def close_pairs(s: System, least: float, ahead: float, pairs: ShortInts2, out: ContactBuffer):
    """Contacts with gaps below ``least`` [m], or that may be within the time ``ahead`` [s].

    Their number, or minus the number of pairs if there is no room.  ``pairs`` takes the pairs of
    the broad phase that are near enough, ``out`` the contacts.
    """
    shapes = PlacedShapes(s.shape_data, s.shape_offset, s.rotation, s.origin)
    count = len(s.surface_body)
    rates, margins = np.zeros((count, 6)), np.empty(count)
    for g in range(count):
        _put_rate(s, g, rates[g])
        margins[g] = 0.5 * least + ahead * _speed(rates[g], s.surface_reach[g])
    groups = Groups(s.group, s.may_touch)
    m = overlapping_in_groups(shapes, groups, margins, s.order, pairs)
    if m < 0:
        return m
    of_pairs, spheres, kept = np.empty(m), bounding_spheres(shapes), 0
    for k in range(m):
        a, b = pairs[k, 0], pairs[k, 1]
        margin = margins[a] + margins[b]
        if are_apart(spheres, a, b, margin):
            continue
        changed = CHANGED * (margin - least)
        margin = min(margin, least + ahead * _approach(s, rates, a, b) + changed)
        if not are_apart(spheres, a, b, margin):
            pairs[kept, 0], pairs[kept, 1], of_pairs[kept] = a, b, margin
            kept += 1
    return collide(shapes, pairs[:kept], of_pairs[:kept], out)


@jit
def fastest_point(s: System):
    """An upper bound on the speed of all points of geometries."""
    rate, fastest = np.zeros(6), 0.0
    for g in range(len(s.surface_body)):
        if s.surface_body[g] >= 0:
            _put_rate(s, g, rate)
            fastest = max(fastest, _speed(rate, s.surface_reach[g]))
    return fastest


@jit
def _put_rate(s: System, g: int, rate: Floats):
    """Velocity of the origin of the body of a geometry, and its rate of rotation."""
    b = s.surface_body[g]
    if b < 0:
        return
    dof = s.dof[s.body_node[b]]
    if s.machine[s.body_node[b]] < 0:
        for k in range(6):
            rate[k] = s.velocity[dof + k]
    else:
        v, w = velocity_at(s, s.velocity, b, vector(s.pose[b], 9))
        set_vector(rate, 0, v)
        set_vector(rate, 3, w)


@jit
def _speed(rate: Floats, reach: float):
    """An upper bound on the speed of the points that are no farther from the origin."""
    v, w = vector(rate, 0), vector(rate, 3)
    return math.sqrt(v.dot(v)) + (math.sqrt(w.dot(w)) * reach if w.dot(w) > 0.0 else 0.0)


@jit
def _approach(s: System, rates: Floats2, a: int, b: int):
    """An upper bound on the speed of the points of one geometry as seen from the other.

    The first is the one whose points are nearer to the origin of its body.
    """
    if s.surface_body[a] < 0:
        return _speed(rates[b], s.surface_reach[b])
    if s.surface_body[b] < 0:
        return _speed(rates[a], s.surface_reach[a])
    if s.surface_reach[b] < s.surface_reach[a]:
        a, b = b, a
    arm = vector(s.pose[s.surface_body[a]], 9) - vector(s.pose[s.surface_body[b]], 9)
    w, relative = vector(rates[b], 3), np.empty(6)
    set_vector(relative, 0, vector(rates[a], 0) - (vector(rates[b], 0) + w.cross(arm)))
    set_vector(relative, 3, vector(rates[a], 3) - w)
    return _speed(relative, s.surface_reach[a])
