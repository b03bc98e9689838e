"""Velocity targets of loops and closed contacts for the end of a step.

Impulses that make a loop's rates zero at the pose of the velocity update dissipate energy: the
rows turn during the drift that follows, so the rates do not stay zero.  The change of the rates
is estimated from the drift between the last two velocity updates, and compensated for.  The same
holds for contacts that stay closed.
"""

from __future__ import annotations

import numpy as np

from ...compiler.jit import jit
from ...contact_problem import Report, solve
from ...contact_problem.rows import ConstraintRows
from .assembly import assemble, slip_velocity
from .contacts import (
    ACCEL,
    GAP,
    IMPULSE,
    IS_SOFT,
    MU,
    NORMAL,
    RESTITUTION,
    RULE,
    SPEED,
    A,
    B,
    Contacts,
    empty_contacts,
    empty_limits,
)
from .row_blocks import row_rate, row_reach
from .system import System

# Gaps below this count as closed [m], rates of contacts below this as zero [m/s].
_CLOSED, _STILL = 2e-7, 1e-7
# Share of the square of the greatest friction above which something slips.
_SLIPS = 0.998
# Greatest target of a row, as a share of the greatest rate it could have at these speeds: faster
# rotations are not compensated for.
_FOLLOWED = 0.2
# Share of a remaining gap that closes in a step.
_CLOSES = 0.5
RATE, DRIFT = 0, 1  # columns of s.loop_past: rate after the last update, drift since [s]


@jit
def project_rates(s: System):
    """Project velocities on those that loops and gears allow, as an impact would."""
    if len(s.loop_rows) + len(s.gear_dof) == 0:
        return
    rows = assemble(s, empty_contacts(0), empty_limits(0), s.velocity, 0.0, s.share, False)
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
def remember_rates(s: System, rows: ConstraintRows):
    """Store the rates of loops after a velocity update, which may differ from the targets."""
    for r in range(len(s.loop_rows)):
        s.loop_past[r, RATE] = row_rate(rows, r, s.velocity)


@jit
def target_contact_rates(s: System, rows: ConstraintRows, contacts: Contacts, h: float):
    """Set biases so that gaps that stay closed have zero rate where the step ends.

    ``contacts`` still have the rates at the end of the step before.
    """
    first = len(rows.kind) - len(contacts.whole)
    for c in range(len(contacts.whole)):
        real, rule = contacts.real, s.rules[contacts.whole[c, RULE]]
        if rule[RESTITUTION] > 0.0 or not _is_alone(contacts, c):
            continue
        lag, rest = _times(s, contacts, c, h)
        acceleration = _gap_acceleration(s, contacts, c, lag, h - rest)
        # A gap that was closed when the step began has opened by this since.
        gap, opened = real[c, GAP], 0.5 * acceleration * (h - rest) * (h - rest)
        has_target = (
            rule[IS_SOFT] == 0.0
            and abs(rest * acceleration) > _STILL
            and abs(gap - opened) < _CLOSED + 0.1 * abs(opened)
        )
        real[c, ACCEL] = acceleration if has_target else 0.0
        if has_target:
            left = max(gap - opened, 0.0)
            rows.bias[rows.row[first + c]] += (
                rest * acceleration - max(gap, 0.0) / rest + _CLOSES * left / h
            )


@jit
def _is_alone(contacts: Contacts, c: int):
    """Whether two geometries touch in one point.

    The targets of several contradict each other by millionths, and such problems take three
    times as long to solve.  Contacts of a pair follow each other.
    """
    for j in (c - 1, c + 1):
        if 0 <= j < len(contacts.whole):
            same = contacts.whole[j, A] == contacts.whole[c, A]
            if same and contacts.whole[j, B] == contacts.whole[c, B]:
                return False
    return True


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
def _gap_acceleration(s: System, contacts: Contacts, c: int, lag: float, ahead: float):
    """Mean acceleration of a pressed gap since the last velocity update; 0 where friction sticks.

    There the rows of friction hold at the pose of the velocity update, and the gap's is to as well.
    """
    real = contacts.real
    push = speed = force = 0.0
    v = slip_velocity(s, s.velocity, contacts, c)
    for k in range(3):
        push += real[c, NORMAL + k] * real[c, IMPULSE + k]
        force += real[c, IMPULSE + k] * real[c, IMPULSE + k]
        speed += real[c, NORMAL + k] * v[k]
    mu = s.rules[contacts.whole[c, RULE], MU]
    holds = mu > 0.0 and force - push * push < _SLIPS * (mu * push) * (mu * push)
    if push <= 0.0 or holds or lag + ahead <= 0.0:
        return 0.0
    return (speed - (real[c, SPEED] - lag * real[c, ACCEL])) / (lag + ahead)
