"""Second derivatives of inverse dynamics, each entry from one path to the base; O(n depth^2).

Let three coordinates be on a path, ``x`` at or above ``y`` at or above ``z``.  Each entry is the
product of a column of ``x`` with a force made of ``y`` and ``z``.  What these tensors are, and
that they need only such paths: Singh, Russo and Wensing, "On second-order derivatives of
rigid-body dynamics: theory & implementation" (2023).  The formulas are our own: numbers are those
of the equations in ``docs/derivations/second-derivatives.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...model import Model, PerBody
from ...scalar import Scalar
from ...spatial import Coriolis, Force, Inertia
from ..tree.scatter import scatter_matrix
from ..tree.sparsity import Matrix
from .dynamics import rnea_derivatives
from .external_forces import on_subtrees
from .lie import Response, lie_coriolis, lie_inertia
from .motion import Column, Composite, composites, sweep

Tensor = list[Matrix]


class Tensors(NamedTuple):
    """Entry ``[i][j][k]``: force ``i`` by ``j``, then by position ``k``, or twice by velocity."""

    q_q: Tensor
    qd_qd: Tensor
    qd_q: Tensor
    qdd_q: Tensor


class Lower(NamedTuple):
    """Forces of a coordinate ``z``, and its changes of the bodies that it carries."""

    z: Column
    t1: Force
    t2: Force
    t3: Force
    t4: Force
    F: Force
    I: Inertia
    I_z: Inertia
    B_z: Coriolis
    B_s: Coriolis
    response: Response


class LowerChanges(NamedTuple):
    """Changes of the forces of ``z`` with the position or rate of ``y``, at or above it."""

    t1_q: Force
    t2_q: Force
    t3_q: Force
    t4_q: Force
    t2_qd: Force
    t4_qd: Force
    F_q: Force


class UpperChanges(NamedTuple):
    """Changes of the forces of ``y``, as a coordinate ``z`` of a body that it carries moves."""

    t1_q: Force
    t2_q: Force
    t4_q: Force
    t4_qd: Force


def rnea_second_derivatives(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: PerBody | None = None
) -> Tensors:
    """Second derivatives of `rnea`, without those that are zero for every model.

    ``f_ext``, in base coordinates, is held as the joints move.
    """
    at = sweep(model, q, qd, qdd)
    F = on_subtrees(at.model, at.body_of, f_ext)
    into = Tensors(*(_zeros(at.model.nv) for _ in Tensors._fields))
    for i, carried in composites(at):
        for z in at.columns[i]:
            lower = _lower(z, carried, F[i])
            for y in at.path(i):
                above = list(at.path(y.body))
                _fill_lower(into, lower, y, above)
                if y.body != i:
                    _fill_upper(into, lower, y, above)
    if at.model is model:
        return into
    return Tensors(*(_scatter_tensor(part, at.origin, model.nv) for part in into))


def rnea_derivatives_by_qd(model: Model, q: PerBody, qd: PerBody, qdd: PerBody) -> Matrix:
    """``d tau / d qd`` alone."""
    return rnea_derivatives(model, q, qd, qdd)[1]


def _lower(z: Column, carried: Composite, F: Force) -> Lower:
    I, B, f = carried.I, carried.B, carried.f
    return Lower(
        z,
        t1=I @ z.s,  # (10)
        t2=B @ z.s + I @ z.psid_sd,  # (11)
        t3=B @ z.psid + I @ z.psidd + z.s.cross(f),  # (12)
        t4=B.transposed(z.s),  # (13)
        F=F,
        I=I,
        I_z=lie_inertia(I, z.s),  # (8)
        B_z=lie_coriolis(I, B, z.s, z.psid),  # (9)
        B_s=Coriolis.of(I, z.s),
        response=Response.of(I, z.s),
    )


def _lower_changes(lower: Lower, y: Column) -> LowerChanges:
    z = lower.z
    t2_qd = lower.B_s @ y.s  # (23)
    if y.body == z.body:
        t2_qd = t2_qd + lower.I @ z.s.cross(y.s)  # (24)
    return LowerChanges(
        t1_q=y.s.cross(lower.t1),  # (19)
        t2_q=y.s.cross(lower.t2) + lower.B_s @ y.psid,  # (20)
        t3_q=y.s.cross(lower.t3) + lower.B_z @ y.psid + lower.I_z @ y.psidd,  # (21)
        t4_q=y.s.cross(lower.t4) + lower.response @ y.psid,  # (22)
        t2_qd=t2_qd,
        t4_qd=lower.response @ y.s,  # (25)
        F_q=y.s.cross(z.s).cross(lower.F),  # (26)
    )


def _upper_changes(lower: Lower, y: Column) -> UpperChanges:
    return UpperChanges(
        t1_q=lower.I_z @ y.s,  # (36)
        t2_q=lower.B_z @ y.s + lower.I_z @ y.psid_sd,  # (37)
        t4_q=lower.B_z.transposed(y.s),  # (38)
        t4_qd=lower.B_s.transposed(y.s),  # (39)
    )


def _fill_lower(into: Tensors, lower: Lower, y: Column, above: list[Column]) -> None:
    z, of = lower.z, _lower_changes(lower, y)
    for x in above:
        q_q = x.psid.dot(of.t4_q) + x.psidd.dot(of.t1_q) - x.s.dot(of.F_q)  # (27)
        qd_qd = x.s.dot(of.t4_qd)  # (29)
        into.q_q[z.k][y.k][x.k] = q_q
        into.qd_q[z.k][y.k][x.k] = x.psid.dot(of.t4_qd)  # (28)
        if x.body == y.body:
            _store(into.qd_qd[z.k], y, x, qd_qd + y.s.cross(x.s).dot(lower.t1))  # (30)
            continue
        into.q_q[z.k][x.k][y.k] = q_q
        into.qd_q[z.k][x.k][y.k] = x.s.dot(of.t4_q) + x.psid_sd.dot(of.t1_q)  # (31)
        _store(into.qd_qd[z.k], y, x, qd_qd)
        into.q_q[x.k][z.k][y.k] = x.s.dot(of.t3_q)  # (32)
        into.qd_q[x.k][z.k][y.k] = x.s.dot(of.t2_q)  # (33)
        _store(into.qd_qd[x.k], z, y, x.s.dot(of.t2_qd))  # (34)
        into.qdd_q[x.k][z.k][y.k] = into.qdd_q[z.k][x.k][y.k] = x.s.dot(of.t1_q)  # (35)


def _fill_upper(into: Tensors, lower: Lower, y: Column, above: list[Column]) -> None:
    z, of = lower.z, _upper_changes(lower, y)
    for x in above:
        _store(into.q_q[y.k], x, z, x.psid.dot(of.t4_q) + x.psidd.dot(of.t1_q))  # (40)
        _store(into.qd_qd[y.k], x, z, x.s.dot(of.t4_qd))  # (41)
        into.qd_q[y.k][x.k][z.k] = x.s.dot(of.t4_q) + x.psid_sd.dot(of.t1_q)  # (42)
        into.qd_q[y.k][z.k][x.k] = x.psid.dot(of.t4_qd)  # (43)
        into.qdd_q[x.k][y.k][z.k] = into.qdd_q[y.k][x.k][z.k] = x.s.dot(of.t1_q)  # (44)
        if x.body != y.body:
            into.q_q[x.k][y.k][z.k] = into.q_q[x.k][z.k][y.k]
            into.qd_q[x.k][y.k][z.k] = x.s.dot(of.t2_q)  # (45)


def _store(rows: Matrix, a: Column, b: Column, x: Scalar) -> None:
    rows[a.k][b.k] = rows[b.k][a.k] = x


def _zeros(n: int) -> Tensor:
    return [[[0.0] * n for _ in range(n)] for _ in range(n)]


def _scatter_tensor(part: Tensor, origin: Sequence[int], nv: int) -> Tensor:
    """Entries that stand for the same three coordinates, added up."""
    total = _zeros(nv)
    for i, rows in zip(origin, part, strict=True):
        for into, row in zip(total[i], scatter_matrix(rows, origin, nv), strict=True):
            into[:] = [x + y for x, y in zip(into, row, strict=True)]
    return total
