"""Derivatives of energy and momentum, and the matrices of momentum (Orin and Goswami 2008).

In base coordinates sums over subtrees need no transforms. Let ``Ic`` and ``h`` be the inertia and
the momentum of all that a joint carries. A step along its coordinate changes the momentum by
``s x* h + Ic psid``, and the kinetic energy by ``psid . h``.
"""

from __future__ import annotations

from ...model import Model, PerBody
from ...scalar import Scalar
from ...spatial import Force, Inertia, Transform
from ..tree.scatter import add_columns, scatter_columns
from ..tree.sparsity import Matrix
from .motion import Sweep, subtree_sums, sweep

Vector = list[Scalar]


def energy_derivatives(model: Model, q: PerBody, qd: PerBody) -> tuple[Vector, Vector, Vector]:
    """Kinetic energy by position and by velocity, potential energy by position; O(n)."""
    at = sweep(model, q, qd)
    Ic, h = carried(at)
    columns = [column for i in at.model.bodies for column in at.columns[i]]
    parts = (
        [column.psid.dot(h[column.body]) for column in columns],
        [column.s.dot(h[column.body]) for column in columns],
        [-column.s.dot(Ic[column.body] @ model.gravity) for column in columns],
    )
    by_q, by_qd, potential = scatter_columns(parts, at.origin, model.nv)
    rotors = model.join_v({i: model.armature[i] @ qd[i] for i in model.bodies})
    return by_q, [x + y for x, y in zip(by_qd, rotors, strict=True)], potential


def momentum_derivatives(model: Model, q: PerBody, qd: PerBody) -> tuple[Matrix, Matrix]:
    """6 x nv each: momentum about the base origin by position and by velocity; O(n)."""
    at = sweep(model, q, qd)
    Ic, h = carried(at)
    by_q, by_qd = [], []
    for i in at.model.bodies:
        for column in at.columns[i]:
            by_q.append(tuple(column.s.cross(h[i]) + Ic[i] @ column.psid))
            by_qd.append(tuple(Ic[i] @ column.s))
    d_q, d_qd = (
        scatter_columns([[column[row] for column in part] for row in range(6)], at.origin, model.nv)
        for part in (by_q, by_qd)
    )
    return d_q, d_qd


def center_of_mass_jacobian(model: Model, q: PerBody) -> Matrix:
    """3 x nv: ``J qd`` is the velocity of the centre of mass; O(n)."""
    total, columns = _momenta(model, q)
    scale = 1.0 / total.m
    return [[column[row] * scale for column in map(tuple, columns)] for row in range(3, 6)]


def centroidal_momentum_matrix(model: Model, q: PerBody) -> Matrix:
    """6 x nv: ``A qd`` is the momentum about the centre of mass, in base axes; O(n)."""
    total, columns = _momenta(model, q)
    center = Transform.translation(*(total.h * (1.0 / total.m)))
    entries = [tuple(center.to_child(column)) for column in columns]
    return [[column[row] for column in entries] for row in range(6)]


def carried(at: Sweep) -> tuple[dict[int, Inertia], dict[int, Force]]:
    """Inertia and momentum of each body with all that it carries, in base coordinates."""
    I = {i: at.inertia(i) for i in at.model.bodies}
    h = {i: I[i] @ at.v[i] for i in at.model.bodies}
    return (
        subtree_sums(at.model, I, Inertia.zero()),
        subtree_sums(at.model, h, Force.zero()),
    )


def _momenta(model: Model, q: PerBody) -> tuple[Inertia, list[Force]]:
    """The inertia of the whole model, and its momentum for each unit joint velocity."""
    X_0, S = {0: Transform.identity()}, {}
    for i in model.bodies:
        XJ, S[i], _, _ = model.joint[i].jcalc(q[i])
        X_0[i] = XJ @ model.X_tree[i] @ X_0[model.parent[i]]
    Ic = {0: Inertia.zero()} | {i: X_0[i].T @ model.inertia[i] @ X_0[i] for i in model.bodies}
    columns: list[Force] = []
    for i in reversed(model.bodies):
        Ic[model.parent[i]] += Ic[i]
        columns += [Ic[i] @ X_0[i].to_parent(s) for s in reversed(S[i].columns)]
    total = add_columns({}, model.coordinate_of_axis, columns[::-1])
    return Ic[0], [total[k] for k in range(model.nv)]
