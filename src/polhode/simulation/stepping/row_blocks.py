"""Blocks of constraint rows for the contact solver: their list, their layout, their rates.

Their order: loops, gears, limits, forces, contacts.  Forces are torsional and rolling friction,
dry friction and damping of joints and hinges, dry friction of tendons, and springs.  An impact has
no forces.
"""

from __future__ import annotations

import numpy as np

from ...compiler.jit import Floats, Ints2, jit
from ...contact_problem.rows import ConstraintRows, height_of
from .contacts import Contacts
from .system import System

# columns of a list of blocks: kind of its rows, list of the constraint, number there, nodes or -1,
# and the tendon whose nodes they are instead, or -1
KIND, SOURCE, INDEX, NODE, OTHER, TENDON, N_COLUMNS = range(7)


@jit
def nodes_of(s: System, a: int, b: int):
    """The nodes of two bodies; -1 for the world."""
    return (s.body_node[a] if a >= 0 else -1), (s.body_node[b] if b >= 0 else -1)


@jit
def first_limit(s: System):
    """The first block of limits; loops and gears before have a row each."""
    return len(s.loop_rows) + len(s.gear_dof)


@jit
def first_contact(rows: ConstraintRows, contacts: Contacts):
    """The first block of contacts, which come last."""
    return len(rows.kind) - len(contacts.whole)


@jit
def list_block(blocks: Ints2, k: int, kind: int, source: int, index: int, nodes: tuple[int, int]):
    """Write block ``k`` of a list; return the number of the next."""
    blocks[k, KIND], blocks[k, SOURCE], blocks[k, INDEX] = kind, source, index
    blocks[k, NODE], blocks[k, OTHER] = nodes
    blocks[k, TENDON] = -1
    return k + 1


@jit
def list_tendon(blocks: Ints2, k: int, kind: int, source: int, index: int, tendon: int):
    """The same of a block over the nodes of a tendon."""
    list_block(blocks, k, kind, source, index, (-1, -1))
    blocks[k, TENDON] = tendon
    return k + 1


@jit
def rows_of(s: System, free: Floats, blocks: Ints2, is_step: bool):
    """Constraint rows for a list of blocks, their Jacobians and data still zero.

    Those of a step may pause; impacts and projections always have all stages of the solver.
    """
    n_tried = len(s.trials) if is_step else 0
    trials, choices = s.trials[:n_tried], s.choices[:n_tried]
    count, at = len(blocks), 0
    kind, row = np.empty(count, np.int64), np.zeros(count + 1, np.int64)
    segment = np.zeros(count + 1, np.int64)
    for k in range(count):
        kind[k] = blocks[k, KIND]
        row[k + 1] = row[k] + height_of(kind[k])
        one, other = blocks[k, NODE], blocks[k, OTHER]
        segment[k + 1] = segment[k] + int(one >= 0) + int(other >= 0 and other != one)
        t = blocks[k, TENDON]
        if t >= 0:
            segment[k + 1] = segment[k] + s.tendon_node_start[t + 1] - s.tendon_node_start[t]
    node, value = np.empty(segment[count], np.int64), np.zeros(segment[count] + 1, np.int64)
    for k in range(count):
        for side in range(NODE, OTHER + 1):
            n = blocks[k, side]
            if n >= 0 and not (side == OTHER and n == blocks[k, NODE]):
                node[at] = n
                value[at + 1] = value[at] + (row[k + 1] - row[k]) * (s.dof[n + 1] - s.dof[n])
                at += 1
        t = blocks[k, TENDON]
        for i in range(s.tendon_node_start[t] if t >= 0 else 0,
                       s.tendon_node_start[t + 1] if t >= 0 else 0):  # fmt: skip
            n = s.tendon_node[i]
            node[at] = n
            value[at + 1] = value[at] + s.dof[n + 1] - s.dof[n]
            at += 1
    rows = row[count]
    return ConstraintRows(
        s.dof, s.mass_at, s.mass, free, kind, row, segment, node, value,
        np.zeros(value[at]), np.zeros(rows), np.zeros(rows),
        np.zeros(count), np.zeros(count), np.zeros(count, np.int64), np.zeros(count),
        np.full(count, np.inf), s.factor, s.last, np.zeros(len(s.machine)), trials,
        choices, np.full(count, -1), np.zeros(count),
    )  # fmt: skip


@jit
def sides(rows: ConstraintRows, k: int, n: int, m: int):
    """Where the Jacobian of block ``k`` begins for each of its nodes ``n`` and ``m``."""
    first = rows.segment[k]
    second = first + 1 if n >= 0 and m >= 0 and m != n else first
    return rows.value[first], rows.value[second]


@jit
def row_rate(rows: ConstraintRows, k: int, velocity: Floats):
    """The rate of block ``k``, of one row, under a velocity, or its change by a displacement."""
    total = 0.0
    for j in range(rows.segment[k], rows.segment[k + 1]):
        dof = rows.node_dof[rows.node[j]]
        for i in range(rows.value[j + 1] - rows.value[j]):
            total += rows.jacobian[rows.value[j] + i] * velocity[dof + i]
    return total


@jit
def row_reach(rows: ConstraintRows, k: int, velocity: Floats):
    """An upper bound on the rate of row ``k`` for velocities of these magnitudes."""
    total = 0.0
    for j in range(rows.segment[k], rows.segment[k + 1]):
        at, first = rows.value[j], rows.node_dof[rows.node[j]]
        for i in range(rows.node_dof[rows.node[j] + 1] - first):
            total += abs(rows.jacobian[at + i] * velocity[first + i])
    return total
