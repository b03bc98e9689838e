"""What the forces of a step were, and what work they did: for the record alone."""

from __future__ import annotations

import numpy as np

from ...compiler.jit import Floats, jit
from ...contact_problem.block_products import minus_product
from ...contact_problem.rows import ConstraintRows
from .counter_indices import WORK
from .springs import note_passive, note_springs
from .system import System


@jit
def note_forces(s: System, rows: ConstraintRows, n_contacts: int, x: Floats, h: float):
    """Note the forces of constraints, damping, springs and servos of a step, and the work of all
    but constraints.

    The step led from ``s.velocity`` over ``s.free`` to ``s.trial``; masses are those that it was
    made with, damping in them.  Forces that were applied worked along the motion of the step: a
    node that is stopped moves with its last velocity alone.
    """
    v, end, force = s.velocity, s.trial, s.constraint_force
    moved, change, work = np.empty(len(v)), np.empty(len(v)), 0.0
    for n in range(len(s.machine)):
        dof, last, m = s.dof[n], s.dof[n + 1], s.mass[s.mass_at[n] :]
        for k in range(dof, last):
            change[k] = s.free[k] - end[k]
            moved[k] = v[k] + s.share[n] * (end[k] - v[k])
        if s.machine[n] < 0:
            _put_minus_momentum(m, change[dof:], force[dof:])
            for k in range(dof, last):
                s.passive_force[k] = s.elastic[k]
                if s.force[k] != 0.0:  # most often there is none, and sums take their time
                    work += s.force[k] * moved[k]
        else:
            minus_product(m, last - dof, change[dof:], force[dof:])
            work += _note_joints(s, n, h, moved)
        for k in range(dof, last):
            force[k] /= h
    for n in range(len(s.machine)):
        if s.machine[n] < 0:
            dof = s.dof[n]
            for k in range(3):
                work += s.body_mass[n] * s.extra_gravity[n, k] * moved[dof + k]
    first = len(rows.kind) - n_contacts - len(s.spring_rows)
    work = h * work + note_springs(s, rows, first, x, h, moved)
    s.totals[WORK] += work + _note_hinges(s, rows, first, x, h, moved)


@jit
def _put_minus_momentum(m: Floats, v: Floats, out: Floats):
    """Put minus the momentum of a free body with the mass matrix ``m`` in ``out``."""
    for k in range(3):
        out[k] = 0.0 - v[k] * m[0]
    x, y, z = v[3], v[4], v[5]
    out[3] = 0.0 - x * m[21] - y * m[27] - z * m[33]
    out[4] = 0.0 - x * m[22] - y * m[28] - z * m[34]
    out[5] = 0.0 - x * m[23] - y * m[29] - z * m[35]


@jit
def _note_joints(s: System, n: int, h: float, moved: Floats):
    """Note the forces in the joints of a model; returns their work over the step's length."""
    v, end, work = s.velocity, s.trial, 0.0
    for k in range(s.dof[n], s.dof[n + 1]):
        mean = 0.5 * (v[k] + end[k])
        stiff = s.viscous[k] * mean + 0.25 * h * s.stiffness[k] * (end[k] - v[k])
        s.passive_force[k] = s.elastic[k] - stiff
        servo = s.resisted[k] * (end[k] - v[k])
        s.tau[k] -= servo
        s.written[k] -= servo
        work += (s.force[k] - stiff - servo) * moved[k]
    return work


@jit
def _note_hinges(s: System, rows: ConstraintRows, end: int, x: Floats, h: float, moved: Floats):
    """Count viscous friction in the joints of loops as passive forces; returns its work.

    Its blocks, those of dry friction there, and of tendons, end before block ``end``.
    """
    k, work = end, 0.0
    for friction in s.tendon_friction:
        k -= int(friction > 0.0)
    for i in range(len(s.hinge_loop)):
        k -= int(s.hinge_dry[i] > 0.0) + int(s.hinge_viscous[i] > 0.0)
    for i in range(len(s.hinge_loop)):
        k += int(s.hinge_dry[i] > 0.0)
        if s.hinge_viscous[i] > 0.0:
            work += note_passive(s, rows, k, float(x[rows.row[k]]) / h, h, moved)
            k += 1
    return work
