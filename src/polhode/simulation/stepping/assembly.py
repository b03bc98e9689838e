"""Constraint rows of loops, gears, limits, friction in joints and tendons, springs, contacts."""

from __future__ import annotations

import math

import numpy as np

from ...compiler.jit import Floats, Floats2, Ints2, jit
from ...contact_problem import BILATERAL, BOX, CONTACT, DISK, NO_SLIP, UNILATERAL
from ...contact_problem.rows import ConstraintRows
from ...spatial import Force, Vec3
from .belts import belt_velocity
from .contacts import (
    DAMPING,
    DEEP,
    EDGES,
    GAP,
    IMPULSE,
    IS_SOFT,
    L_GAP,
    L_SIDE,
    MU,
    MU_STATIC,
    NORMAL,
    POINT,
    RULE,
    STICKS,
    STIFFNESS,
    VISCOUS,
    A,
    B,
    Contacts,
    NearLimits,
    axes_across,
    set_vector,
    tangents,
    vector,
)
from .couplings import AXIS_A, AXIS_B, KIND, LOOP, hinge_row, hinge_speed, joint_frames
from .limits import limit_nodes, limit_share, tendon_of
from .motion import add_force, add_wrench, motion_of, velocity_at
from .row_blocks import (
    INDEX,
    N_COLUMNS,
    SOURCE,
    list_block,
    list_tendon,
    nodes_of,
    rows_of,
    sides,
)
from .springs import SPRING, fill_spring
from .system import System
from .torque_rows import ROLLS, SPINS, count_torques, fill_torque, has_torque

_FASTEST = 1e4  # greatest speed for the bounds of viscous friction in loops [1/s or m/s]
# `DEEP` overlaps are compliant, and so are limits beyond as much [m or rad]: bodies that cannot get
# apart jam, and rigid rows of chains among them have solutions at 1e5 times the weight alone.
# Shares of each row's own velocity per impulse, the greater one in impacts and where a step is else
# not solved.
DEEP_COMPLIANCE, SOFT_COMPLIANCE = -1e-6, -1e-4
# No-slip contacts stick from the first touch on: until then, with a gap above this [m], they have
# this coefficient of friction.  Gaps below it are rounding.
LANDED, LANDING = 1e-8, 1.0
# What rows are for.
OF_STEP, OF_IMPACT, OF_NORMALS = range(3)
# What a block is made of (`SOURCE` of a list of blocks).
_LOOP, _GEAR, _LIMIT, _JOINT_FRICTION, _HINGE_FRICTION, _HINGE_DAMPING = range(6)
_SPRING, _CONTACT, _TENDON_FRICTION, _TORQUE = 6, 7, 8, 9
# No contact moves as slowly as this before it sticks [m/s].
_STILL = 1e-9
_NOISE = 1e-10  # a row of a loop with no greater entry is rounding [1 or m]


@jit
def blocks_of(s: System, contacts: Contacts, limits: NearLimits, purpose: int):
    """The list of all blocks, in the order of their rows (see `row_blocks`).

    They are for a step, an impact, or of normals alone: an impact without friction.
    """
    most = len(s.loop_rows) + len(s.gear_dof) + len(limits.whole) + len(contacts.whole)
    if purpose == OF_STEP:
        most += len(s.friction_dof) + 2 * len(s.hinge_loop) + len(s.spring_rows)
        most += len(s.tendon_friction) + count_torques(s, contacts)
    out, k = np.empty((most, N_COLUMNS), np.int64), 0
    for r in range(len(s.loop_rows)):
        k = list_block(out, k, BILATERAL, _LOOP, r, _loop_nodes(s, s.loop_rows[r, 0]))
    for g in range(len(s.gear_dof)):
        nodes = s.dof_node[s.gear_dof[g, 0]], s.dof_node[s.gear_dof[g, 1]]
        k = list_block(out, k, BILATERAL, _GEAR, g, nodes)
    for i in range(len(limits.whole)):
        t = tendon_of(s, limits.whole[i])
        if t >= 0:
            k = list_tendon(out, k, UNILATERAL, _LIMIT, i, t)
        else:
            k = list_block(out, k, UNILATERAL, _LIMIT, i, limit_nodes(s, limits.whole[i]))
    if purpose == OF_STEP:
        for c in range(len(contacts.whole)):
            nodes = _contact_nodes(s, contacts, c)
            if has_torque(s, contacts, c, SPINS):
                k = list_block(out, k, BOX, _TORQUE, 2 * c + SPINS, nodes)
            if has_torque(s, contacts, c, ROLLS):
                k = list_block(out, k, DISK, _TORQUE, 2 * c + ROLLS, nodes)
        for i in range(len(s.friction_dof)):
            k = list_block(out, k, BOX, _JOINT_FRICTION, i, (s.dof_node[s.friction_dof[i]], -1))
        for i in range(len(s.hinge_loop)):
            nodes = _loop_nodes(s, s.hinge_loop[i])
            if s.hinge_dry[i] > 0.0:
                k = list_block(out, k, BOX, _HINGE_FRICTION, i, nodes)
            if s.hinge_viscous[i] > 0.0:
                k = list_block(out, k, BOX, _HINGE_DAMPING, i, nodes)
        for t in range(len(s.tendon_friction)):
            if s.tendon_friction[t] > 0.0:
                k = list_tendon(out, k, BOX, _TENDON_FRICTION, t, t)
        for r in range(len(s.spring_rows)):
            spring = s.spring_rows[r, SPRING]
            nodes = nodes_of(s, s.spring_a[spring], s.spring_b[spring])
            k = list_block(out, k, BOX, _SPRING, r, nodes)
    kind = UNILATERAL if purpose == OF_NORMALS else CONTACT
    for c in range(len(contacts.whole)):
        k = list_block(out, k, kind, _CONTACT, c, _contact_nodes(s, contacts, c))
    return out[:k]


@jit
def _contact_nodes(s: System, contacts: Contacts, c: int):
    a, b = s.surface_body[contacts.whole[c, A]], s.surface_body[contacts.whole[c, B]]
    return nodes_of(s, a, b)


@jit
def _loop_nodes(s: System, loop: int):
    return nodes_of(s, s.loop_a[loop], s.loop_b[loop])


@jit
def assemble(
    s: System, blocks: Ints2, contacts: Contacts, limits: NearLimits, free: Floats, h: float
):
    """Rows of all ``blocks`` at the present poses, which `blocks_of` lists.

    ``h`` is the step, ``s.share`` that of its motion which is still to come (for each node);
    gaps are as they are now.  An impact (``h = 0``) has no gaps and no springs.  Of all forces
    it has those of loops, gears, limits and contacts with Coulomb friction: the others are finite.
    The drift of loops is left to projections.
    """
    out = rows_of(s, free, blocks, h > 0.0)
    _fill_loops(s, out)
    for k in range(len(s.loop_rows), len(blocks)):
        source, i = blocks[k, SOURCE], blocks[k, INDEX]
        if source == _CONTACT:
            _fill_contact(s, out, k, contacts, i, h)
        elif source == _TORQUE:
            fill_torque(s, out, k, contacts, i // 2, i % 2)
        elif source == _GEAR:
            _fill_gear(s, out, k, i)
        elif source == _LIMIT:
            _fill_limit(s, out, k, limits, i, h)
        elif source == _JOINT_FRICTION:
            _fill_joint_friction(s, out, k, i, h)
        elif source == _HINGE_FRICTION:
            _fill_hinge_friction(s, out, k, i, h)
        elif source == _HINGE_DAMPING:
            _fill_hinge_damping(s, out, k, i, h)
        elif source == _TENDON_FRICTION:
            _fill_tendon(s, out, k, i, 1.0)
            out.lower[k], out.upper[k] = -h * s.tendon_friction[i], h * s.tendon_friction[i]
        else:
            fill_spring(s, out, k, i, h)
    return out


@jit
def _fill_wrench(s: System, out: ConstraintRows, k: int, loop: int, wrench: Force, sign: float):
    """The row of a wrench between the bodies of a loop: on b, and the opposite on a."""
    a, b = s.loop_a[loop], s.loop_b[loop]
    n, m = nodes_of(s, a, b)
    at, to = sides(out, k, n, m)
    if n >= 0:
        add_wrench(s, n, a, wrench, -sign, out.jacobian[at:])
    if m >= 0:
        add_wrench(s, m, b, wrench, sign, out.jacobian[to:])


@jit
def _fill_loops(s: System, out: ConstraintRows):
    """The rows of loops, which are the first blocks."""
    k = 0
    while k < len(s.loop_rows):
        loop = s.loop_rows[k, LOOP]
        a, b = joint_frames(s, loop)
        while k < len(s.loop_rows) and s.loop_rows[k, LOOP] == loop:
            row = s.loop_rows[k]
            wrench = a.wrench(b, row[KIND], row[AXIS_A], row[AXIS_B], s.pitch[loop])
            _fill_wrench(s, out, k, loop, wrench, 1.0)
            _drop_noise(out, k)
            k += 1


@jit
def _drop_noise(out: ConstraintRows, k: int):
    """Disable a row of rounding errors, such as a plane mechanism has."""
    first, last = out.value[out.segment[k]], out.value[out.segment[k + 1]]
    largest = 0.0
    for i in range(first, last):
        largest = max(largest, abs(out.jacobian[i]))
    if largest < _NOISE:
        for i in range(first, last):
            out.jacobian[i] = 0.0
        out.compliance[out.row[k]] = 1.0


@jit
def _fill_gear(s: System, out: ConstraintRows, k: int, g: int):
    i, j = s.gear_dof[g, 0], s.gear_dof[g, 1]
    a, b = s.dof_node[i], s.dof_node[j]
    at, to = sides(out, k, a, b)
    out.jacobian[at + i - s.dof[a]] += 1.0
    out.jacobian[to + j - s.dof[b]] -= s.gear_ratio[g]


@jit
def _deep_compliance(h: float):
    """The compliance of errors of the start in a step of ``h``, 0 for an impact."""
    return DEEP_COMPLIANCE if h > 0.0 else SOFT_COMPLIANCE


@jit
def _fill_limit(s: System, out: ConstraintRows, k: int, limits: NearLimits, i: int, h: float):
    hinge, t = limits.whole[i] - len(s.limit_dof), tendon_of(s, limits.whole[i])
    if t >= 0:
        _fill_tendon(s, out, k, t, limits.real[i, L_SIDE])
    elif hinge < 0:
        _fill_dof(s, out, k, s.limit_dof[limits.whole[i]], limits.real[i, L_SIDE])
    else:
        _fill_hinge(s, out, k, hinge, limits.real[i, L_SIDE])
    if limits.real[i, L_GAP] < -DEEP:
        out.compliance[out.row[k]] = _deep_compliance(h)
    if h > 0.0 and limits.real[i, L_GAP] > 0.0:
        rest = limit_share(s, s.share, limits.whole[i])
        out.bias[out.row[k]] = limits.real[i, L_GAP] / (h * rest)


@jit
def _fill_tendon(s: System, out: ConstraintRows, k: int, t: int, sign: float):
    """The row of the length of tendon ``t``."""
    for j in range(out.segment[k], out.segment[k + 1]):
        n, at = out.node[j], out.value[j]
        for i in range(s.dof[n], s.dof[n + 1]):
            out.jacobian[at + i - s.dof[n]] = sign * s.tendon_row[t, i]
    _drop_noise(out, k)


@jit
def _fill_dof(s: System, out: ConstraintRows, k: int, dof: int, sign: float):
    """The row of one velocity."""
    out.jacobian[out.value[out.segment[k]] + dof - s.dof[s.dof_node[dof]]] = sign


@jit
def _fill_hinge(s: System, out: ConstraintRows, k: int, hinge: int, sign: float):
    """The row of the free coordinate of a loop."""
    _, wrench = hinge_row(s, hinge)
    _fill_wrench(s, out, k, s.hinge_loop[hinge], wrench, sign)


@jit
def _fill_joint_friction(s: System, out: ConstraintRows, k: int, i: int, h: float):
    _fill_dof(s, out, k, s.friction_dof[i], 1.0)
    out.lower[k], out.upper[k] = -h * s.friction[i], h * s.friction[i]


@jit
def _fill_hinge_friction(s: System, out: ConstraintRows, k: int, hinge: int, h: float):
    """Dry friction within bounds."""
    _fill_hinge(s, out, k, hinge, 1.0)
    out.lower[k], out.upper[k] = -h * s.hinge_dry[hinge], h * s.hinge_dry[hinge]


@jit
def _fill_hinge_damping(s: System, out: ConstraintRows, k: int, hinge: int, h: float):
    """Viscous friction of the mean of the speeds before and after."""
    _fill_hinge(s, out, k, hinge, 1.0)
    speed, gain = hinge_speed(s, s.velocity, hinge), h * s.hinge_viscous[hinge]
    out.bias[out.row[k]], out.compliance[out.row[k]] = speed, 2.0 / gain
    out.upper[k] = gain * (_FASTEST + abs(speed))
    out.lower[k] = -out.upper[k]


@jit
def slip_velocity(s: System, velocity: Floats, contacts: Contacts, c: int):
    """Velocity of side a over side b at contact ``c``."""
    g, f = contacts.whole[c, A], contacts.whole[c, B]
    point, v = vector(contacts.real[c], POINT), Vec3(0.0, 0.0, 0.0)
    if s.surface_body[g] >= 0:
        v, _ = velocity_at(s, velocity, s.surface_body[g], point)
    if s.surface_body[f] >= 0:
        u, _ = velocity_at(s, velocity, s.surface_body[f], point)
        v = v - u
    return v + belt_velocity(s, g, f, point)


@jit
def slip_velocities(s: System, velocity: Floats, contacts: Contacts):
    """`slip_velocity` of all contacts, a row each."""
    out = np.empty((len(contacts.whole), 3))
    put_slip_velocities(s, velocity, contacts, out)
    return out


@jit
def put_slip_velocities(s: System, velocity: Floats, contacts: Contacts, out: Floats2):
    """`slip_velocities`, into ``out``."""
    none = Vec3(0.0, 0.0, 0.0)
    a, b, motion_a, motion_b = -1, -1, (none, none, none), (none, none, none)
    for c in range(len(out)):
        point, g, f = vector(contacts.real[c], POINT), contacts.whole[c, A], contacts.whole[c, B]
        # Contacts of a pair come one after the other: bodies have the motion of the one before.
        if s.surface_body[g] != a:
            a = s.surface_body[g]
            motion_a = motion_of(s, velocity, a) if a >= 0 else (none, none, none)
        if s.surface_body[f] != b:
            b = s.surface_body[f]
            motion_b = motion_of(s, velocity, b) if b >= 0 else (none, none, none)
        slip = _at(motion_a, point) - _at(motion_b, point)
        if s.has_belt[g] or s.has_belt[f]:
            slip = slip + belt_velocity(s, g, f, point)
        set_vector(out[c], 0, slip)


@jit
def _at(motion: tuple[Vec3, Vec3, Vec3], point: Vec3):
    """Velocity of a body at a point, by `motion_of`."""
    origin, v, w = motion
    return v + w.cross(point - origin)


@jit
def friction_axes(s: System, contacts: Contacts, c: int):
    """The tangents of contact ``c``: a polygon of friction has its first corner along the slip."""
    normal = vector(contacts.real[c], NORMAL)
    if s.rules[contacts.whole[c, RULE], EDGES] == 0.0:
        return axes_across(normal)
    return tangents(normal, slip_velocity(s, s.velocity, contacts, c))


@jit
def contact_share(s: System, contacts: Contacts, c: int):
    """The greater share of the nodes of contact ``c``."""
    share = 0.0
    for g in (contacts.whole[c, A], contacts.whole[c, B]):
        if s.surface_body[g] >= 0:
            share = max(share, s.share[s.body_node[s.surface_body[g]]])
    return share


@jit
def _friction(contacts: Contacts, c: int, rule: Floats, h: float, slip: Vec3):
    """The coefficient of friction of contact ``c`` in a step of ``h``, or in an impact."""
    real, mu = contacts.real, rule[MU]
    if rule[MU_STATIC] > mu and h > 0.0 and _sticks(real[c], slip):
        mu = rule[MU_STATIC]
    if rule[IS_SOFT] == 0.0 and real[c, GAP] < -DEEP:
        return 0.0
    if h <= 0.0 or mu < NO_SLIP or real[c, GAP] <= LANDED:
        return mu
    pressed = 0.0
    for i in range(3):
        pressed += real[c, NORMAL + i] * real[c, IMPULSE + i]
    return mu if pressed > 0.0 else LANDING


@jit
def closing_gap(gap: float, mu: float):
    """The part of a gap that may close in a step: none of a no-slip contact that has landed.

    Contacts that all stick cannot close gaps along different normals.
    """
    return gap if gap > LANDED or (gap > 0.0 and mu < NO_SLIP) else 0.0


@jit
def _sticks(real: Floats, slip: Vec3):
    """Whether a contact has static friction: it stuck until now, or is new and does not slip."""
    impulse, normal = vector(real, IMPULSE), vector(real, NORMAL)
    across = slip - slip.dot(normal) * normal
    if impulse.dot(impulse) > 0.0:
        return real[STICKS] != 0.0
    return across.dot(across) < _STILL * _STILL


@jit
def _touches(s: System, contacts: Contacts, c: int, rest: float):
    """Whether contact ``c`` is closed, to within rounding, or free motion closes it in ``rest``."""
    gap, normal = contacts.real[c, GAP], vector(contacts.real[c], NORMAL)
    closes = rest * slip_velocity(s, s.free, contacts, c).dot(normal)
    return gap >= -DEEP and (gap <= LANDED or gap + closes < 0.0)


@jit
def _add_side(s: System, n: int, b: int, point: Vec3, axes: tuple[Vec3, Vec3, Vec3], rows: Floats):
    """Add the generalised forces of unit forces on body ``b`` of node ``n``, each in a row."""
    one, two, three = axes
    if s.machine[n] < 0:
        arm = point - vector(s.pose[b], 9)
        _add_row(rows, 0, one, arm.cross(one))
        _add_row(rows, 6, two, arm.cross(two))
        _add_row(rows, 12, three, arm.cross(three))
    else:
        width = s.dof[n + 1] - s.dof[n]
        add_force(s, n, b, point, one, rows)
        add_force(s, n, b, point, two, rows[width:])
        add_force(s, n, b, point, three, rows[2 * width :])


@jit
def _add_row(rows: Floats, at: int, force: Vec3, torque: Vec3):
    """Add a force and a torque to six numbers."""
    rows[at], rows[at + 1] = rows[at] + force.x, rows[at + 1] + force.y
    rows[at + 2], rows[at + 3] = rows[at + 2] + force.z, rows[at + 3] + torque.x
    rows[at + 4], rows[at + 5] = rows[at + 4] + torque.y, rows[at + 5] + torque.z


@jit
def _fill_contact(s: System, out: ConstraintRows, k: int, contacts: Contacts, c: int, h: float):
    g, f = contacts.whole[c, A], contacts.whole[c, B]
    a, b = s.surface_body[g], s.surface_body[f]
    rule = s.rules[contacts.whole[c, RULE]]
    n, m = nodes_of(s, a, b)
    at, to = sides(out, k, n, m)
    point, normal = vector(contacts.real[c], POINT), vector(contacts.real[c], NORMAL)
    if out.kind[k] == UNILATERAL:
        if n >= 0:
            add_force(s, n, a, point, normal, out.jacobian[at:])
        if m >= 0:
            add_force(s, m, b, point, -normal, out.jacobian[to:])
        return
    slip = Vec3(0.0, 0.0, 0.0)
    if rule[VISCOUS] > 0.0 or rule[MU_STATIC] > rule[MU]:  # else the laws do not depend on it
        slip = slip_velocity(s, s.velocity, contacts, c)
    one, two = friction_axes(s, contacts, c)
    if n >= 0:
        _add_side(s, n, a, point, (normal, one, two), out.jacobian[at:])
    if m >= 0:
        _add_side(s, m, b, point, (-normal, -one, -two), out.jacobian[to:])
    if s.has_belt[g] or s.has_belt[f]:
        belt, row = belt_velocity(s, g, f, point), out.row[k]
        out.bias[row] = normal.dot(belt)
        out.bias[row + 1], out.bias[row + 2] = one.dot(belt), two.dot(belt)
    out.mu[k], out.edges[k] = _friction(contacts, c, rule, h, slip), int(rule[EDGES])
    if rule[IS_SOFT] == 0.0 and contacts.real[c, GAP] < -DEEP:
        out.compliance[out.row[k]] = _deep_compliance(h)
    if h <= 0.0:
        return
    rest = contact_share(s, contacts, c)
    gap, row = contacts.real[c, GAP], out.row[k]
    if rule[IS_SOFT] > 0.0:
        # Spring and damper, taken at the end of the step: x/h = -k (gap + rest h u) - d u.  Where
        # the gap is open, the damper acts on the depth alone: u + gap/(rest h) in place of u.
        stiff = rule[STIFFNESS] * h * rest + rule[DAMPING]
        out.compliance[row] = 1.0 / (h * stiff)
        is_open = gap > 0.0
        out.bias[row] += gap / (h * rest) if is_open else rule[STIFFNESS] * gap / stiff
    else:
        out.bias[row] += closing_gap(gap, out.mu[k]) / (h * rest)
    if rule[VISCOUS] > 0.0 and _touches(s, contacts, c, h * rest):
        along = slip.dot(normal)
        across = slip.dot(slip) - along * along
        out.widening[k] = h * rule[VISCOUS] * math.sqrt(max(across, 0.0))
