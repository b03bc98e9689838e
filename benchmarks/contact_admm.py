"""Contact problems by ADMM alone: how many it solves, and how fast, beside the exact solver.

    python benchmarks/contact_admm.py islands.npz [--every 1] [--steps 1000]

The alternating direction method of multipliers with De Saxce's correction, over-relaxation and
an adaptive penalty, after Carpentier, Le Lidec and Montaut, "From compliant to rigid contact
simulation: a unified and efficient approach" (2024).  For impulses x of the dynamics and y in the
cones::

    (G + rho) x = z + rho y - s - b          s = mu |z_t| along each normal
    y = P(x - z / rho),   z -= rho (x - y)

Islands have round cones here, and no restitution.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from time import thread_time

import numpy as np
from contact_islands import StoredProblem, load_problems
from contact_stages import random_problems

from polhode.compiler.jit import Floats, jit
from polhode.contact_problem import ConstraintRows, Report, solver_settings
from polhode.contact_problem.block_lu import Elimination, back, eliminate, plan
from polhode.contact_problem.convex import forces
from polhode.contact_problem.desaxce import is_expressed
from polhode.contact_problem.gauss_seidel import clamp, residual, speed_of, sweeps
from polhode.contact_problem.islands import islands_of
from polhode.contact_problem.newton import Scratch, add_block, scratch_of, start_matrix
from polhode.contact_problem.problem import (
    BIAS,
    COMPLIANCE,
    DOF,
    HEIGHT,
    KIND,
    LOWER,
    MASS,
    MU,
    NORMAL,
    ROW,
    SIZE,
    TANGENT,
    UPPER,
    Island,
    problem_of,
    velocity_of,
)  # fmt: skip
from polhode.contact_problem.rows import CONTACT
from polhode.contact_problem.solve import solve
from polhode.contact_problem.springs import HOLDS, IDLE, on_cone

FIRST_PENALTY = 1e-2  # of each block's own velocity per impulse
RELAXATION = 1.6
CHECKED = 10  # steps between checks of the laws and changes of the penalty
UNEVEN = 3.0  # ratio of the residuals of x and z from which on the penalty changes


@jit
def penalty(law: Floats, share: float):
    """The penalty of a block."""
    return share * max(law[NORMAL], law[TANGENT])


@jit
def factorise(island: Island, structure: Elimination, scratch: Scratch, share: float):
    """Factorise ``M + J^T J / (rho + R)``; False if it is singular."""
    p, nodes = island.p, island.nodes
    D, zero = np.zeros((3, 3)), np.zeros(3)
    start_matrix(p, nodes, structure.at, scratch.matrix, scratch.step)
    for k in island.blocks:
        for a in range(p.block[k, HEIGHT]):
            D[a, a] = 0.0
            if p.law[k, NORMAL] > 0.0:
                soft = p.line[p.block[k, ROW] + a, COMPLIANCE]
                D[a, a] = 1.0 / (penalty(p.law[k], share) + soft)
        add_block(p, k, D, zero, island.local, structure.at, scratch)
    return eliminate(p.node, nodes, structure, scratch.matrix, scratch.pivot)


@jit
def project(island: Island, k: int, w: Floats, y: Floats):
    """Put in ``y`` the nearest impulses of block ``k`` to ``w``."""
    p = island.p
    r, law = p.block[k, ROW], p.law[k]
    if p.block[k, KIND] != CONTACT:
        y[r] = clamp(p.block[k, KIND], w[r], law[LOWER], law[UPPER])
        return
    state, normal, d1, d2, _ = on_cone(w[r], w[r + 1], w[r + 2], law[MU])
    y[r], y[r + 1], y[r + 2] = normal, law[MU] * normal * d1, law[MU] * normal * d2
    if state == HOLDS:
        y[r + 1], y[r + 2] = w[r + 1], w[r + 2]
    elif state == IDLE:
        y[r] = 0.0


@jit
def momentum(island: Island, to: Floats):
    """Put ``M free`` in ``to``."""
    p = island.p
    for j in island.nodes:
        dof, n, mass = p.node[j, DOF], p.node[j, SIZE], p.node[j, MASS]
        for a in range(n):
            to[dof + a] = 0.0
            for c in range(n):
                to[dof + a] += p.mass[mass + a * n + c] * p.free[dof + c]


@jit
def admm_step(
    island: Island, structure: Elimination, scratch: Scratch, free: Floats, z: Floats, share: float
):
    """One step of ``x`` (the ``y`` of the method) and ``z``; the residuals of both."""
    p, blocks, nodes, y, v = island.p, island.blocks, island.nodes, island.x, island.v
    c, w, b = scratch.start, scratch.full, scratch.step
    for k in blocks:
        r, rho = p.block[k, ROW], penalty(p.law[k], share)
        for i in range(r, r + p.block[k, HEIGHT]):
            c[i] = z[i] + rho * y[i] - p.line[i, BIAS] if rho > 0.0 else 0.0
        if p.block[k, KIND] == CONTACT and rho > 0.0:
            c[r] -= p.law[k, MU] * math.hypot(z[r + 1], z[r + 2])
        for i in range(r, r + p.block[k, HEIGHT]):
            w[i] = c[i] / (rho + p.line[i, COMPLIANCE]) if rho > 0.0 else 0.0
    forces(p, blocks, nodes, w, b)
    for j in nodes:
        for i in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
            b[i] += free[i]
    back(p.node, nodes, structure, scratch.matrix, scratch.pivot, b)
    for j in nodes:
        for i in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
            v[i] = b[i]
    return split(island, scratch, z, share)


@jit
def split(island: Island, scratch: Scratch, z: Floats, share: float):
    """The steps of y and z, from the velocities ``v`` that go with x."""
    p, y, v = island.p, island.x, island.v
    c, w = scratch.start, scratch.full
    primal = dual = 0.0
    u = np.empty(y.size)
    for k in island.blocks:
        r, rho, height = p.block[k, ROW], penalty(p.law[k], share), p.block[k, HEIGHT]
        if rho == 0.0:
            continue
        row_rates(island, k, v, u)
        for i in range(r, r + height):
            x = (c[i] - u[i]) / (rho + p.line[i, COMPLIANCE])
            u[i] = RELAXATION * x + (1.0 - RELAXATION) * y[i]
            w[i] = u[i] - z[i] / rho
            c[i] = y[i]
        project(island, k, w, y)
        for i in range(r, r + height):
            z[i] -= rho * (u[i] - y[i])
            primal = max(primal, rho / share * abs(u[i] - y[i]))
            dual = max(dual, rho * abs(y[i] - c[i]))
    return primal, dual


@jit
def row_rates(island: Island, k: int, v: Floats, u: Floats):
    """Put ``J v`` of block ``k`` in ``u``."""
    p = island.p
    r, height = p.block[k, ROW], p.block[k, HEIGHT]
    for a in range(height):
        u[r + a] = 0.0
    for s in range(p.block[k, 4], p.block[k, 5]):
        to, n, at = p.segment[s, 1], p.segment[s, 2], p.segment[s, 3]
        for a in range(height):
            for i in range(n):
                u[r + a] += p.jacobian[at + a * n + i] * v[to + i]


@jit
def admm_island(island: Island, most: int, tolerance: float):
    """At most ``most`` steps from the impulses ``x``; (residual, steps)."""
    p, blocks, nodes, x, v = island.p, island.blocks, island.nodes, island.x, island.v
    structure = plan(p, blocks, nodes, island.local)
    scratch, share = scratch_of(structure, x, v), FIRST_PENALTY
    free, z = np.empty(v.size), np.zeros(x.size)
    momentum(island, free)
    if not factorise(island, structure, scratch, share):
        return math.inf, 0
    worst = math.inf
    for made in range(1, most + 1):
        primal, dual = admm_step(island, structure, scratch, free, z, share)
        if made % CHECKED == 0:
            velocity_of(p, blocks, nodes, x, v)
            worst = residual(p, blocks, x, v, island.speed)
            if worst <= tolerance or worst == math.inf:
                return worst, made
            if primal > UNEVEN * dual or dual > UNEVEN * primal:
                share *= min(max(math.sqrt(primal / dual) if dual > 0.0 else 10.0, 0.1), 10.0)
                share = min(max(share, 1e-8), 1e4)
                if not factorise(island, structure, scratch, share):
                    return math.inf, made
    return worst, most


@jit
def admm(rows: ConstraintRows, x: Floats, v: Floats, most: int, tolerance: float):
    """The worst residual of any island, and the steps; infinity where cones are not round."""
    p = problem_of(rows)
    v[:] = p.free
    order, first_block, all_nodes, first_node = islands_of(p)
    local = np.zeros(p.node.shape[0], np.int64)
    worst, steps = 0.0, 0
    for i in range(first_block.size - 1):
        blocks = order[first_block[i] : first_block[i + 1]]
        nodes = all_nodes[first_node[i] : first_node[i + 1]]
        for j in range(nodes.size):
            local[nodes[j]] = j
        if not is_expressed(p, blocks):
            return math.inf, 0
        island = Island(p, blocks, nodes, local, x, v, speed_of(p, blocks, nodes))
        velocity_of(p, blocks, nodes, x, v)
        sweeps(p, blocks, x, v, 20, 0.1 * tolerance * island.speed)
        velocity_of(p, blocks, nodes, x, v)
        now, made = residual(p, blocks, x, v, island.speed), 0
        if now > tolerance:
            now, made = admm_island(island, most, tolerance)
        worst, steps = max(worst, now), steps + made
    return worst, steps


def compared(problems: list[StoredProblem], most: int) -> np.ndarray:
    """Rows of (solved by ADMM, its time, its steps, solved by the exact solver, its time)."""
    settings, out = solver_settings(may_relax=False), []
    for i, problem in enumerate(problems):
        rows = problem.rows
        x, v = problem.start.copy(), np.empty(len(rows.free))
        began = thread_time()
        worst, steps = admm(rows, x, v, most, settings.tolerance)
        ours = thread_time() - began
        if worst == math.inf and steps == 0:
            continue  # polygons, viscous friction: not expressed
        x, report = problem.start.copy(), Report()
        began = thread_time()
        solve(rows, x, v, settings, report)
        theirs = thread_time() - began
        if i > 0:  # the first one compiles
            out.append((worst <= settings.tolerance, ours, steps, report.unconverged == 0, theirs))
    return np.array(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("islands", type=Path)
    parser.add_argument("--every", type=int, default=1, help="take every n-th problem")
    parser.add_argument("--steps", type=int, default=1000, help="most steps of an island")
    options = parser.parse_args()
    problems = random_problems(20) + load_problems(options.islands)
    problems = [p for p in problems if p.settings[2]][:: options.every]
    solved, time, steps, exact, exact_time = compared(problems, options.steps).T
    print(f"{len(solved)} problems of {len(problems)} have round cones")
    print(f"solved: ADMM {solved.sum():.0f}, exact solver {exact.sum():.0f} (rigid)")
    for name, which in (("all", solved >= 0), ("solved by ADMM", solved > 0)):
        ratios = time[which] / exact_time[which]
        print(f"{name}: steps {np.median(steps[which]):.0f}, 95th percentile "
              f"{np.percentile(steps[which], 95):.0f}; time over the exact solver's: median "
              f"{np.median(ratios):.2f}, 95th percentile {np.percentile(ratios, 95):.1f}, total "
              f"{time[which].sum() / exact_time[which].sum():.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
