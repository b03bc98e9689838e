"""Velocities after a step under all constraints, with rows of those contacts alone that may close.

Most contacts that are near stay open in a step.  Such a contact has no impulse, but its rows would
join bodies that have nothing to do with each other into one problem.  So contacts that free motion
leaves open have no rows at first.  Where the velocities found close one of them, the step is solved
again with all.
"""

from __future__ import annotations

import numpy as np

from ...compiler.jit import Bools, Floats, jit
from ...contact_problem import NO_SLIP
from ...contact_problem.retries import go_on
from ...contact_problem.rows import ConstraintRows
from .applied_forces import note_forces
from .assembly import assemble, closing_gap, contact_share, friction_axes, slip_velocity
from .contacts import (
    ACCEL,
    GAP,
    IMPULSE,
    IS_SOFT,
    NORMAL,
    RULE,
    A,
    B,
    Contacts,
    NearLimits,
    copy_contact,
    subset,
    vector,
)
from .counter_indices import LAST_STEP
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
_LEFT_OPEN = 0.5  # share of a gap that free motion leaves open where a contact has no rows


@jit
def constrain_velocities(s: System, contacts: Contacts, limits: NearLimits, h: float):
    """Find the velocities after a step of ``h`` from ``s.free``, into ``s.trial``.

    Impulses go to contacts and limits, forces, work and rates of loops to ``s``.
    """
    has_rows = _may_close(s, contacts, h)
    close = _those_with_rows(contacts, has_rows)
    if len(close.whole) == len(contacts.whole):
        _solve(s, contacts, contacts, has_rows, limits, h)
        return
    loops, tendons = s.loop_past.copy(), s.tendon_past.copy()
    counters, totals = s.counters.copy(), s.totals.copy()
    if not _solve(s, close, contacts, has_rows, limits, h):
        s.loop_past[:], s.tendon_past[:] = loops, tendons
        s.counters[:], s.totals[:] = counters, totals
        has_rows[:] = True
        _solve(s, contacts, contacts, has_rows, limits, h)
    else:
        _write_back(s, close, has_rows, contacts)


@jit
def _solve(
    s: System, close: Contacts, contacts: Contacts, has_rows: Bools, limits: NearLimits, h: float
):
    """Solve with rows for ``close``; False, and nothing stored, if it closes other contacts."""
    rows = assemble(s, close, limits, s.free, h, s.share, False)
    _keep_scale(s, contacts, has_rows, rows, h)
    plain = rows.bias.copy()
    _leave_small_gaps(s, rows, close, plain, h)
    target_loop_rates(s, rows, h)
    target_contact_rates(s, rows, close, h)
    target_tendon_rates(s, rows, len(close.whole), limits, h)
    before = s.totals[LAST_STEP]
    x = warm_start(s, close, limits, rows, h / before if before > 0.0 else 0.0)
    solve_with_targets(s, close, rows, plain, x)
    if not _stay_open(s, contacts, has_rows, h):
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
def _keep_scale(s: System, contacts: Contacts, has_rows: Bools, rows: ConstraintRows, h: float):
    """Let residuals be relative to the speeds of contacts without rows, too, as if these had some.

    What moves past other bodies is else solved to a hundredth of the tolerance.
    """
    for c in range(len(has_rows)):
        if has_rows[c]:
            continue
        slip, normal = slip_velocity(s, s.free, contacts, c), vector(contacts.real[c], NORMAL)
        one, two = friction_axes(s, contacts, c)
        opens = contacts.real[c, GAP] / (h * contact_share(s, contacts, c)) + slip.dot(normal)
        speed = max(abs(opens), abs(slip.dot(one)), abs(slip.dot(two)))
        for g in (contacts.whole[c, A], contacts.whole[c, B]):
            if s.surface_body[g] >= 0:
                n = s.body_node[s.surface_body[g]]
                rows.speed[n] = max(rows.speed[n], speed)


@jit
def _may_close(s: System, contacts: Contacts, h: float):
    """Which contacts carried a load, or might close by free motion or impulses as of late.

    All of the convex method, where bodies that slide push each other apart before they meet.
    """
    out = np.full(len(contacts.whole), True, np.bool_)
    if s.method == CONVEX:
        return out
    change = _changes(s, h)
    for c in range(len(out)):
        real, impulse = contacts.real[c], vector(contacts.real[c], IMPULSE)
        if s.rules[contacts.whole[c, RULE], IS_SOFT] > 0.0 or impulse.dot(impulse) > 0.0:
            continue
        closes = 0.0
        for g in (contacts.whole[c, A], contacts.whole[c, B]):
            if s.surface_body[g] >= 0:
                closes += change[s.body_node[s.surface_body[g]]]
        normal = vector(real, NORMAL)
        now = slip_velocity(s, s.velocity, contacts, c).dot(normal)
        then = slip_velocity(s, s.free, contacts, c).dot(normal)
        closes -= min(now, then, 0.0)
        out[c] = contacts.real[c, GAP] <= closes * h * contact_share(s, contacts, c) / _LEFT_OPEN
    return out


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
def _stay_open(s: System, contacts: Contacts, has_rows: Bools, h: float):
    """Whether contacts without rows stay open at the velocities ``s.trial``."""
    for c in range(len(has_rows)):
        if not has_rows[c]:
            rate = slip_velocity(s, s.trial, contacts, c).dot(vector(contacts.real[c], NORMAL))
            if not contacts.real[c, GAP] + h * contact_share(s, contacts, c) * rate >= 0.0:
                return False
    return True


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
