"""Springs and dampers by the implicit midpoint rule, which is stable at any stiffness.

A row of a spring has a deflection e, its rate u, and the force ``-f(e) - c u`` along it.  The
midpoint rule is ``h (-f - k h / 4 (u1 - u0) - c / 2 (u0 + u1))``, with f and its slope k at the
poses of the velocity update, and the rates before and after.  The first term acts as a force; the
others are a compliant row of the contact problem.  Springs in joints enter the mass matrix instead.
"""

from __future__ import annotations

import math

from ...algorithms.constrained.closures import JointFrame
from ...compiler.jit import Floats, jit
from ...contact_problem.rows import ConstraintRows
from ...spatial import Force, Quaternion, Vec3
from .couplings import joint_frame
from .motion import add_wrench
from .rigid import turn_of
from .row_blocks import nodes_of, row_rate, sides
from .system import System

SPRING, AXIS, TABLE, TABLE_END = range(4)  # columns of System.spring_rows
STIFFNESS, REST, DAMPING = range(3)  # columns of System.spring_law
# Values of AXIS: about x, y, z of frame a, along them, and along the line between the origins.
TURNS, SLIDES, LINE = 0, 3, 6
# Below this rotation [rad] a series stands for a difference of large numbers.
_SMALL_TURN = 0.05
# Greatest change of a rate by impulses of others, for the bounds of a row [1/s or m/s].
_FASTEST = 1e4


@jit
def spring_row(s: System, r: int):
    """The deflection of a row, and the wrench of a unit force along it on body b."""
    spring, axis = s.spring_rows[r, SPRING], s.spring_rows[r, AXIS]
    a = joint_frame(s, s.spring_a[spring], s.spring_frame_a[spring])
    b = joint_frame(s, s.spring_b[spring], s.spring_frame_b[spring])
    if axis < SLIDES:
        return _turn_row(a, b, axis)
    p, way = b.origin, b.origin - a.origin
    if axis < LINE:
        along = a.x if axis == SLIDES else a.y if axis == SLIDES + 1 else a.z
        return along.dot(way), Force(p.cross(along), along)
    length = math.sqrt(way.dot(way))
    along = (1.0 / length if length > 0.0 else 0.0) * way
    return length, Force(p.cross(along), along)


@jit
def _turn_row(a: JointFrame, b: JointFrame, axis: int):
    """An entry of the rotation vector of frame b against frame a, and the moment of its rate.

    Rates are the angular velocity times the inverse of the left Jacobian of the rotation group.
    """
    phi = _rotation_vector(a, b)
    square = phi.dot(phi)
    angle = math.sqrt(square)
    factor = 1.0 / 12.0 + square / 720.0
    if angle > _SMALL_TURN:
        factor = 1.0 / square - (1.0 + math.cos(angle)) / (2.0 * angle * math.sin(angle))
    e = Vec3(
        1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0
    )  # fmt: skip
    value = e.dot(phi)
    row = e + 0.5 * phi.cross(e) + factor * (value * phi - square * e)
    moment = row.x * a.x + row.y * a.y + row.z * a.z
    return value, Force(moment, Vec3(0.0, 0.0, 0.0))


@jit
def _rotation_vector(a: JointFrame, b: JointFrame):
    """The rotation from frame a to frame b, in axes of a."""
    v = 0.5 * Vec3(
        a.z.dot(b.y) - a.y.dot(b.z), a.x.dot(b.z) - a.z.dot(b.x), a.y.dot(b.x) - a.x.dot(b.y)
    )
    sine, cosine = math.sqrt(v.dot(v)), 0.5 * (a.x.dot(b.x) + a.y.dot(b.y) + a.z.dot(b.z) - 1.0)
    return (math.atan2(sine, cosine) / sine if sine > 0.0 else 1.0) * v


@jit
def tension(s: System, r: int, value: float):
    """The force that reduces a deflection, and its slope."""
    first, end = s.spring_rows[r, TABLE], s.spring_rows[r, TABLE_END]
    if first == end:
        k = s.spring_law[r, STIFFNESS]
        return k * (value - s.spring_law[r, REST]), k
    i = first
    while i < end - 2 and value > s.spring_table[i + 1, 0]:
        i += 1
    length, force = s.spring_table[i, 0], s.spring_table[i, 1]
    slope = (s.spring_table[i + 1, 1] - force) / (s.spring_table[i + 1, 0] - length)
    return force + slope * (value - length), slope


@jit
def elastic_forces(s: System):
    """Generalised forces of all springs at the present poses, into ``s.elastic``."""
    for k in range(len(s.elastic)):
        s.elastic[k] = 0.0
    for r in range(len(s.spring_rows)):
        value, wrench = spring_row(s, r)
        force, _ = tension(s, r, value)
        spring = s.spring_rows[r, SPRING]
        _add_on(s, s.spring_b[spring], wrench, -force)
        _add_on(s, s.spring_a[spring], wrench, force)
    for j in range(len(s.spring_dof)):
        k = s.spring_dof[j]
        s.elastic[k] -= s.stiffness[k] * (s.position[s.spring_place[j]] - s.spring_rest[j])
    for j in range(len(s.turn_spring)):
        dof, turn = s.turn_spring[j, 0], _turn_from_rest(s, j)
        for k in range(3):
            s.elastic[dof + k] -= s.stiffness[dof + k] * turn[k]


@jit
def _turn_from_rest(s: System, j: int):
    """The rotation vector of a spherical joint from the rest of its spring, in the body's axes."""
    q, at, rest = s.position, s.turn_spring[j], s.turn_rest[j]
    back = Quaternion(rest[3], -rest[0], -rest[1], -rest[2])
    return turn_of(back * Quaternion(q[at[4]], q[at[1]], q[at[2]], q[at[3]]))


@jit
def _add_on(s: System, b: int, wrench: Force, factor: float):
    if b >= 0:
        n = s.body_node[b]
        add_wrench(s, n, b, wrench, factor, s.elastic[s.dof[n] :])


@jit
def fill_spring(s: System, out: ConstraintRows, k: int, r: int, h: float):
    """The terms of a spring's row that depend on the rates before and after."""
    value, wrench = spring_row(s, r)
    spring = s.spring_rows[r, SPRING]
    a, b = s.spring_a[spring], s.spring_b[spring]
    n, m = nodes_of(s, a, b)
    at, to = sides(out, k, n, m)
    if n >= 0:
        add_wrench(s, n, a, wrench, -1.0, out.jacobian[at:])
    if m >= 0:
        add_wrench(s, m, b, wrench, 1.0, out.jacobian[to:])
    _, slope = tension(s, r, value)
    spring_gain, damper_gain = 0.25 * h * max(slope, 0.0), 0.5 * s.spring_law[r, DAMPING]
    gain, row = spring_gain + damper_gain, out.row[k]
    if gain <= 0.0:
        for i in range(out.value[out.segment[k]], out.value[out.segment[k + 1]]):
            out.jacobian[i] = 0.0
        out.compliance[row] = 1.0
        return
    rate, free = row_rate(out, k, s.velocity), row_rate(out, k, s.free)
    out.bias[row] = (damper_gain - spring_gain) / gain * rate
    out.compliance[row] = 1.0 / (h * gain)
    out.upper[k] = h * gain * (_FASTEST + abs(rate) + abs(free))
    out.lower[k] = -out.upper[k]


@jit
def note_springs(s: System, rows: ConstraintRows, first: int, x: Floats, h: float, moved: Floats):
    """Count the impulses of the springs' rows, from block ``first`` on, as passive forces.

    Returns their work in the step, in which bodies move with the velocities ``moved``.
    """
    work = 0.0
    for k in range(first, first + len(s.spring_rows)):
        work += note_passive(s, rows, k, float(x[rows.row[k]]) / h, h, moved)
    return work


@jit
def note_passive(s: System, rows: ConstraintRows, k: int, force: float, h: float, moved: Floats):
    """Count the force of block ``k`` as a passive one; before it is among the constraint forces.

    Returns its work in a step of ``h``, in which bodies move with the velocities ``moved``.
    """
    for j in range(rows.segment[k], rows.segment[k + 1]):
        dof = rows.node_dof[rows.node[j]]
        for i in range(rows.value[j + 1] - rows.value[j]):
            part = force * rows.jacobian[rows.value[j] + i]
            s.passive_force[dof + i] += part
            s.constraint_force[dof + i] -= part
    return h * force * row_rate(rows, k, moved)
