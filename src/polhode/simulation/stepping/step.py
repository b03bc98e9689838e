"""A step in time: impacts where they happen, and motion under contact between them.

Within a step nodes drift for half of it.  Their velocities are updated by forces and contact
impulses at the poses they have reached, and they drift for the other half.  Free flight is then
reversible, of second order, and exact in uniform gravity.  A node about to hit something without
rebound has its velocity updated first and drifts afterwards, so that it stops at the contact.
"""

from __future__ import annotations

import numpy as np

from ...compiler.jit import Floats, jit
from ..addresses import call_back
from .adhesion import pull_together
from .assembly import contact_share
from .constrained_velocity import constrain_velocities
from .contact_detection import find_contacts, measure, measure_limits, note_slips
from .contacts import (
    ACCEL,
    GAP,
    IMPULSE,
    IS_SOFT,
    L_ACCEL,
    L_GAP,
    L_IMPULSE,
    L_SPEED,
    RULE,
    SPEED,
    A,
    B,
    Contacts,
    NearLimits,
    empty_contacts,
    empty_limits,
    follows_surface,
    vector,
)
from .counter_indices import (
    ELAPSED,
    LAST_STEP,
    LOOP_ERROR,
    N_CAPPED,
    N_CONTACTS,
    N_MINI,
    N_STEPS,
    N_UNCONVERGED,
    NOT_FINITE,
    PENETRATION,
    PUSH_OUT,
    STOP,
)
from .free_motion import find_fast_machines, find_gyroscopic_machines, integrate_free_motion
from .free_velocity import MOST_CONTRACTION, factorise_masses, free_velocities
from .held_actuators import act, hold_activation, note_asked
from .limits import find_limits, limit_nodes, limit_share, tendon_of
from .loop_rates import forget_tendon_rates, project_rates
from .motion import drift_node, update
from .projection import close_loops, push_apart
from .rebound import (
    gap_accelerations,
    rebound,
    rebound_within,
    rebounds,
    time_to_rebound,
)
from .system import System

STEP_BEGINS, MID_STEP = 0, 3  # stages of the callback, beside those of `contact_detection`
# How often a part of a step is tried again, shorter, for a rebound found within it.
_MOST_CUTS = 8
_ROUNDING = 1e-9  # of the time to a rebound, relative
# Gaps that close by less in half a step are closed [m or rad]: as small an overlap always stays.
_TOUCH = 1e-7


@jit
def _choose_shares(s: System, contacts: Contacts, limits: NearLimits, h: float):
    """Set which share of its drift each node makes after the velocity update: half, or all.

    All of it where half a step at the present velocity would run into something.  Contacts that a
    body slides or rolls over are nothing new.  Errors of their rates may close them by nanometres,
    and by more where targets are limited.  They need no such step, which is of first order.
    """
    share = s.share
    for n in range(len(share)):
        share[n] = 0.5
    marked = False
    for c in range(len(contacts.whole)):
        move = 0.5 * h * contacts.real[c, SPEED]
        closes = move < -_TOUCH and contacts.real[c, GAP] + move < -_TOUCH
        if closes and not follows_surface(contacts, c, h):
            marked = True
            for g in (contacts.whole[c, A], contacts.whole[c, B]):
                if s.surface_body[g] >= 0:
                    share[s.body_node[s.surface_body[g]]] = 1.0
    for i in range(len(limits.whole)):
        t = tendon_of(s, limits.whole[i])
        if t >= 0 and _stays_taut(limits, i, h):
            continue
        move = 0.5 * h * limits.real[i, L_SPEED]
        if move < -_TOUCH and limits.real[i, L_GAP] + move < -_TOUCH:
            marked = True
            n, m = limit_nodes(s, limits.whole[i]) if t < 0 else (-1, -1)
            for k in (n, m):
                if k >= 0:
                    share[k] = 1.0
            if t >= 0:
                for k in range(s.tendon_node_start[t], s.tendon_node_start[t + 1]):
                    share[s.tendon_node[k]] = 1.0
    if marked:
        _spread_shares(s, share, contacts)


@jit
def _stays_taut(limits: NearLimits, i: int, h: float):
    """Whether a limit of a tendon was reached before, and not by what closes in this step.

    Then the tendon has a target for the end of the step, in which it turns.
    """
    real = limits.real[i]
    return real[L_IMPULSE] > 0.0 and abs(real[L_SPEED]) <= h * abs(real[L_ACCEL])


@jit
def _spread_shares(s: System, share: Floats, contacts: Contacts):
    """Give connected nodes the same share."""
    again = True
    while again:
        again = False
        for c in range(len(contacts.whole)):
            a, b = s.surface_body[contacts.whole[c, A]], s.surface_body[contacts.whole[c, B]]
            if a >= 0 and b >= 0:
                again = _equal(share, s.body_node[a], s.body_node[b]) or again
        for r in range(len(s.loop_a)):
            a, b = s.loop_a[r], s.loop_b[r]
            if a >= 0 and b >= 0:
                again = _equal(share, s.body_node[a], s.body_node[b]) or again
        for g in range(len(s.gear_dof)):
            a, b = s.gear_dof[g, 0], s.gear_dof[g, 1]
            again = _equal(share, s.dof_node[a], s.dof_node[b]) or again
        for t in range(len(s.tendon_length)):
            for k in range(s.tendon_node_start[t] + 1, s.tendon_node_start[t + 1]):
                again = _equal(share, s.tendon_node[k - 1], s.tendon_node[k]) or again


@jit
def _equal(share: Floats, n: int, m: int):
    if share[n] == share[m]:
        return False
    share[n] = share[m] = 1.0
    return True


@jit
def mini_step(
    s: System,
    contacts: Contacts,
    limits: NearLimits,
    h: float,
    is_shortest: bool,
    stops_at_rebound: bool,
):
    """Advance by ``h``, with impulses from contact but no rebound.

    Two kinds of steps are not made.  Those too long for a model, unless it ``is_shortest``: then
    the third result, the contraction factor of `free_velocities`, is not 0.  And, if it
    ``stops_at_rebound``, those with a rebound on the way: then the fourth, its time, is not ``h``.
    """
    count = len(s.machine)
    position, velocity = s.position.copy(), s.velocity.copy()
    _choose_shares(s, contacts, limits, h)
    find_fast_machines(s, h)
    contraction = _to_mid_step(s, h, is_shortest, contacts)
    goes_on = contraction == 0.0 and s.counters[STOP] == 0 and _has_models(s)
    if goes_on and find_gyroscopic_machines(s, _loaded_nodes(s, contacts), h):
        _put_back(s, position, velocity)
        contraction = _to_mid_step(s, h, is_shortest, contacts)
    if s.counters[STOP] != 0:
        return contacts, limits, 0.0, h
    if contraction > 0.0:
        if not is_shortest:
            _put_back(s, position, velocity)
            return contacts, limits, contraction, h
        s.counters[N_CAPPED] += 1
    found = find_contacts(s, h, contacts)
    near = find_limits(s, h, limits)
    gap_accelerations(s, found, near, h)
    until = rebound_within(s, found, near, h) if stops_at_rebound else h
    if until < (1.0 - _ROUNDING) * h:
        _put_back(s, position, velocity)
        return contacts, limits, 0.0, until
    slips = constrain_velocities(s, found, near, h)
    for k in range(len(s.velocity)):
        s.held[k] = (s.trial[k] - s.free[k]) / h
        s.velocity[k] = s.trial[k]
    note_slips(found, slips)
    measure_limits(s, near, s.velocity)
    for c in range(len(found.whole)):
        after = contact_share(s, found, c)
        found.real[c, GAP] += after * h * found.real[c, SPEED]
        change = after * h * found.real[c, ACCEL]
        found.real[c, GAP] += 0.5 * after * h * change
        found.real[c, SPEED] += change
    for i in range(len(near.whole)):
        rest = limit_share(s, s.share, near.whole[i]) * h
        near.real[i, L_GAP] += rest * near.real[i, L_SPEED]
        if tendon_of(s, near.whole[i]) >= 0:
            near.real[i, L_GAP] += 0.5 * rest * rest * near.real[i, L_ACCEL]
            near.real[i, L_SPEED] += rest * near.real[i, L_ACCEL]
    for n in range(count):
        _drift(s, n, s.share[n] * h)
        s.lag[n] = s.share[n] * h
    s.totals[PUSH_OUT] += push_apart(s, found, near)
    s.totals[LAST_STEP] = h
    s.counters[N_MINI] += 1
    return found, near, 0.0, h


@jit
def _to_mid_step(s: System, h: float, is_shortest: bool, contacts: Contacts):
    """Drift up to the velocity update, and find the free velocities: their contraction factor."""
    for n in range(len(s.machine)):
        if s.share[n] < 1.0:
            _drift(s, n, (1.0 - s.share[n]) * h)
    update(s, s.velocity)
    if len(s.act_program):
        act(s)
    if s.asks_at_mid_step != 0:
        call_back(s.hook, MID_STEP)
        if s.counters[STOP] != 0:
            return 0.0
    if len(s.adhesion):
        pull_together(s, contacts)
    return free_velocities(s, h, is_shortest)


@jit
def _has_models(s: System):
    """Whether any node is a model with joints, and not a free body."""
    some = False
    for machine in s.machine:
        some = some or machine >= 0
    return some


@jit
def _loaded_nodes(s: System, contacts: Contacts):
    """On which nodes contacts pressed in the step before."""
    is_loaded = np.zeros(len(s.machine), np.bool_)
    for c in range(len(contacts.whole)):
        impulse = vector(contacts.real[c], IMPULSE)
        for g in (contacts.whole[c, A], contacts.whole[c, B]):
            if s.surface_body[g] >= 0 and impulse.dot(impulse) > 0.0:
                is_loaded[s.body_node[s.surface_body[g]]] = True
    return is_loaded


@jit
def _drift(s: System, n: int, duration: float):
    """Move node ``n`` without force."""
    if s.is_fast[n]:
        integrate_free_motion(s, n, duration)
    else:
        drift_node(s, n, s.velocity, duration)


@jit
def _put_back(s: System, position: Floats, velocity: Floats):
    for k in range(len(position)):
        s.position[k] = position[k]
    for k in range(len(velocity)):
        s.velocity[k] = velocity[k]


@jit
def step(s: System, contacts: Contacts, limits: NearLimits, h: float):
    """Advance by ``h``; return contacts and limits as they are then."""
    if len(s.act_program):
        note_asked(s)
    if len(s.activation):
        hold_activation(s)
    if s.hook != 0:
        call_back(s.hook, STEP_BEGINS)
        if s.counters[STOP] != 0:
            return contacts, limits
    # Time that is left, the longest part that models allow, and the time to a rebound that was
    # found in a part; parts made, and how often the present one was cut.
    left, longest, until, parts, cuts = h, h, h, 0, 0
    unsolved = s.counters[N_UNCONVERGED]
    while left > 0.0:
        if s.counters[N_UNCONVERGED] > unsolved:  # the next may fail, too: only one more
            parts = s.max_minis
        is_capped = parts >= s.max_minis
        part, is_shortest = left, True
        if is_capped:
            s.counters[N_CAPPED] += 1
        else:
            ahead = min(s.min_step, left)
            if cuts == 0 and rebounds(s, contacts, limits, ahead):
                contacts, limits = rebound(s, contacts, limits, ahead)
            part = min(until, time_to_rebound(s, contacts, limits, left))
            part = min(left, max(part, s.min_step))
            if left - part < s.min_step:
                part = left
            shortest = max(s.min_step, left / (s.max_minis - parts))
            is_shortest = longest <= shortest
            part = min(part, max(longest, shortest))
        stops = not is_capped and cuts < _MOST_CUTS and part > s.min_step
        s.totals[ELAPSED] = h - left + 0.5 * part
        contacts, limits, contraction, until = mini_step(
            s, contacts, limits, part, is_shortest, stops
        )
        if contraction > 0.0:
            longest = part * max(0.1, 0.5 * MOST_CONTRACTION / contraction)
            continue
        if until < part:
            cuts += 1
            continue
        left = 0.0 if part == left else left - part
        parts, cuts, until = parts + 1, 0, left
        if s.counters[STOP] != 0:
            return contacts, limits
    _after(s, contacts, limits)
    return contacts, limits


@jit
def _after(s: System, contacts: Contacts, limits: NearLimits):
    """Close loops, apply the dissipation factors, and update the report."""
    error = close_loops(s, empty_contacts(0), empty_limits(0))
    s.totals[LOOP_ERROR] = max(s.totals[LOOP_ERROR], error)
    for n in range(len(s.machine)):
        if s.dissipation[n] != 1.0:
            for k in range(s.dof[n], s.dof[n + 1]):
                s.velocity[k] *= s.dissipation[n]
    deepest = 0.0
    for c in range(len(contacts.whole)):
        if s.rules[contacts.whole[c, RULE], IS_SOFT] == 0.0:
            deepest = min(deepest, contacts.real[c, GAP])
    s.totals[PENETRATION] = max(s.totals[PENETRATION], -deepest)
    s.counters[N_STEPS] += 1
    s.counters[N_CONTACTS] += len(contacts.whole)
    if not (_are_finite(s.velocity) and _are_finite(s.position)):
        s.counters[STOP] = NOT_FINITE


@jit
def _are_finite(numbers: Floats):
    """Whether all of some numbers are finite."""
    each = True
    for x in numbers:
        each = each and abs(x) < np.inf
    return each


@jit
def find_near(s: System):
    """Contacts and limits at the present positions; velocities are made ones that loops allow."""
    for k in range(len(s.held)):
        s.held[k] = 0.0
    update(s, s.velocity)
    factorise_masses(s)
    project_rates(s)
    forget_tendon_rates(s)
    contacts = find_contacts(s, s.nominal, empty_contacts(0))
    limits = find_limits(s, s.nominal, empty_limits(0))
    measure(s, contacts, limits, s.velocity)
    if len(s.velocity):
        find_fast_machines(s, s.nominal)
        free_velocities(s, s.nominal, False)
        gap_accelerations(s, contacts, limits, s.nominal)
    return contacts, limits
