"""Free rigid bodies: rotations, and their motion while nothing turns them."""

from __future__ import annotations

import math

from ...algorithms.runge_kutta import SHARES, WEIGHTS
from ...compiler.jit import Floats, Floats2, jit
from ...spatial import Quaternion, Vec3
from .contacts import set_vector, vector

_ANGLE = 0.25  # turned in one step of the integration of a torque-free rotation [rad]
_MAX_STEPS = 256
_ROUNDING, _CORRECTIONS = 1e-14, 3  # of the energy of a rotation, relative; most of them


@jit
def rotation_of(q: Floats, at: int, R: Floats):
    """Write the matrix of the unit quaternion ``q[at:at+4]`` (x, y, z, w) into ``R[:9]``."""
    x, y, z, w = q[at], q[at + 1], q[at + 2], q[at + 3]
    R[0] = 1.0 - 2.0 * (y * y + z * z)
    R[1] = 2.0 * (x * y - z * w)
    R[2] = 2.0 * (x * z + y * w)
    R[3] = 2.0 * (x * y + z * w)
    R[4] = 1.0 - 2.0 * (x * x + z * z)
    R[5] = 2.0 * (y * z - x * w)
    R[6] = 2.0 * (x * z - y * w)
    R[7] = 2.0 * (y * z + x * w)
    R[8] = 1.0 - 2.0 * (x * x + y * y)


@jit
def half_turn(omega: Vec3):
    """Quaternion of the rotation vector ``omega`` [rad]."""
    angle = math.sqrt(omega.dot(omega))
    half = 0.5 * angle
    s = math.sin(half) / angle if angle > 1e-8 else 0.5 - angle * angle / 48.0
    return Quaternion(math.cos(half), s * omega.x, s * omega.y, s * omega.z)


@jit
def turn_of(p: Quaternion):
    """The shortest rotation vector [rad] of a unit quaternion."""
    v = Vec3(p.x, p.y, p.z)
    sine = math.sqrt(v.dot(v))
    scale = 2.0 * math.atan2(sine, abs(p.w)) / sine if sine > 0.0 else 2.0
    return (scale if p.w >= 0.0 else -scale) * v


@jit
def put_unit(q: Floats, at: tuple[int, int, int, int], p: Quaternion):
    """Write a quaternion, normalised, to the entries x, y, z, w of ``q``."""
    scale = 1.0 / math.sqrt(p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w)
    q[at[0]], q[at[1]] = p.x * scale, p.y * scale
    q[at[2]], q[at[3]] = p.z * scale, p.w * scale


@jit
def turn_in_body(q: Floats, at: tuple[int, int, int, int], omega: Vec3):
    """Turn the quaternion with these entries by a rotation vector in body axes."""
    put_unit(q, at, Quaternion(q[at[3]], q[at[0]], q[at[1]], q[at[2]]) * half_turn(omega))


@jit
def turn_in_world(q: Floats, at: int, omega: Vec3):
    """Turn the quaternion ``q[at:at+4]`` by a rotation vector in world axes."""
    turned = half_turn(omega) * Quaternion(q[at + 3], q[at], q[at + 1], q[at + 2])
    put_unit(q, (at, at + 1, at + 2, at + 3), turned)


@jit
def turned(v: Vec3, omega: Vec3):
    """The vector ``v``, turned by a rotation vector."""
    p = half_turn(omega)
    q = p * Quaternion(0.0, v.x, v.y, v.z) * Quaternion(p.w, -p.x, -p.y, -p.z)
    return Vec3(q.x, q.y, q.z)


@jit
def _free_rate(p: Quaternion, momentum: Vec3, inverse: Floats2):
    """Rate of the quaternion of a body with this angular momentum in world axes: ``Q w / 2``."""
    v = Vec3(p.x, p.y, p.z)
    twice = 2.0 * v.cross(momentum)
    m = momentum - p.w * twice + v.cross(twice)  # in body axes
    half = 0.5 * Vec3(
        inverse[0, 0] * m.x + inverse[0, 1] * m.y + inverse[0, 2] * m.z,
        inverse[1, 0] * m.x + inverse[1, 1] * m.y + inverse[1, 2] * m.z,
        inverse[2, 0] * m.x + inverse[2, 1] * m.y + inverse[2, 2] * m.z,
    )
    u = p.w * half + v.cross(half)
    return Quaternion(-v.dot(half), u.x, u.y, u.z)


@jit
def _along(p: Quaternion, rate: Quaternion, h: float):
    """``p + h rate``."""
    return Quaternion(p.w + h * rate.w, p.x + h * rate.x, p.y + h * rate.y, p.z + h * rate.z)


@jit
def _runge_kutta_step(p: Quaternion, momentum: Vec3, inverse: Floats2, h: float):
    """The quaternion after ``h`` [s] without torque, by the classical method."""
    rate = total = Quaternion(0.0, 0.0, 0.0, 0.0)
    for k in range(4):
        rate = _free_rate(_along(p, rate, SHARES[k] * h), momentum, inverse)
        total = _along(total, rate, WEIGHTS[k])
    p = _along(p, total, h / 6.0)
    scale = 1.0 / math.sqrt(p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z)
    return Quaternion(scale * p.w, scale * p.x, scale * p.y, scale * p.z)


@jit
def rotate_freely(
    q: Floats, omega: Floats, inertia: Floats2, inverse: Floats2, R: Floats, duration: float
):
    """Turn a body for ``duration`` without torque, at constant angular momentum.

    The quaternion by the classical Runge-Kutta method in steps of a quarter of a radian at most;
    the angular velocity from the momentum.  Momentum and energy are kept to rounding.
    """
    before = vector(omega, 0)
    speed = math.sqrt(before.dot(before))
    if speed == 0.0 or duration == 0.0:
        return
    rotation_of(q, 0, R)
    momentum = _times_world(R, inertia, before)
    share = speed * abs(duration) / _ANGLE
    count = _MAX_STEPS if not share < _MAX_STEPS else 1 + int(share)
    p, h = Quaternion(q[3], q[0], q[1], q[2]), duration / count
    for _ in range(count):
        p = _runge_kutta_step(p, momentum, inverse, h)
    q[0], q[1], q[2], q[3] = p.x, p.y, p.z, p.w
    _restore_energy(q, before, momentum, inverse, R)
    set_vector(omega, 0, _times_world(R, inverse, momentum))


@jit
def _restore_energy(q: Floats, before: Vec3, momentum: Vec3, inverse: Floats2, R: Floats):
    """Turn a body a little, so that it has the energy of the angular velocity ``before``.

    Its momentum L stays.  A rotation by a small vector t changes the energy by ``t.(w x L)``.  The
    smallest that removes an error e is ``-e (w x L) / |w x L|^2``.
    """
    energy = before.dot(momentum)
    for _ in range(_CORRECTIONS):
        rotation_of(q, 0, R)
        spin = _times_world(R, inverse, momentum)
        error = spin.dot(momentum) - energy
        if abs(error) <= _ROUNDING * energy:
            return
        steepest = spin.cross(momentum)
        turn_in_world(q, 0, (-0.5 * error / steepest.dot(steepest)) * steepest)
    rotation_of(q, 0, R)


@jit
def _times_world(R: Floats, matrix: Floats2, v: Vec3):
    """``R matrix R^T v``."""
    a = R[0] * v.x + R[3] * v.y + R[6] * v.z
    b = R[1] * v.x + R[4] * v.y + R[7] * v.z
    c = R[2] * v.x + R[5] * v.y + R[8] * v.z
    d = matrix[0, 0] * a + matrix[0, 1] * b + matrix[0, 2] * c
    e = matrix[1, 0] * a + matrix[1, 1] * b + matrix[1, 2] * c
    f = matrix[2, 0] * a + matrix[2, 1] * b + matrix[2, 2] * c
    return Vec3(
        R[0] * d + R[1] * e + R[2] * f,
        R[3] * d + R[4] * e + R[5] * f,
        R[6] * d + R[7] * e + R[8] * f,
    )


@jit
def world_inertia(R: Floats, inertia: Floats2, out: Floats, at: int):
    """Write ``R inertia R^T`` into the lower right block of the 6x6 matrix ``out[at:]``."""
    for i in range(3):
        a, b, c = R[3 * i], R[3 * i + 1], R[3 * i + 2]
        d = a * inertia[0, 0] + b * inertia[1, 0] + c * inertia[2, 0]
        e = a * inertia[0, 1] + b * inertia[1, 1] + c * inertia[2, 1]
        f = a * inertia[0, 2] + b * inertia[1, 2] + c * inertia[2, 2]
        for j in range(i + 1):
            x = d * R[3 * j] + e * R[3 * j + 1] + f * R[3 * j + 2]
            out[at + 6 * (3 + i) + 3 + j] = x
            out[at + 6 * (3 + j) + 3 + i] = x
