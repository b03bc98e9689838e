"""Positions along velocities, poses, and the velocities that forces alone would give."""

from __future__ import annotations

import math

from ...compiler.loops import loop
from ..addresses import call_loop
from ..contact.problem import cholesky, substitute
from .rigid import rotate_freely, rotation_of, turn_in_body, turn_in_world, world_inertia

# A joint that turns by more in a step [rad or m] is too fast for it; and the share of a machine's
# energy that a step of such a joint may find.
_FAR, _SHARE = 0.2, 0.02


@loop
def drift_node(s, n, velocity, duration):
    """Move node ``n`` along its velocity for ``duration``; a free body turns torque-free."""
    dof, place = s.dof[n], s.place[n]
    q = s.position
    if s.machine[n] >= 0:
        step_machine(s, n, velocity, duration)
        return
    for k in range(3):
        q[place + k] += duration * velocity[dof + k]
    if s.is_round[n]:
        turn_in_world(
            q, place + 3, duration * velocity[dof + 3], duration * velocity[dof + 4],
            duration * velocity[dof + 5],
        )  # fmt: skip
        return
    body = s.first_body[n]
    rotate_freely(q, place + 3, velocity, dof, s.inertia[n], s.inverse[n], s.pose[body], duration)


@loop
def step_machine(s, n, velocity, duration):
    """Move the joints of a machine along their velocities."""
    dof, place, nv = s.dof[n], s.place[n], s.dof[n + 1] - s.dof[n]
    q, m = s.position, s.machine[n]
    first, last = s.ball_start[m], s.ball_start[m + 1]
    for k in range(nv):
        if s.is_line[dof + k]:
            q[place + k] += duration * velocity[dof + k]
    for b in range(first, last):
        ball = s.balls[b]
        k = ball[0]
        wx = duration * velocity[dof + k]
        wy = duration * velocity[dof + k + 1]
        wz = duration * velocity[dof + k + 2]
        ix, iy, iz, iw = place + ball[1], place + ball[2], place + ball[3], place + ball[4]
        turn_in_body(q, ix, iy, iz, iw, wx, wy, wz)


@loop
def shift_node(s, n, way):
    """Move node ``n`` by a displacement in velocity coordinates, which moves nothing else."""
    dof, place = s.dof[n], s.place[n]
    if s.machine[n] >= 0:
        step_machine(s, n, way, 1.0)
        return
    q = s.position
    for k in range(3):
        q[place + k] += way[dof + k]
    turn_in_world(q, place + 3, way[dof + 3], way[dof + 4], way[dof + 5])


@loop
def update_node(s, n, velocity):
    """Poses, mass matrix, and for a machine bias forces and axes, at the present position."""
    body = s.first_body[n]
    m = s.machine[n]
    if m >= 0:
        _call(s, n, m, 0, velocity)
        return
    place, at = s.place[n], s.mass_at[n]
    R = s.pose[body]
    rotation_of(s.position, place + 3, R)
    R[9], R[10], R[11] = (
        s.position[place], s.position[place + 1], s.position[place + 2]
    )  # fmt: skip
    if not s.is_round[n]:
        world_inertia(R, s.inertia[n], s.mass, at)


@loop
def _call(s, n, m, program, velocity):
    """Run a program of machine ``m``; its velocity argument is the vector ``s.trial``."""
    for k in range(s.dof[n], s.dof[n + 1]):
        s.trial[k] = velocity[k]
    one = s.steps[m, program]
    call_loop(
        s.loop[m, program], s.arguments[m, program].ctypes.data, one.ctypes.data,
        one.ctypes.data + 8, s.loop_data[m, program],
    )  # fmt: skip


@loop
def update(s, velocity):
    """`update_node` for all."""
    for n in range(len(s.machine)):
        update_node(s, n, velocity)


@loop
def free_velocities(s, h):
    """Write to ``s.free`` the velocities after ``h`` under forces alone.

    Forces that depend on velocity see the mean of the velocities before and after, found by
    one repetition, with what loops and gears did in the step before; viscous friction of
    joints enters the mass matrix.
    """
    v, free = s.velocity, s.free
    has_drag = len(s.drag_body) > 0
    _external(s, v)
    for n in range(len(s.machine)):
        if s.machine[n] >= 0:
            _damp_mass(s, n, h)
        _kick(s, n, h)
    repeat = has_drag
    for n in range(len(s.machine)):
        repeat = repeat or s.machine[n] >= 0
    if not repeat:
        return
    for k in range(len(v)):
        free[k] = 0.5 * (v[k] + free[k] + h * s.held[k])
    _external(s, free)
    for n in range(len(s.machine)):
        if s.machine[n] >= 0:
            _call(s, n, s.machine[n], 1, free)
        _kick(s, n, h)
    for n in range(len(s.machine)):
        if s.machine[n] >= 0 and s.dof[n + 1] - s.dof[n] > 1:
            _tame(s, n, h)


@loop
def _tame(s, n, h):
    """Take from a machine that turns fast what energy its bias forces gave it in a step.

    They only pass energy on, but for gravity, which at such rates is nothing; where joints turn
    too far in a step for that to come out, energy would grow without end.
    """
    v, free = s.velocity, s.free
    dof, nv, at = s.dof[n], s.dof[n + 1] - s.dof[n], s.mass_at[n]
    fastest, gained, energy = 0.0, 0.0, 0.0
    for k in range(nv):
        rate = free[dof + k]
        fastest = max(fastest, h * abs(rate))
        gained -= 0.5 * h * s.bias[dof + k] * (v[dof + k] + rate)
        for j in range(nv):
            energy += 0.5 * rate * s.mass[at + k * nv + j] * free[dof + j]
    if fastest > _FAR and gained > _SHARE * energy:
        slower = math.sqrt(max(energy - gained, 0.0) / energy)
        for k in range(dof, dof + nv):
            free[k] *= slower


@loop
def _external(s, velocity):
    """Forces on all velocity entries other than gravity and bias, into ``s.force``."""
    force = s.force
    for k in range(len(force)):
        force[k] = s.tau[k]
    for b in range(len(s.wrench)):
        w = s.wrench[b]
        if w[0] != 0.0 or w[1] != 0.0 or w[2] != 0.0 or w[3] != 0.0 or w[4] != 0.0 or w[5] != 0.0:
            apply_wrench(s, b, w[0], w[1], w[2], w[3], w[4], w[5])
    for d in range(len(s.push_body)):
        b, row = s.push_body[d], s.push[d]
        x, y, z = point_of(s.pose[b], row, 3)
        _apply_force(s, b, x, y, z, row[0], row[1], row[2])
    for d in range(len(s.drag_body)):
        b, row = s.drag_body[d], s.drag[d]
        x, y, z = point_of(s.pose[b], row, 4)
        vx, vy, vz, wx, wy, wz = velocity_at(s, velocity, b, x, y, z)
        c = row[0] + row[2] * math.sqrt(vx * vx + vy * vy + vz * vz)
        _apply_force(s, b, x, y, z, -c * vx, -c * vy, -c * vz)
        c = row[1] + row[3] * math.sqrt(wx * wx + wy * wy + wz * wz)
        apply_wrench(s, b, -c * wx, -c * wy, -c * wz, 0.0, 0.0, 0.0)


@loop
def point_of(pose, row, at):
    """World coordinates of the point ``row[at:at+3]`` in body coordinates."""
    x, y, z = row[at], row[at + 1], row[at + 2]
    return (
        pose[0] * x + pose[1] * y + pose[2] * z + pose[9],
        pose[3] * x + pose[4] * y + pose[5] * z + pose[10],
        pose[6] * x + pose[7] * y + pose[8] * z + pose[11],
    )


@loop
def _apply_force(s, b, x, y, z, fx, fy, fz):
    apply_wrench(s, b, y * fz - z * fy, z * fx - x * fz, x * fy - y * fx, fx, fy, fz)


@loop
def apply_wrench(s, b, tx, ty, tz, fx, fy, fz):
    """Add a wrench on body ``b``, moment about the world's origin, to ``s.force``."""
    force = s.force
    n = s.body_node[b]
    dof = s.dof[n]
    if s.machine[n] < 0:
        p = s.pose[b]
        force[dof] += fx
        force[dof + 1] += fy
        force[dof + 2] += fz
        force[dof + 3] += tx - (p[10] * fz - p[11] * fy)
        force[dof + 4] += ty - (p[11] * fx - p[9] * fz)
        force[dof + 5] += tz - (p[9] * fy - p[10] * fx)
        return
    for k in range(s.dof[n + 1] - dof):
        if s.supports[b, k]:
            a = s.axes[dof + k]
            force[dof + k] += a[0] * tx + a[1] * ty + a[2] * tz + a[3] * fx + a[4] * fy + a[5] * fz


@loop
def velocity_at(s, velocity, b, x, y, z):
    """Velocity of the point of body ``b`` that is at (x, y, z), and the body's spin."""
    n = s.body_node[b]
    dof = s.dof[n]
    if s.machine[n] < 0:
        p = s.pose[b]
        x, y, z = x - p[9], y - p[10], z - p[11]
        vx, vy, vz = velocity[dof], velocity[dof + 1], velocity[dof + 2]
        wx, wy, wz = velocity[dof + 3], velocity[dof + 4], velocity[dof + 5]
    else:
        vx = vy = vz = wx = wy = wz = 0.0
        for k in range(s.dof[n + 1] - dof):
            if s.supports[b, k]:
                a, rate = s.axes[dof + k], velocity[dof + k]
                wx += a[0] * rate
                wy += a[1] * rate
                wz += a[2] * rate
                vx += a[3] * rate
                vy += a[4] * rate
                vz += a[5] * rate
    return vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x, wx, wy, wz


@loop
def _damp_mass(s, n, h):
    """Add viscous friction to a machine's mass matrix and factorise it."""
    dof, at = s.dof[n], s.mass_at[n]
    nv = s.dof[n + 1] - dof
    for k in range(nv):
        s.mass[at + k * nv + k] += 0.5 * h * s.viscous[dof + k]
    for k in range(nv * nv):
        s.factor[at + k] = s.mass[at + k]
    if not cholesky(s.factor, at, nv):
        s.factor[at] = math.nan


@loop
def _kick(s, n, h):
    """Velocities of one node after ``h`` under the forces as they stand."""
    v, free, force = s.velocity, s.free, s.force
    dof = s.dof[n]
    nv = s.dof[n + 1] - dof
    if s.machine[n] >= 0:
        for k in range(dof, dof + nv):
            free[k] = h * (force[k] - s.bias[k] - s.viscous[k] * v[k])
        substitute(s.factor, s.mass_at[n], nv, free, dof)
        for k in range(dof, dof + nv):
            free[k] += v[k]
        return
    m = s.body_mass[n]
    for k in range(3):
        free[dof + k] = v[dof + k] + h * (s.pull[n, k] + force[dof + k] / m)
    tx, ty, tz = force[dof + 3], force[dof + 4], force[dof + 5]
    for k in range(3):
        free[dof + 3 + k] = v[dof + 3 + k]
    if tx != 0.0 or ty != 0.0 or tz != 0.0:
        R, I = s.pose[s.first_body[n]], s.inverse[n]
        a = R[0] * tx + R[3] * ty + R[6] * tz
        b = R[1] * tx + R[4] * ty + R[7] * tz
        c = R[2] * tx + R[5] * ty + R[8] * tz
        d = I[0, 0] * a + I[0, 1] * b + I[0, 2] * c
        e = I[1, 0] * a + I[1, 1] * b + I[1, 2] * c
        f = I[2, 0] * a + I[2, 1] * b + I[2, 2] * c
        free[dof + 3] += h * (R[0] * d + R[1] * e + R[2] * f)
        free[dof + 4] += h * (R[3] * d + R[4] * e + R[5] * f)
        free[dof + 5] += h * (R[6] * d + R[7] * e + R[8] * f)
