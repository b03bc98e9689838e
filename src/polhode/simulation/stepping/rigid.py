"""Free rigid bodies: rotations, and their motion while nothing turns them."""

from __future__ import annotations

import math

from ...compiler.jit import Floats, Floats2, jit
from ...spatial import Quaternion, Vec3
from .contacts import vector

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
def _spin_rate(
    x: float, y: float, z: float, w: float, momentum: tuple[float, float, float], inverse: Floats2
):
    """Rate of the quaternion of a body with this angular momentum in world axes."""
    lx, ly, lz = momentum
    # Momentum in body axes: R^T L, with the quaternion's conjugate.
    tx, ty, tz = 2.0 * (lz * y - ly * z), 2.0 * (lx * z - lz * x), 2.0 * (ly * x - lx * y)
    bx = lx - w * tx + (y * tz - z * ty)
    by = ly - w * ty + (z * tx - x * tz)
    bz = lz - w * tz + (x * ty - y * tx)
    ox = inverse[0, 0] * bx + inverse[0, 1] * by + inverse[0, 2] * bz
    oy = inverse[1, 0] * bx + inverse[1, 1] * by + inverse[1, 2] * bz
    oz = inverse[2, 0] * bx + inverse[2, 1] * by + inverse[2, 2] * bz
    return (
        0.5 * (w * ox + y * oz - z * oy),
        0.5 * (w * oy + z * ox - x * oz),
        0.5 * (w * oz + x * oy - y * ox),
        -0.5 * (x * ox + y * oy + z * oz),
    )


@jit
def rotate_freely(
    q: Floats, omega: Floats, inertia: Floats2, inverse: Floats2, R: Floats, duration: float
):
    """Turn a body for ``duration`` without torque; its spin changes, its momentum does not.

    The quaternion by the classical Runge-Kutta method in steps of a quarter of a radian at
    most; the spin from the momentum.  Momentum and energy are kept to rounding.
    """
    wx, wy, wz = omega[0], omega[1], omega[2]
    speed = math.sqrt(wx * wx + wy * wy + wz * wz)
    if speed == 0.0 or duration == 0.0:
        return
    rotation_of(q, 0, R)
    momentum = _times_world(R, inertia, wx, wy, wz)
    share = speed * abs(duration) / _ANGLE
    count = _MAX_STEPS if not share < _MAX_STEPS else 1 + int(share)
    h = duration / count
    x, y, z, w = q[0], q[1], q[2], q[3]
    for _ in range(count):
        a0, a1, a2, a3 = _spin_rate(x, y, z, w, momentum, inverse)
        g = 0.5 * h
        b0, b1, b2, b3 = _spin_rate(
            x + g * a0, y + g * a1, z + g * a2, w + g * a3, momentum, inverse
        )
        c0, c1, c2, c3 = _spin_rate(
            x + g * b0, y + g * b1, z + g * b2, w + g * b3, momentum, inverse
        )
        d0, d1, d2, d3 = _spin_rate(
            x + h * c0, y + h * c1, z + h * c2, w + h * c3, momentum, inverse
        )
        g = h / 6.0
        x += g * (a0 + 2.0 * (b0 + c0) + d0)
        y += g * (a1 + 2.0 * (b1 + c1) + d1)
        z += g * (a2 + 2.0 * (b2 + c2) + d2)
        w += g * (a3 + 2.0 * (b3 + c3) + d3)
        scale = 1.0 / math.sqrt(x * x + y * y + z * z + w * w)
        x, y, z, w = x * scale, y * scale, z * scale, w * scale
    q[0], q[1], q[2], q[3] = x, y, z, w
    _restore_energy(q, vector(omega, 0), momentum, inverse, R)
    spin = _times_world(R, inverse, momentum[0], momentum[1], momentum[2])
    omega[0], omega[1], omega[2] = spin


@jit
def _restore_energy(
    q: Floats, before: Vec3, momentum: tuple[float, float, float], inverse: Floats2, R: Floats
):
    """Turn a body a little, so that it has the energy that it had with the spin ``before``.

    Its momentum L stays.  A turn by a small vector t changes the energy by t.(w x L): the
    shortest that undoes an error e is -e (w x L) / |w x L|^2.
    """
    lx, ly, lz = momentum
    kept = Vec3(lx, ly, lz)
    energy = before.dot(kept)
    for _ in range(_CORRECTIONS):
        rotation_of(q, 0, R)
        wx, wy, wz = _times_world(R, inverse, lx, ly, lz)
        spin = Vec3(wx, wy, wz)
        error = spin.dot(kept) - energy
        if abs(error) <= _ROUNDING * energy:
            return
        steepest = spin.cross(kept)
        turn_in_world(q, 0, (-0.5 * error / steepest.dot(steepest)) * steepest)
    rotation_of(q, 0, R)


@jit
def _times_world(R: Floats, matrix: Floats2, x: float, y: float, z: float):
    """``R matrix R^T (x, y, z)``."""
    a = R[0] * x + R[3] * y + R[6] * z
    b = R[1] * x + R[4] * y + R[7] * z
    c = R[2] * x + R[5] * y + R[8] * z
    d = matrix[0, 0] * a + matrix[0, 1] * b + matrix[0, 2] * c
    e = matrix[1, 0] * a + matrix[1, 1] * b + matrix[1, 2] * c
    f = matrix[2, 0] * a + matrix[2, 1] * b + matrix[2, 2] * c
    return (
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
