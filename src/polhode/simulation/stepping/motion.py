"""Positions along velocities, poses, and forces and velocities at points of bodies."""

from __future__ import annotations

from ...compiler.jit import Floats, jit
from ...contact_problem.mass import factor_mass
from ...spatial import Force, Vec3
from ..addresses import call_loop
from .contacts import vector
from .rigid import rotate_freely, rotation_of, turn_in_body, turn_in_world, world_inertia
from .system import System


@jit
def drift_node(s: System, n: int, velocity: Floats, duration: float):
    """Move node ``n`` along its velocity for ``duration``; a free body turns torque-free."""
    dof, place = s.dof[n], s.place[n]
    q = s.position
    if s.machine[n] >= 0:
        step_machine(s, n, velocity, duration)
        return
    for k in range(3):
        q[place + k] += duration * velocity[dof + k]
    if s.is_round[n]:
        turn_in_world(q, place + 3, duration * vector(velocity, dof + 3))
        return
    body = s.first_body[n]
    rotate_freely(
        q[place + 3 :], velocity[dof + 3 :], s.inertia[n], s.inverse[n], s.pose[body], duration
    )


@jit
def step_machine(s: System, n: int, velocity: Floats, duration: float):
    """Move the joints of a model along their velocities."""
    dof, place, nv = s.dof[n], s.place[n], s.dof[n + 1] - s.dof[n]
    q, m = s.position, s.machine[n]
    first, last = s.ball_start[m], s.ball_start[m + 1]
    for k in range(nv):
        if s.is_line[dof + k]:
            q[place + k] += duration * velocity[dof + k]
    for b in range(first, last):
        ball = s.balls[b]
        k = ball[0]
        entries = (place + ball[1], place + ball[2], place + ball[3], place + ball[4])
        turn_in_body(q, entries, duration * vector(velocity, dof + k))


@jit
def shift_node(s: System, n: int, shift: Floats):
    """Move node ``n`` by a displacement in velocity coordinates, which moves nothing else."""
    dof, place = s.dof[n], s.place[n]
    if s.machine[n] >= 0:
        step_machine(s, n, shift, 1.0)
        return
    q = s.position
    for k in range(3):
        q[place + k] += shift[dof + k]
    turn_in_world(q, place + 3, vector(shift, dof + 3))


@jit
def update_node(s: System, n: int, velocity: Floats):
    """Poses and mass matrix at the present position; of a model also bias forces and axes.

    The mass matrix of a free body is factored, too; that of a model is by `free_velocity`.
    """
    body = s.first_body[n]
    m = s.machine[n]
    if m >= 0:
        call_program(s, n, m, 0, velocity)
        return
    place, at = s.place[n], s.mass_at[n]
    R = s.pose[body]
    rotation_of(s.position, place + 3, R)
    R[9], R[10], R[11] = (
        s.position[place], s.position[place + 1], s.position[place + 2]
    )  # fmt: skip
    if not s.is_round[n]:
        world_inertia(R, s.inertia[n], s.mass, at)
        factor_mass(s.mass, s.factor, at, 6, s.last, s.dof[n], 0.0)


@jit
def call_program(s: System, n: int, m: int, program: int, velocity: Floats):
    """Run a program of model ``m``; its velocity argument is the vector ``s.trial``."""
    for k in range(s.dof[n], s.dof[n + 1]):
        s.trial[k] = velocity[k]
    one = s.steps[m, program]
    call_loop(
        s.loop[m, program], s.arguments[m, program].ctypes.data, one.ctypes.data,
        one.ctypes.data + 8, s.loop_data[m, program],
    )  # fmt: skip


@jit
def update(s: System, velocity: Floats):
    """`update_node` for all, and lengths of tendons."""
    for n in range(len(s.machine)):
        update_node(s, n, velocity)
    if len(s.tendon_program):
        _measure_tendons(s)


@jit
def _measure_tendons(s: System):
    """Lengths of tendons and their gradients; those of sums of joint positions are constant."""
    call_loop(
        s.tendon_program[0], s.tendon_arguments.ctypes.data, s.tendon_steps.ctypes.data,
        s.tendon_steps.ctypes.data + 8, s.tendon_program[1],
    )  # fmt: skip
    for t in range(len(s.tendon_length)):
        first, end = s.tendon_wrench_start[t], s.tendon_wrench_start[t + 1]
        row = s.tendon_row[t]
        for k in range(len(row) if first < end else 0):
            row[k] = 0.0
        for w in range(first, end):
            b, wrench = s.tendon_body[w], s.tendon_wrench[w]
            n = s.body_node[b]
            force = Force(vector(wrench, 0), vector(wrench, 3))
            add_wrench(s, n, b, force, 1.0, row[s.dof[n] :])


@jit
def point_of(pose: Floats, row: Floats, at: int):
    """World coordinates of the point ``row[at:at+3]`` in body coordinates."""
    x, y, z = row[at], row[at + 1], row[at + 2]
    return Vec3(
        pose[0] * x + pose[1] * y + pose[2] * z + pose[9],
        pose[3] * x + pose[4] * y + pose[5] * z + pose[10],
        pose[6] * x + pose[7] * y + pose[8] * z + pose[11],
    )


@jit
def apply_force(s: System, b: int, point: Vec3, force: Vec3):
    """Add a force on body ``b`` at a point of the world to ``s.force``."""
    n = s.body_node[b]
    add_force(s, n, b, point, force, s.force[s.dof[n] :])


@jit
def apply_wrench(s: System, b: int, wrench: Force):
    """Add a wrench on body ``b``, moment about the world's origin, to ``s.force``."""
    n = s.body_node[b]
    add_wrench(s, n, b, wrench, 1.0, s.force[s.dof[n] :])


@jit
def add_force(s: System, n: int, b: int, point: Vec3, force: Vec3, out: Floats):
    """Add the generalised force of a force on body ``b`` of node ``n`` at a point of the world."""
    if s.machine[n] >= 0:
        add_wrench(s, n, b, Force(point.cross(force), force), 1.0, out)
        return
    torque = (point - vector(s.pose[b], 9)).cross(force)
    out[0], out[1], out[2] = out[0] + force.x, out[1] + force.y, out[2] + force.z
    out[3], out[4], out[5] = out[3] + torque.x, out[4] + torque.y, out[5] + torque.z


@jit
def add_wrench(s: System, n: int, b: int, wrench: Force, sign: float, out: Floats):
    """Add the generalised force of a wrench on body ``b`` of node ``n``, times ``sign``."""
    f, t = wrench.lin, wrench.ang
    if s.machine[n] < 0:
        t = t - vector(s.pose[b], 9).cross(f)
        for k in range(3):
            out[k] += sign * f[k]
            out[3 + k] += sign * t[k]
        return
    first = s.first_axis[n]
    for k in range(s.first_axis[n + 1] - first):
        if s.supports[b, k]:
            a = s.axes[first + k]
            out[s.axis_dof[first + k]] += sign * (
                a[0] * t.x + a[1] * t.y + a[2] * t.z + a[3] * f.x + a[4] * f.y + a[5] * f.z
            )


@jit
def velocity_at(s: System, velocity: Floats, b: int, point: Vec3):
    """Velocity of the point of body ``b`` that is at ``point``, and its angular velocity."""
    origin, v, w = motion_of(s, velocity, b)
    return v + w.cross(point - origin), w


@jit
def motion_of(s: System, velocity: Floats, b: int):
    """A place, the velocity of body ``b`` there, and its angular velocity."""
    n = s.body_node[b]
    dof = s.dof[n]
    if s.machine[n] < 0:
        return vector(s.pose[b], 9), vector(velocity, dof), vector(velocity, dof + 3)
    v, w = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    first = s.first_axis[n]
    for k in range(s.first_axis[n + 1] - first):
        if s.supports[b, k]:
            a, rate = s.axes[first + k], velocity[dof + s.axis_dof[first + k]]
            w += rate * vector(a, 0)
            v += rate * vector(a, 3)
    return Vec3(0.0, 0.0, 0.0), v, w
