"""Restitution: which gaps rebound, when the next one does, and the impact."""

from __future__ import annotations

import numpy as np

from ...compiler.jit import Floats, jit
from ...contact_problem import Report, impact
from .assembly import DEEP, assemble, slip_velocity
from .contact_detection import find_contacts, measure
from .contacts import (
    ACCEL,
    GAP,
    IS_SOFT,
    L_ACCEL,
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
def gap_accelerations(s: System, contacts: Contacts, limits: NearLimits, h: float):
    """Accelerations of gaps under forces alone, for those that rebound."""
    force = s.force
    for k in range(len(force)):
        force[k] = (s.free[k] - s.velocity[k]) / h
    for c in range(len(contacts.whole)):
        if s.rules[contacts.whole[c, RULE], RESTITUTION] > 0.0:
            real = contacts.real[c]
            real[ACCEL] = _relative(s, force, contacts, c).dot(vector(real, NORMAL))
    for i in range(len(limits.whole)):
        limits.real[i, L_ACCEL] = limits.real[i, L_SIDE] * limit_rate(s, force, limits.whole[i])


@jit
def _relative(s: System, rates: Floats, contacts: Contacts, c: int):
    """`slip_velocity` without moving surfaces."""
    return slip_velocity(s, rates, contacts, c) - slip_velocity(s, s.zero_velocity, contacts, c)


@jit
def _touches(
    gap: float, speed: float, accel: float, restitution: float, thresh: float, least: float
):
    """Whether something rebounds now."""
    return restitution > 0.0 and gap <= thresh and speed < -max(1e-7, 0.5 * least * abs(accel))


@jit
def rebounds(s: System, contacts: Contacts, limits: NearLimits, ahead: float):
    """Whether anything rebounds now; gaps that close within ``ahead`` count as closed."""
    rules = s.rules
    for c in range(len(contacts.whole)):
        gap = contacts.real[c, GAP] + min(0.0, ahead * contacts.real[c, SPEED])
        e = rules[contacts.whole[c, RULE], RESTITUTION]
        speed, accel = contacts.real[c, SPEED], contacts.real[c, ACCEL]
        if gap >= -DEEP and _touches(gap, speed, accel, e, s.thresh, s.nominal):
            return True
    for i in range(len(limits.whole)):
        gap = limits.real[i, L_GAP] + min(0.0, ahead * limits.real[i, L_SPEED])
        e = s.limit_restitution[limits.whole[i]]
        if _touches(gap, limits.real[i, L_SPEED], limits.real[i, L_ACCEL], e, s.thresh, s.nominal):
            return True
    return False


@jit
def rebound(s: System, contacts: Contacts, limits: NearLimits, ahead: float):
    """The impact of all closed gaps; positions stay."""
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
    closed = subset(found, chosen)
    reached = _near_limits(s, near, ahead)
    rows = assemble(s, closed, reached, s.velocity, 0.0, s.share, False)
    restitution = np.zeros(len(rows.kind))
    first = len(rows.kind) - len(closed.whole) - len(reached.whole)
    for i in range(len(reached.whole)):
        r = s.limit_restitution[reached.whole[i]]
        speed, accel = reached.real[i, L_SPEED], reached.real[i, L_ACCEL]
        if _touches(0.0, speed, accel, r, s.thresh, s.nominal):
            restitution[first + i] = r
    first += len(reached.whole)
    for c in range(len(closed.whole)):
        r = rules[closed.whole[c, RULE], RESTITUTION]
        is_deep = closed.real[c, GAP] < -DEEP
        speed, accel = closed.real[c, SPEED], closed.real[c, ACCEL]
        if not is_deep and _touches(0.0, speed, accel, r, s.thresh, s.nominal):
            restitution[first + c] = r
    x, report = np.zeros(len(rows.bias)), Report()
    impact(rows, restitution, x, s.trial, s.solver, report)
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
    """The limits that are reached."""
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
    """Accelerations of gaps, from known contacts; the greatest approach of the pair."""
    for c in range(len(found.whole)):
        for j in range(len(contacts.whole)):
            same = contacts.whole[j, A] == found.whole[c, A]
            if same and contacts.whole[j, B] == found.whole[c, B]:
                found.real[c, ACCEL] = min(found.real[c, ACCEL], contacts.real[j, ACCEL])
    for i in range(len(near.whole)):
        for j in range(len(limits.whole)):
            if limits.whole[j] == near.whole[i] and limits.real[j, L_SIDE] == near.real[i, L_SIDE]:
                near.real[i, L_ACCEL] = limits.real[j, L_ACCEL]


@jit
def _time_to(gap: float, speed: float, accel: float, thresh: float, step: float, left: float):
    """When a gap that rebounds closes, to within ``thresh``; ``left`` if not before."""
    if gap <= thresh:
        return left
    gap -= 0.5 * thresh
    root = speed * speed - 2.0 * accel * gap
    if root < 0.0:
        return left
    root = np.sqrt(root)
    if -speed + root <= 0.0:
        return left
    t = 2.0 * gap / (-speed + root)
    if not 0.0 < t < left or -(speed + accel * t) < max(1e-7, 0.5 * step * abs(accel)):
        return left
    return t


@jit
def time_to_rebound(s: System, contacts: Contacts, limits: NearLimits, left: float):
    """The time to the next rebound, or ``left``."""
    t = left
    for c in range(len(contacts.whole)):
        if s.rules[contacts.whole[c, RULE], RESTITUTION] > 0.0:
            real = contacts.real
            gap, speed, accel = real[c, GAP], real[c, SPEED], real[c, ACCEL]
            t = _time_to(gap, speed, accel, s.thresh, s.nominal, t)
    for i in range(len(limits.whole)):
        if s.limit_restitution[limits.whole[i]] > 0.0:
            real = limits.real
            gap, speed, accel = real[i, L_GAP], real[i, L_SPEED], real[i, L_ACCEL]
            t = _time_to(gap, speed, accel, s.thresh, s.nominal, t)
    return t
