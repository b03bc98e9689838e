"""Positions put back where constraints want them, without touching velocities."""

from __future__ import annotations

import math

import numpy as np

from ...compiler.jit import Floats, jit
from ..contact import BILATERAL, BOX, UNILATERAL, ConstraintRows, Report, solve
from .assembly import assemble
from .contacts import GAP, IS_SOFT, L_GAP, RULE, Contacts, NearLimits
from .couplings import gear_error, loop_row
from .free_motion import limit_energy, may_gain_energy, shift_passively
from .free_velocity import energy_of, factorise_masses
from .motion import shift_node, update
from .row_blocks import row_rate
from .system import System

# Share of its own way by which each of the wanted ways yields: overlaps may contradict each other.
_YIELD = -1e-4
_LOOP_YIELD = -1e-6
_FARTHEST = 0.2  # that one projection moves anything [m or rad]
# Where it would be more: the factor by which rows yield more then, and how often at most.
_SOFTER, _ATTEMPTS = 100.0, 3
# Ways that are looked at for what they do to loops, how far these may open, looks at most.
_SMALL, _OPEN, _SHORTER = 1e-3, 1e-4, 4
_USUAL = 3  # steps towards closed loops, if they are not open by more than that then
_SHORTEST = 1e-2  # part of a step below which loops are left as they are


@jit
def _normal_rows(rows: ConstraintRows, free: Floats):
    """The rows of a step without friction: one row for each contact, limit, loop and gear."""
    blocks = segments = values = 0
    for k in range(len(rows.kind)):
        if rows.kind[k] == BOX:
            continue
        blocks += 1
        n_rows = rows.row[k + 1] - rows.row[k]
        for j in range(rows.segment[k], rows.segment[k + 1]):
            segments += 1
            values += (rows.value[j + 1] - rows.value[j]) // n_rows
    out = ConstraintRows(
        rows.node_dof, rows.node_mass, rows.mass, free,
        np.zeros(blocks, np.int64), np.arange(blocks + 1), np.zeros(blocks + 1, np.int64),
        np.zeros(segments, np.int64), np.zeros(segments + 1, np.int64), np.zeros(values),
        np.zeros(blocks), np.full(blocks, _YIELD), np.zeros(blocks), np.zeros(blocks),
        np.zeros(blocks, np.int64), np.zeros(blocks), np.full(blocks, np.inf),
    )  # fmt: skip
    i = t = 0
    for k in range(len(rows.kind)):
        if rows.kind[k] == BOX:
            continue
        out.kind[i] = BILATERAL if rows.kind[k] == BILATERAL else UNILATERAL
        n_rows = rows.row[k + 1] - rows.row[k]
        for j in range(rows.segment[k], rows.segment[k + 1]):
            width = (rows.value[j + 1] - rows.value[j]) // n_rows
            out.node[t] = rows.node[j]
            out.value[t + 1] = out.value[t] + width
            for i_dof in range(width):
                out.jacobian[out.value[t] + i_dof] = rows.jacobian[rows.value[j] + i_dof]
            t += 1
        i += 1
        out.segment[i] = t
    return out


@jit
def _target(gap: float, slop: float, share: float):
    """Where a gap is to be brought: deep overlaps are worked off over several steps."""
    if gap >= -0.5 * slop:
        return max(gap, 0.0)
    return -min(-gap - 0.5 * slop, max(-share * gap, 1e-4))


@jit
def _farthest(way: Floats):
    most = 0.0
    for k in range(len(way)):
        most = max(most, abs(way[k]))
    return most


@jit
def _ways(s: System, rows: ConstraintRows):
    """The least displacements of all nodes that meet the biases of ``rows``.

    Where these are farther than the linearisation is good for, rows contradict each other or a
    chain is stretched: then they yield more, and what is left at last is shortened.
    """
    way, x, report = np.zeros(len(s.velocity)), np.zeros(len(rows.bias)), Report()
    most = 0.0
    for _ in range(_ATTEMPTS):
        x[:] = 0.0
        solve(rows, x, way, s.solver, report)
        most = _farthest(way)
        if most <= _FARTHEST:
            break
        for i in range(len(rows.compliance)):
            rows.compliance[i] *= _SOFTER if rows.compliance[i] < 0.0 else 1.0
    if most > _FARTHEST:
        for k in range(len(way)):
            way[k] *= _FARTHEST / most
    return way


@jit
def _push(s: System, way: Floats):
    """Move all nodes; ways on which loops would open are made shorter, in ``way`` too.

    A chain that is nearly straight gives way in what its loop forbids only for small moves.
    """
    if len(s.loop_rows) == 0 or _farthest(way) < _SMALL:
        for n in range(len(s.machine)):
            shift_passively(s, n, way)
        return
    update(s, s.velocity)
    position, velocity = s.position.copy(), s.velocity.copy()
    most = np.empty(len(s.loop_rows))
    for r in range(len(most)):
        most[r] = max(_OPEN, abs(loop_row(s, r)[0]))
    for _ in range(_SHORTER):
        for n in range(len(s.machine)):
            shift_passively(s, n, way)
        update(s, s.velocity)
        if not _shorten(s, most, way):
            return
        s.position[:], s.velocity[:] = position, velocity
        update(s, s.velocity)
    for n in range(len(s.machine)):
        shift_passively(s, n, way)


@jit
def _shorten(s: System, most: Floats, way: Floats):
    """Make the ways of what hangs on loops that are open by more than ``most`` shorter."""
    shorter = np.zeros(len(s.machine), np.int64)
    is_open = False
    for r in range(len(most)):
        if abs(loop_row(s, r)[0]) > most[r]:
            is_open = True
            for body in (s.loop_a[s.loop_rows[r, 0]], s.loop_b[s.loop_rows[r, 0]]):
                if body >= 0:
                    shorter[s.body_node[body]] = 1
    for n in range(len(shorter)):
        if shorter[n] != 0:
            for k in range(s.dof[n], s.dof[n + 1]):
                way[k] *= 0.25
    return is_open


@jit
def push_apart(s: System, rows: ConstraintRows, contacts: Contacts, limits: NearLimits):
    """Undo overlaps of contacts and limits, as deep as they will be at the end of the step."""
    worst = 0.0
    for c in range(len(contacts.whole)):
        if s.rules[contacts.whole[c, RULE], IS_SOFT] == 0.0:
            worst = min(worst, contacts.real[c, GAP])
    for i in range(len(limits.whole)):
        worst = min(worst, limits.real[i, L_GAP])
    if worst >= -s.slop or s.projections == 0:
        return
    single = _normal_rows(rows, np.zeros(len(s.velocity)))
    at = len(s.loop_rows) + len(s.gear_dof)
    first = at
    for i in range(len(limits.whole)):
        single.bias[at] = _target(limits.real[i, L_GAP], s.slop, s.push_out)
        at += 1
    for c in range(len(contacts.whole)):
        single.bias[at] = _target(contacts.real[c, GAP], s.slop, s.push_out)
        if s.rules[contacts.whole[c, RULE], IS_SOFT] > 0.0:
            single.bias[at] = 1e3
        at += 1
    way = _ways(s, single)
    _push(s, way)
    at = first
    for i in range(len(limits.whole)):
        limits.real[i, L_GAP] += row_rate(single, at, way)
        at += 1
    for c in range(len(contacts.whole)):
        contacts.real[c, GAP] += row_rate(single, at, way)
        at += 1


@jit
def measure_errors(s: System, errors: Floats):
    """Errors of loops and gears as they are; the worst one, and the sum of squares."""
    n_loop = len(s.loop_rows)
    worst = total = 0.0
    for r in range(len(errors)):
        errors[r] = loop_row(s, r)[0] if r < n_loop else gear_error(s, r - n_loop)
        worst, total = max(worst, abs(errors[r])), total + errors[r] * errors[r]
    return worst, total


@jit
def _renew(s: System, energy: Floats):
    """What depends on positions, after they changed; machines keep to the energy given."""
    update(s, s.velocity)
    is_slowed = False
    for n in range(len(s.machine)):
        if energy[n] < math.inf:
            is_slowed = limit_energy(s, n, energy[n]) or is_slowed
    if is_slowed:
        update(s, s.velocity)
    factorise_masses(s)


@jit
def _go(s: System, way: Floats, energy: Floats):
    """Move all nodes; the energy that each may have afterwards, see `shift_passively`."""
    for n in range(len(s.machine)):
        energy[n] = math.inf
        if may_gain_energy(s, n, way):
            energy[n] = energy_of(s, n, s.velocity[s.dof[n] : s.dof[n + 1]])
        shift_node(s, n, way)


@jit
def _way_to_close(s: System, errors: Floats, nothing: Contacts, no_limits: NearLimits):
    rows = assemble(s, nothing, no_limits, np.zeros(len(s.velocity)), 0.0, s.share, False)
    for i in range(len(errors)):
        rows.bias[i] = errors[i]
        if rows.compliance[i] == 0.0:
            rows.compliance[i] = _LOOP_YIELD
    return _ways(s, rows)


@jit
def close_loops(s: System, nothing: Contacts, no_limits: NearLimits):
    """Bring loops and gears together; return the error that is left.

    By Newton's steps, each made shorter where it would lead farther away: a chain that is
    nearly straight cannot go where its tip is wanted on the shortest way.
    """
    errors = np.empty(len(s.loop_rows) + len(s.gear_dof))
    if len(errors) == 0:
        return 0.0
    energy, any_energy = np.full(len(s.machine), math.inf), np.full(len(s.machine), math.inf)
    way, part, least, worst = np.zeros(len(s.velocity)), 1.0, math.inf, 0.0
    position, velocity = s.position.copy(), s.velocity.copy()
    for left in range(s.projections, -1, -1):
        _renew(s, energy)
        now, total = measure_errors(s, errors)
        is_closer = total < least
        if is_closer:
            least, worst, part = total, now, 1.0
        else:
            s.position[:], s.velocity[:] = position, velocity
            _renew(s, any_energy)
            part *= 0.25
        enough = s.loop_slop if left > s.projections - _USUAL else _OPEN
        if not worst > enough or left == 0 or part < _SHORTEST:
            break
        if is_closer:
            position[:], velocity[:] = s.position, s.velocity
            way = _way_to_close(s, errors, nothing, no_limits)
        else:
            for k in range(len(way)):
                way[k] *= 0.25
        _go(s, way, energy)
    return worst
