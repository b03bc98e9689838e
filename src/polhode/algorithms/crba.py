"""Joint-space inertia: the composite-rigid-body algorithm (RBDA Table 6.2, p. 109)."""

from __future__ import annotations

from ..model import Model, PerBody
from ..scalar import Scalar
from ..spatial import Force, Inertia, Motion
from .rnea import bias
from .sparsity import Matrix, ltdl, ltdl_inverse, ltdl_solve


def crba(model: Model, q: PerBody) -> Matrix:
    """The joint-space inertia matrix ``H(q)``, dense with exact zeros between branches.

    ``Ic`` is composed of `Model.moments`, which have zeros where inertias have not.
    """
    X, S, Ic = {}, {}, {i: Inertia.of(part) for i, part in enumerate(model.moments)}
    H = [[0.0] * model.nv for _ in range(model.nv)]

    for i in model.bodies:
        XJ, S[i], _, _ = model.joint[i].jcalc(q[i])
        X[i] = XJ @ model.X_tree[i]

    for i in reversed(model.bodies):  # tips to base
        p = model.parent[i]
        if p:
            Ic[p] += X[i].T @ Ic[i] @ X[i]
        F = Ic[i] @ S[i]
        _store(H, model.v_index[i], model.v_index[i], S[i].T @ F)
        j = i
        while model.parent[j]:
            F = X[j].T @ F
            j = model.parent[j]
            _store(H, model.v_index[j], model.v_index[i], S[j].T @ F)

    return H


def crba_times(model: Model, q: PerBody, v: PerBody) -> PerBody:
    """``H(q) v`` in O(n), without forming ``H``: Newton-Euler at rest without gravity."""
    X, S, a, f, tau = {}, {}, {0: Motion.zero()}, {0: Force.zero()}, {}
    for i in model.bodies:
        XJ, S[i], _, _ = model.joint[i].jcalc(q[i])
        X[i] = XJ @ model.X_tree[i]
        a[i] = X[i] @ a[model.parent[i]] + S[i] @ v[i]
        f[i] = model.inertia[i] @ a[i]
    for i in reversed(model.bodies):
        tau[i] = S[i].T @ f[i]
        f[model.parent[i]] += X[i].T @ f[i]
    return tau


def inverse_inertia(model: Model, q: PerBody) -> Matrix:
    """``H(q)^-1`` by the sparse factorisation of ``H`` (RBDA section 6.5)."""
    return ltdl_inverse(*ltdl(crba(model, q), dof_parents(model)))


def crba_forward(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None = None
) -> list[Scalar]:
    """Forward dynamics ``H^-1 (tau - C)`` with ``H`` factorised (RBDA section 6.2)."""
    L, inverse_d, parents = ltdl(crba(model, q), dof_parents(model))
    C = bias(model, q, qd, f_ext)
    free = [t - c for t, c in zip(model.join_v(tau), model.join_v(C), strict=True)]
    return ltdl_solve(L, inverse_d, parents, free)


def dof_parents(model: Model) -> list[int]:
    """For each velocity entry the one before it towards the base, or -1 (RBDA eq. 6.24)."""
    parents: list[int] = []
    for i in model.bodies:
        p = model.parent[i]
        for k in model.v_index[i]:
            first = k == model.v_index[i][0]
            parents.append(k - 1 if not first else model.v_index[p][-1] if p else -1)
    return parents


def _store(H: Matrix, rows: tuple[int, ...], columns: tuple[int, ...], block) -> None:
    """Write a block of ``H``, and its transpose; a diagonal block is made symmetric."""
    for r, line in zip(rows, block, strict=True):
        for c, x in zip(columns, line, strict=True):
            if rows is not columns or r <= c:
                H[r][c] = H[c][r] = x
