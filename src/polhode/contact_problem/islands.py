"""Islands: blocks that share no moving node have nothing to do with each other."""

from __future__ import annotations

import numpy as np

from ..compiler.jit import Bools, Ints, jit
from .problem import FIRST, LAST, NODE, Problem


@jit
def root_of(parent: Ints, j: int):
    """Representative of node ``j``, halving the path on the way."""
    while parent[j] != j:
        parent[j] = parent[parent[j]]
        j = parent[j]
    return j


@jit
def islands_of(p: Problem):
    """Group blocks and their nodes: (blocks, first block, nodes, first node of each island).

    Islands stand in the order of their first blocks, blocks and nodes keep theirs.
    Blocks that touch no node are in none.
    """
    return parts_of(p, np.full(p.block.shape[0], True, np.bool_))


@jit
def parts_of(p: Problem, joins: Bools):
    """`islands_of` with only some of the blocks: others are in one if all their nodes are."""
    n_blocks, n_nodes = p.block.shape[0], p.node.shape[0]
    parent = np.arange(n_nodes)
    for k in range(n_blocks):
        for s in range(p.block[k, FIRST] + 1, p.block[k, LAST] if joins[k] else 0):
            a, b = p.segment[s - 1, NODE], p.segment[s, NODE]
            if parent[a] != parent[b]:
                a, b = root_of(parent, a), root_of(parent, b)
                parent[max(a, b)] = min(a, b)
    island = np.full(n_nodes, -1)
    of_block = np.full(n_blocks, -1)
    count = 0
    for k in range(n_blocks):
        j = _common_root(p, k, parent, joins[k])
        if j >= 0:
            if island[j] < 0:
                island[j] = count
                count += 1
            of_block[k] = island[j]
    for j in range(n_nodes):
        island[j] = island[root_of(parent, j)]
    blocks, first_block = grouped(of_block, count)
    nodes, first_node = grouped(island, count)
    return blocks, first_block, nodes, first_node


@jit
def _common_root(p: Problem, k: int, parent: Ints, is_joined: bool):
    """The representative of all nodes of block ``k``, or -1 if there is none."""
    root, first, last = -1, p.block[k, FIRST], p.block[k, LAST]
    for s in range(first, min(first + 1, last) if is_joined else last):
        j = root_of(parent, p.segment[s, NODE])
        if root >= 0 and j != root:
            return -1
        root = j
    return root


@jit
def grouped(group: Ints, count: int):
    """Indices sorted by their group, stably, and where each group begins; -1 is left out."""
    first = np.zeros(count + 1, np.int64)
    for g in group:
        if g >= 0:
            first[g + 1] += 1
    for g in range(count):
        first[g + 1] += first[g]
    members = np.empty(first[count], np.int64)
    filled = first.copy()
    for i in range(group.size):
        g = group[i]
        if g >= 0:
            members[filled[g]] = i
            filled[g] += 1
    return members, first
