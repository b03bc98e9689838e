"""Joint-space inertia: the composite-rigid-body algorithm (RBDA Table 6.2, p. 109)."""

from __future__ import annotations

from typing import NamedTuple

from ...model import Model, PerBody
from ...spatial import Inertia
from .sparsity import Matrix


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
    H = [[0.0] * model.nv for _ in range(model.nv)]

    for i in model.bodies:
        XJ, S[i], _, _ = model.joint[i].jcalc(q[i])
        X[i] = XJ @ model.X_tree[i]

    for i in reversed(model.bodies):  # tips to base
        Ic[model.parent[i]] += X[i].T @ Ic[i] @ X[i]
        F = Ic[i] @ S[i]
        _set_block(H, model.v_index[i], model.v_index[i], S[i].T @ F + model.armature[i])
        j = i
        while model.parent[j]:
            F = X[j].T @ F
            j = model.parent[j]
            _set_block(H, model.v_index[j], model.v_index[i], S[j].T @ F)

    return CrbaTables(Ic, H)


def dof_parents(model: Model) -> list[int]:
    """For each velocity entry the one before it towards the base, or -1 (RBDA eq. 6.24)."""
    parents: list[int] = []
    for i in model.bodies:
        p = model.parent[i]
        for k in model.v_index[i]:
            first = k == model.v_index[i][0]
            parents.append(k - 1 if not first else model.v_index[p][-1] if p else -1)
    return parents


def _set_block(H: Matrix, rows: tuple[int, ...], columns: tuple[int, ...], block) -> None:
    """Write a block of ``H``, and its transpose; a diagonal block is made symmetric."""
    for r, line in zip(rows, block, strict=True):
        for c, x in zip(columns, line, strict=True):
            if rows is not columns or r <= c:
                H[r][c] = H[c][r] = x
