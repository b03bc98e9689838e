"""Position projection: overlaps and open loops are corrected, velocities stay."""

from __future__ import annotations

import math

import numpy as np

from ...compiler.jit import Floats, jit
from ...contact_problem import ConstraintRows, Report
from ...contact_problem.retries import FAILED
from ...contact_problem.solve import solve, solve_convex
from .assembly import OF_IMPACT, OF_NORMALS, assemble, blocks_of
from .contacts import GAP, IS_SOFT, L_GAP, RULE, Contacts, NearLimits, subset
from .couplings import LOOP, gear_error, measure_loops
from .free_motion import limit_energy, may_gain_energy, shift_passively
from .free_velocity import energy_of, factorise_masses
from .motion import call_program, shift_node, update
from .row_blocks import first_limit, row_rate
from .system import System

# Compliance of a projected row, a share of its own diagonal: overlaps may contradict each other.
_COMPLIANCE = -1e-4
_LOOP_COMPLIANCE = -1e-6
_FAR = 100.0  # gaps of this many times the greatest overlap stay open when that is corrected
_MOST_SHIFT = 0.2  # greatest displacement of one projection [m or rad]
# Where it would be greater: the factor on the compliance of rows, and how often at most.
_SOFTER, _ATTEMPTS = 100.0, 3
# Accuracy of displacements that part bodies, a share of the greatest overlap, and most steps of
# Newton's method to it: a wall under a ball takes 90 to 150, and 10 to 20 with softer rows.
_ENOUGH, _MOST_STEPS = 1e-4, 20
# Displacements above this may open loops [m or rad]; errors of loops that are allowed then [m];
# how often a displacement is cut at most.
_SMALL_SHIFT, _OPEN_LOOP, _CUTS = 1e-3, 1e-4, 4
# Newton steps towards `loop_slop`; further ones only where loops are open by `_OPEN_LOOP`.
_USUAL_STEPS = 3
# Errors of loops that one Newton step corrects [m]: rounding.  Where rows become dependent, as
# those of a flat four-bar, rates err by this divided by the square of the distance to that pose.
_CLOSED_LOOP = 1e-14
_LEAST_PART = 1e-2  # share of a Newton step below which there are no further cuts


@jit
def _target(gap: float, slop: float, share: float):
    """The gap after projection: deep overlaps are corrected over several steps."""
    if gap >= -0.5 * slop:
        return max(gap, 0.0)
    return -min(-gap - 0.5 * slop, max(-share * gap, 1e-4))


@jit
def _largest(shift: Floats):
    most = 0.0
    for k in range(len(shift)):
        most = max(most, abs(shift[k]))
    return most


@jit
def _least_shift(s: System, rows: ConstraintRows, presses: bool):
    """The least displacements of all nodes that meet the biases of ``rows``.

    Where they exceed the range of the linearisation, rows contradict each other or a chain is
    stretched.  Then rows become more compliant, and finally the displacements are scaled.
    Compliant rows that may only press (``presses``), without friction, are a convex problem.
    It becomes more compliant, too, where it takes many steps: the rest is left to the next time.
    Such are heaps whose contact problems no stage of the solver solves.
    """
    shift, x, report = np.zeros(len(s.velocity)), np.zeros(len(rows.bias)), Report()
    settings, most = s.solver.copy(), 0.0
    settings.softness, settings.sweeps, settings.tolerance = 0.0, 0, _ENOUGH
    settings.convex_steps = _MOST_STEPS
    if presses:
        _soften_unsolved(s, rows)
    for _ in range(_ATTEMPTS):
        x[:] = 0.0
        if presses:
            solve_convex(rows, x, shift, settings, report)
        else:
            solve(rows, x, shift, s.solver, report)
        most = _largest(shift)
        if most <= _MOST_SHIFT and not (presses and report.unconverged > 0):
            break
        for i in range(len(rows.compliance)):
            rows.compliance[i] *= _SOFTER if rows.compliance[i] < 0.0 else 1.0
    if most > _MOST_SHIFT:
        for k in range(len(shift)):
            shift[k] *= _MOST_SHIFT / most
    return shift


@jit
def _soften_unsolved(s: System, rows: ConstraintRows):
    """Make rows of heaps that are not solved more compliant."""
    for k in range(len(rows.kind)):
        is_unsolved = False
        for j in range(rows.segment[k], rows.segment[k + 1]):
            is_unsolved = is_unsolved or s.trials[rows.node[j], FAILED] > 0
        if is_unsolved:
            for r in range(rows.row[k], rows.row[k + 1]):
                rows.compliance[r] *= _SOFTER


@jit
def _move(s: System, shift: Floats):
    """Move all nodes; displacements that would open loops are cut, in ``shift`` too.

    The rows of a loop are linear: a chain that is nearly straight obeys them only for small moves.
    """
    if len(s.loop_rows) == 0 or _largest(shift) < _SMALL_SHIFT:
        for n in range(len(s.machine)):
            shift_passively(s, n, shift)
        return
    update(s, s.velocity)
    position, velocity = s.position.copy(), s.velocity.copy()
    most = np.empty(len(s.loop_rows))
    measure_loops(s, most)
    for r in range(len(most)):
        most[r] = max(_OPEN_LOOP, abs(most[r]))
    for _ in range(_CUTS):
        for n in range(len(s.machine)):
            shift_passively(s, n, shift)
        update(s, s.velocity)
        if not _shorten(s, most, shift):
            return
        s.position[:], s.velocity[:] = position, velocity
        update(s, s.velocity)
    for n in range(len(s.machine)):
        shift_passively(s, n, shift)


@jit
def _shorten(s: System, most: Floats, shift: Floats):
    """Cut the displacements of nodes on loops that are open by more than ``most``."""
    is_cut = np.zeros(len(s.machine), np.int64)
    is_open, errors = False, np.empty(len(most))
    measure_loops(s, errors)
    for r in range(len(most)):
        if abs(errors[r]) > most[r]:
            is_open = True
            for body in (s.loop_a[s.loop_rows[r, LOOP]], s.loop_b[s.loop_rows[r, LOOP]]):
                if body >= 0:
                    is_cut[s.body_node[body]] = 1
    for n in range(len(is_cut)):
        if is_cut[n] != 0:
            for k in range(s.dof[n], s.dof[n + 1]):
                shift[k] *= 0.25
    return is_open


@jit
def push_apart(s: System, contacts: Contacts, limits: NearLimits):
    """Correct the overlaps that contacts and limits will have at the end of the step.

    Contacts so far open that this cannot close them have no rows.  Returns the potential energy
    that bodies gain.
    """
    worst = 0.0
    for c in range(len(contacts.whole)):
        if s.rules[contacts.whole[c, RULE], IS_SOFT] == 0.0:
            worst = min(worst, contacts.real[c, GAP])
    for i in range(len(limits.whole)):
        worst = min(worst, limits.real[i, L_GAP])
    if worst >= -s.slop or s.projections == 0:
        return 0.0
    is_close = np.empty(len(contacts.whole), np.bool_)
    for c in range(len(is_close)):
        is_close[c] = contacts.real[c, GAP] <= -_FAR * worst
    close, still = subset(contacts, is_close), np.zeros(len(s.velocity))
    blocks = blocks_of(s, close, limits, OF_NORMALS)
    single = assemble(s, blocks, close, limits, still, 0.0)
    _aim(s, single, close, limits)
    shift = _least_shift(s, single, True)
    before = _gravity_work(s, shift)
    _move(s, shift)
    gained = -0.5 * (before + _gravity_work(s, shift))
    at = first_limit(s)
    for i in range(len(limits.whole)):
        limits.real[i, L_GAP] += row_rate(single, at, shift)
        at += 1
    for c in range(len(contacts.whole)):
        if is_close[c]:
            contacts.real[c, GAP] += row_rate(single, at, shift)
            at += 1
    return gained


@jit
def _aim(s: System, out: ConstraintRows, contacts: Contacts, limits: NearLimits):
    """Let rows be those of displacements that leave gaps and limits as `_target` says."""
    out.compliance[:] = _COMPLIANCE
    at = first_limit(s)
    for i in range(len(limits.whole)):
        out.bias[at] = _target(limits.real[i, L_GAP], s.slop, s.push_out)
        at += 1
    for c in range(len(contacts.whole)):
        out.bias[at] = _target(contacts.real[c, GAP], s.slop, s.push_out)
        if s.rules[contacts.whole[c, RULE], IS_SOFT] > 0.0:
            out.bias[at] = 1e3
        at += 1


@jit
def _gravity_work(s: System, shift: Floats):
    """Work of the scene's gravity, as it is at the present poses, along displacements."""
    work = 0.0
    for n in range(len(s.machine)):
        dof = s.dof[n]
        if s.machine[n] < 0:
            for k in range(3):
                force = s.body_mass[n] * (s.gravity[n, k] - s.extra_gravity[n, k])
                work += force * shift[dof + k]
        else:
            call_program(s, n, s.machine[n], 1, s.zero_velocity)
            for k in range(dof, s.dof[n + 1]):
                work -= s.bias[k] * shift[k]
    return work


@jit
def measure_errors(s: System, errors: Floats):
    """Errors of loops and gears; returns the greatest, and the sum of squares."""
    n_loop = len(s.loop_rows)
    worst = total = 0.0
    measure_loops(s, errors)
    for r in range(len(errors)):
        if r >= n_loop:
            errors[r] = gear_error(s, r - n_loop)
        worst, total = max(worst, abs(errors[r])), total + errors[r] * errors[r]
    return worst, total


@jit
def _update_after_shift(s: System, shift: Floats, energy: Floats):
    """Update what depends on positions; a model moved far has no more than its ``energy``.

    Bias forces are those of the velocities before: the next step makes its own.
    """
    update(s, s.velocity)
    for n in range(len(s.machine)):
        if may_gain_energy(s, n, shift):
            limit_energy(s, n, energy[n])


@jit
def _measure_energies(s: System, shift: Floats, energy: Floats):
    """Twice the kinetic energies of the models that ``shift`` moves far."""
    for n in range(len(s.machine)):
        if may_gain_energy(s, n, shift):
            energy[n] = energy_of(s, n, s.velocity[s.dof[n] : s.dof[n + 1]])


@jit
def _newton_step(s: System, errors: Floats, nothing: Contacts, no_limits: NearLimits):
    blocks, still = blocks_of(s, nothing, no_limits, OF_IMPACT), np.zeros(len(s.velocity))
    rows = assemble(s, blocks, nothing, no_limits, still, 0.0)
    for i in range(len(errors)):
        rows.bias[i] = errors[i]
        if rows.compliance[i] == 0.0:
            rows.compliance[i] = _LOOP_COMPLIANCE
    return _least_shift(s, rows, False)


@jit
def _tolerated(s: System, steps: int, was_cut: bool):
    """The error of loops that is left after this many Newton steps [m], or after a cut one."""
    if steps == 0:
        return _CLOSED_LOOP
    return s.loop_slop if steps < _USUAL_STEPS and not was_cut else _OPEN_LOOP


@jit
def _cut(part: float, before: float, after: float):
    """The share of a step, itself this part of Newton's, at which the square of errors is least.

    By the parabola through both squares with the slope that Newton's method has.
    """
    if not after < math.inf:
        return 0.1
    slope = 2.0 * part * before
    return min(max(0.5 * slope / (after - before + slope), 0.1), 0.5)


@jit
def close_loops(s: System, nothing: Contacts, no_limits: NearLimits):
    """Close loops and gears by Newton's method; return the error that is left.

    Displacements are the least ones in the norm of the masses that were factored last.  Where loops
    are open by `_OPEN_LOOP`, these are factored anew.
    Steps are cut where they would raise the error: from a chain that is nearly straight the full
    step leads away from the solution.  After a cut step further ones gain little.  Poses may be
    those of a step that was taken back.
    """
    errors = np.empty(first_limit(s))
    if len(errors) == 0:
        return 0.0
    shift, energy = np.zeros(len(s.velocity)), np.full(len(s.machine), math.inf)
    part, cut, least, worst = 1.0, 1.0, math.inf, 0.0
    position, velocity = s.position.copy(), s.velocity.copy()
    for left in range(s.projections, -1, -1):
        _update_after_shift(s, shift, energy)
        now, total = measure_errors(s, errors)
        is_closer, was_cut = total < least, part < 1.0
        if is_closer:
            least, worst, part = total, now, 1.0
        else:
            s.position[:], s.velocity[:] = position, velocity
            cut = _cut(part, least, total)
            part *= cut
        tolerated = _tolerated(s, s.projections - left, is_closer and was_cut)
        if not worst > tolerated or left == 0 or part < _LEAST_PART:
            break
        if is_closer:
            position[:], velocity[:] = s.position, s.velocity
            if worst > _OPEN_LOOP:  # else the poses are near those of the factors
                factorise_masses(s)
            shift = _newton_step(s, errors, nothing, no_limits)
            _measure_energies(s, shift, energy)
        else:
            for k in range(len(shift)):
                shift[k] *= cut
        for n in range(len(s.machine)):
            shift_node(s, n, shift)
    return worst
