"""Contact detection, and the contacts of one step matched with those of the step before."""

from __future__ import annotations

import numpy as np

from ...collision import MAX_PER_PAIR, ContactBuffer
from ...compiler.jit import Floats, Floats2, jit
from ..addresses import call_back
from .assembly import slip_velocities, slip_velocity
from .contact_matching import matched
from .contacts import (
    ACCEL,
    FEATURE,
    FREE_ACCEL,
    GAP,
    IMPULSE,
    L_SIDE,
    L_SPEED,
    NORMAL,
    POINT,
    RULE,
    SLIP,
    SPEED,
    STICKS,
    TORQUE,
    A,
    B,
    Contacts,
    NearLimits,
    empty_contacts,
    set_vector,
    subset,
    vector,
)
from .counter_indices import MARGIN
from .limits import limit_rate
from .pair_contacts import close_pairs, fastest_point
from .system import System

CONTACT_FILTER, CONTACT_SOURCE = 1, 2
_REACH = 2.0  # contacts are detected so many steps before they close


@jit
def _place(s: System):
    """World poses of the geometries on bodies that move."""
    for g in range(len(s.surface_body)):
        b = s.surface_body[g]
        if b < 0:
            continue
        p, own = s.pose[b], s.surface_pose[g]
        R, o = s.rotation[g], s.origin[g]
        for i in range(3):
            x, y, z = p[3 * i], p[3 * i + 1], p[3 * i + 2]
            R[i, 0] = x * own[0] + y * own[3] + z * own[6]
            R[i, 1] = x * own[1] + y * own[4] + z * own[7]
            R[i, 2] = x * own[2] + y * own[5] + z * own[8]
            o[i] = x * own[9] + y * own[10] + z * own[11] + p[9 + i]


@jit
def _buffers(s: System, room: int):
    """Room for so many pairs and their contacts."""
    most = MAX_PER_PAIR * room
    contacts = ContactBuffer(
        np.empty(most, np.int32), np.empty(most, np.int64), np.empty((most, 3)),
        np.empty((most, 3)), np.empty(most), s.work,
    )  # fmt: skip
    return np.empty((room, 2), np.int32), contacts


@jit
def find_contacts(s: System, h: float, previous: Contacts):
    """Contacts at the present poses, with the impulses of ``previous`` where they continue."""
    count = len(s.surface_body)
    if count < 2:
        return empty_contacts(0)
    _place(s)
    least, ahead = 10.0 * s.thresh + s.margin, _REACH * h
    pairs, near = _buffers(s, 4 * count + 16)
    n = close_pairs(s, least, ahead, pairs, near)
    if n < 0:
        pairs, near = _buffers(s, -n)
        n = close_pairs(s, least, ahead, pairs, near)
    found = empty_contacts(n)
    for i in range(n):
        a, b = pairs[near.pair[i], 0], pairs[near.pair[i], 1]
        found.whole[i, A], found.whole[i, B], found.whole[i, FEATURE] = a, b, near.feature[i]
        found.whole[i, RULE] = s.rule_of[s.family[a], s.family[b]]
        for j in range(3):
            found.real[i, POINT + j] = near.point[i, j]
            found.real[i, NORMAL + j] = near.normal[i, j]
        found.real[i, GAP] = near.gap[i]
    if s.source != 0:
        found = _completed(s, found, least + 2.0 * ahead * fastest_point(s))
    if s.hook != 0:
        found = _filtered(s, found)
    _continue(s, h, found, previous)
    return found


@jit
def _continue(s: System, h: float, found: Contacts, previous: Contacts):
    """Copy impulses and rates from the step before.

    Speed and slip of a new contact count as constant until now.
    """
    of = matched(s, h, found, previous)
    for c in range(len(found.whole)):
        j = of[c]
        if j >= 0:
            for k in range(3):
                found.real[c, IMPULSE + k] = previous.real[j, IMPULSE + k]
                found.real[c, SLIP + k] = previous.real[j, SLIP + k]
                found.real[c, TORQUE + k] = previous.real[j, TORQUE + k]
            found.real[c, STICKS] = previous.real[j, STICKS]
            for k in (SPEED, ACCEL, FREE_ACCEL):
                found.real[c, k] = previous.real[j, k]
        else:
            slip = slip_velocity(s, s.velocity, found, c)
            found.real[c, SPEED] = slip.dot(vector(found.real[c], NORMAL))
            set_vector(found.real[c], SLIP, slip)


@jit
def _completed(s: System, found: Contacts, margin: float):
    """Let a Python callable replace the contacts by ``s.given_whole`` and ``s.given_real``."""
    s.totals[MARGIN] = margin
    s.exchange[0] = len(found.whole)
    s.exchange[1], s.exchange[2] = found.whole.ctypes.data, found.real.ctypes.data
    call_back(s.hook, CONTACT_SOURCE)
    count = len(s.given_whole)
    out = empty_contacts(count)
    for c in range(count):
        for j in range(out.whole.shape[1]):
            out.whole[c, j] = s.given_whole[c, j]
        for j in range(out.real.shape[1]):
            out.real[c, j] = s.given_real[c, j]
    return out


@jit
def _filtered(s: System, found: Contacts):
    """Let a Python callable drop contacts, by setting their rule to -1, or change them."""
    s.exchange[0] = len(found.whole)
    s.exchange[1], s.exchange[2] = found.whole.ctypes.data, found.real.ctypes.data
    call_back(s.hook, CONTACT_FILTER)
    chosen = np.empty(len(found.whole), np.bool_)
    for c in range(len(chosen)):
        chosen[c] = found.whole[c, RULE] >= 0
    return subset(found, chosen)


@jit
def measure(s: System, contacts: Contacts, limits: NearLimits, velocity: Floats):
    """Speeds of all gaps and slip of all contacts under a velocity."""
    note_slips(contacts, slip_velocities(s, velocity, contacts))
    measure_limits(s, limits, velocity)


@jit
def note_slips(contacts: Contacts, slips: Floats2):
    """Slip of all contacts, as of `slip_velocities`, and the speeds of their gaps."""
    for c in range(len(slips)):
        slip, real = vector(slips[c], 0), contacts.real[c]
        real[SPEED] = slip.dot(vector(real, NORMAL))
        set_vector(real, SLIP, slip)


@jit
def measure_limits(s: System, limits: NearLimits, velocity: Floats):
    """Speeds of the gaps of all limits under a velocity."""
    for i in range(len(limits.whole)):
        limits.real[i, L_SPEED] = limits.real[i, L_SIDE] * limit_rate(s, velocity, limits.whole[i])
