"""Contacts and joint limits that are near, each as an array of integers and one of floats."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.jit import Bools, Floats, Floats2, Ints, Ints2, Struct, jit
from ...spatial import Vec3

A, B, FEATURE, RULE = range(4)  # columns of Contacts.whole
# columns of Contacts.real, and how many there are
POINT, NORMAL, IMPULSE, GAP, SPEED, ACCEL, SLIP, TORQUE, STICKS, FREE_ACCEL, N_REAL = (
    0, 3, 6, 9, 10, 11, 12, 15, 18, 19, 20
)  # fmt: skip
L_SIDE, L_GAP, L_SPEED, L_ACCEL, L_IMPULSE = range(5)  # columns of NearLimits.real


# columns of System.rules
RESTITUTION, MU, VISCOUS, EDGES, IS_SOFT, STIFFNESS, DAMPING, MU_STATIC, TORSIONAL, ROLLING = range(
    10
)
N_RULE = 10
# Overlaps deeper than this [m] are errors of the start, not contacts: they have neither friction
# nor restitution until the bodies are apart.  With friction, bodies deep in each other jam.
DEEP = 5e-3


class Contacts(NamedTuple):
    """Contacts of a step, sorted by pair and feature.

    Geometries ``A`` and ``B``; the normal points from b to a. ``GAP`` and ``SPEED`` are along it,
    at the end of the step. ``ACCEL`` is the acceleration of the gap under constant rates, of a
    contact that stays closed.  ``FREE_ACCEL`` is that under forces without contact, where there is
    restitution.  ``IMPULSE`` is the one on a, in world axes.
    ``SLIP`` is the velocity of a over b after the last velocity update, at its pose.  ``TORQUE`` is
    the impulse of torsional and rolling friction on a; ``STICKS`` tells whether a contact under
    load did not slide.
    """

    whole: np.ndarray
    real: np.ndarray


class NearLimits(NamedTuple):
    """Joint limits that are near: their numbers, and the columns that are named above.

    ``L_SIDE`` is 1 at a lower limit and -1 at an upper one; the others are as of `Contacts`.
    """

    whole: np.ndarray
    real: np.ndarray


class Near(Struct):
    """Contacts and limits from one call of the loop to the next, in arrays with room for more.

    The first rows of the arrays, ``n_contacts`` and ``n_limits`` of them, are those of `Contacts`
    and of `NearLimits`.
    """

    n_contacts: int
    n_limits: int
    contacts: Ints2
    contact_reals: Floats2
    limits: Ints
    limit_reals: Floats2


@jit
def vector(row: Floats, k: int):
    """Three numbers of a row from ``k`` on."""
    return Vec3(row[k], row[k + 1], row[k + 2])


@jit
def set_vector(row: Floats, k: int, v: Vec3):
    """Write a vector to three numbers of a row from ``k`` on."""
    row[k], row[k + 1], row[k + 2] = v.x, v.y, v.z


@jit
def load_of(contacts: Contacts, c: int):
    """The normal impulse of a contact in the last part of a step."""
    return vector(contacts.real[c], IMPULSE).dot(vector(contacts.real[c], NORMAL))


@jit
def follows_surface(contacts: Contacts, c: int, h: float):
    """Whether a contact under load has no greater rate than surfaces that turn make of it in ``h``.

    Then its gap has a target for the end of a step: it neither has just met nor bounces.
    """
    real = contacts.real[c]
    return load_of(contacts, c) > 0.0 and abs(real[SPEED]) <= h * abs(real[ACCEL])


@jit
def tangents(n: Vec3, v: Vec3):
    """Two unit vectors across the normal ``n``; the first along ``v`` if there is slip."""
    t = v - v.dot(n) * n
    size = math.sqrt(t.dot(t))
    if size < 1e-6:
        return axes_across(n)
    t = Vec3(t.x / size, t.y / size, t.z / size)
    return t, n.cross(t)


@jit
def axes_across(n: Vec3):
    """Two unit vectors across the normal ``n``."""
    if abs(n.x) <= abs(n.y) and abs(n.x) <= abs(n.z):
        t = Vec3(0.0, -n.z, n.y)
    elif abs(n.y) <= abs(n.z):
        t = Vec3(n.z, 0.0, -n.x)
    else:
        t = Vec3(-n.y, n.x, 0.0)
    t = 1.0 / math.sqrt(t.dot(t)) * t
    return t, n.cross(t)


@jit
def empty_contacts(n: int):
    """Room for n contacts."""
    return Contacts(np.zeros((n, 4), np.int64), np.zeros((n, N_REAL)))


@jit
def empty_limits(n: int):
    """Room for n limits."""
    return NearLimits(np.zeros(n, np.int64), np.zeros((n, 5)))


@jit
def copy_contact(source: Contacts, c: int, target: Contacts, k: int):
    """Write contact ``c`` to row ``k`` of other contacts."""
    for j in range(source.whole.shape[1]):
        target.whole[k, j] = source.whole[c, j]
    for j in range(source.real.shape[1]):
        target.real[k, j] = source.real[c, j]


@jit
def subset(contacts: Contacts, chosen: Bools):
    """The contacts chosen by a mask."""
    count = 0
    for c in range(len(chosen)):
        count += chosen[c]
    out, k = empty_contacts(count), 0
    for c in range(len(chosen)):
        if chosen[c]:
            copy_contact(contacts, c, out, k)
            k += 1
    return out


@jit
def limit_subset(limits: NearLimits, chosen: Bools):
    """The limits chosen by a mask."""
    count = 0
    for i in range(len(chosen)):
        count += chosen[i]
    out, k = empty_limits(count), 0
    for i in range(len(chosen)):
        if chosen[i]:
            out.whole[k] = limits.whole[i]
            for j in range(limits.real.shape[1]):
                out.real[k, j] = limits.real[i, j]
            k += 1
    return out


@jit
def near_rows(near: Near):
    """What is near as contacts and limits: views."""
    n, m = near.n_contacts, near.n_limits
    contacts = Contacts(near.contacts[0:n], near.contact_reals[0:n])
    return contacts, NearLimits(near.limits[0:m], near.limit_reals[0:m])


@jit
def keep_near(near: Near, contacts: Contacts, limits: NearLimits):
    """Keep contacts and limits for the next call; return those that there is no room for."""
    n, m = len(contacts.whole), len(limits.whole)
    if n > len(near.contacts) or m > len(near.limits):
        return contacts, limits
    near.n_contacts, near.n_limits = n, m
    rooms, _ = near_rows(near)
    for c in range(n):
        copy_contact(contacts, c, rooms, c)
    for k in range(m):
        near.limits[k] = limits.whole[k]
        for j in range(limits.real.shape[1]):
            near.limit_reals[k, j] = limits.real[k, j]
    return empty_contacts(0), empty_limits(0)
