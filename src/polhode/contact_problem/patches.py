"""Newton's method in which contacts of the same bodies are first solved among themselves.

Four corners of a box share the force and torque of their face in many ways.  The laws allow only
some of these.  Newton's method on single contacts finds one by pressing, or letting slip, a corner
more in each step.  So the blocks that join the same bodies, a patch, are solved by themselves
first, as if all other impulses stayed.  Then a step of all blocks begins at what they do, and at
the row velocities that they have there.  Only forces and torques between bodies are left for it to
find.  Cai and Keyes, "Nonlinearly preconditioned inexact Newton algorithms" (2002), do so for
subdomains of differential equations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiler.jit import Ints, jit
from .block_lu import Elimination, plan
from .desaxce import chosen_impulses
from .elimination_order import has_same_nodes
from .friction import INSIDE, nearest, radius
from .gauss_seidel import residual
from .newton import Scratch, hold_block, scratch_of, take_step, yield_to
from .newton_iteration import NewtonOptions, full_step_newton
from .problem import (
    DOF,
    EDGES,
    FIRST,
    HEIGHT,
    KIND,
    LAST,
    LOWER,
    MU,
    NODE,
    NORMAL,
    PRESSER,
    ROW,
    SIZE,
    WIDENING,
    Island,
    copy_rows,
    push_by,
    row_velocity,
    velocity_of,
)
from .rows import CONTACT, DISK
from .settings import Report, SolverSettings
from .thresholds import (
    CHOICE_LEAST_PROX,
    CHOICE_PROX,
    CHOICE_STEPS,
    FEWEST_PATCHES,
    JOINT_IDLE,
    JOINT_PROX,
    JOINT_SHARE,
    JOINT_STEPS,
    LARGEST_BODY,
    LEAST_JOINT_PROX,
    MANY_BLOCKS,
    MOST_CHANGED,
    PROX,
    PROX_SHARE,
    STILL,
)

# what a block does in a step: its impulses are at their lower bound, hold it, or neither
OPEN, STICKS, OTHER = 0, 1, 2


class Patches(NamedTuple):
    """The patches of an island, and what is kept of their solutions.

    Attributes
    ----------
    first : shape (n + 1,)
        Where the blocks of each begin, and the end of the last.
    does : shape (k,)
        What each block did in the last step: `OPEN`, `STICKS` or `OTHER`.
    x, u : shape (m,)
        Impulses and row velocities of the patches' own solutions.
    v, free : shape (nv,)
        Velocities that they are found with.
    """

    first: np.ndarray
    does: np.ndarray
    x: np.ndarray
    u: np.ndarray
    v: np.ndarray
    free: np.ndarray


@jit
def has_many_patches(island: Island):
    """Whether several pairs of bodies touch at several points, and the method may be used.

    Bodies are not large trees, whose contacts with the ground are one patch: to solve it costs as
    much as to solve all.  Bounds that move with impulses belong to two blocks.
    """
    p, blocks, count, before = island.p, island.blocks, 0, False
    if blocks.size < MANY_BLOCKS:
        return False
    for j in island.nodes:
        if p.node[j, SIZE] > LARGEST_BODY:
            return False
    for i in range(blocks.size):
        k = blocks[i]
        if p.block[k, PRESSER] >= 0 or p.block[k, KIND] == DISK:
            return False
        same = i > 0 and has_same_nodes(p, k, blocks[i - 1])
        count += 1 if same and not before else 0
        before = same
    return count >= FEWEST_PATCHES


@jit
def patches_of(island: Island):
    """The blocks that join the same nodes, and what they do under the impulses ``x``."""
    p, blocks, x = island.p, island.blocks, island.x
    first, count = np.empty(blocks.size + 1, np.int64), 0
    does = np.full(blocks.size, OTHER)
    for i in range(blocks.size):
        k = blocks[i]
        if i == 0 or not has_same_nodes(p, k, blocks[i - 1]):
            first[count] = i
            count += 1
        if p.block[k, KIND] == CONTACT:
            does[i] = STICKS if x[p.block[k, ROW]] > p.law[k, LOWER] else OPEN
    first[count] = blocks.size
    v = island.v.copy()
    return Patches(first[: count + 1], does, x.copy(), np.zeros(x.size), v, v.copy())


@jit
def newton_on_patches(
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    settings: SolverSettings,
    report: Report,
):
    """At most `JOINT_STEPS` steps from the impulses ``x``; returns the residual of the best.

    Infinite, with ``x`` lost, where so many patches change that there will be no progress.
    Patches are solved with the velocities of the last step.  ``prox`` falls with the residual,
    and rises again where that does.
    """
    p, blocks, nodes = island.p, island.blocks, island.nodes
    x, v = island.x, island.v
    patches, best = patches_of(island), x.copy()
    own = scratch_of(structure, x, v)
    prox, last, least, idle = JOINT_PROX, math.inf, math.inf, 0
    n_patches = patches.first.size - 1
    most = n_patches  # in the first step patches may change as they like
    velocity_of(p, blocks, nodes, x, v)
    for _ in range(JOINT_STEPS):
        if solve_patches(island, patches, own, most, settings, report) > most:
            return math.inf
        velocity_of(p, blocks, nodes, x, v)
        now = residual(p, blocks, x, v, island.speed)
        idle += 1
        if now < least:
            least, idle = now, 0
            copy_rows(p, blocks, x, best)
        # Solved beyond the tolerance: what is at rest then keeps its impulses for many steps.
        if now <= STILL * settings.tolerance or last <= settings.tolerance:
            break
        if idle > JOINT_IDLE:
            break
        if not joint_step(island, structure, scratch, patches, prox):
            break
        report.newton_steps += 1
        velocity_of(p, blocks, nodes, x, v)
        if now >= last:
            prox = min(10.0 * prox, JOINT_PROX)
        else:
            prox = max(min(0.1 * prox, JOINT_SHARE * now), LEAST_JOINT_PROX)
        last, most = now, int(MOST_CHANGED * n_patches)
    copy_rows(p, blocks, best, x)
    velocity_of(p, blocks, nodes, x, v)
    return least


@jit
def solve_patches(
    island: Island,
    patches: Patches,
    scratch: Scratch,
    most: int,
    settings: SolverSettings,
    report: Report,
):
    """Solve each patch by itself, unless it goes on as before; returns how many were solved.

    It ends after ``most`` of these and one.
    """
    p, blocks, first, count = island.p, island.blocks, patches.first, 0
    u = np.empty(3)
    for i in range(first.size - 1):
        own = blocks[first[i] : first[i + 1]]
        if goes_on(island, patches, i):
            copy_rows(p, own, island.x, patches.x)
            continue
        solve_patch(island, own, patches, scratch, settings, report)
        for k in own:
            row_velocity(p, k, island.x, patches.v, u)
            for a in range(p.block[k, HEIGHT]):
                patches.u[p.block[k, ROW] + a] = u[a]
        copy_rows(p, own, island.x, patches.x)
        count += 1
        if count > most:
            break
    return count


@jit
def goes_on(island: Island, patches: Patches, i: int):
    """Whether contacts of patch ``i`` may stick and be open as in the last step.

    Then that is its solution, but for the small compliance that ``prox`` is.
    """
    p, x, u = island.p, island.x, np.empty(3)
    for b in range(patches.first[i], patches.first[i + 1]):
        k, does = island.blocks[b], patches.does[b]
        r, law = p.block[k, ROW], p.law[k]
        if does == OTHER:
            return False
        if does == STICKS:
            size = radius(law[MU], law[WIDENING], x[r])
            state, _, _, _, _ = nearest(x[r + 1], x[r + 2], size, p.block[k, EDGES])
            if not x[r] > law[LOWER] or state != INSIDE:
                return False
            patches.u[r] = patches.u[r + 1] = patches.u[r + 2] = 0.0
        else:
            row_velocity(p, k, x, island.v, u)
            if u[0] < 0.0 or law[LOWER] > 0.0 or law[WIDENING] > 0.0:
                return False
            patches.u[r], patches.u[r + 1], patches.u[r + 2] = u[0], u[1], u[2]
    return True


@jit
def solve_patch(
    island: Island,
    own: Ints,
    patches: Patches,
    scratch: Scratch,
    settings: SolverSettings,
    report: Report,
):
    """Solve the blocks ``own``, while all other impulses stay; ``patches.v`` are the velocities.

    It begins at the impulses of its last solution.
    """
    x = island.x
    patch, places = set_apart(island, own, patches)
    copy_rows(island.p, own, patches.x, x)
    made = report.newton_steps
    solve_alone(patch, scratch, settings, report)
    report.newton_steps = made
    put_back(island, patch, patches, places)


@jit
def set_apart(island: Island, own: Ints, patches: Patches):
    """The blocks ``own`` as an island, whose free velocities are those under all other impulses.

    Returns it, and the places of its nodes for `put_back`.
    """
    p, k = island.p, own[0]
    count = p.block[k, LAST] - p.block[k, FIRST]
    nodes, places, back = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(3)
    for s in range(count):
        j = p.segment[p.block[k, FIRST] + s, NODE]
        nodes[s], places[s] = j, island.local[j]
        island.local[j] = s
        for e in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
            patches.free[e] = p.free[e]
            p.free[e] = island.v[e]
    for k in own:
        for a in range(p.block[k, HEIGHT]):
            back[a] = -island.x[p.block[k, ROW] + a]
        push_by(p, k, back, p.free)
    return Island(p, own, nodes, island.local, island.x, patches.v, island.speed), places


@jit
def put_back(island: Island, patch: Island, patches: Patches, places: Ints):
    """Undo `set_apart`, but for the impulses."""
    p = island.p
    for s in range(patch.nodes.size):
        j = patch.nodes[s]
        island.local[j] = places[s]
        for e in range(p.node[j, DOF], p.node[j, DOF] + p.node[j, SIZE]):
            p.free[e] = patches.free[e]


@jit
def solve_alone(patch: Island, scratch: Scratch, settings: SolverSettings, report: Report):
    """Newton's method from the impulses ``x``, and if that fails from those that are chosen."""
    p, own, nodes, x, v = patch.p, patch.blocks, patch.nodes, patch.x, patch.v
    structure = plan(p, own, nodes, patch.local)
    scratch = Scratch(
        scratch.matrix[: structure.size], scratch.step, scratch.pivot, scratch.row, scratch.start,
        scratch.full,
    )  # fmt: skip
    options = NewtonOptions(CHOICE_PROX, PROX, settings.newton, True, PROX_SHARE, True)
    full_step_newton(patch, structure, scratch, options, settings, report)
    velocity_of(p, own, nodes, x, v)
    if residual(p, own, x, v, patch.speed) <= settings.tolerance:
        return
    if chosen_impulses(patch, 0, settings, report) < math.inf:
        most = CHOICE_STEPS * settings.newton
        options = NewtonOptions(CHOICE_PROX, CHOICE_LEAST_PROX, most, False, PROX_SHARE, True)
        full_step_newton(patch, structure, scratch, options, settings, report)
    velocity_of(p, own, nodes, x, v)


@jit
def joint_step(
    island: Island,
    structure: Elimination,
    scratch: Scratch,
    patches: Patches,
    prox: float,
):
    """One step of all blocks from the velocities under ``x``; False if the matrix was singular.

    Blocks are linearised at the row velocities that they have in the solutions of their patches.
    """
    p, blocks, x = island.p, island.blocks, island.x
    slopes, steps = np.zeros((blocks.size, 3, 3)), np.zeros((blocks.size, 3))
    u, own = np.empty(3), np.empty(3)
    for i in range(blocks.size):
        k = blocks[i]
        r, height, D, dx = p.block[k, ROW], p.block[k, HEIGHT], slopes[i], steps[i]
        if p.law[k, NORMAL] == 0.0:
            continue
        row_velocity(p, k, x, island.v, u)
        for a in range(height):
            own[a] = patches.u[r + a]
        hold_block(island, k, x[r:], own, prox, D, dx)
        for a in range(height):
            for c in range(height):
                dx[a] -= D[a, c] * (u[c] - own[c])
        yield_to(p.line, r, height, D, dx)
        if p.block[k, KIND] == CONTACT:
            holds = D[1, 0] == 0.0 and D[2, 0] == 0.0
            patches.does[i] = (STICKS if D[0, 0] > 0.0 else OPEN) if holds else OTHER
    return take_step(island, structure, scratch, slopes, steps)
