"""Blocks of constraint rows for the contact solver, appended one after the other."""

from __future__ import annotations

import numpy as np

from ...compiler.jit import Floats, jit
from ..contact import ConstraintRows
from .system import System


@jit
def pair_size(s: System, a: int, b: int):
    """Segments of a block between two bodies, and entries of one of its rows."""
    return nodes_size(s, s.body_node[a] if a >= 0 else -1, s.body_node[b] if b >= 0 else -1)


@jit
def nodes_size(s: System, n: int, m: int):
    """`pair_size` between nodes."""
    count = size = 0
    if n >= 0:
        count, size = 1, s.dof[n + 1] - s.dof[n]
    if m >= 0 and m != n:
        count, size = count + 1, size + s.dof[m + 1] - s.dof[m]
    return count, size


@jit
def empty_rows(s: System, free: Floats, blocks: int, rows: int, segments: int, values: int):
    return ConstraintRows(
        s.dof, s.mass_at, s.mass, free,
        np.zeros(blocks, np.int64), np.zeros(blocks + 1, np.int64),
        np.zeros(blocks + 1, np.int64), np.zeros(segments, np.int64),
        np.zeros(segments + 1, np.int64), np.zeros(values), np.zeros(rows), np.zeros(rows),
        np.zeros(blocks), np.zeros(blocks), np.zeros(blocks, np.int64), np.zeros(blocks),
        np.full(blocks, np.inf),
    )  # fmt: skip


@jit
def open_block(out: ConstraintRows, k: int, kind: int, n_rows: int):
    """Begin block ``k`` where the one before it ends."""
    out.kind[k] = kind
    out.row[k + 1] = out.row[k] + n_rows
    out.segment[k + 1] = out.segment[k]


@jit
def open_segment(s: System, out: ConstraintRows, k: int, n: int):
    """Add a segment of node ``n`` to block ``k``; return where its values begin."""
    at = out.segment[k + 1]
    out.segment[k + 1] = at + 1
    out.node[at] = n
    n_rows = out.row[k + 1] - out.row[k]
    out.value[at + 1] = out.value[at] + n_rows * (s.dof[n + 1] - s.dof[n])
    return out.value[at]


@jit
def pair_segments(s: System, out: ConstraintRows, k: int, a: int, b: int):
    """Segments of a block between bodies; nodes and starts of values of both sides."""
    n = s.body_node[a] if a >= 0 else -1
    m = s.body_node[b] if b >= 0 else -1
    at = open_segment(s, out, k, n) if n >= 0 else -1
    to = at
    if m >= 0 and m != n:
        to = open_segment(s, out, k, m)
    return n, m, at, to


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
