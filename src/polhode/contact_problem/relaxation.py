"""The convex relaxation over all islands, and the parts of these within which impulses act.

A heap that falls is one island, as its bodies are near each other, but few of its contacts press.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiler.jit import Bools, Floats, Ints, jit
from .convex import STILL, from_rest, most_sweeps, newton_and_bounds, start
from .coordinate_descent import coordinate_descent, mostly_sticks
from .gauss_seidel import least_speed
from .islands import islands_of, parts_of
from .problem import KIND, ROW, Island, Problem, problem_of
from .rows import CONTACT, ConstraintRows
from .settings import Report, SolverSettings
from .soft_normals import in_units, stretch, units_of
from .springs import IDLE, Springs, on_cone, relative, springs_of
from .torque_bounds import write_bounds

NEW, INSIDE = 0, 1  # blocks that no part has had so far, and those of a part
FEW_SWEEPS = 3  # and one for 24 nodes: of large islands Newton's steps are few and cheap
PART_ROUNDS = 4  # in which parts are solved alone and joined; then islands are whole


class Islands(NamedTuple):
    """All islands of a problem, as `islands_of` gives them, and the unknowns.

    Attributes
    ----------
    p : Problem
        The problem.
    blocks, first_block, nodes, first_node : shape (K,), (I + 1,), (N,), (I + 1,)
        Blocks and nodes of one island after the other, and where each begins.
    local, x, v : shape (N,), (m,), (nv,)
        As of `Island`.
    """

    p: Problem
    blocks: np.ndarray
    first_block: np.ndarray
    nodes: np.ndarray
    first_node: np.ndarray
    local: np.ndarray
    x: np.ndarray
    v: np.ndarray


@jit
def convex(rows: ConstraintRows, x: Floats, v: Floats, settings: SolverSettings, report: Report):
    """Impulses of the convex relaxation, island by island.

    The residual it reports is the distance of ``v`` from the velocities under its own impulses.
    """
    report.clear()
    report.rows = x.size
    p = problem_of(rows)
    units, is_soft = units_of(p, settings.softness)
    if is_soft:
        rows = in_units(rows, p, units, settings.softness)
        stretch(rows, units, x, False)
        p = problem_of(rows)
    v[:] = 0.0
    order, first_block, all_nodes, first_node = islands_of(p)
    local = np.zeros(p.node.shape[0], np.int64)
    s, u = springs_of(p, settings.softness), np.empty(x.size)
    report.islands = first_block.size - 1
    speeds, joins = np.empty(p.node.shape[0]), np.zeros(p.block.shape[0], np.bool_)
    for i in range(first_block.size - 1):
        blocks = order[first_block[i] : first_block[i + 1]]
        nodes = all_nodes[first_node[i] : first_node[i + 1]]
        speed = max(from_rest(p, blocks, nodes, u), least_speed(rows, nodes))
        for j in nodes:
            speeds[j] = speed
        island = Island(p, blocks, nodes, local, x, v, speed)
        start(island, s)
        add_joins(p, blocks, x, joins)
        count = min(most_sweeps(nodes, settings), FEW_SWEEPS + nodes.size // 24)
        if mostly_sticks(island, s):
            count = 0
        report.sweeps += coordinate_descent(island, s, u, count, STILL * speed)
        add_joins(p, blocks, x, joins)
    whole = Islands(p, order, first_block, all_nodes, first_node, local, x, v)
    missed = solve_parts(whole, s, u, speeds, joins, settings, report)
    for i in range(first_block.size - 1):
        worst = 0.0
        for j in all_nodes[first_node[i] : first_node[i + 1]]:
            worst = max(worst, missed[j])
        report.worst = max(report.worst, worst)
        if not worst <= settings.tolerance:
            report.unconverged += 1
    write_bounds(rows, p, order)
    if is_soft:
        stretch(rows, units, x, True)
    for j in range(v.size):
        v[j] += rows.free[j]
    return report.worst


@jit
def add_joins(p: Problem, blocks: Ints, x: Floats, joins: Bools):
    """Let blocks join their nodes into one problem: all but contacts without an impulse."""
    for k in blocks:
        if p.block[k, KIND] != CONTACT or x[p.block[k, ROW]] > 0.0:
            joins[k] = True


@jit
def solve_parts(
    whole: Islands,
    s: Springs,
    u: Floats,
    speeds: Floats,
    joins: Bools,
    settings: SolverSettings,
    report: Report,
):
    """Solve all islands in parts, within which impulses act; returns the residual of each node.

    Contacts between parts are open at first.  Those that the velocities found close join these
    parts, which are solved again.  Each part has steps of its own length: in one problem, steps
    would all be as short as the shortest.
    """
    p, local, x, v = whole.p, whole.local, whole.x, whole.v
    missed, state = np.zeros(speeds.size), np.full(joins.size, NEW)
    for left in range(PART_ROUNDS, -1, -1):
        if not are_all(whole.blocks, joins):
            order, first_block, all_nodes, first_node = parts_of(p, joins)
        else:
            order, first_block = whole.blocks, whole.first_block
            all_nodes, first_node = whole.nodes, whole.first_node
        for i in range(first_block.size - 1):
            blocks = order[first_block[i] : first_block[i + 1]]
            if not take_in(blocks, state):
                continue
            nodes = all_nodes[first_node[i] : first_node[i + 1]]
            for j in range(nodes.size):
                local[nodes[j]] = j
            part = Island(p, blocks, nodes, local, x, v, float(speeds[nodes[0]]))
            worst = newton_and_bounds(part, s, u, settings, report)
            for j in nodes:
                missed[j] = worst
        if order.size == whole.blocks.size or not join_closed(whole, s, u, joins, state, left == 1):
            break
    return missed


@jit
def are_all(blocks: Ints, joins: Bools):
    """Whether all blocks join their nodes."""
    each = True
    for k in blocks:
        each = each and joins[k]
    return each


@jit
def take_in(blocks: Ints, state: Ints):
    """Take blocks in; whether any was new."""
    some = False
    for k in blocks:
        some = some or state[k] == NEW
        state[k] = INSIDE
    return some


@jit
def join_closed(whole: Islands, s: Springs, u: Floats, joins: Bools, state: Ints, everything: bool):
    """Let contacts between parts join these if they are closed at ``v``; whether there are any."""
    p, some = whole.p, False
    for k in whole.blocks:
        if state[k] == INSIDE:
            continue
        relative(p, k, whole.v, 1.0, u)
        r = p.block[k, ROW]
        what, _, _, _, _ = on_cone(-u[r], -u[r + 1], -u[r + 2], s.mu[k])
        if what != IDLE and s.stiff[k] > 0.0:
            joins[k] = some = True
    for k in whole.blocks:
        joins[k] = joins[k] or (some and everything)
    return some
