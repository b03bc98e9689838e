"""Kicks: the velocities that forces alone would give, at the poses of the moment.

Bias forces are taken at the mean of the velocities before and after, which is sought by
repetition.  A machine for which that does not settle turns too far in the time given: the
kick is to be made in shorter steps, or its joints have to be slowed.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.jit import Floats, jit
from ...spatial import Force, Vec3
from ..contact.problem import substitute
from .contacts import vector
from .motion import apply_force, apply_wrench, call_program, point_of, velocity_at
from .system import System

# The share of its speed, as energy weighs it, by which the mean velocity of a machine may miss.
_SETTLED = 1e-9
_REPETITIONS = 24
# Each repetition is to come nearer by this factor, or the step is too long.
MOST_CONTRACTION = 0.35
# Of a joint in a step [rad or m], where steps can be no shorter; and the share of a machine's
# energy that its bias forces may give it there.
_MOST, _SHARE = 0.5, 0.02
# The least inertia of a joint that gives way to no other, of what it has where others are held.
_LIFT = 1e-12


@jit
def free_velocities(s: System, h: float, is_last: bool):
    """Write to ``s.free`` the velocities after ``h`` under forces alone.

    Forces that depend on velocity see the mean of the velocities before and after, found by
    repetition, with what loops and gears did in the step before; viscous friction of joints
    enters the mass matrix.  ``is_last``: a machine too fast for the step is slowed.

    Returns
    -------
    haste : float
        0; or, for a machine too fast for the step, the factor by which repetitions come nearer
        to the mean, at least `MOST_CONTRACTION`.
    """
    v, free = s.velocity, s.free
    _external(s, v)
    for n in range(len(s.machine)):
        if s.machine[n] >= 0:
            factorise(s, n, h)
            if s.is_fast[n]:
                call_program(s, n, s.machine[n], 1, s.zero_velocity)
        _update_velocity(s, n, h)
    repeat = len(s.drag_body) > 0
    for n in range(len(s.machine)):
        repeat = repeat or (s.machine[n] >= 0 and not s.is_fast[n])
    if not repeat:
        return 0.0
    for k in range(len(v)):
        free[k] = 0.5 * (v[k] + free[k] + h * s.held[k])
    _external(s, free)
    contraction = 0.0
    for n in range(len(s.machine)):
        if s.machine[n] >= 0 and not s.is_fast[n]:
            call_program(s, n, s.machine[n], 1, free)
        _update_velocity(s, n, h)
        if s.machine[n] >= 0 and not s.is_fast[n]:
            late = _iterate_velocity(s, n, h)
            if late > 0.0 and is_last:
                _slow_down(s, n, h)
            contraction = max(contraction, late)
    return contraction


@jit
def _iterate_velocity(s: System, n: int, h: float):
    """Repeat the kick of a machine until its mean velocity does not change.

    Of one that loops or gears hold: the others, where they turn fast, flow.
    """
    v, free, mean = s.velocity, s.free, s.trial
    dof, end = s.dof[n], s.dof[n + 1]
    is_held = False
    for k in range(dof, end):
        is_held = is_held or s.is_coupled[k]
    if not is_held:
        return 0.0
    way = np.empty(end - dof)
    for k in range(dof, end):
        way[k - dof] = mean[k] - v[k] - 0.5 * h * s.held[k]
    before = energy_of(s, n, way)
    for _ in range(_REPETITIONS):
        for k in range(dof, end):
            way[k - dof] = 0.5 * (v[k] + free[k] + h * s.held[k])
        size = energy_of(s, n, way)
        for k in range(dof, end):
            way[k - dof] -= mean[k]
        change = energy_of(s, n, way)
        if change <= _SETTLED * _SETTLED * size:
            return 0.0
        if not change < MOST_CONTRACTION * MOST_CONTRACTION * before:
            return min(math.sqrt(change / before), 1e3) if before > 0.0 and change < 1e300 else 1e3
        before = change
        for k in range(dof, end):
            free[k] = way[k - dof] + mean[k]
        call_program(s, n, s.machine[n], 1, free)
        _update_velocity(s, n, h)
    return 0.0


@jit
def energy_of(s: System, n: int, way: Floats):
    """Twice the kinetic energy of a machine with velocity ``way``."""
    nv, at, total = len(way), s.mass_at[n], 0.0
    for i in range(nv):
        row = 0.0
        for j in range(nv):
            row += s.mass[at + i * nv + j] * way[j]
        total += row * way[i]
    return total


@jit
def _slow_down(s: System, n: int, h: float):
    """The kick of a machine that is too fast where the step can be no shorter.

    Joints that turn too fast are braked, by impulses of these joints alone; and bias forces,
    which only pass energy on, may give no more than a little.
    """
    v, free = s.velocity, s.free
    clamp_rates(s, n, _MOST / h)
    call_program(s, n, s.machine[n], 1, v)
    _update_velocity(s, n, h)
    for k in range(s.dof[n], s.dof[n + 1]):
        free[k] = 0.5 * (v[k] + free[k])
    call_program(s, n, s.machine[n], 1, free)
    _update_velocity(s, n, h)
    _clamp_energy(s, n, h)


@jit
def clamp_rates(s: System, n: int, most: float):
    """Let no joint of a machine turn faster than ``most``.

    By impulses of these joints alone; what these leave, of joints that drive one another, goes
    from all.
    """
    v, w = s.velocity, s.free
    dof, nv = s.dof[n], s.dof[n + 1] - s.dof[n]
    for _ in range(4):
        for k in range(dof, dof + nv):
            over = abs(v[k]) - most
            if over > 0.0:
                for i in range(dof, dof + nv):
                    w[i] = 0.0
                w[k] = 1.0
                solve_mass(s, n, w, dof)
                impulse = math.copysign(over, v[k]) / w[k]
                for i in range(dof, dof + nv):
                    v[i] -= impulse * w[i]
    fastest = 0.0
    for k in range(dof, dof + nv):
        fastest = max(fastest, abs(v[k]))
    if fastest > most:
        for k in range(dof, dof + nv):
            v[k] *= most / fastest


@jit
def _clamp_energy(s: System, n: int, h: float):
    """Take from a machine what energy its bias forces gave it in a step.

    They only pass energy on, but for gravity, which at such rates is nothing.
    """
    v, free = s.velocity, s.free
    dof, nv = s.dof[n], s.dof[n + 1] - s.dof[n]
    gained = 0.0
    for k in range(dof, dof + nv):
        gained -= 0.5 * h * s.bias[k] * (v[k] + free[k])
    energy = 0.5 * energy_of(s, n, free[dof : dof + nv])
    if gained > _SHARE * energy:
        slower = math.sqrt(max(energy - gained, 0.0) / energy)
        for k in range(dof, dof + nv):
            free[k] *= slower


@jit
def _external(s: System, velocity: Floats):
    """Forces on all velocity entries other than gravity and bias, into ``s.force``."""
    force = s.force
    for k in range(len(force)):
        force[k] = s.tau[k]
    for b in range(len(s.wrench)):
        w = s.wrench[b]
        if w[0] != 0.0 or w[1] != 0.0 or w[2] != 0.0 or w[3] != 0.0 or w[4] != 0.0 or w[5] != 0.0:
            apply_wrench(s, b, Force(vector(w, 0), vector(w, 3)))
    for d in range(len(s.push_body)):
        b, row = s.push_body[d], s.push[d]
        apply_force(s, b, point_of(s.pose[b], row, 3), vector(row, 0))
    for d in range(len(s.drag_body)):
        b, row = s.drag_body[d], s.drag[d]
        point = point_of(s.pose[b], row, 4)
        v, omega = velocity_at(s, velocity, b, point)
        c = row[0] + row[2] * math.sqrt(v.dot(v))
        apply_force(s, b, point, -c * v)
        c = row[1] + row[3] * math.sqrt(omega.dot(omega))
        apply_wrench(s, b, Force(-c * omega, Vec3(0.0, 0.0, 0.0)))


@jit
def factorise(s: System, n: int, h: float):
    """Add viscous friction to a machine's mass matrix and factorise it.

    Where axes fall together, those of three turns say, the matrix is singular.  The joints
    concerned get as much inertia of their own as rounding leaves them.
    """
    dof, at = s.dof[n], s.mass_at[n]
    nv = s.dof[n + 1] - dof
    mass, factor = s.mass, s.factor
    largest = 0.0
    for k in range(nv):
        mass[at + k * nv + k] += 0.5 * h * s.viscous[dof + k]
        largest = max(largest, mass[at + k * nv + k])
    for i in range(nv):
        for j in range(i + 1):
            rest = mass[at + i * nv + j]
            for k in range(j):
                rest -= factor[at + i * nv + k] * factor[at + j * nv + k]
            if i != j:
                factor[at + i * nv + j] = rest / factor[at + j * nv + j]
                continue
            own = mass[at + i * nv + i]
            least = _LIFT * (own if own > 0.0 else largest)
            if rest < least:
                mass[at + i * nv + i] += least - rest
                rest = least
            factor[at + i * nv + i] = math.sqrt(rest)


@jit
def solve_mass(s: System, n: int, w: Floats, at: int):
    """Turn the forces ``w[at:]`` on a machine, whose mass is factorised, into accelerations."""
    substitute(s.factor, s.mass_at[n], s.dof[n + 1] - s.dof[n], w, at)


@jit
def factorise_masses(s: System):
    """Make the masses of machines, fresh from their poses, ones that can be solved with."""
    for n in range(len(s.machine)):
        if s.machine[n] >= 0:
            factorise(s, n, 0.0)


@jit
def _update_velocity(s: System, n: int, h: float):
    """Velocities of one node after ``h`` under the forces as they stand."""
    v, free, force = s.velocity, s.free, s.force
    dof = s.dof[n]
    nv = s.dof[n + 1] - dof
    if s.machine[n] >= 0:
        for k in range(dof, dof + nv):
            free[k] = h * (force[k] - s.bias[k] - s.viscous[k] * v[k])
        solve_mass(s, n, free, dof)
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
