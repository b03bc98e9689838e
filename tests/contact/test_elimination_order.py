"""The order of elimination of an island's nodes beside one by plain sets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from polhode.contact_problem.elimination_order import ordered, put_members
from polhode.contact_problem.problem import problem_of
from polhode.contact_problem.rows import UNILATERAL, ConstraintRows


def pairs_of_balls(links: list[tuple[int, int]], n: int) -> ConstraintRows:
    """A row for each pair of n bodies of one degree of freedom."""
    count = len(links)
    ones, zeros = np.ones(count), np.zeros(count)
    return ConstraintRows(
        np.arange(n + 1), np.arange(n + 1), np.ones(n), np.zeros(n),
        np.full(count, UNILATERAL), np.arange(count + 1), 2 * np.arange(count + 1),
        np.array(links, np.int64).ravel(), np.arange(2 * count + 1), np.tile([1.0, -1.0], count),
        zeros, zeros, zeros, zeros, np.zeros(count, np.int64), zeros, np.inf * ones,
    )  # fmt: skip


def by_sets(links: list[tuple[int, int]], n: int) -> tuple[list[int], list[list[int]]]:
    """The node of least degree next, the first of these; its neighbours are linked then."""
    near = [{i} for i in range(n)]
    for i, j in links:
        near[i].add(j)
        near[j].add(i)
    order, later, left = [], [], set(range(n))
    while left:
        c = min(left, key=lambda i: (len(near[i] & left), i))
        left.remove(c)
        order.append(c)
        later.append(sorted(near[c] & left))
        for i in later[-1]:
            near[i] |= set(later[-1])
    return order, later


@pytest.mark.parametrize("n", [1, 2, 5, 61, 62, 63, 124, 125, 150])
def test_nodes_are_eliminated_by_least_degree(n):
    """Sets of 62 nodes are a word: sizes around one, two and more words."""
    rng = np.random.default_rng(n)
    for density in (0.5, 1.5, 3.0):
        links = []
        while n > 1 and len(links) < density * n:
            i, j = rng.choice(n, 2, replace=False)
            links.append((int(i), int(j)))
        rows = pairs_of_balls(links, n)
        problem, blocks, nodes = problem_of(rows), np.arange(len(links)), np.arange(n)
        order, first, following, linked = ordered(problem, blocks, nodes, nodes)
        expected, later = by_sets(links, n)
        assert order.tolist() == expected
        found = [following[a:b].tolist() for a, b in pairwise(first)]
        assert found == later
        out = np.empty(n, np.int64)
        for c, those in zip(expected, later, strict=True):
            members = out[: put_members(linked, c, out)].tolist()
            assert members == sorted(members) and {c, *those} <= set(members)
