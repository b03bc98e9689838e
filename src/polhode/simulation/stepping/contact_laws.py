"""Contact laws whose bounds follow from the impulses: torsional, rolling and static friction.

The contact problem is solved with bounds from the impulses that are known, until they are those
of its solution.  The convex solver finds both at once, and the exact one nearly always
(`contact_problem.torques`); Lemke's method needs rounds.  Contacts that stick have static friction
until their load exceeds it; then they slide with the other one.
"""

from __future__ import annotations

from ...compiler.jit import Floats, jit
from ...contact_problem import Report, SolverSettings
from ...contact_problem.rows import ConstraintRows
from ...contact_problem.torque_bounds import bound_rows
from .contacts import MU, MU_STATIC, RULE, Contacts
from .impulses import slides, solved
from .row_blocks import first_contact
from .system import System

_ROUNDS = 50
# Rounds that change bounds by little less than the ones before: so many are the last, and after so
# many impulses are no longer chosen anew.
_MOST_STALLED, _CHOOSING, _LITTLE_LESS = 20, 4, 0.75


@jit
def solve_laws(
    s: System,
    contacts: Contacts,
    rows: ConstraintRows,
    x: Floats,
    settings: SolverSettings,
    report: Report,
):
    """Velocities after the impulses of ``rows``, into ``s.trial``, under all laws of contact."""
    bound_rows(rows, x)
    solved(s, rows, x, settings, report)
    change, stalled = 0.0, 0
    for _ in range(_ROUNDS):
        if not report.worst <= settings.tolerance:
            return
        some_slide, last = _let_slide(s, contacts, rows, x), change
        change = bound_rows(rows, x)
        if not some_slide and change <= settings.tolerance:
            return
        stalled += int(last > 0.0 and change > _LITTLE_LESS * last)
        if stalled > _MOST_STALLED:
            break
        if report.stage == 0 and stalled <= _CHOOSING:
            solved(s, rows, x, settings, report)
        else:
            _go_on(s, rows, x, settings, report)
    report.worst = max(report.worst, change)


@jit
def _go_on(s: System, rows: ConstraintRows, x: Floats, settings: SolverSettings, report: Report):
    """Solve near the impulses ``x``: where it is hard to choose some, they jump each time."""
    given, nearby = x.copy(), settings.copy()
    nearby.chooses = False
    solved(s, rows, x, nearby, report)
    if not report.worst <= settings.tolerance:
        x[:] = given
        solved(s, rows, x, settings, report)


@jit
def _let_slide(s: System, contacts: Contacts, rows: ConstraintRows, x: Floats):
    """Give contacts that slide under static friction the other one; whether any did."""
    some, at = False, first_contact(rows, contacts)
    for c in range(len(contacts.whole)):
        rule = s.rules[contacts.whole[c, RULE]]
        is_static = rows.mu[at + c] == rule[MU_STATIC] and rule[MU_STATIC] > rule[MU]
        if is_static and slides(s, rows, at + c, x):
            rows.mu[at + c], some = rule[MU], True
    return some
