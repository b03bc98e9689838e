"""Interior points for islands of rigid contacts with round cones.

In De Saxce's form of the laws impulses lie in their cones.  Row velocities, lifted by mu times
their slip, lie in the dual cones, orthogonal to them.  Scaled, both cones are Lorentz's: the
complementarity is ``w o r = 0`` with the product of its Jordan algebra.  Newton's method on
``w o r = tau e`` follows the path on which ``tau`` falls to zero.  Predictor and corrector are
those of Mehrotra, "On the implementation of a primal-dual interior point method" (1992).  The
linearisation is that of Alizadeh, Haeberly and Overton (1998).  Contacts that open, stick and
slide are found together, in a number of steps that hardly depends on how many there are.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, Floats2, Ints, jit
from .block_lu import Elimination, back, eliminate
from .convex import forces
from .desaxce import is_expressed
from .gauss_seidel import residual
from .newton import Scratch, add_block, start_matrix
from .newton_iteration import NewtonOptions, full_step_newton
from .problem import COMPLIANCE, KIND, MU, NORMAL, ROW, Island, Problem, row_velocity, velocity_of
from .rows import CONTACT, NO_SLIP
from .settings import Report, SolverSettings
from .springs import relative
from .thresholds import (
    CHOICE_STEPS,
    INTERIOR_PROX,
    INTERIOR_STEPS,
    LEAST_SHARE,
    LEAST_SLOPE,
    PROX_SHARE,
    SLIGHT_COMPLIANCE,
    STALLED_STEP,
    TO_BOUNDARY,
)


class ConePairs(NamedTuple):
    """Impulses and velocities of contacts, in velocities of their own normals.

    Attributes
    ----------
    r, w : shape (k, 3)
        ``g (mu x_n, x_t)`` and the lifted velocities, which at the end of the path are
        ``(u_n / mu + |u_t|, u_t)``; both inside Lorentz's cone.
    gap : shape (k, 3)
        What must be added to ``w`` for the velocities under the impulses, to first order.
    lift : shape (k, 3)
        Derivatives of the first number of ``w`` by the row velocities (`lift_of`).
    dr, dw : shape (k, 3)
        The step.
    inverse : shape (k, 4)
        One over ``det(w)``, ``w_0``, ``mu g`` and ``g``; columns as named below.
    """

    r: np.ndarray
    w: np.ndarray
    gap: np.ndarray
    lift: np.ndarray
    dr: np.ndarray
    dw: np.ndarray
    inverse: np.ndarray


# columns of ConePairs.inverse
DET, W0, NORMAL_SCALE, TANGENT_SCALE = 0, 1, 2, 3


@jit
def newton_after_interior(
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    settings: SolverSettings,
    report: Report,
):
    """Newton's method from the end of the path of interior points; returns the residual.

    It does not depend on the impulses given.  The path leads to what is open, sticks and slides,
    but rounding keeps its end from being exact.
    """
    worst = interior_points(island, structure, scratch, settings, report)
    if worst == math.inf:
        return worst
    most = CHOICE_STEPS * settings.newton
    options = NewtonOptions(INTERIOR_PROX, INTERIOR_PROX, most, False, PROX_SHARE, True)
    return full_step_newton(island, structure, scratch, options, settings, report)


@jit
def interior_points(
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    settings: SolverSettings,
    report: Report,
):
    """Impulses from interior points, whatever is in ``x``; returns the residual.

    Infinite where the island has anything but rigid contacts with round cones.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v = island.x, island.v
    if not is_rigid(p, blocks):
        return math.inf
    size = (blocks.size, 3)
    pairs = ConePairs(
        np.zeros(size), np.zeros(size), np.empty(size), np.empty(size), np.empty(size),
        np.empty(size), np.empty((blocks.size, 4)),
    )  # fmt: skip
    for i in range(blocks.size):
        pairs.r[i, 0] = pairs.w[i, 0] = island.speed
        g = p.law[blocks[i], NORMAL]
        pairs.inverse[i, NORMAL_SCALE] = 1.0 / (slope_of(p, blocks[i]) * g)
        pairs.inverse[i, TANGENT_SCALE] = 1.0 / g
    worst, stalled = math.inf, 0
    for _ in range(INTERIOR_STEPS):
        set_impulses(p, blocks, pairs, x)
        velocity_of(p, blocks, nodes, x, v)
        worst = residual(p, blocks, x, v, island.speed)
        if worst <= settings.tolerance or worst == math.inf or stalled > 2:
            break
        if not linearise(island, structure, scratch, pairs):
            break
        report.newton_steps += 1
        length = predict_and_correct(island, structure, scratch, pairs)
        stalled = stalled + 1 if length < STALLED_STEP else 0
        for i in range(blocks.size):
            for a in range(3):
                pairs.r[i, a] += length * pairs.dr[i, a]
                pairs.w[i, a] += length * pairs.dw[i, a]
    return worst


@jit
def is_rigid(p: Problem, blocks: Ints):
    """Whether there are only contacts with round cones, whose rows are rigid or nearly so.

    Contacts without slip jam: their impulses are not bounded, and the path leads far out.  Steps
    leave a slight compliance out; the velocities have it, and so has the end of the path.
    """
    rigid = is_expressed(p, blocks)
    for k in blocks:
        rigid = rigid and p.block[k, KIND] == CONTACT and p.law[k, NORMAL] > 0.0
        rigid = rigid and p.law[k, MU] < NO_SLIP
        for r in range(p.block[k, ROW], p.block[k, ROW] + 3):
            rigid = rigid and p.line[r, COMPLIANCE] <= SLIGHT_COMPLIANCE * p.law[k, NORMAL]
    return rigid


@jit
def slope_of(p: Problem, k: int):
    """Coulomb's coefficient; without friction there would be no inside of a cone."""
    return max(p.law[k, MU], LEAST_SLOPE)


@jit
def set_impulses(p: Problem, blocks: Ints, pairs: ConePairs, x: Floats):
    """Put the impulses that stand in ``pairs.r`` into ``x``."""
    for i in range(blocks.size):
        to, r, inverse = p.block[blocks[i], ROW], pairs.r[i], pairs.inverse[i]
        x[to] = r[0] * inverse[NORMAL_SCALE]
        x[to + 1], x[to + 2] = r[1] * inverse[TANGENT_SCALE], r[2] * inverse[TANGENT_SCALE]


@jit
def invert(w: Floats, inverse: Floats):
    """Prepare `arrow_solve` with ``w``."""
    length = math.sqrt(w[1] * w[1] + w[2] * w[2])
    inverse[DET], inverse[W0] = 1.0 / ((w[0] - length) * (w[0] + length)), 1.0 / w[0]


@jit
def arrow_solve(w: Floats, inverse: Floats, b0: float, b1: float, b2: float):
    """The ``y`` whose Jordan product with ``w`` is ``b``."""
    y0 = (w[0] * b0 - w[1] * b1 - w[2] * b2) * inverse[DET]
    return y0, (b1 - y0 * w[1]) * inverse[W0], (b2 - y0 * w[2]) * inverse[W0]


@jit
def linearise(island: Island, structure: Elimination, scratch: Scratch, pairs: ConePairs):
    """Factor the matrix of a step at the velocities ``v``; False if it is singular."""
    p, blocks = island.p, island.blocks
    start_matrix(p, island.nodes, structure.at, scratch.matrix, scratch.step)
    u, D, dx = np.empty(3), np.empty((3, 3)), np.zeros(3)
    for i in range(blocks.size):
        k = blocks[i]
        r, w, lift, inverse = pairs.r[i], pairs.w[i], pairs.lift[i], pairs.inverse[i]
        row_velocity(p, k, island.x, island.v, u)
        invert(w, inverse)
        lift_of(u, w, slope_of(p, k), lift, pairs.gap[i])
        for c in range(3):
            e0, e1, e2 = lift[c], 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0
            b0 = r[0] * e0 + r[1] * e1 + r[2] * e2
            b1, b2 = r[0] * e1 + r[1] * e0, r[0] * e2 + r[2] * e0
            y0, y1, y2 = arrow_solve(w, inverse, b0, b1, b2)
            D[0, c] = y0 * inverse[NORMAL_SCALE]
            D[1, c], D[2, c] = y1 * inverse[TANGENT_SCALE], y2 * inverse[TANGENT_SCALE]
        add_block(p, k, D, dx, island.local, structure.at, scratch)
    return eliminate(p.node, island.nodes, structure, scratch.matrix, scratch.pivot)


@jit
def lift_of(u: Floats, w: Floats, mu: float, lift: Floats, gap: Floats):
    """Linearise the lift of a contact at its row velocities ``u``: set ``lift`` and ``gap``.

    Inside the cones ``u_n / mu = w_0 - |w_t|^2 / w_0``, which has no kink where a contact sticks.
    On the boundary, where contacts slide, that is De Saxce's ``w_0 - |w_t|``.
    """
    q1, q2 = w[1] / w[0], w[2] / w[0]
    share = 1.0 / (1.0 + q1 * q1 + q2 * q2)
    lift[0], lift[1], lift[2] = share / mu, 2.0 * share * q1, 2.0 * share * q2
    gap[1], gap[2] = u[1] - w[1], u[2] - w[2]
    gap[0] = share * (u[0] / mu - w[0] + q1 * w[1] + q2 * w[2])
    gap[0] += lift[1] * gap[1] + lift[2] * gap[2]


@jit
def predict_and_correct(island: Island, structure: Elimination, scratch: Scratch, pairs: ConePairs):
    """Compute the step; returns how much of it keeps both inside their cones."""
    r, w, dr, dw = pairs.r, pairs.w, pairs.dr, pairs.dw
    dr[:, :] = 0.0
    dw[:, :] = 0.0
    direction(island, structure, scratch, pairs, 0.0)
    length = min(1.0, longest(r, dr), longest(w, dw))
    now = after = 0.0
    for i in range(r.shape[0]):
        for a in range(3):
            now += r[i, a] * w[i, a]
            after += (r[i, a] + length * dr[i, a]) * (w[i, a] + length * dw[i, a])
    share = max(after / now, 0.0)
    share = min(max(share * share * share, LEAST_SHARE), 1.0)
    direction(island, structure, scratch, pairs, share * now / r.shape[0])
    return min(1.0, TO_BOUNDARY * longest(r, dr), TO_BOUNDARY * longest(w, dw))


@jit
def direction(
    island: Island, structure: Elimination, scratch: Scratch, pairs: ConePairs, tau: float
):
    """The step towards ``w o r = tau e``, corrected by the products of the step before."""
    p, blocks, b = island.p, island.blocks, scratch.step
    r, w, gap, dr, dw = pairs.r, pairs.w, pairs.gap, pairs.dr, pairs.dw
    for i in range(blocks.size):
        to, inverse = p.block[blocks[i], ROW], pairs.inverse[i]
        # What is left of the product with gap + w, which is what w becomes by a full step.
        f0, f1, f2 = w[i, 0] + gap[i, 0], w[i, 1] + gap[i, 1], w[i, 2] + gap[i, 2]
        b0 = tau - (f0 * r[i, 0] + f1 * r[i, 1] + f2 * r[i, 2])
        b1 = -(f0 * r[i, 1] + f1 * r[i, 0])
        b2 = -(f0 * r[i, 2] + f2 * r[i, 0])
        b0 -= dw[i, 0] * dr[i, 0] + dw[i, 1] * dr[i, 1] + dw[i, 2] * dr[i, 2]
        b1 -= dw[i, 0] * dr[i, 1] + dw[i, 1] * dr[i, 0]
        b2 -= dw[i, 0] * dr[i, 2] + dw[i, 2] * dr[i, 0]
        y0, y1, y2 = arrow_solve(w[i], inverse, b0, b1, b2)
        dr[i, 0], dr[i, 1], dr[i, 2] = y0, y1, y2
        z = scratch.full
        z[to] = y0 * inverse[NORMAL_SCALE]
        z[to + 1], z[to + 2] = y1 * inverse[TANGENT_SCALE], y2 * inverse[TANGENT_SCALE]
    forces(p, blocks, island.nodes, scratch.full, b)
    back(p.node, island.nodes, structure, scratch.matrix, scratch.pivot, b)
    for i in range(blocks.size):
        k = blocks[i]
        to = p.block[k, ROW]
        relative(p, k, b, 0.0, scratch.start)
        u0, u1, u2 = scratch.start[to], scratch.start[to + 1], scratch.start[to + 2]
        lift = pairs.lift[i]
        u0 = lift[0] * u0 + lift[1] * u1 + lift[2] * u2
        b0 = r[i, 0] * u0 + r[i, 1] * u1 + r[i, 2] * u2
        b1, b2 = r[i, 0] * u1 + r[i, 1] * u0, r[i, 0] * u2 + r[i, 2] * u0
        y0, y1, y2 = arrow_solve(w[i], pairs.inverse[i], b0, b1, b2)
        dr[i, 0], dr[i, 1], dr[i, 2] = dr[i, 0] - y0, dr[i, 1] - y1, dr[i, 2] - y2
        dw[i, 0], dw[i, 1], dw[i, 2] = gap[i, 0] + u0, gap[i, 1] + u1, gap[i, 2] + u2


@jit
def longest(a: Floats2, d: Floats2):
    """The greatest ``t`` for which all of ``a + t d`` lie in Lorentz's cone."""
    least = math.inf
    for i in range(a.shape[0]):
        square = d[i, 0] * d[i, 0] - d[i, 1] * d[i, 1] - d[i, 2] * d[i, 2]
        half = a[i, 0] * d[i, 0] - a[i, 1] * d[i, 1] - a[i, 2] * d[i, 2]
        length = math.sqrt(a[i, 1] * a[i, 1] + a[i, 2] * a[i, 2])
        inside = (a[i, 0] - length) * (a[i, 0] + length)
        root = half * half - square * inside
        if root >= 0.0 and (square < 0.0 or half < 0.0):
            least = min(least, max(inside / (math.sqrt(root) - half), 0.0))
    return least
