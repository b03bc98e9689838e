"""From contacts, limits, loops, gears and dry friction to the rows of the contact solver."""

from __future__ import annotations

import math

from ...compiler.jit import Floats, jit
from ...spatial import Force, Vec3
from ..contact import BILATERAL, BOX, CONTACT, NO_SLIP, UNILATERAL
from ..contact.rows import ConstraintRows
from .contacts import (
    DAMPING,
    EDGES,
    GAP,
    IMPULSE,
    IS_SOFT,
    L_GAP,
    L_SIDE,
    MU,
    NORMAL,
    POINT,
    RULE,
    STIFFNESS,
    VISCOUS,
    A,
    B,
    Contacts,
    NearLimits,
    vector,
)
from .couplings import hinge_row, hinge_speed, loop_row
from .limits import limit_nodes, limit_share
from .motion import add_wrench, velocity_at
from .row_blocks import (
    empty_rows,
    nodes_size,
    open_block,
    open_segment,
    pair_segments,
    pair_size,
)
from .system import System

_FASTEST = 1e4  # of what viscous friction of loops is bounded for [1/s or m/s]
# Bodies that are farther in each other never touched there: until they are apart nothing holds
# them by friction, nothing rebounds [m].
DEEP = 5e-3
# Points that must not slip hold where they touch, and those that have not yet touched [m] are
# not held before: friction as they land.
LANDED, LANDING = 1e-8, 1.0
_NOISE = 1e-10  # entries of a row of a loop below which it is none [1 or m]


@jit
def tangents(n: Vec3, v: Vec3):
    """Two unit vectors across the normal ``n``; the first along ``v`` if there is slip."""
    t = v - v.dot(n) * n
    size = math.sqrt(t.dot(t))
    if size < 1e-6:
        if abs(n.x) <= abs(n.y) and abs(n.x) <= abs(n.z):
            t = Vec3(0.0, -n.z, n.y)
        elif abs(n.y) <= abs(n.z):
            t = Vec3(n.z, 0.0, -n.x)
        else:
            t = Vec3(-n.y, n.x, 0.0)
        size = math.sqrt(t.dot(t))
    t = Vec3(t.x / size, t.y / size, t.z / size)
    return t, n.cross(t)


@jit
def _sizes(s: System, contacts: Contacts, limits: NearLimits, with_friction: bool):
    """Numbers of blocks, rows, segments and Jacobian entries."""
    blocks = rows = segments = values = 0
    for r in range(len(s.loop_rows)):
        loop = s.loop_rows[r, 0]
        blocks, rows = blocks + 1, rows + 1
        k, w = pair_size(s, s.loop_a[loop], s.loop_b[loop])
        segments, values = segments + k, values + w
    for g in range(len(s.gear_dof)):
        a, b = s.dof_node[s.gear_dof[g, 0]], s.dof_node[s.gear_dof[g, 1]]
        blocks, rows, segments = blocks + 1, rows + 1, segments + (1 if a == b else 2)
        values += s.dof[a + 1] - s.dof[a]
        if a != b:
            values += s.dof[b + 1] - s.dof[b]
    for k in range(len(limits.whole)):
        n, m = limit_nodes(s, limits.whole[k])
        i, w = nodes_size(s, n, m)
        blocks, rows, segments, values = blocks + 1, rows + 1, segments + i, values + w
    if with_friction:
        for k in range(len(s.hinge_loop)):
            loop = s.hinge_loop[k]
            i, w = pair_size(s, s.loop_a[loop], s.loop_b[loop])
            count = (1 if s.hinge_dry[k] > 0.0 else 0) + (1 if s.hinge_viscous[k] > 0.0 else 0)
            blocks, rows = blocks + count, rows + count
            segments, values = segments + count * i, values + count * w
        for k in range(len(s.friction_dof)):
            n = s.dof_node[s.friction_dof[k]]
            blocks, rows, segments = blocks + 1, rows + 1, segments + 1
            values += s.dof[n + 1] - s.dof[n]
    for c in range(len(contacts.whole)):
        k, w = pair_size(
            s, s.surface_body[contacts.whole[c, A]], s.surface_body[contacts.whole[c, B]]
        )
        blocks, rows, segments, values = blocks + 1, rows + 3, segments + k, values + 3 * w
    return blocks, rows, segments, values


@jit
def assemble(
    s: System,
    contacts: Contacts,
    limits: NearLimits,
    free: Floats,
    h: float,
    share: Floats,
    with_friction: bool,
):
    """Rows of all constraints at the present poses.

    ``h`` is the step, ``share`` that of its motion which is still to come (for each node);
    gaps are as they are now.  With ``h = 0`` it is an impact: no gaps, no compliance.  The
    drift of loops is left to projections.
    """
    blocks, rows, segments, values = _sizes(s, contacts, limits, with_friction)
    out = empty_rows(s, free, blocks, rows, segments, values)
    k = 0
    k = _put_loops(s, out, k)
    k = _put_gears(s, out, k)
    k = _put_limits(s, out, k, limits, h, share)
    if with_friction:
        k = _put_friction(s, out, k, h)
        k = _put_hinge_friction(s, out, k, h)
    for c in range(len(contacts.whole)):
        _put_contact(s, out, k, contacts, c, h, share)
        k += 1
    return out


@jit
def _put_loops(s: System, out: ConstraintRows, k: int):
    for r in range(len(s.loop_rows)):
        loop = s.loop_rows[r, 0]
        a, b = s.loop_a[loop], s.loop_b[loop]
        open_block(out, k, BILATERAL, 1)
        n, m, at, to = pair_segments(s, out, k, a, b)
        _, wrench = loop_row(s, r)
        if n >= 0:
            add_wrench(s, n, a, wrench, -1.0, out.jacobian[at:])
        if m >= 0:
            add_wrench(s, m, b, wrench, 1.0, out.jacobian[to:])
        _drop_noise(out, k)
        k += 1
    return k


@jit
def _drop_noise(out: ConstraintRows, k: int):
    """Make a row of rounding errors, of a plane mechanism say, one that asks for nothing."""
    first, last = out.value[out.segment[k]], out.value[out.segment[k + 1]]
    largest = 0.0
    for i in range(first, last):
        largest = max(largest, abs(out.jacobian[i]))
    if largest < _NOISE:
        for i in range(first, last):
            out.jacobian[i] = 0.0
        out.compliance[out.row[k]] = 1.0


@jit
def _put_gears(s: System, out: ConstraintRows, k: int):
    for g in range(len(s.gear_dof)):
        i, j = s.gear_dof[g, 0], s.gear_dof[g, 1]
        a, b = s.dof_node[i], s.dof_node[j]
        open_block(out, k, BILATERAL, 1)
        at = open_segment(s, out, k, a)
        to = at if a == b else open_segment(s, out, k, b)
        out.jacobian[at + i - s.dof[a]] += 1.0
        out.jacobian[to + j - s.dof[b]] -= s.gear_ratio[g]
        k += 1
    return k


@jit
def _put_limits(
    s: System, out: ConstraintRows, k: int, limits: NearLimits, h: float, share: Floats
):
    for i in range(len(limits.whole)):
        open_block(out, k, UNILATERAL, 1)
        hinge = limits.whole[i] - len(s.limit_dof)
        if hinge < 0:
            dof = s.limit_dof[limits.whole[i]]
            n = s.dof_node[dof]
            at = open_segment(s, out, k, n)
            out.jacobian[at + dof - s.dof[n]] = limits.real[i, L_SIDE]
        else:
            _put_hinge(s, out, k, hinge, limits.real[i, L_SIDE])
        if h > 0.0 and limits.real[i, L_GAP] > 0.0:
            rest = limit_share(s, share, limits.whole[i])
            out.bias[out.row[k]] = limits.real[i, L_GAP] / (h * rest)
        k += 1
    return k


@jit
def _put_hinge(s: System, out: ConstraintRows, k: int, hinge: int, sign: float):
    """The row of what a loop leaves free, into the block ``k`` that was opened."""
    loop = s.hinge_loop[hinge]
    a, b = s.loop_a[loop], s.loop_b[loop]
    n, m, at, to = pair_segments(s, out, k, a, b)
    _, wrench = hinge_row(s, hinge)
    if n >= 0:
        add_wrench(s, n, a, wrench, -sign, out.jacobian[at:])
    if m >= 0:
        add_wrench(s, m, b, wrench, sign, out.jacobian[to:])


@jit
def _put_hinge_friction(s: System, out: ConstraintRows, k: int, h: float):
    """Dry friction within bounds; viscous of the mean of the speeds before and after."""
    for hinge in range(len(s.hinge_loop)):
        if s.hinge_dry[hinge] > 0.0:
            open_block(out, k, BOX, 1)
            _put_hinge(s, out, k, hinge, 1.0)
            out.lower[k], out.upper[k] = -h * s.hinge_dry[hinge], h * s.hinge_dry[hinge]
            k += 1
        if s.hinge_viscous[hinge] > 0.0:
            open_block(out, k, BOX, 1)
            _put_hinge(s, out, k, hinge, 1.0)
            speed, gain = hinge_speed(s, s.velocity, hinge), h * s.hinge_viscous[hinge]
            out.bias[out.row[k]], out.compliance[out.row[k]] = speed, 2.0 / gain
            out.upper[k] = gain * (_FASTEST + abs(speed))
            out.lower[k] = -out.upper[k]
            k += 1
    return k


@jit
def _put_friction(s: System, out: ConstraintRows, k: int, h: float):
    for i in range(len(s.friction_dof)):
        dof = s.friction_dof[i]
        n = s.dof_node[dof]
        open_block(out, k, BOX, 1)
        at = open_segment(s, out, k, n)
        out.jacobian[at + dof - s.dof[n]] = 1.0
        out.lower[k], out.upper[k] = -h * s.friction[i], h * s.friction[i]
        k += 1
    return k


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
def belt_velocity(s: System, g: int, f: int, point: Vec3):
    """What moving surfaces of immovable bodies add to the velocity of a over b."""
    a, b = s.belt[g], s.belt[f]
    of_a = vector(a, 3) + vector(a, 0).cross(point)
    return of_a - (vector(b, 3) + vector(b, 0).cross(point))


@jit
def _friction(contacts: Contacts, c: int, rule: Floats, h: float):
    """The coefficient of friction of contact ``c`` in a step of ``h``, or in an impact."""
    real, mu = contacts.real, rule[MU]
    if rule[IS_SOFT] == 0.0 and real[c, GAP] < -DEEP:
        return 0.0
    if h <= 0.0 or mu < NO_SLIP or real[c, GAP] <= LANDED:
        return mu
    pressed = 0.0
    for i in range(3):
        pressed += real[c, NORMAL + i] * real[c, IMPULSE + i]
    return mu if pressed > 0.0 else LANDING


@jit
def _put_contact(
    s: System, out: ConstraintRows, k: int, contacts: Contacts, c: int, h: float, share: Floats
):
    g, f = contacts.whole[c, A], contacts.whole[c, B]
    a, b = s.surface_body[g], s.surface_body[f]
    rule = s.rules[contacts.whole[c, RULE]]
    open_block(out, k, CONTACT, 3)
    n, m, at, to = pair_segments(s, out, k, a, b)
    point, normal = vector(contacts.real[c], POINT), vector(contacts.real[c], NORMAL)
    slip = slip_velocity(s, s.velocity, contacts, c)
    one, two = tangents(normal, slip if rule[EDGES] != 0.0 else Vec3(0.0, 0.0, 0.0))
    belt = belt_velocity(s, g, f, point)
    for axis in range(3):
        way = normal if axis == 0 else (one if axis == 1 else two)
        wrench = Force(point.cross(way), way)
        if n >= 0:
            width = s.dof[n + 1] - s.dof[n]
            add_wrench(s, n, a, wrench, 1.0, out.jacobian[at + axis * width :])
        if m >= 0:
            width = s.dof[m + 1] - s.dof[m]
            add_wrench(s, m, b, wrench, -1.0, out.jacobian[to + axis * width :])
        out.bias[out.row[k] + axis] = way.dot(belt)
    out.mu[k], out.edges[k] = _friction(contacts, c, rule, h), int(rule[EDGES])
    if h <= 0.0:
        return
    rest = max(share[n] if n >= 0 else 0.0, share[m] if m >= 0 else 0.0)
    gap, row = contacts.real[c, GAP], out.row[k]
    if rule[IS_SOFT] > 0.0:
        # Spring and damper, taken at the end of the step: x/h = -k (gap + rest h u) - d u.
        stiff = rule[STIFFNESS] * h * rest + rule[DAMPING]
        out.compliance[row] = 1.0 / (h * stiff)
        out.bias[row] += rule[STIFFNESS] * gap / stiff
    elif gap > 0.0:
        out.bias[row] += gap / (h * rest)
    if rule[VISCOUS] > 0.0 and -DEEP <= gap <= 0.0:
        along = slip.dot(normal)
        across = slip.dot(slip) - along * along
        out.widening[k] = h * rule[VISCOUS] * math.sqrt(max(across, 0.0))
