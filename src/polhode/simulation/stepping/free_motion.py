"""Free motion of fast models, integrated to a tolerance as that of free bodies is.

A drift at constant joint rates is of second order.  Its errors of energy and momentum are large
where joints turn far in a step, or fast beside the effect of forces.  So the drift of a fast model
is its motion without force, by the adaptive method of Dormand and Prince.  Its velocity update
leaves out the velocity-dependent bias forces.
"""

from __future__ import annotations

import math

import numpy as np

from ...algorithms.runge_kutta import SHARES, WEIGHTS
from ...compiler.jit import Bools, Floats, Floats2, jit
from .contacts import set_vector, vector
from .counter_indices import N_CAPPED
from .free_velocity import accelerate, clamp_rates, energy_of, factorise
from .motion import call_program, shift_node, step_machine
from .rigid import turned
from .system import System

# A model whose joints together move by more in a step [rad or m] is fast: bias forces at the
# mean velocity, found by one correction, are too inexact then.
_FAST = 0.4
# The same for models that loops or gears couple, and for one of their joints.  Constraint
# impulses account for the whole motion of the step, which is more exact than free motion between
# velocity updates; above this such a step would gain energy.
_FAST_COUPLED, _FAST_JOINT = 0.2, 0.05
# A model is fast, too, where its fastest joint rate exceeds this multiple of the rate at which
# forces change its velocity.
_GYROSCOPIC = 15.0
_LEAST_TURN = 1e-4  # motion in a step whose third power is rounding [rad or m]
_ROUNDING = 1e-13  # of a velocity, relative
# Error of a step: of velocities, in the energy norm, relative; of quaternions.
_TOLERANCE = 1e-8
_MOST_STEPS = 256
# Where velocities change by a smaller share, and joints turn less [rad or m], errors of fourth
# order are rounding.
_LITTLE_CHANGE = 2e-3
# Most that a joint moves in the time that is left after `_MOST_STEPS` [rad or m].
_MOST_TURN = 0.5
# Displacements up to this cannot change the energy of a slow model by much [rad or m].
_LITTLE = 1e-4
# The method of Dormand and Prince, of fifth order: the weights of its stages, the last of which
# gives the step; and by how much the method of fourth order with the same stages differs.
_STAGES = (
    1 / 5,
    3 / 40, 9 / 40,
    44 / 45, -56 / 15, 32 / 9,
    19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729,
    9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656,
    35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84,
)  # fmt: skip
_ERROR = (
    71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40
)  # fmt: skip


@jit
def find_fast_machines(s: System, h: float):
    """Set which models turn so far in a step that their drift is integrated."""
    for n in range(len(s.machine)):
        if s.machine[n] < 0:
            continue
        turn, fastest, is_coupled = 0.0, 0.0, False
        for k in range(s.dof[n], s.dof[n + 1]):
            part = h * abs(s.velocity[k])
            turn, fastest = turn + part, max(fastest, part)
            is_coupled = is_coupled or s.is_coupled[k]
        if turn > _FAST and _has_free_base(s, n):
            for k in range(s.dof[n], s.dof[n] + 3):
                turn -= h * abs(s.velocity[k])
        is_fast = turn > _FAST
        if is_coupled:
            is_fast = turn > _FAST_COUPLED or fastest > _FAST_JOINT
        s.is_fast[n] = is_fast


@jit
def find_gyroscopic_machines(s: System, is_loaded: Bools, h: float):
    """Set that models are fast whose velocities change slowly by forces; whether any is new.

    Drifts at constant rates delay gyroscopic forces, by a share of the square of the motion in a
    step.  That is all the error of a model that forces disturb little, as a fast top.  The choice
    does not depend on the step, so halving it divides errors by four.

    After `free_velocities`, at the poses of the velocity update; ``is_loaded`` tells which nodes
    carry loads.  ``s.bias`` and ``s.trial`` are overwritten.
    """
    some = False
    for n in range(len(s.machine)):
        if s.machine[n] >= 0 and not s.is_fast[n] and not s.is_coupled[s.dof[n]]:
            s.is_fast[n] = _is_gyroscopic(s, n, is_loaded[n], h)
            some = some or s.is_fast[n] != 0
    return some


@jit
def _is_gyroscopic(s: System, n: int, is_loaded: bool, h: float):
    """Whether forces change a model's velocity at less than a share of its fastest joint rate.

    Not where velocity-dependent forces are rounding.  A model that nothing supports falls with
    gravity, which causes no error.
    """
    dof, end = s.dof[n], s.dof[n + 1]
    is_free, velocity = _has_free_base(s, n), s.velocity[dof:end].copy()
    if is_free:
        velocity[:3] = 0.0
    rate = _fastest(velocity)
    turn = h * rate
    if turn < _LEAST_TURN:
        return False
    own, other = s.bias[dof:end].copy(), np.empty(end - dof)
    call_program(s, n, s.machine[n], 1, s.zero_velocity)
    for k in range(dof, end):
        own[k - dof] -= s.bias[k]
        other[k - dof] = s.force[k] - s.bias[k] - s.viscous[k] * s.velocity[k]
    speed = math.sqrt(energy_of(s, n, velocity))
    least = 0 if is_loaded or not is_free else 3
    if rate * speed <= _GYROSCOPIC * _acceleration(s, n, other, least):
        return False
    return h * turn * turn / 12.0 * _acceleration(s, n, own, 0) > _ROUNDING * speed


@jit
def _acceleration(s: System, n: int, force: Floats, first: int):
    """The acceleration by joint forces in the energy norm, entries below ``first`` left out."""
    rates = force.copy()
    accelerate(s, n, rates, 0)
    if first > 0:
        rates[:first] = 0.0
        return math.sqrt(energy_of(s, n, rates))
    total = 0.0
    for k in range(len(force)):
        total += force[k] * rates[k]
    return math.sqrt(max(total, 0.0))


@jit
def _fastest(v: Floats):
    most = 0.0
    for x in v:
        most = max(most, abs(x))
    return most


@jit
def _has_free_base(s: System, n: int):
    """Whether a model begins with three translations and a spherical joint.

    Its translation changes nothing about how fast the model is.
    """
    dof, m = s.dof[n], s.machine[n]
    if m < 0:
        return False
    first = s.ball_start[m]
    is_free = first < s.ball_start[m + 1] and s.balls[first, 0] == 3
    return is_free and s.is_line[dof] and s.is_line[dof + 1] and s.is_line[dof + 2]


@jit
def integrate_free_motion(s: System, n: int, duration: float):
    """Move a model without force, gravity left out; velocities change with the pose."""
    place, dof = s.place[n], s.dof[n]
    nq, nv = s.place[n + 1] - place, s.dof[n + 1] - dof
    rates = np.zeros((7, nq + nv))
    start, change = np.empty(nq + nv), np.empty(nv)
    _derivative(s, n, rates[0])
    if _changes_little(s, n, rates[0], duration):
        _classical_step(s, n, duration, rates, start)
        return
    left, part = duration, _first_step(s, n, rates[0], duration)
    for count in range(2 * _MOST_STEPS):
        if count == _MOST_STEPS:
            s.counters[N_CAPPED] += 1
            _derivative(s, n, rates[0])  # factorises the mass matrix for `clamp_rates`
            clamp_rates(s, n, _MOST_TURN / left)
            _derivative(s, n, rates[0])
            part = left
        part = min(part, left)
        _copy_state(s, n, start)
        for stage in range(1, 7):
            _set_stage(s, n, start, part, rates, stage)
            _derivative(s, n, rates[stage])
        error = _error(s, n, part, rates, change)
        if error <= 1.0:
            _normalise_quaternions(s, n)
            left = 0.0 if part == left else left - part
            if left <= 0.0:
                return
            for i in range(nq + nv):
                rates[0, i] = rates[6, i]
        else:
            for i in range(nq):
                s.position[place + i] = start[i]
            for i in range(nv):
                s.velocity[dof + i] = start[nq + i]
        part *= _step_ratio(error)
    _finish_at_constant_rates(s, n, left, rates)


@jit
def _copy_state(s: System, n: int, state: Floats):
    """Positions and velocities of a model."""
    place, dof = s.place[n], s.dof[n]
    nq, nv = s.place[n + 1] - place, s.dof[n + 1] - dof
    for i in range(nq):
        state[i] = s.position[place + i]
    for i in range(nv):
        state[nq + i] = s.velocity[dof + i]


@jit
def _changes_little(s: System, n: int, rate: Floats, duration: float):
    """Whether a motion is so short that a method of fourth order is exact to rounding."""
    dof, nv = s.dof[n], s.dof[n + 1] - s.dof[n]
    nq, least = s.place[n + 1] - s.place[n], _LITTLE_CHANGE / duration
    first = 3 if _has_free_base(s, n) else 0
    if _fastest(s.velocity[dof + first : dof + nv]) > least:
        return False
    speed = energy_of(s, n, s.velocity[dof : dof + nv])
    return energy_of(s, n, rate[nq : nq + nv]) <= least * least * speed


@jit
def _classical_step(s: System, n: int, duration: float, rates: Floats2, start: Floats):
    """One step of the classical Runge-Kutta method from the derivatives ``rates[0]``."""
    place, nq = s.place[n], s.place[n + 1] - s.place[n]
    to = s.dof[n] - nq
    _copy_state(s, n, start)
    for stage in range(1, 5):
        for i in range(len(start)):
            if stage < 4:
                change = duration * SHARES[stage] * rates[stage - 1, i]
            else:
                change = 0.0
                for j in range(4):
                    change += duration / 6.0 * WEIGHTS[j] * rates[j, i]
            if i < nq:
                s.position[place + i] = start[i] + change
            else:
                s.velocity[to + i] = start[i] + change
        if stage < 4:
            _derivative(s, n, rates[stage])
    _normalise_quaternions(s, n)


@jit
def _finish_at_constant_rates(s: System, n: int, left: float, rates: Floats2):
    """Move for the time that is left at constant rates, without a gain of energy."""
    dof, nv = s.dof[n], s.dof[n + 1] - s.dof[n]
    _derivative(s, n, rates[0])
    clamp_rates(s, n, _MOST_TURN / left)
    before = energy_of(s, n, s.velocity[dof : dof + nv])
    step_machine(s, n, s.velocity, left)
    _derivative(s, n, rates[0])
    after = energy_of(s, n, s.velocity[dof : dof + nv])
    if after > before:
        for k in range(dof, dof + nv):
            s.velocity[k] *= math.sqrt(before / after)


@jit
def may_gain_energy(s: System, n: int, shift: Floats):
    """Whether a model that moves by ``shift`` could gain energy by its new pose."""
    most = 0.0
    for k in range(s.dof[n], s.dof[n + 1]):
        most = max(most, abs(shift[k]))
    return s.machine[n] >= 0 and (most > _LITTLE or s.is_fast[n])


@jit
def shift_passively(s: System, n: int, shift: Floats):
    """`shift_node`, but a model that moves far does not gain energy, nor a free body that turns.

    Its angular velocity turns with it.
    """
    if s.machine[n] < 0 and not s.is_round[n]:
        spin = s.dof[n] + 3
        set_vector(s.velocity, spin, turned(vector(s.velocity, spin), vector(shift, spin)))
    if not may_gain_energy(s, n, shift):
        shift_node(s, n, shift)
        return
    call_program(s, n, s.machine[n], 0, s.velocity)
    before = energy_of(s, n, s.velocity[s.dof[n] : s.dof[n + 1]])
    shift_node(s, n, shift)
    call_program(s, n, s.machine[n], 0, s.velocity)
    limit_energy(s, n, before)


@jit
def limit_energy(s: System, n: int, most: float):
    """Scale the velocity of a model so that its energy is at most ``most``; whether it was."""
    dof, end = s.dof[n], s.dof[n + 1]
    now = energy_of(s, n, s.velocity[dof:end])
    if not now > most:
        return False
    for k in range(dof, end):
        s.velocity[k] *= math.sqrt(most / now)
    return True


@jit
def _derivative(s: System, n: int, rate: Floats):
    """Time derivatives of positions and velocities of a model without force."""
    v, q, place, dof = s.velocity, s.position, s.place[n], s.dof[n]
    nq, nv, m = s.place[n + 1] - place, s.dof[n + 1] - dof, s.machine[n]
    call_program(s, n, m, 0, v)
    for k in range(nv):
        rate[nq + k] = -s.bias[dof + k]
        if s.is_line[dof + k]:
            rate[k] = v[dof + k]
    call_program(s, n, m, 1, s.zero_velocity)
    for k in range(nv):
        rate[nq + k] += s.bias[dof + k]
    factorise(s, n, 0.0)
    accelerate(s, n, rate, nq)
    for b in range(s.ball_start[m], s.ball_start[m + 1]):
        ball = s.balls[b]
        wx, wy, wz = v[dof + ball[0]], v[dof + ball[0] + 1], v[dof + ball[0] + 2]
        x, y, z, w = q[place + ball[1]], q[place + ball[2]], q[place + ball[3]], q[place + ball[4]]
        rate[ball[1]] = 0.5 * (w * wx + y * wz - z * wy)
        rate[ball[2]] = 0.5 * (w * wy + z * wx - x * wz)
        rate[ball[3]] = 0.5 * (w * wz + x * wy - y * wx)
        rate[ball[4]] = -0.5 * (x * wx + y * wy + z * wz)


@jit
def _first_step(s: System, n: int, rate: Floats, duration: float):
    """First step size: one in which velocities change by a fifth of themselves."""
    dof, nv = s.dof[n], s.dof[n + 1] - s.dof[n]
    nq = s.place[n + 1] - s.place[n]
    speed = energy_of(s, n, s.velocity[dof : dof + nv])
    change = energy_of(s, n, rate[nq : nq + nv])
    if change * duration * duration <= 0.04 * speed or not change > 0.0:
        return duration
    return max(0.2 * math.sqrt(speed / change), 1e-3 * duration)


@jit
def _set_stage(s: System, n: int, start: Floats, part: float, rates: Floats2, stage: int):
    """Set the state of a model at which stage ``stage`` of a step is evaluated."""
    place, dof = s.place[n], s.dof[n]
    nq, nv = s.place[n + 1] - place, s.dof[n + 1] - dof
    first = stage * (stage - 1) // 2
    for i in range(nq + nv):
        total = 0.0
        for j in range(stage):
            total += _STAGES[first + j] * rates[j, i]
        if i < nq:
            s.position[place + i] = start[i] + part * total
        else:
            s.velocity[dof + i - nq] = start[i] + part * total


@jit
def _error(s: System, n: int, part: float, rates: Floats2, change: Floats):
    """The error of a step as a multiple of the tolerance."""
    dof, nv, m = s.dof[n], len(change), s.machine[n]
    nq = s.place[n + 1] - s.place[n]
    for k in range(nv):
        change[k] = part * _embedded_error(rates, nq + k)
    size = energy_of(s, n, s.velocity[dof : dof + nv])
    share = energy_of(s, n, change) / size if size > 0.0 else 0.0
    turn = 0.0
    for b in range(s.ball_start[m], s.ball_start[m + 1]):
        for j in range(1, 5):
            miss = part * _embedded_error(rates, s.balls[b, j])
            turn = max(turn, miss * miss)
    if not (share < math.inf and turn < math.inf and size < math.inf):
        return math.inf
    return math.sqrt(max(share, turn)) / _TOLERANCE


@jit
def _step_ratio(error: float):
    """Factor from this step size to the next; it grows more cautiously than it shrinks."""
    if error > 1e4:
        return 0.1
    root = math.sqrt(math.sqrt(max(error, 1e-6)))
    return 0.9 / root if error > 1.0 else min(5.0, 0.9 / math.sqrt(root))


@jit
def _embedded_error(rates: Floats2, i: int):
    total = 0.0
    for j in range(7):
        total += _ERROR[j] * rates[j, i]
    return total


@jit
def _normalise_quaternions(s: System, n: int):
    """Normalise the quaternions of a model."""
    m, place, q = s.machine[n], s.place[n], s.position
    for b in range(s.ball_start[m], s.ball_start[m + 1]):
        ball = s.balls[b]
        size = 0.0
        for j in range(1, 5):
            size += q[place + ball[j]] * q[place + ball[j]]
        size = math.sqrt(size)
        for j in range(1, 5):
            q[place + ball[j]] /= size
