"""Velocity targets of loops, tendons and closed contacts for the end of a step.

Impulses that make a loop's rates zero at the pose of the velocity update dissipate energy.  The
rows turn during the drift that follows, so the rates do not stay zero.  The change of the rates is
estimated from the drift between the last two velocity updates, and compensated for.  The same is
true of contacts that stay closed, of slip that friction holds, and of tendons that limits or
friction hold.  On a turntable, rows that hold in the middle of the step let a body move along
chords, and it spirals outwards.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.jit import Floats, Floats2, jit
from ...contact_problem import Report
from ...contact_problem.rows import ConstraintRows
from ...contact_problem.solve import solve
from ...spatial import Vec3
from .assembly import (
    OF_IMPACT,
    assemble,
    blocks_of,
    closing_gap,
    friction_axes,
    slip_velocity,
)
from .contacts import (
    ACCEL,
    GAP,
    IMPULSE,
    IS_SOFT,
    L_ACCEL,
    L_IMPULSE,
    L_SIDE,
    MU,
    NORMAL,
    RESTITUTION,
    RULE,
    SLIP,
    SPEED,
    A,
    B,
    Contacts,
    NearLimits,
    empty_contacts,
    empty_limits,
    load_of,
    vector,
)
from .limits import tendon_of, tendon_rate, tendon_share
from .row_blocks import first_contact, first_limit, row_rate, row_reach
from .system import System

# More closed contacts of a pair are a face, if they have one normal: all have the same target for
# their gaps.  Targets of their own contradict each other by millionths, and such problems take
# three times as long to solve.
_FEW = 2
_FLAT = 0.999999  # cosine of the angle between normals of a face
# Gaps below this count as closed [m], rates of contacts below this as zero [m/s].
_CLOSED, _STILL = 2e-7, 1e-7
# Gaps of contacts that stay closed may be open by so much of what their acceleration makes of a
# step: that is its error.
_OPENED = 0.25
# Greatest target of a row, as a share of the greatest rate it could have at these speeds: faster
# rotations are not compensated for.
_FOLLOWED = 0.2
# Share of a remaining gap that closes in a step.
_CLOSES = 0.5
# Share of the speed at which forces press bodies together in a step that targets may give back.
_RETURNS = 1e-2
# columns of s.loop_past and s.tendon_past: rate after the last update, drift since, -1 unknown [s]
RATE, DRIFT = 0, 1


@jit
def project_rates(s: System):
    """Project velocities on those that loops and gears allow, as an impact would."""
    if first_limit(s) == 0:
        return
    contacts, limits = empty_contacts(0), empty_limits(0)
    blocks = blocks_of(s, contacts, limits, OF_IMPACT)
    rows = assemble(s, blocks, contacts, limits, s.velocity, 0.0)
    x, report = np.zeros(len(rows.kind)), Report()
    solve(rows, x, s.trial, s.solver, report)
    for k in range(len(s.velocity)):
        s.velocity[k] = s.trial[k]
    forget_rates(s)


@jit
def forget_rates(s: System):
    """After an impact: rates of loops are zero, and no drift has passed since."""
    for n in range(len(s.lag)):
        s.lag[n] = 0.0
    for r in range(len(s.loop_rows)):
        s.loop_past[r, RATE] = s.loop_past[r, DRIFT] = 0.0
    forget_tendon_rates(s)


@jit
def forget_tendon_rates(s: System):
    """After an impact, or in a state that was just set, accelerations are not known."""
    for t in range(len(s.tendon_past)):
        s.tendon_past[t, DRIFT] = -1.0


@jit
def target_loop_rates(s: System, rows: ConstraintRows, h: float):
    """Set biases so that the rates of loops are zero where the step ends."""
    for r in range(len(s.loop_rows)):
        share = 1.0
        for k in range(rows.segment[r], rows.segment[r + 1]):
            share = s.share[rows.node[k]]
        drift = s.loop_past[r, DRIFT] + (1.0 - share) * h
        acceleration = 0.0
        if drift > 0.0 and rows.compliance[rows.row[r]] == 0.0:
            acceleration = (row_rate(rows, r, s.velocity) - s.loop_past[r, RATE]) / drift
        most = _FOLLOWED * row_reach(rows, r, s.velocity)
        rows.bias[rows.row[r]] = min(max(share * h * acceleration, -most), most)
        s.loop_past[r, DRIFT] = share * h


@jit
def target_tendon_rates(
    s: System, rows: ConstraintRows, n_contacts: int, limits: NearLimits, h: float
):
    """Set biases so that the rates of tendons that something holds are zero where the step ends.

    ``limits`` still have the impulses of the step before.
    """
    count = len(s.tendon_past)
    if count == 0:
        return
    acceleration, target = np.zeros(count), np.zeros(count)
    for t in range(count):
        rest = h * tendon_share(s, s.share, t)
        drift = s.tendon_past[t, DRIFT] + h - rest
        rate = tendon_rate(s, s.velocity, t)
        if s.tendon_past[t, DRIFT] >= 0.0 and drift > 0.0:
            acceleration[t] = (rate - s.tendon_past[t, RATE]) / drift
        most = _FOLLOWED * _tendon_reach(s, t)
        target[t] = min(max(rest * acceleration[t], -most), most)
        s.tendon_past[t, DRIFT] = rest
    first = first_limit(s)
    for i in range(len(limits.whole)):
        t, side = tendon_of(s, limits.whole[i]), limits.real[i, L_SIDE]
        if t >= 0:
            limits.real[i, L_ACCEL] = side * acceleration[t]
            if limits.real[i, L_IMPULSE] > 0.0:
                rows.bias[rows.row[first + i]] += side * target[t]
    k = len(rows.kind) - n_contacts - len(s.spring_rows)
    for t in range(count - 1, -1, -1):
        if s.tendon_friction[t] > 0.0:
            k -= 1
            rows.bias[rows.row[k]] += target[t]


@jit
def _tendon_reach(s: System, t: int):
    """An upper bound on the rate of a tendon where all velocities are as great as the greatest."""
    total, most = 0.0, 0.0
    for i in range(s.tendon_node_start[t], s.tendon_node_start[t + 1]):
        for k in range(s.dof[s.tendon_node[i]], s.dof[s.tendon_node[i] + 1]):
            total, most = total + abs(s.tendon_row[t, k]), max(most, abs(s.velocity[k]))
    return total * most


@jit
def remember_rates(s: System, rows: ConstraintRows, velocity: Floats):
    """Store the rates of loops and tendons at a velocity; targets may not be met."""
    for t in range(len(s.tendon_past)):
        s.tendon_past[t, RATE] = tendon_rate(s, velocity, t)
    for r in range(len(s.loop_rows)):
        s.loop_past[r, RATE] = row_rate(rows, r, velocity)


@jit
def target_contact_rates(
    s: System, rows: ConstraintRows, contacts: Contacts, slips: Floats2, h: float
):
    """Set biases so that closed gaps, and slip, have zero rate where the step ends.

    ``slips`` are those of the velocities before the step.  ``contacts`` still have the rates of the
    step before.
    """
    begin, count = 0, len(contacts.whole)
    while begin < count:
        end = begin + 1
        while end < count and _same_pair(contacts, begin, end):
            end += 1
        rule = s.rules[contacts.whole[begin, RULE]]
        if rule[IS_SOFT] == 0.0:
            _target_pair(s, rows, contacts, slips, (begin, end), h)
        begin = end


@jit
def _same_pair(contacts: Contacts, i: int, j: int):
    """Whether contacts are between the same geometries; those follow each other."""
    same = contacts.whole[i, A] == contacts.whole[j, A]
    return same and contacts.whole[i, B] == contacts.whole[j, B]


@jit
def _target_pair(
    s: System, rows: ConstraintRows, contacts: Contacts, slips: Floats2, pair: tuple[int, int],
    h: float,
):  # fmt: skip
    """Set biases of the contacts of a pair, from the first to the end of its numbers.

    All have the mean acceleration of those that are closed.  Then the targets of a face are those
    of one motion, and do not contradict each other.
    """
    begin, end = pair
    first = first_contact(rows, contacts)
    lag, rest = _times(s, contacts, begin, h)
    opening, slipping = _accelerations(slips, contacts, begin, end, lag, h - rest)
    if _bounces(s, contacts, begin, end, h * abs(opening)):
        for c in range(begin, end):
            contacts.real[c, ACCEL] = 0.0
        return
    opens = rest * abs(opening) > _STILL
    is_face = _count_closed(contacts, begin, end) > _FEW
    left = _open_at_end(slips, contacts, begin, end, opening, h - rest, rest) if opens else -1.0
    change = math.sqrt(slipping.dot(slipping))
    has_friction = s.rules[contacts.whole[begin, RULE], MU] > 0.0
    for c in range(begin, end):
        row, mu, before = rows.row[first + c], float(rows.mu[first + c]), contacts.real[c, ACCEL]
        closing = closing_gap(float(contacts.real[c, GAP]), mu) / rest
        contacts.real[c, ACCEL], approach = 0.0, closing
        if is_face and left >= 0.0 and _is_closed(contacts, c):
            contacts.real[c, ACCEL] = opening
            approach = rest * opening + _CLOSES * left / h
        elif load_of(contacts, c) <= 0.0 and before > 0.0:
            contacts.real[c, ACCEL] = _parting(slips, contacts, c, before, lag, h - rest)
            approach += 0.5 * rest * contacts.real[c, ACCEL]
        elif opens and not is_face and load_of(contacts, c) > 0.0:
            approach = _gap_target(slips, contacts, c, closing, opening, h - rest, rest)
        if approach != closing:
            normal = vector(contacts.real[c], NORMAL)
            now = vector(slips[c], 0).dot(normal)
            now = min(now, now * (h - rest) / rest)  # no farther than it has opened in the step
            rows.bias[row] += _limited(s, contacts, c, normal, now, approach) - closing
        # What slips faster than that is no contact that was held before.
        is_slow = _length(slips[c]) < h * change
        if has_friction and is_slow and rest * change > _STILL and _is_closed(contacts, c):
            slip = vector(slips[c], 0)
            _target_slip(s, rows, rows.row[first + c], contacts, c, rest * slipping, slip)


@jit
def _bounces(s: System, contacts: Contacts, begin: int, end: int, change: float):
    """Whether closed contacts of a pair with restitution are faster than a change of their rate."""
    if s.rules[contacts.whole[begin, RULE], RESTITUTION] == 0.0:
        return False
    for c in range(begin, end):
        if _is_closed(contacts, c) and abs(contacts.real[c, SPEED]) > change + _STILL:
            return True
    return False


@jit
def _open_at_end(
    slips: Floats2,
    contacts: Contacts,
    begin: int,
    end: int,
    acceleration: float,
    drifted: float,
    rest: float,
):
    """The mean gap of a face where the step ends, at zero rate there; below zero if it is none.

    A face has one normal, and none of its closed contacts has just met or parts.
    """
    total, count = 0.0, 0
    for c in range(begin, end):
        if _is_closed(contacts, c):
            along = vector(contacts.real[c], NORMAL).dot(vector(contacts.real[begin], NORMAL))
            if along < _FLAT or not _stays_closed(slips, contacts, c, acceleration, drifted, rest):
                return -1.0
            total, count = total + contacts.real[c, GAP], count + 1
    return max(total / max(count, 1) - 0.5 * acceleration * rest * rest, 0.0)


@jit
def _parting(slips: Floats2, contacts: Contacts, c: int, before: float, lag: float, drifted: float):
    """The acceleration of a gap that has opened, under constant rates; not below zero.

    Surfaces that turn away from each other are farther apart where the step ends than their rates
    at the velocity update say.  Without it, a body would be pushed away again by what it had left.
    """
    change = _speed_change(slips, contacts, c, before, lag)
    return max(change / (lag + drifted), 0.0) if lag + drifted > 0.0 else 0.0


@jit
def _length(row: Floats):
    """The length of a vector of three numbers."""
    return math.sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2])


@jit
def _target_slip(
    s: System, rows: ConstraintRows, row: int, contacts: Contacts, c: int, ahead: Vec3, slip: Vec3
):
    """Let friction hold contact ``c`` where the step ends: until then slip changes by ``ahead``.

    Where that would add energy if friction acts as in the step before, ``slip`` is reversed, which
    adds none.
    """
    one, two = friction_axes(s, contacts, c)
    push = vector(contacts.real[c], IMPULSE)
    push = one.dot(push) * one + two.dot(push) * two
    target = push.dot(ahead)
    if _limited(s, contacts, c, push, push.dot(slip), target) > target:
        ahead = slip
    rows.bias[row + 1] += one.dot(ahead)
    rows.bias[row + 2] += two.dot(ahead)


@jit
def _count_closed(contacts: Contacts, begin: int, end: int):
    """How many of some contacts are closed."""
    count = 0
    for c in range(begin, end):
        count += _is_closed(contacts, c)
    return count


@jit
def _gap_target(
    slips: Floats2,
    contacts: Contacts,
    c: int,
    closing: float,
    acceleration: float,
    drifted: float,
    rest: float,
):
    """How fast a gap closes at the velocity update to have zero rate where the step ends.

    Parts of the step before and after the velocity update are ``drifted`` and ``rest``.  A contact
    that has just met closes what is left of its gap, at the speed ``closing``.
    """
    if not _stays_closed(slips, contacts, c, acceleration, drifted, rest):
        return closing
    real = contacts.real[c]
    real[ACCEL] = acceleration
    left = max(real[GAP] - 0.5 * acceleration * rest * rest, 0.0)
    return rest * acceleration + _CLOSES * left / (drifted + rest)


@jit
def _limited(s: System, contacts: Contacts, c: int, direction: Vec3, now: float, target: float):
    """The speed against ``direction`` after an impulse along it: ``target`` if no energy is added.

    An impulse does work at the mean of the speeds before and after it: none where the speed before,
    ``now``, is reversed.  Energy added to bodies that no force presses together would stay.  A
    little of what forces press them together with may come back.
    """
    if now <= target:
        return target
    free = slip_velocity(s, s.free, contacts, c).dot(direction)
    return max(target, now - _RETURNS * max(now - free, 0.0))


@jit
def _stays_closed(
    slips: Floats2, contacts: Contacts, c: int, acceleration: float, drifted: float, rest: float
):
    """Whether a gap was closed when the step began, to within the error of its acceleration."""
    real = contacts.real[c]
    speed = vector(slips[c], 0).dot(vector(real, NORMAL))
    # A gap that was closed when the step began has opened by this since.
    gap, opened = real[GAP], drifted * (speed - 0.5 * acceleration * drifted)
    step = drifted + rest
    change, closed = abs(acceleration) * step, _CLOSED
    if abs(real[SPEED]) <= change:  # faster ones have just met
        closed += _OPENED * change * step
    return gap - opened < closed + 0.1 * abs(opened)


@jit
def _accelerations(
    slips: Floats2, contacts: Contacts, begin: int, end: int, lag: float, drifted: float
):
    """Mean accelerations of gap and slip of the closed contacts of a pair, under constant rates.

    From the changes since the last velocity update, ``lag`` before the step, until this one.
    """
    opening, slipping = 0.0, Vec3(0.0, 0.0, 0.0)
    for c in range(begin, end):
        if _is_closed(contacts, c):
            real, slip = contacts.real[c], vector(slips[c], 0)
            opening += _speed_change(slips, contacts, c, real[ACCEL], lag)
            slipping = slipping + (slip - vector(real, SLIP))
    closed = _count_closed(contacts, begin, end)
    if closed == 0 or lag + drifted <= 0.0:
        return 0.0, Vec3(0.0, 0.0, 0.0)
    scale = 1.0 / (closed * (lag + drifted))
    return scale * opening, scale * slipping


@jit
def _speed_change(slips: Floats2, contacts: Contacts, c: int, acceleration: float, lag: float):
    """By how much the rate of a gap has changed since the last velocity update."""
    real = contacts.real[c]
    speed = vector(slips[c], 0).dot(vector(real, NORMAL))
    return speed - (real[SPEED] - lag * acceleration)


@jit
def _times(s: System, contacts: Contacts, c: int, h: float):
    """Time from the last velocity update to the start of the step, and from this one to its end."""
    lag = rest = 0.0
    for g in (contacts.whole[c, A], contacts.whole[c, B]):
        if s.surface_body[g] >= 0:
            n = s.body_node[s.surface_body[g]]
            lag, rest = max(lag, s.lag[n]), max(rest, s.share[n] * h)
    return lag, rest


@jit
def _is_closed(contacts: Contacts, c: int):
    """Whether a contact carried a load in the step before, or is closed now."""
    return contacts.real[c, GAP] <= _CLOSED or load_of(contacts, c) > 0.0
