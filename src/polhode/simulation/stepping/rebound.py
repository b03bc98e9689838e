"""Restitution: which gaps rebound, when the next one does, and the impacts."""

from __future__ import annotations

import numpy as np

from ...compiler.jit import Floats, jit
from ...contact_problem import Report
from ...contact_problem.solve import impact
from .assembly import OF_IMPACT, assemble, blocks_of, contact_share, slip_velocity
from .contact_detection import find_contacts, measure
from .contacts import (
    DEEP,
    FREE_ACCEL,
    GAP,
    IS_SOFT,
    L_ACCEL,
    L_GAP,
    L_IMPULSE,
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
    follows_surface,
    limit_subset,
    load_of,
    subset,
    vector,
)
from .counter_indices import CLIPPED, N_CAPPED, N_IMPACTS, N_UNCONVERGED
from .free_velocity import factorise_masses
from .impulses import note, put_contact_impulses
from .limits import find_limits, limit_rate, limit_share
from .loop_rates import forget_rates
from .motion import update
from .system import System

# Gaps up to this are rounding [m or rad]: positions of a few metres after thousands of steps.
_ROUNDING = 1e-11
# Gaps that close more slowly do not rebound [m/s or rad/s].
_SLOWEST = 1e-7
# Most impacts of one moment: then what still closes stops without rebound.
MOST_IMPACTS = 256


@jit
def gap_accelerations(s: System, contacts: Contacts, limits: NearLimits, h: float):
    """Accelerations of gaps under forces alone, for those that rebound; ``s.trial`` is overwritten.

    ``s.velocity`` and ``s.free`` are the velocities before and after a step of ``h``.
    """
    is_asked = len(limits.whole) > 0
    for c in range(len(contacts.whole)):
        is_asked = is_asked or s.rules[contacts.whole[c, RULE], RESTITUTION] > 0.0
    if not is_asked:
        return
    rates = s.trial
    for k in range(len(rates)):
        rates[k] = (s.free[k] - s.velocity[k]) / h
    for c in range(len(contacts.whole)):
        if s.rules[contacts.whole[c, RULE], RESTITUTION] > 0.0:
            real = contacts.real[c]
            real[FREE_ACCEL] = _relative(s, rates, contacts, c).dot(vector(real, NORMAL))
    for i in range(len(limits.whole)):
        limits.real[i, L_ACCEL] = limits.real[i, L_SIDE] * limit_rate(s, rates, limits.whole[i])


@jit
def _relative(s: System, rates: Floats, contacts: Contacts, c: int):
    """`slip_velocity` without moving surfaces."""
    return slip_velocity(s, rates, contacts, c) - slip_velocity(s, s.zero_velocity, contacts, c)


@jit
def _approaches(s: System, speed: float, accel: float):
    """Whether a gap closes so fast that it rebounds; slower ones stay closed."""
    return speed < -max(_SLOWEST, 0.5 * s.nominal * abs(accel))


@jit
def _contact_rebounds(s: System, contacts: Contacts, c: int):
    """Whether contact ``c`` rebounds where it closes."""
    real = contacts.real[c]
    if not _may_rebound(s, contacts, c) or real[GAP] < -DEEP:
        return False
    return _approaches(s, real[SPEED], real[FREE_ACCEL])


@jit
def _may_rebound(s: System, contacts: Contacts, c: int):
    """Whether contact ``c`` has restitution, and does not stay closed on curved ground."""
    has_restitution = s.rules[contacts.whole[c, RULE], RESTITUTION] > 0.0
    return has_restitution and not follows_surface(contacts, c, s.nominal)


@jit
def _limit_rebounds(s: System, limits: NearLimits, i: int):
    """Whether limit ``i`` rebounds where it is reached."""
    real = limits.real[i]
    has_restitution = s.limit_restitution[limits.whole[i]] > 0.0
    return has_restitution and _approaches(s, real[L_SPEED], real[L_ACCEL])


@jit
def _first_closing(s: System, contacts: Contacts, limits: NearLimits):
    """The gap that rebounds and closes first at the present speeds: when, and the gap.

    The time is below zero for an overlap, and infinite if there is none.
    """
    first, gap = np.inf, np.inf
    for c in range(len(contacts.whole)):
        if _contact_rebounds(s, contacts, c):
            t = contacts.real[c, GAP] / -contacts.real[c, SPEED]
            if t < first:
                first, gap = t, contacts.real[c, GAP]
    for i in range(len(limits.whole)):
        if _limit_rebounds(s, limits, i):
            t = limits.real[i, L_GAP] / -limits.real[i, L_SPEED]
            if t < first:
                first, gap = t, limits.real[i, L_GAP]
    return first, gap


@jit
def rebounds(s: System, contacts: Contacts, limits: NearLimits, ahead: float):
    """Whether anything rebounds now; gaps that close within ``ahead`` count as closed."""
    first, gap = _first_closing(s, contacts, limits)
    return first <= ahead or gap <= s.thresh


@jit
def rebound(s: System, contacts: Contacts, limits: NearLimits, ahead: float):
    """The impacts of this moment, one after the other, each with the velocities that it finds.

    Positions stay, and so do contacts: they are found again when no more rebound, as bodies that
    are faster now may reach others.  No more than `MOST_IMPACTS`; if that is reached, it is
    counted.
    """
    update(s, s.velocity)
    factorise_masses(s)
    contacts, limits = _find(s, contacts, limits)
    unsolved, left, is_new = s.counters[N_UNCONVERGED], MOST_IMPACTS, True
    while left > 0:
        if s.counters[N_UNCONVERGED] == unsolved and rebounds(s, contacts, limits, ahead):
            _impact_of_first(s, contacts, limits)
            measure(s, contacts, limits, s.velocity)
            left, is_new = left - 1, False
        elif is_new:
            return contacts, limits
        else:
            contacts, limits = _find(s, contacts, limits)
            is_new = True
    s.counters[N_CAPPED] += 1
    return _find(s, contacts, limits)


@jit
def _find(s: System, contacts: Contacts, limits: NearLimits):
    """Contacts and limits that the present velocities may close in the next steps."""
    found = find_contacts(s, s.nominal, contacts)
    near = find_limits(s, s.nominal, limits)
    _inherit(found, contacts, near, limits)
    measure(s, found, near, s.velocity)
    for n in range(len(s.lag)):
        s.lag[n] = 0.0
    return found, near


@jit
def _impact_of_first(s: System, contacts: Contacts, limits: NearLimits):
    """The impact of the gap that closes first, and of all that are closed with it."""
    first, _ = _first_closing(s, contacts, limits)
    closed = subset(contacts, _closed_contacts(s, contacts, first))
    reached = limit_subset(limits, _closed_limits(s, limits, first))
    blocks = blocks_of(s, closed, reached, OF_IMPACT)
    rows = assemble(s, blocks, closed, reached, s.velocity, 0.0)
    restitution = np.zeros(len(rows.kind))
    at = len(rows.kind) - len(closed.whole)
    for c in range(len(closed.whole)):
        if _contact_rebounds(s, closed, c):
            restitution[at + c] = s.rules[closed.whole[c, RULE], RESTITUTION]
    at -= len(reached.whole)
    for i in range(len(reached.whole)):
        if _limit_rebounds(s, reached, i):
            restitution[at + i] = s.limit_restitution[reached.whole[i]]
    x, report = np.zeros(len(rows.bias)), Report()
    impact(rows, restitution, x, s.trial, s.solver, report)
    note(s, report, s.solver.tolerance)
    put_contact_impulses(s, closed, rows, x)
    s.totals[CLIPPED] += report.energy_clipped
    s.counters[N_IMPACTS] += 1
    forget_rates(s)
    for k in range(len(s.velocity)):
        s.velocity[k] = s.trial[k]


@jit
def _closed_contacts(s: System, contacts: Contacts, first: float):
    """Which contacts take part in the impact of the gap that closes after ``first``.

    Those closed by then to within `_ROUNDING`.  Up to ``s.thresh`` also those without rebound, and
    those that carry a load.  If one contact between two bodies is closed, all between them are up
    to there, as the corners of a face.
    """
    count = len(contacts.whole)
    chosen, meets = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    for c in range(count):
        rule, real = s.rules[contacts.whole[c, RULE]], contacts.real[c]
        if rule[IS_SOFT] == 0.0:
            meets[c] = chosen[c] = _is_closed(real[GAP], real[SPEED], first)
            if real[GAP] <= s.thresh and (rule[RESTITUTION] == 0.0 or load_of(contacts, c) > 0.0):
                chosen[c] = True
    for c in range(count):
        for j in range(count if contacts.real[c, GAP] <= s.thresh and not chosen[c] else 0):
            if meets[j] and _same_bodies(s, contacts, c, j):
                chosen[c] = s.rules[contacts.whole[c, RULE], IS_SOFT] == 0.0
    return chosen


@jit
def _is_closed(gap: float, speed: float, first: float):
    """Whether a gap is closed when the first one closes."""
    return gap + max(first, 0.0) * min(speed, 0.0) <= _ROUNDING


@jit
def _same_bodies(s: System, contacts: Contacts, c: int, j: int):
    """Whether two contacts are between the same bodies; immovable geometries are one each."""
    a, b = _side(s, contacts.whole[c, A]), _side(s, contacts.whole[c, B])
    u, v = _side(s, contacts.whole[j, A]), _side(s, contacts.whole[j, B])
    return (a == u and b == v) or (a == v and b == u)


@jit
def _side(s: System, g: int):
    return s.surface_body[g] if s.surface_body[g] >= 0 else -1 - g


@jit
def _closed_limits(s: System, limits: NearLimits, first: float):
    """Which limits take part in the impact of the gap that closes after ``first``."""
    chosen = np.zeros(len(limits.whole), np.bool_)
    for i in range(len(limits.whole)):
        real = limits.real[i]
        chosen[i] = _is_closed(real[L_GAP], real[L_SPEED], first)
        is_held = s.limit_restitution[limits.whole[i]] == 0.0 or real[L_IMPULSE] > 0.0
        if is_held and real[L_GAP] <= s.thresh:
            chosen[i] = True
    return chosen


@jit
def _inherit(found: Contacts, contacts: Contacts, near: NearLimits, limits: NearLimits):
    """Accelerations of gaps, from known contacts; the greatest approach of the pair."""
    for c in range(len(found.whole)):
        for j in range(len(contacts.whole)):
            same = contacts.whole[j, A] == found.whole[c, A]
            if same and contacts.whole[j, B] == found.whole[c, B]:
                found.real[c, FREE_ACCEL] = min(
                    found.real[c, FREE_ACCEL], contacts.real[j, FREE_ACCEL]
                )
    for i in range(len(near.whole)):
        for j in range(len(limits.whole)):
            if limits.whole[j] == near.whole[i] and limits.real[j, L_SIDE] == near.real[i, L_SIDE]:
                near.real[i, L_ACCEL] = limits.real[j, L_ACCEL]


@jit
def _time_to(s: System, gap: float, speed: float, accel: float, left: float):
    """When a gap that rebounds closes, to within ``s.thresh``; ``left`` if not before."""
    if gap <= s.thresh:
        return left
    gap -= 0.5 * s.thresh
    root = speed * speed - 2.0 * accel * gap
    if root < 0.0:
        return left
    root = np.sqrt(root)
    if -speed + root <= 0.0:
        return left
    t = 2.0 * gap / (-speed + root)
    if not 0.0 < t < left or not _approaches(s, speed + accel * t, accel):
        return left
    return t


@jit
def time_to_rebound(s: System, contacts: Contacts, limits: NearLimits, left: float):
    """The time to the next rebound, or ``left``."""
    t = left
    for c in range(len(contacts.whole)):
        if _may_rebound(s, contacts, c):
            real = contacts.real
            t = _time_to(s, real[c, GAP], real[c, SPEED], real[c, FREE_ACCEL], t)
    for i in range(len(limits.whole)):
        if s.limit_restitution[limits.whole[i]] > 0.0:
            real = limits.real
            t = _time_to(s, real[i, L_GAP], real[i, L_SPEED], real[i, L_ACCEL], t)
    return t


@jit
def rebound_within(s: System, contacts: Contacts, limits: NearLimits, h: float):
    """The time from the start of a step of ``h`` to the first rebound in it, or ``h``.

    As seen from the poses of the velocity update, before that.  Some contacts were not near when
    the step began, or their normals turn on the way: they are placed better from there.
    """
    t = h
    for c in range(len(contacts.whole)):
        if _may_rebound(s, contacts, c):
            real = contacts.real[c]
            speed = slip_velocity(s, s.velocity, contacts, c).dot(vector(real, NORMAL))
            drifted = h * (1.0 - contact_share(s, contacts, c))
            t = _time_to(s, real[GAP] - drifted * speed, speed, real[FREE_ACCEL], t)
    for i in range(len(limits.whole)):
        if s.limit_restitution[limits.whole[i]] > 0.0:
            real = limits.real[i]
            speed = real[L_SIDE] * limit_rate(s, s.velocity, limits.whole[i])
            drifted = h * (1.0 - limit_share(s, s.share, limits.whole[i]))
            t = _time_to(s, real[L_GAP] - drifted * speed, speed, real[L_ACCEL], t)
    return t
