"""Joint-space inertia: the composite-rigid-body algorithm (RBDA Table 6.2, p. 109)."""

from __future__ import annotations

from typing import NamedTuple

from ...model import Model, PerBody
from ...spatial import Inertia
from .scatter import scatter_matrix
from .sparsity import Matrix, elimination_parents


class CrbaTables(NamedTuple):
    """Inertia of each body with all that it carries, in its coordinates; ``H``."""

    Ic: PerBody
    H: Matrix


def crba(model: Model, q: PerBody) -> Matrix:
    """The joint-space inertia matrix ``H(q)``, dense with exact zeros between branches."""
    return crba_tables(model, q).H


def crba_tables(model: Model, q: PerBody) -> CrbaTables:
    """All intermediate results of `crba`; ``Ic[0]`` is the inertia of all moving bodies."""
    X, S = {}, {}
    Ic: PerBody = {0: Inertia.zero()} | {i: model.inertia[i] for i in model.bodies}
    H = [[0.0] * model.n_axes for _ in range(model.n_axes)]
    index = model.axis_index

    for i in model.bodies:
        XJ, S[i], _, _ = model.joint[i].jcalc(q[i])
        X[i] = XJ @ model.X_tree[i]

    for i in reversed(model.bodies):  # tips to base
        Ic[model.parent[i]] += X[i].T @ Ic[i] @ X[i]
        F = Ic[i] @ S[i]
        _set_block(H, index[i], index[i], S[i].T @ F + model.armature[i])
        j = i
        while model.parent[j]:
            F = X[j].T @ F
            j = model.parent[j]
            _set_block(H, index[j], index[i], S[j].T @ F)

    if model.is_coupled:
        H = scatter_matrix(H, model.coordinate_of_axis, model.nv)
    return CrbaTables(Ic, H)


def dof_parents(model: Model) -> list[int]:
    """For each velocity entry the one before it towards the base, or -1 (RBDA eq. 6.24).

    Where joints share coordinates, those of the elimination tree.
    """
    if model.is_coupled:
        return elimination_parents(_entries_before(model))
    parents: list[int] = []
    for i in model.bodies:
        p = model.parent[i]
        for k in model.v_index[i]:
            first = k == model.v_index[i][0]
            parents.append(k - 1 if not first else model.v_index[p][-1] if p else -1)
    return parents


def _entries_before(model: Model) -> list[set[int]]:
    """For each velocity entry the lower ones of joints that carry, or are carried by, its own."""
    before: list[set[int]] = [set() for _ in range(model.nv)]
    path: dict[int, frozenset[int]] = {0: frozenset()}
    for i in model.bodies:
        path[i] = path[model.parent[i]].union(model.v_index[i])
        for k in model.v_index[i]:
            for j in path[i]:
                if j != k:
                    before[max(j, k)].add(min(j, k))
    return before


def _set_block(H: Matrix, rows: tuple[int, ...], columns: tuple[int, ...], block) -> None:
    """Write a block of ``H``, and its transpose; a diagonal block is made symmetric."""
    for r, line in zip(rows, block, strict=True):
        for c, x in zip(columns, line, strict=True):
            if rows is not columns or r <= c:
                H[r][c] = H[c][r] = x
