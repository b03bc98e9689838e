"""Free velocities: after a step under forces alone, without contact and constraint impulses.

Poses stay.  Bias forces are taken at the mean of the velocities before and after (the implicit
midpoint rule), by fixed-point iteration.  Where a model turns too far in the step, the iteration
does not contract.  Then the step has to be shorter, or joint rates have to be clamped.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.jit import Floats, jit
from ...contact_problem.mass import factor_mass, solve_mass
from ...spatial import Force, Vec3
from .contacts import vector
from .motion import apply_force, apply_wrench, call_program, point_of, velocity_at
from .springs import elastic_forces
from .system import System

# Tolerance of the mean velocity of a model, in the kinetic energy norm, relative.
_CONVERGED = 1e-9
_ITERATIONS = 24
# Contraction factor of the iteration above which the step is too long.
MOST_CONTRACTION = 0.35
# Where steps can be no shorter: the most that a joint moves in a step [rad or m], and the share
# of a model's energy that its bias forces may add.
_MOST, _SHARE = 0.5, 0.02
# Least pivot of the Cholesky factorisation, relative to the diagonal entry of the mass matrix.
_LEAST_PIVOT = 1e-12
# Below this decay a series stands for a difference of large numbers.
_SMALL_DECAY = 1e-3


@jit
def free_velocities(s: System, h: float, is_shortest: bool):
    """Write to ``s.free`` the velocities after ``h`` under forces alone.

    Forces that depend on velocity see the mean of the velocities before and after, found by
    iteration.  The mean includes the accelerations by loops, gears and contacts of the step
    before.  Viscous friction of joints enters the mass matrix.  ``is_shortest``: the step can be no
    shorter, so the joint rates of a model too fast for it are clamped.

    Returns
    -------
    contraction : float
        0; or, for a model too fast for the step, the contraction factor of the iteration, at least
        `MOST_CONTRACTION`.
    """
    v, free = s.velocity, s.free
    elastic_forces(s)
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
    for n in range(len(s.machine)):
        _mean_velocity(s, n, h)
    _external(s, free)
    contraction = 0.0
    for n in range(len(s.machine)):
        if s.machine[n] >= 0 and not s.is_fast[n]:
            call_program(s, n, s.machine[n], 1, free)
        _update_velocity(s, n, h)
        if s.machine[n] >= 0 and not s.is_fast[n]:
            factor = _iterate_velocity(s, n, h)
            if factor > 0.0 and is_shortest:
                _slow_down(s, n, h)
            contraction = max(contraction, factor)
    return contraction


@jit
def _mean_velocity(s: System, n: int, h: float):
    """Write to ``s.free`` the mean of the velocities before and after the step.

    What contacts do goes on where it slows what happens without: a leg stands still under torques
    that would throw it.  After an impact it does not.
    """
    v, free, held = s.velocity, s.free, s.held
    dof, end = s.dof[n], s.dof[n + 1]
    is_coupled, is_held = False, False
    for k in range(dof, end):
        is_coupled = is_coupled or s.is_coupled[k]
        is_held = is_held or held[k] != 0.0
    if is_held and not is_coupled and s.machine[n] >= 0:
        change = np.empty(end - dof)
        for k in range(dof, end):
            change[k - dof] = free[k] - v[k]
        alone = energy_of(s, n, change)
        for k in range(dof, end):
            change[k - dof] += h * held[k]
        is_held = energy_of(s, n, change) < alone
    for k in range(dof, end):
        free[k] = 0.5 * (v[k] + free[k])
        if is_held:
            free[k] += 0.5 * h * held[k]


@jit
def _iterate_velocity(s: System, n: int, h: float):
    """Iterate on the mean velocity of a model; return 0, or the contraction factor if too large.

    Only for models that loops or gears couple: others that turn fast move by `free_motion`.
    """
    v, free, mean = s.velocity, s.free, s.trial
    dof, end = s.dof[n], s.dof[n + 1]
    is_held = False
    for k in range(dof, end):
        is_held = is_held or s.is_coupled[k]
    if not is_held:
        return 0.0
    change, before = np.empty(end - dof), 0.0
    for turn in range(_ITERATIONS):
        for k in range(dof, end):
            change[k - dof] = 0.5 * (v[k] + free[k] + h * s.held[k])
        size = energy_of(s, n, change)
        for k in range(dof, end):
            change[k - dof] -= mean[k]
        error = energy_of(s, n, change)
        if error <= _CONVERGED * _CONVERGED * size:
            return 0.0
        if turn == 0:  # most often it is not needed
            before = _first_change(s, n, h)
        if not error < MOST_CONTRACTION * MOST_CONTRACTION * before:
            return min(math.sqrt(error / before), 1e3) if before > 0.0 and error < 1e300 else 1e3
        before = error
        for k in range(dof, end):
            free[k] = change[k - dof] + mean[k]
        call_program(s, n, s.machine[n], 1, free)
        _update_velocity(s, n, h)
    return 0.0


@jit
def _first_change(s: System, n: int, h: float):
    """Energy of the mean velocity's first change, from the velocity before the step."""
    dof, end = s.dof[n], s.dof[n + 1]
    change = np.empty(end - dof)
    for k in range(dof, end):
        change[k - dof] = s.trial[k] - s.velocity[k] - 0.5 * h * s.held[k]
    return energy_of(s, n, change)


@jit
def energy_of(s: System, n: int, rates: Floats):
    """Twice the kinetic energy of a model with the joint rates ``rates``."""
    nv, at, total = len(rates), s.mass_at[n], 0.0
    if s.machine[n] < 0:
        return _energy_of_body(s.mass[at:], rates)
    for i in range(nv):
        row = at + i * nv
        even, odd = 0.5 * s.mass[row + i] * rates[i], 0.0  # sums that do not wait for each other
        for j in range(0, i - 1, 2):
            even += s.mass[row + j] * rates[j]
            odd += s.mass[row + j + 1] * rates[j + 1]
        if i % 2 == 1:
            even += s.mass[row + i - 1] * rates[i - 1]
        total += (even + odd) * rates[i]
    return 2.0 * total


@jit
def _energy_of_body(m: Floats, v: Floats):
    """Twice the kinetic energy of a free body with the mass matrix ``m``."""
    linear = m[0] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    own = m[21] * v[3] * v[3] + m[28] * v[4] * v[4] + m[35] * v[5] * v[5]
    return linear + own + 2.0 * (m[27] * v[3] * v[4] + m[33] * v[3] * v[5] + m[34] * v[4] * v[5])


@jit
def _slow_down(s: System, n: int, h: float):
    """Update the velocity of a model that is too fast where the step can be no shorter.

    Rates of joints that move too fast are clamped.  Bias forces do no work, but add energy by the
    error of the step; this energy is clamped, too.
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
    """Let no joint of a model move faster than ``most``.

    By impulses of these joints alone, four times round.  Where coupled joints still move faster,
    the velocity of the whole model is scaled.
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
                accelerate(s, n, w, dof)
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
    """Take from a model the energy that its bias forces added in a step.

    They are workless but for gravity, which is negligible at such rates.
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
        force[k] = s.tau[k] + s.elastic[k]
        if len(s.adhesion):
            force[k] += s.adhesive[k]
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
    """Add viscous friction and springs in joints to a model's mass matrix and factorise it.

    And the gains of servos.  Little damping is halved, for the midpoint rule; such that stops a
    joint within a step counts nearly all (exponential fitting: exact for one velocity).

    Where axes coincide, as those of three revolute joints may, the matrix is singular: too
    small pivots are raised to `_LEAST_PIVOT`.
    """
    dof, at = s.dof[n], s.mass_at[n]
    nv = s.dof[n + 1] - dof
    for k in range(nv):
        stiff = s.viscous[dof + k] + 0.5 * h * s.stiffness[dof + k]
        damping, own = s.servo_damping[dof + k], s.mass[at + k * nv + k]
        share = _share_at_end(h * damping / own if own > 0.0 else 0.0)
        s.resisted[dof + k] = share * damping + 0.25 * h * s.servo_stiffness[dof + k]
        s.mass[at + k * nv + k] += h * s.resisted[dof + k]
        s.mass[at + k * nv + k] += 0.5 * h * stiff
    factor_mass(s.mass, s.factor, at, nv, s.last, dof, _LEAST_PIVOT)


@jit
def _share_at_end(decay: float):
    """The share of damping to take at the end of a step in which a velocity decays so much."""
    if decay < _SMALL_DECAY:
        return 0.5 + decay / 12.0
    return 1.0 / (1.0 - math.exp(-decay)) - 1.0 / decay


@jit
def accelerate(s: System, n: int, w: Floats, at: int):
    """Solve with the factorised mass matrix: forces ``w[at:]`` become accelerations."""
    nv = s.dof[n + 1] - s.dof[n]
    solve_mass(s.factor, s.mass_at[n], nv, s.last, s.dof[n], w, at)


@jit
def factorise_masses(s: System):
    """Factorise the mass matrices of all models, as `update` left them."""
    for n in range(len(s.machine)):
        if s.machine[n] >= 0:
            factorise(s, n, 0.0)


@jit
def _update_velocity(s: System, n: int, h: float):
    """Velocities of one node after ``h`` under ``s.force``, into ``s.free``."""
    v, free, force = s.velocity, s.free, s.force
    dof = s.dof[n]
    nv = s.dof[n + 1] - dof
    if s.machine[n] >= 0:
        for k in range(dof, dof + nv):
            free[k] = h * (force[k] - s.bias[k] - s.viscous[k] * v[k])
        accelerate(s, n, free, dof)
        for k in range(dof, dof + nv):
            free[k] += v[k]
        return
    m = s.body_mass[n]
    for k in range(3):
        free[dof + k] = v[dof + k] + h * (s.gravity[n, k] + force[dof + k] / m)
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
