"""Target velocities of loops and contacts, dropped where they would add energy.

Targets are estimates that make rates zero at the end of a step (see `loop_rates`); the contact
laws hold with any.  Where the targets contradict each other, or add energy, they are dropped: the
rates are then zero at the velocity update.  The target of a single contact adds none
(`loop_rates`).  But where some contacts of a body are thrown back, the load of others may do work.
So Newton's law of impact adds energy, too, if coefficients of restitution differ.  Overlaps of the
start become more compliant where a problem is not solved: they are no laws either.
"""

from __future__ import annotations

import numpy as np

from ...compiler.jit import Bools, Floats, jit
from ...contact_problem import Report
from ...contact_problem.islands import root_of
from ...contact_problem.retries import FAILED
from ...contact_problem.rows import ConstraintRows
from .assembly import DEEP_COMPLIANCE, SOFT_COMPLIANCE, friction_axes, slip_velocities
from .contact_laws import solve_laws
from .contacts import GAP, IS_SOFT, NORMAL, RULE, Contacts, vector
from .free_velocity import energy_of
from .impulses import note, solved
from .row_blocks import first_contact
from .system import System

# Share of its energy that a group may gain by impulses: targets are not exact.
_GAIN = 2e-3
# Work of contacts that is rounding, as a share of the energy.
_ROUNDING = 1e-12
# Share of the work of pressing forces that contacts may return.  With a hundredth, as each gap may
# alone, a coin that turns by 17 degrees in a step loses twice as much energy.
_RETURNED = 0.1
# Deeper bodies began in each other [m]: what meets sinks in by less.  For others the work is not
# looked at: heaps with restitution are solved in more parts then, and less often.
_INSIDE = 2e-4
# Most stages of the solver with targets: without them the laws hold as well, at less cost.
_STAGES = 2
# Share of the tolerance to which impulses are found again where bodies would leave rest: where
# the velocities before them are smaller by this factor than those after.
_STRICTER, _LEAVES = 1e-4, 0.1
_FASTER = 2.0  # times the velocities before: impulses found again that lead to more slip


@jit
def solve_with_targets(
    s: System, contacts: Contacts, rows: ConstraintRows, plain: Floats, x: Floats
):
    """Velocities after the impulses of ``rows``, into ``s.trial``.

    ``plain`` are the biases without targets.
    """
    start, mu, report, settings = x.copy(), rows.mu.copy(), Report(), s.solver.copy()
    _drop_where_unsolved(s, rows, plain)
    has_target, some = _targeted(rows, plain)
    is_deep = _has_overlaps(rows)
    if some or is_deep:
        settings.stages = min(settings.stages, _STAGES)
        settings.last_sweeps, settings.may_relax = 0, False
    solve_laws(s, contacts, rows, x, settings, report)
    is_unsolved = not report.worst <= s.solver.tolerance
    is_softer = is_deep and is_unsolved
    if is_softer:
        _soften_overlaps(rows)
    gained = np.full(len(s.machine), is_unsolved, np.bool_)
    if some and not is_unsolved:
        _mark_gains(s, contacts, rows, x, gained)
    if (some and _drop_targets(rows, plain, has_target, gained)) or is_softer:
        x[:] = start
        rows.mu[:] = mu
        report.clear()
        solve_laws(s, contacts, rows, x, s.solver, report)
    if _STRICTER * s.solver.tolerance < report.worst <= s.solver.tolerance and _leaves_rest(s):
        _solve_stricter(s, rows, x, report)
    note(s, report, s.solver.tolerance)


@jit
def _leaves_rest(s: System):
    """Whether the velocities before the impulses are small beside those after them."""
    return _fastest(s.velocity) < _LEAVES * _fastest(s.trial)


@jit
def _fastest(velocity: Floats):
    """The greatest velocity of any degree of freedom."""
    most = 0.0
    for k in range(len(velocity)):
        most = max(most, abs(velocity[k]))
    return most


@jit
def _solve_stricter(s: System, rows: ConstraintRows, x: Floats, report: Report):
    """Find impulses again, more exactly; the better ones are kept.

    Impulses that obey the laws to the tolerance let bodies at rest drift, until they obey them no
    more.  Those found then stop the drift, too: in the next step they would begin it again, the
    other way.  Impulses with which bodies move much faster are another solution, which slips.
    Bounds of torques stay: they agree with the impulses to the tolerance.
    """
    better, velocity, again, settings = x.copy(), s.trial.copy(), Report(), s.solver.copy()
    settings.tolerance *= _STRICTER
    settings.stages, settings.last_sweeps, settings.may_relax = 1, 0, False
    solved(s, rows, better, settings, again)
    if again.worst < report.worst and _fastest(s.trial) <= _FASTER * _fastest(velocity):
        x[:] = better
        report.worst = again.worst
    else:
        s.trial[:] = velocity


@jit
def _drop_where_unsolved(s: System, rows: ConstraintRows, plain: Floats):
    """Put plain biases back in large islands that were not solved in the step before.

    Stages that fail with targets would only be tried again without them, at twice the cost.
    """
    for k in range(len(rows.kind)):
        for j in range(rows.segment[k], rows.segment[k + 1]):
            if s.trials[rows.node[j], FAILED] > 0:
                for r in range(rows.row[k], rows.row[k + 1]):
                    rows.bias[r] = plain[r]


@jit
def _targeted(rows: ConstraintRows, plain: Floats):
    """Which blocks have a target, and whether any has."""
    has_target, some = np.zeros(len(rows.kind), np.bool_), False
    for k in range(len(rows.kind)):
        for r in range(rows.row[k], rows.row[k + 1]):
            has_target[k] = has_target[k] or rows.bias[r] != plain[r]
        some = some or has_target[k]
    return has_target, some


@jit
def _has_overlaps(rows: ConstraintRows):
    """Whether there are overlaps or exceeded limits that are errors of the start."""
    some = False
    for compliance in rows.compliance:
        some = some or compliance == DEEP_COMPLIANCE
    return some


@jit
def _soften_overlaps(rows: ConstraintRows):
    """Make errors of the start more compliant: they may contradict each other."""
    for r in range(len(rows.compliance)):
        if rows.compliance[r] == DEEP_COMPLIANCE:
            rows.compliance[r] = SOFT_COMPLIANCE


@jit
def _drop_targets(rows: ConstraintRows, plain: Floats, has_target: Bools, gained: Bools):
    """Put plain biases back on nodes whose group has gained energy; whether any were."""
    some = False
    for k in range(len(rows.kind)):
        if has_target[k] and gained[rows.node[rows.segment[k]]]:
            some = True
            for r in range(rows.row[k], rows.row[k + 1]):
                rows.bias[r] = plain[r]
    return some


@jit
def _gains_energy(s: System):
    """Whether any node has gained energy by the impulses."""
    for n in range(len(s.machine)):
        first, end = s.dof[n], s.dof[n + 1]
        free = energy_of(s, n, s.free[first:end])
        if energy_of(s, n, s.trial[first:end]) > (1.0 + _GAIN) * free:
            return True
    return False


@jit
def _groups(s: System, rows: ConstraintRows):
    """For each node the lowest number of the nodes that rows connect it with."""
    group = np.arange(len(s.machine))
    for k in range(len(rows.kind)):
        for i in range(rows.segment[k] + 1, rows.segment[k + 1]):
            a, b = root_of(group, rows.node[i - 1]), root_of(group, rows.node[i])
            group[max(a, b)] = min(a, b)
    for n in range(len(group)):
        group[n] = root_of(group, n)
    return group


@jit
def _mark_gains(s: System, contacts: Contacts, rows: ConstraintRows, x: Floats, gained: Bools):
    """Mark nodes of groups that have gained energy by the impulses, or by those of contacts."""
    work = np.zeros(len(contacts.whole))
    if _deepest(contacts) < -_INSIDE:
        work = _contact_work(s, contacts, rows, x)
    if not _gains_energy(s) and not _largest(work) > 0.0:
        return
    count, group, first = len(s.machine), _groups(s, rows), first_contact(rows, contacts)
    before, free, after, done = np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(count)
    gap = np.zeros(count)
    for n in range(count):
        begin, end = s.dof[n], s.dof[n + 1]
        before[group[n]] += energy_of(s, n, s.velocity[begin:end])
        free[group[n]] += energy_of(s, n, s.free[begin:end])
        after[group[n]] += energy_of(s, n, s.trial[begin:end])
    for c in range(len(work)):
        g = group[rows.node[rows.segment[first + c]]]
        done[g] += work[c]
        gap[g] = min(gap[g], contacts.real[c, GAP])
    for n in range(count):
        g = group[n]
        gained[n] = after[g] > (1.0 + _GAIN) * free[g] + abs(free[g] - before[g])
        began_inside = gap[g] < -_INSIDE
        gained[n] = gained[n] or (began_inside and 2.0 * done[g] > _ROUNDING * free[g])


@jit
def _deepest(contacts: Contacts):
    """The least gap [m], or 0."""
    least = 0.0
    for c in range(len(contacts.whole)):
        least = min(least, contacts.real[c, GAP])
    return least


@jit
def _contact_work(s: System, contacts: Contacts, rows: ConstraintRows, x: Floats):
    """The work of each rigid contact [J], less the share of that of pressing forces it may return.

    An impulse does work at the mean of the speeds before and after it.
    """
    before, free = slip_velocities(s, s.velocity, contacts), slip_velocities(s, s.free, contacts)
    after, work = slip_velocities(s, s.trial, contacts), np.zeros(len(contacts.whole))
    first = first_contact(rows, contacts)
    for c in range(len(work)):
        row, normal = rows.row[first + c], vector(contacts.real[c], NORMAL)
        if x[row] == 0.0 or s.rules[contacts.whole[c, RULE], IS_SOFT] > 0.0:
            continue
        one, two = friction_axes(s, contacts, c)
        now, push = vector(before[c], 0), x[row] * normal + x[row + 1] * one + x[row + 2] * two
        pressed = normal.dot(now - vector(free[c], 0))
        work[c] = 0.5 * push.dot(now + vector(after[c], 0))
        work[c] -= 0.5 * _RETURNED * x[row] * max(pressed, 0.0)
    return work


@jit
def _largest(values: Floats):
    """The largest of some values; 0 where all are below."""
    most = 0.0
    for value in values:
        most = max(most, value)
    return most
