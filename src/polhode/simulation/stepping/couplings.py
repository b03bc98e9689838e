"""Rows of loops: the errors of two frames, and their wrenches.

Kinds of rows, with i an axis of frame a and j one of frame b:

====== ==================================================================
POINT  axis i . (origin b - origin a)
DOT    axis i . axis j
SCREW  axis z . (origin b - origin a) - pitch (angle of b about z)
====== ==================================================================
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.jit import Floats, jit
from ...spatial import Force, Vec3
from .contacts import vector
from .motion import velocity_at
from .system import System

POINT, DOT, SCREW = 0, 1, 2
LOOP, KIND, AXIS_A, AXIS_B = range(4)  # columns of System.loop_rows
ROWS = {
    "fixed": [(POINT, 0, 0), (POINT, 1, 0), (POINT, 2, 0), (DOT, 1, 2), (DOT, 2, 0), (DOT, 0, 1)],
    "revolute": [(POINT, 0, 0), (POINT, 1, 0), (POINT, 2, 0), (DOT, 0, 2), (DOT, 1, 2)],
    "prismatic": [(POINT, 0, 0), (POINT, 1, 0), (DOT, 1, 2), (DOT, 2, 0), (DOT, 0, 1)],
    "spherical": [(POINT, 0, 0), (POINT, 1, 0), (POINT, 2, 0)],
    "universal": [(POINT, 0, 0), (POINT, 1, 0), (POINT, 2, 0), (DOT, 0, 1)],
    "planar": [(POINT, 2, 0), (DOT, 0, 2), (DOT, 1, 2)],
    "screw": [(POINT, 0, 0), (POINT, 1, 0), (SCREW, 2, 0), (DOT, 0, 2), (DOT, 1, 2)],
}


@jit
def world_frame(s: System, body: int, frame: Floats, out: Floats):
    """A frame of a body as rotation (rows of 3) and origin in world coordinates."""
    if body < 0:
        for i in range(12):
            out[i] = frame[i]
        return
    p = s.pose[body]
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = (
                p[3 * i] * frame[j] + p[3 * i + 1] * frame[3 + j] + p[3 * i + 2] * frame[6 + j]
            )
        out[9 + i] = (
            p[3 * i] * frame[9] + p[3 * i + 1] * frame[10] + p[3 * i + 2] * frame[11] + p[9 + i]
        )


@jit
def loop_row(s: System, r: int):
    """Error of a loop's row, and its wrench on body b, moment about the world's origin."""
    loop, kind, i, j = (
        s.loop_rows[r, LOOP], s.loop_rows[r, KIND], s.loop_rows[r, AXIS_A], s.loop_rows[r, AXIS_B]
    )  # fmt: skip
    A, B = np.empty(12), np.empty(12)
    world_frame(s, s.loop_a[loop], s.frame_a[loop], A)
    world_frame(s, s.loop_b[loop], s.frame_b[loop], B)
    a = Vec3(A[i], A[3 + i], A[6 + i])
    if kind == DOT:
        b = Vec3(B[j], B[3 + j], B[6 + j])
        return a.dot(b), Force(b.cross(a), Vec3(0.0, 0.0, 0.0))
    p = vector(B, 9)
    error = a.dot(p - vector(A, 9))
    moment = p.cross(a)
    if kind == SCREW:
        pitch = s.pitch[loop]
        error -= pitch * _angle(A, B, error / pitch if pitch != 0.0 else 0.0)
        moment = moment - pitch * a
    return error, Force(moment, a)


@jit
def _angle(A: Floats, B: Floats, near: float):
    """Angle of frame b about the z axis of frame a, by whole turns as near as can be."""
    c = A[0] * B[0] + A[3] * B[3] + A[6] * B[6]
    s = A[1] * B[0] + A[4] * B[3] + A[7] * B[6]
    angle = math.atan2(s, c)
    return angle + 2.0 * math.pi * math.floor((near - angle) / (2.0 * math.pi) + 0.5)


@jit
def hinge_row(s: System, k: int):
    """The free coordinate of a loop, turns counted, and its wrench on body b."""
    loop = s.hinge_loop[k]
    A, B = np.empty(12), np.empty(12)
    world_frame(s, s.loop_a[loop], s.frame_a[loop], A)
    world_frame(s, s.loop_b[loop], s.frame_b[loop], B)
    a, p = Vec3(A[2], A[5], A[8]), vector(B, 9)
    if s.hinge_turns[k]:
        return _angle(A, B, s.hinge_place[k]), Force(a, Vec3(0.0, 0.0, 0.0))
    return a.dot(p - vector(A, 9)), Force(p.cross(a), a)


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
