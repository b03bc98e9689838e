"""Rebound: what touches, when it will, and the impact."""

from __future__ import annotations

import numpy as np

from ...compiler.jit import Floats, jit
from ..contact import Report, impact
from .assembly import DEEP, assemble, slip_velocity
from .contact_detection import find_contacts, measure
from .contacts import (
    GAIN,
    GAP,
    IS_SOFT,
    L_GAIN,
    L_GAP,
    L_SIDE,
    L_SPEED,
    NORMAL,
    RESTITUTION,
    RULE,
    SPEED,
    A,
    B,
    Contacts,
    NearLimits,
    empty_limits,
    subset,
    vector,
)
from .counter_indices import CLIPPED, N_IMPACTS
from .free_velocity import factorise_masses
from .impulses import note
from .limits import find_limits, limit_rate
from .loop_rates import forget_rates
from .motion import update
from .system import System


@jit
def gains(s: System, contacts: Contacts, limits: NearLimits, h: float):
    """Accelerations of the gaps under forces alone, for those that rebound."""
    force = s.force
    for k in range(len(force)):
        force[k] = (s.free[k] - s.velocity[k]) / h
    for c in range(len(contacts.whole)):
        if s.rules[contacts.whole[c, RULE], RESTITUTION] > 0.0:
            real = contacts.real[c]
            real[GAIN] = _relative(s, force, contacts, c).dot(vector(real, NORMAL))
    for i in range(len(limits.whole)):
        limits.real[i, L_GAIN] = limits.real[i, L_SIDE] * limit_rate(s, force, limits.whole[i])


@jit
def _relative(s: System, rates: Floats, contacts: Contacts, c: int):
    """`slip_velocity` without moving surfaces."""
    return slip_velocity(s, rates, contacts, c) - slip_velocity(s, s.zero_velocity, contacts, c)


@jit
def _touches(
    gap: float, speed: float, gain: float, restitution: float, thresh: float, least: float
):
    """Whether something rebounds now."""
    return restitution > 0.0 and gap <= thresh and speed < -max(1e-7, 0.5 * least * abs(gain))


@jit
def rebounds(s: System, contacts: Contacts, limits: NearLimits, ahead: float):
    """Whether anything rebounds now; ``ahead`` counts what is reached in that time as touched."""
    rules = s.rules
    for c in range(len(contacts.whole)):
        gap = contacts.real[c, GAP] + min(0.0, ahead * contacts.real[c, SPEED])
        e = rules[contacts.whole[c, RULE], RESTITUTION]
        speed, gain = contacts.real[c, SPEED], contacts.real[c, GAIN]
        if gap >= -DEEP and _touches(gap, speed, gain, e, s.thresh, s.nominal):
            return True
    for i in range(len(limits.whole)):
        gap = limits.real[i, L_GAP] + min(0.0, ahead * limits.real[i, L_SPEED])
        e = s.limit_restitution[limits.whole[i]]
        if _touches(gap, limits.real[i, L_SPEED], limits.real[i, L_GAIN], e, s.thresh, s.nominal):
            return True
    return False


@jit
def rebound(s: System, contacts: Contacts, limits: NearLimits, ahead: float):
    """Let everything that touches rebound; positions stay."""
    update(s, s.velocity)
    factorise_masses(s)
    found = find_contacts(s, s.nominal, contacts)
    near = find_limits(s, s.nominal, limits)
    _inherit(found, contacts, near, limits)
    measure(s, found, near, s.velocity)
    chosen = np.zeros(len(found.whole), np.bool_)
    rules = s.rules
    for c in range(len(found.whole)):
        e = rules[found.whole[c, RULE], RESTITUTION]
        reach = ahead if e > 0.0 else 0.0
        gap = found.real[c, GAP] + min(0.0, reach * found.real[c, SPEED])
        chosen[c] = gap <= s.thresh and rules[found.whole[c, RULE], IS_SOFT] == 0.0
    hit = subset(found, chosen)
    stop = _near_limits(s, near, ahead)
    rows = assemble(s, hit, stop, s.velocity, 0.0, s.share, False)
    back = np.zeros(len(rows.kind))
    first = len(rows.kind) - len(hit.whole) - len(stop.whole)
    for i in range(len(stop.whole)):
        r = s.limit_restitution[stop.whole[i]]
        if _touches(0.0, stop.real[i, L_SPEED], stop.real[i, L_GAIN], r, s.thresh, s.nominal):
            back[first + i] = r
    first += len(stop.whole)
    for c in range(len(hit.whole)):
        r = rules[hit.whole[c, RULE], RESTITUTION]
        is_deep = hit.real[c, GAP] < -DEEP
        speed, gain = hit.real[c, SPEED], hit.real[c, GAIN]
        if not is_deep and _touches(0.0, speed, gain, r, s.thresh, s.nominal):
            back[first + c] = r
    x, report = np.zeros(len(rows.bias)), Report()
    impact(rows, back, x, s.trial, s.solver, report)
    note(s, report, s.solver.tolerance)
    s.totals[CLIPPED] += report.energy_clipped
    s.counters[N_IMPACTS] += 1
    forget_rates(s)
    for k in range(len(s.velocity)):
        s.velocity[k] = s.trial[k]
    measure(s, found, near, s.velocity)
    return found, near


@jit
def _near_limits(s: System, limits: NearLimits, ahead: float):
    """The limits that are touched."""
    chosen = np.zeros(len(limits.whole), np.bool_)
    for i in range(len(limits.whole)):
        gap = limits.real[i, L_GAP] + min(0.0, ahead * limits.real[i, L_SPEED])
        chosen[i] = gap <= s.thresh
    count = 0
    for i in range(len(chosen)):
        count += chosen[i]
    out, k = empty_limits(count), 0
    for i in range(len(limits.whole)):
        if chosen[i]:
            out.whole[k] = limits.whole[i]
            for j in range(limits.real.shape[1]):
                out.real[k, j] = limits.real[i, j]
            k += 1
    return out


@jit
def _inherit(found: Contacts, contacts: Contacts, near: NearLimits, limits: NearLimits):
    """Accelerations of gaps, from those that are at hand; the greatest of the pair."""
    for c in range(len(found.whole)):
        for j in range(len(contacts.whole)):
            same = contacts.whole[j, A] == found.whole[c, A]
            if same and contacts.whole[j, B] == found.whole[c, B]:
                found.real[c, GAIN] = min(found.real[c, GAIN], contacts.real[j, GAIN])
    for i in range(len(near.whole)):
        for j in range(len(limits.whole)):
            if limits.whole[j] == near.whole[i] and limits.real[j, L_SIDE] == near.real[i, L_SIDE]:
                near.real[i, L_GAIN] = limits.real[j, L_GAIN]


@jit
def _time_to(gap: float, speed: float, gain: float, thresh: float, step: float, left: float):
    """When a gap that rebounds closes, to within ``thresh``; ``left`` if not before."""
    if gap <= thresh:
        return left
    gap -= 0.5 * thresh
    root = speed * speed - 2.0 * gain * gap
    if root < 0.0:
        return left
    root = np.sqrt(root)
    if -speed + root <= 0.0:
        return left
    t = 2.0 * gap / (-speed + root)
    if not 0.0 < t < left or -(speed + gain * t) < max(1e-7, 0.5 * step * abs(gain)):
        return left
    return t


@jit
def time_to_rebound(s: System, contacts: Contacts, limits: NearLimits, left: float):
    """The time to the next rebound, or ``left``."""
    t = left
    for c in range(len(contacts.whole)):
        if s.rules[contacts.whole[c, RULE], RESTITUTION] > 0.0:
            real = contacts.real
            gap, speed, gain = real[c, GAP], real[c, SPEED], real[c, GAIN]
            t = _time_to(gap, speed, gain, s.thresh, s.nominal, t)
    for i in range(len(limits.whole)):
        if s.limit_restitution[limits.whole[i]] > 0.0:
            real = limits.real
            gap, speed, gain = real[i, L_GAP], real[i, L_SPEED], real[i, L_GAIN]
            t = _time_to(gap, speed, gain, s.thresh, s.nominal, t)
    return t
