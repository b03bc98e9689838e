"""The contact problem of a step: warm start, solution, and the impulses stored."""

from __future__ import annotations

import math

import numpy as np

from ...compiler.jit import Floats, jit
from ...contact_problem import BILATERAL, Report, SolverSettings
from ...contact_problem.rows import ConstraintRows
from ...contact_problem.solve import solve, solve_convex, solve_lcp
from ...spatial import Vec3
from .assembly import friction_axes
from .contacts import (
    IMPULSE,
    L_IMPULSE,
    NORMAL,
    STICKS,
    TORQUE,
    A,
    B,
    Contacts,
    NearLimits,
    set_vector,
    vector,
)
from .counter_indices import N_NEWTON, N_RELAXED, N_SOLVES, N_UNCONVERGED, RESIDUAL, SLACK
from .row_blocks import first_contact, first_limit
from .system import System
from .torque_rows import ROLLS, SPINS, has_torque, torque_axis

CONVEX, LCP = 1, 2  # other methods than the exact one
_SATURATED = 1.0 - 1e-7  # share of the greatest friction that counts as all
_CREEP = 1e-5  # share of the velocity without impulses: less slip is rounding


@jit
def warm_start(
    s: System, contacts: Contacts, limits: NearLimits, rows: ConstraintRows, scale: float
):
    """Impulses to start from: those of the step before."""
    x = np.zeros(len(rows.bias))
    at = first_contact(rows, contacts)
    first = first_limit(s)
    for i in range(first):
        x[i] = scale * s.coupling[i]
    for i in range(len(limits.whole)):
        x[rows.row[first + i]] = scale * limits.real[i, L_IMPULSE]
    k = first + len(limits.whole)
    for c in range(len(contacts.whole)):
        torque = vector(contacts.real[c], TORQUE)
        for which in (SPINS, ROLLS):
            if has_torque(s, contacts, c, which):
                for row in range(rows.row[k + 1] - rows.row[k]):
                    axis = torque_axis(s, contacts, c, which, row)
                    x[rows.row[k] + row] = scale * torque.dot(axis)
                k += 1
    for i in range(at - k):  # dry friction
        x[rows.row[k + i]] = scale * s.coupling[first + i]
    for c in range(len(contacts.whole)):
        before = vector(contacts.real[c], IMPULSE)
        if before.dot(before) == 0.0:
            continue
        row = rows.row[at + c]
        one, two = friction_axes(s, contacts, c)
        x[row] = scale * max(0.0, vector(contacts.real[c], NORMAL).dot(before))
        x[row + 1] = scale * one.dot(before)
        x[row + 2] = scale * two.dot(before)
    return x


@jit
def put_contact_impulses(s: System, contacts: Contacts, rows: ConstraintRows, x: Floats):
    """Write impulses back to contacts, and add them to those on their geometries."""
    at = first_contact(rows, contacts)
    for c in range(len(contacts.whole)):
        row = rows.row[at + c]
        one, two = friction_axes(s, contacts, c)
        normal = vector(contacts.real[c], NORMAL)
        impulse = x[row] * normal + x[row + 1] * one + x[row + 2] * two
        set_vector(contacts.real[c], IMPULSE, impulse)
        a, b = s.contact_impulse[contacts.whole[c, A]], s.contact_impulse[contacts.whole[c, B]]
        for i in range(3):
            a[i], b[i] = a[i] + impulse[i], b[i] - impulse[i]


@jit
def store_impulses(
    s: System, contacts: Contacts, limits: NearLimits, rows: ConstraintRows, x: Floats
):
    """Write impulses back to contacts and limits."""
    first = first_limit(s)
    at = first_contact(rows, contacts)
    for i in range(first):
        s.coupling[i] = x[i]
    for i in range(len(limits.whole)):
        limits.real[i, L_IMPULSE] = x[rows.row[first + i]]
    k = first + len(limits.whole)
    for c in range(len(contacts.whole)):
        torque = Vec3(0.0, 0.0, 0.0)
        for which in (SPINS, ROLLS):
            if has_torque(s, contacts, c, which):
                for row in range(rows.row[k + 1] - rows.row[k]):
                    axis = torque_axis(s, contacts, c, which, row)
                    torque = torque + x[rows.row[k] + row] * axis
                k += 1
        set_vector(contacts.real[c], TORQUE, torque)
    for i in range(at - k):
        s.coupling[first + i] = x[rows.row[k + i]]
    put_contact_impulses(s, contacts, rows, x)
    for c in range(len(contacts.whole)):
        contacts.real[c, STICKS] = 0.0 if slides(s, rows, at + c, x) else 1.0


@jit
def slides(s: System, rows: ConstraintRows, k: int, x: Floats):
    """Whether contact block ``k`` slides at ``s.trial``, with as much friction as it may have.

    Where several contacts share a load, friction may be as great without slip.  The convex method
    has none so great: its contacts creep.
    """
    row = rows.row[k]
    most = math.hypot(rows.mu[k] * x[row], rows.widening[k])
    if math.hypot(x[row + 1], x[row + 2]) < _SATURATED * most:
        return False
    if s.method == CONVEX:
        return True
    slip, size = 0.0, 0.0
    for axis in range(3):
        rate, free = rows.bias[row + axis], rows.bias[row + axis]
        for j in range(rows.segment[k], rows.segment[k + 1]):
            dof = rows.node_dof[rows.node[j]]
            width = rows.node_dof[rows.node[j] + 1] - dof
            for i in range(width):
                entry = rows.jacobian[rows.value[j] + axis * width + i]
                rate += entry * s.trial[dof + i]
                free += entry * rows.free[dof + i]
        slip += rate * rate if axis > 0 else 0.0
        size += free * free
    return slip > _CREEP * _CREEP * size


@jit
def note(s: System, report: Report, tolerance: float):
    """Count a solution, and keep its worst residual and slack."""
    s.counters[N_SOLVES] += 1
    if not report.worst <= tolerance:
        s.counters[N_UNCONVERGED] += 1
    elif report.relaxed > 0.0:
        s.counters[N_RELAXED] += 1
        s.totals[SLACK] = max(s.totals[SLACK], report.slack)
    if not report.worst <= s.totals[RESIDUAL]:
        s.totals[RESIDUAL] = report.worst


@jit
def _can_press(rows: ConstraintRows):
    """Whether there is any row that is not bilateral: loops and gears alone need no softness."""
    some = False
    for k in range(len(rows.kind)):
        some = some or rows.kind[k] != BILATERAL
    return some


@jit
def solved(s: System, rows: ConstraintRows, x: Floats, settings: SolverSettings, report: Report):
    """Velocities after the impulses of ``rows``, into ``s.trial``; counts Newton's steps."""
    if len(rows.kind) == 0:
        for k in range(len(s.trial)):
            s.trial[k] = rows.free[k]
        return
    if s.method == CONVEX and _can_press(rows):
        solve_convex(rows, x, s.trial, settings, report)
    elif s.method == LCP:
        solve_lcp(rows, x, s.trial, settings, report)
    else:
        solve(rows, x, s.trial, settings, report)
    s.counters[N_NEWTON] += report.newton_steps
