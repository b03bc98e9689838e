"""Velocities after a step under all constraints, with rows of those contacts alone that may close.

Most contacts that are near stay open in a step.  Such a contact has no impulse, but its rows would
join bodies that have nothing to do with each other into one problem.  So contacts that free motion
leaves open have no rows at first.  Those that the velocities found close have rows, too, and the
step is solved again.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.jit import Bools, Floats, Floats2, jit
from ...contact_problem import NO_SLIP
from ...contact_problem.retries import go_on
from ...contact_problem.rows import ConstraintRows
from ...contact_problem.springs import STEEPEST
from .applied_forces import note_forces
from .assembly import (
    OF_STEP,
    assemble,
    blocks_of,
    closing_gap,
    contact_share,
    friction_axes,
    put_slip_velocities,
    slip_velocities,
    slip_velocity,
)
from .contacts import (
    ACCEL,
    GAP,
    IMPULSE,
    IS_SOFT,
    MU,
    MU_STATIC,
    NORMAL,
    RULE,
    A,
    B,
    Contacts,
    NearLimits,
    copy_contact,
    set_vector,
    subset,
    vector,
)
from .counter_indices import LAST_STEP, N_NEWTON
from .impulses import CONVEX, store_impulses, warm_start
from .loop_rates import (
    remember_rates,
    target_contact_rates,
    target_loop_rates,
    target_tendon_rates,
)
from .row_blocks import first_contact
from .system import System
from .target_velocities import solve_with_targets

# Greatest gap of a no-slip contact that stays open where it cannot close [m].
_SMALL = 1e-6
# Share of a gap that free motion may close where a contact has no rows.  With a half, steps of 1000
# balls that are poured are solved again twice as often.
_CLOSED = 0.25
_ROUNDS = 2  # of solutions with some rows; after that all contacts have some


class Slips(NamedTuple):
    """Slip velocities of all contacts, as of `slip_velocities`.

    Attributes
    ----------
    before, free, after : shape (C, 3)
        Under the velocities before a step, after it without impulses (of contacts that may have no
        rows), and after it.
    """

    before: np.ndarray
    free: np.ndarray
    after: np.ndarray


@jit
def constrain_velocities(s: System, contacts: Contacts, limits: NearLimits, h: float):
    """Find the velocities after a step of ``h`` from ``s.free``, into ``s.trial``.

    Impulses go to contacts and limits, forces, work and rates of loops to ``s``.  Returns the slip
    velocities of contacts after the step.
    """
    count, before = len(contacts.whole), slip_velocities(s, s.velocity, contacts)
    slips = Slips(before, np.empty((count, 3)), np.empty((count, 3)))
    has_rows = _may_close(s, contacts, slips, h)
    loops, tendons = s.loop_past.copy(), s.tendon_past.copy()
    counters, totals = s.counters.copy(), s.totals.copy()
    for _ in range(_ROUNDS):
        close = _those_with_rows(contacts, has_rows)
        if _solve(s, close, contacts, has_rows, limits, slips, h):
            if len(close.whole) < len(contacts.whole):
                _write_back(s, close, has_rows, contacts)
            return slips.after
        s.loop_past[:], s.tendon_past[:] = loops, tendons
        counters[N_NEWTON] = s.counters[N_NEWTON]  # these were made
        s.counters[:], s.totals[:] = counters, totals
    has_rows[:] = True
    _solve(s, contacts, contacts, has_rows, limits, slips, h)
    return slips.after


@jit
def _solve(
    s: System, close: Contacts, contacts: Contacts, has_rows: Bools, limits: NearLimits,
    slips: Slips, h: float,
):  # fmt: skip
    """Solve with rows for ``close``; False, and nothing stored, if it closes other contacts.

    Those have rows from then on.
    """
    blocks = blocks_of(s, close, limits, OF_STEP)
    rows = assemble(s, blocks, close, limits, s.free, h)
    _keep_scale(s, contacts, has_rows, rows, slips.free, h)
    plain = rows.bias.copy()
    _leave_small_gaps(s, rows, close, plain, h)
    target_loop_rates(s, rows, h)
    target_contact_rates(s, rows, close, _of_those_with_rows(slips.before, has_rows), h)
    target_tendon_rates(s, rows, len(close.whole), limits, h)
    before = s.totals[LAST_STEP]
    x = warm_start(s, close, limits, rows, h / before if before > 0.0 else 0.0)
    solve_with_targets(s, close, rows, plain, x)
    put_slip_velocities(s, s.trial, contacts, slips.after)
    if _give_rows(s, contacts, has_rows, slips.after, h):
        return False
    store_impulses(s, close, limits, rows, x)
    note_forces(s, rows, len(close.whole), x, h)
    remember_rates(s, rows, s.trial)
    go_on(s.trials)
    go_on(s.choices)
    return True


@jit
def _leave_small_gaps(s: System, rows: ConstraintRows, contacts: Contacts, plain: Floats, h: float):
    """Make small gaps of no-slip contacts targets: ``plain``, the biases without targets, has none.

    Contacts that all stick cannot close gaps along different normals.
    """
    first = first_contact(rows, contacts)
    for c in range(len(contacts.whole)):
        gap, mu = float(contacts.real[c, GAP]), float(rows.mu[first + c])
        is_rigid = s.rules[contacts.whole[c, RULE], IS_SOFT] == 0.0
        if is_rigid and mu >= NO_SLIP and gap <= _SMALL:
            plain[rows.row[first + c]] -= closing_gap(gap, mu) / (h * contact_share(s, contacts, c))


@jit
def _keep_scale(
    s: System, contacts: Contacts, has_rows: Bools, rows: ConstraintRows, free: Floats2, h: float
):
    """Let residuals be relative to the speeds of contacts without rows, too, as if these had some.

    What moves past other bodies is else solved to a hundredth of the tolerance.
    """
    for c in range(len(has_rows)):
        if has_rows[c]:
            continue
        slip, normal = vector(free[c], 0), vector(contacts.real[c], NORMAL)
        one, two = friction_axes(s, contacts, c)
        opens = contacts.real[c, GAP] / (h * contact_share(s, contacts, c)) + slip.dot(normal)
        speed = max(abs(opens), abs(slip.dot(one)), abs(slip.dot(two)))
        for g in (contacts.whole[c, A], contacts.whole[c, B]):
            if s.surface_body[g] >= 0:
                n = s.body_node[s.surface_body[g]]
                rows.speed[n] = max(rows.speed[n], speed)


@jit
def _may_close(s: System, contacts: Contacts, slips: Slips, h: float):
    """Which contacts carried a load, or might close by free motion or impulses as of late."""
    out, change = np.full(len(contacts.whole), True, np.bool_), _changes(s, h)
    for c in range(len(out)):
        impulse = vector(contacts.real[c], IMPULSE)
        if s.rules[contacts.whole[c, RULE], IS_SOFT] > 0.0 or impulse.dot(impulse) > 0.0:
            continue
        closes = 0.0
        for g in (contacts.whole[c, A], contacts.whole[c, B]):
            if s.surface_body[g] >= 0:
                closes += change[s.body_node[s.surface_body[g]]]
        closes *= 1.0 + _lift(s, contacts, c)
        set_vector(slips.free[c], 0, slip_velocity(s, s.free, contacts, c))
        now = _parting_rate(s, contacts, c, slips.before)
        then = _parting_rate(s, contacts, c, slips.free)
        closes -= min(now, then, 0.0)
        out[c] = contacts.real[c, GAP] <= closes * h * contact_share(s, contacts, c) / _CLOSED
    return out


@jit
def _lift(s: System, contacts: Contacts, c: int):
    """How fast a contact has to part, per slip, to have no impulse.

    In the convex method those that slide push each other apart before they meet.
    """
    if s.method != CONVEX:
        return 0.0
    rule = s.rules[contacts.whole[c, RULE]]
    return min(max(rule[MU], rule[MU_STATIC]), STEEPEST)


@jit
def _parting_rate(s: System, contacts: Contacts, c: int, slips: Floats2):
    """At which rate a gap opens, less what its slip needs (`_lift`)."""
    slip, normal = vector(slips[c], 0), vector(contacts.real[c], NORMAL)
    rate, lift = slip.dot(normal), _lift(s, contacts, c)
    if lift == 0.0:
        return rate
    return rate - lift * math.sqrt(max(slip.dot(slip) - rate * rate, 0.0))


@jit
def _changes(s: System, h: float):
    """For each node, how much forces and the last impulses change a velocity at most."""
    out = np.zeros(len(s.machine))
    for n in range(len(out)):
        for k in range(s.dof[n], s.dof[n + 1]):
            change = abs(s.free[k] - s.velocity[k])
            out[n] = max(out[n], change, h * abs(s.held[k]))
    return out


@jit
def _those_with_rows(contacts: Contacts, has_rows: Bools):
    """All contacts themselves, or copies of those chosen."""
    for some in has_rows:
        if not some:
            return subset(contacts, has_rows)
    return contacts


@jit
def _of_those_with_rows(slips: Floats2, has_rows: Bools):
    """The slip velocities of contacts with rows."""
    out, k = np.empty((len(slips), 3)), 0
    for c in range(len(has_rows)):
        if has_rows[c]:
            for i in range(3):
                out[k, i] = slips[c, i]
            k += 1
    return out[:k]


@jit
def _give_rows(s: System, contacts: Contacts, has_rows: Bools, after: Floats2, h: float):
    """Give rows to contacts that the velocities after the step close; whether there are any."""
    some = False
    for c in range(len(has_rows)):
        if not has_rows[c]:
            rate = _parting_rate(s, contacts, c, after)
            if not contacts.real[c, GAP] + h * contact_share(s, contacts, c) * rate >= 0.0:
                has_rows[c] = some = True
    return some


@jit
def _write_back(s: System, close: Contacts, has_rows: Bools, contacts: Contacts):
    """Write contacts with rows back to all; the others have no acceleration under impulses."""
    k = 0
    for c in range(len(has_rows)):
        if has_rows[c]:
            copy_contact(close, k, contacts, c)
            k += 1
        else:
            contacts.real[c, ACCEL] = 0.0
