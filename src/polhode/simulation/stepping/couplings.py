"""Rows of loops and gears in the compiled simulation: their errors, and their wrenches."""

from __future__ import annotations

from ...algorithms.constrained.closures import POINT, JointFrame
from ...compiler.jit import Floats, jit
from ...spatial import Force, Mat3, Vec3
from .contacts import vector
from .motion import velocity_at
from .system import System

LOOP, KIND, AXIS_A, AXIS_B = range(4)  # columns of System.loop_rows


@jit
def joint_frame(s: System, body: int, frame: Floats):
    """A frame of a body, given as its pose, in world coordinates."""
    x, y = Vec3(frame[0], frame[3], frame[6]), Vec3(frame[1], frame[4], frame[7])
    z, origin = Vec3(frame[2], frame[5], frame[8]), vector(frame, 9)
    if body < 0:
        return JointFrame(x, y, z, origin)
    p = s.pose[body]
    R = Mat3(vector(p, 0), vector(p, 3), vector(p, 6))
    return JointFrame(R @ x, R @ y, R @ z, R @ origin + vector(p, 9))


@jit
def joint_frames(s: System, loop: int):
    """The frames of a loop's joint on its bodies a and b."""
    a = joint_frame(s, s.loop_a[loop], s.frame_a[loop])
    return a, joint_frame(s, s.loop_b[loop], s.frame_b[loop])


@jit
def measure_loops(s: System, errors: Floats):
    """Write the errors of the rows of loops to ``errors``."""
    r = 0
    while r < len(s.loop_rows):
        loop = s.loop_rows[r, LOOP]
        a, b = joint_frames(s, loop)
        while r < len(s.loop_rows) and s.loop_rows[r, LOOP] == loop:
            row = s.loop_rows[r]
            errors[r] = a.error(b, row[KIND], row[AXIS_A], row[AXIS_B], s.pitch[loop])
            r += 1


@jit
def hinge_row(s: System, k: int):
    """The free coordinate of a loop, turns counted, and its wrench on body b."""
    a, b = joint_frames(s, s.hinge_loop[k])
    if s.hinge_turns[k]:
        return a.angle(b, s.hinge_place[k]), Force(a.z, Vec3.zero())
    return a.error(b, POINT, 2, 0, 0.0), a.wrench(b, POINT, 2, 0, 0.0)


@jit
def hinge_speed(s: System, velocity: Floats, k: int):
    """The rate of the free coordinate of a loop."""
    loop = s.hinge_loop[k]
    _, wrench = hinge_row(s, k)
    speed = 0.0
    for side in range(2):
        b = s.loop_b[loop] if side == 0 else s.loop_a[loop]
        if b < 0:
            continue
        v, w = velocity_at(s, velocity, b, Vec3(0.0, 0.0, 0.0))
        rate = wrench.ang.dot(w) + wrench.lin.dot(v)
        speed += rate if side == 0 else -rate
    return speed


@jit
def gear_error(s: System, g: int):
    """The error of ``q_a = ratio q_b + constant``."""
    a, b = s.gear_place[g, 0], s.gear_place[g, 1]
    q = s.position
    return q[a] - s.gear_ratio[g] * q[b] - s.gear_constant[g]
