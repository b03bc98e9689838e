"""Second derivatives of inverse dynamics, each entry from one path to the base; O(n depth^2).

A step along a coordinate turns all that it carries as one rigid thing, so that a product of a
column with a force varies only if it carries one of the two, or by the velocity and acceleration
that it adds (`derivatives_motion`).  Of three coordinates on a path, ``x`` above ``y`` above
``z``, each product is one of a column of ``x`` with a force made of ``y`` and ``z``.  What these
tensors are, and that they need only such paths: Singh, Russo and Wensing, "On second-order
derivatives of rigid-body dynamics: theory & implementation" (2023); the formulas are our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..model import Model, PerBody
from ..scalar import Scalar
from ..spatial import Coriolis, Force, Inertia
from .derivatives import rnea_derivatives
from .derivatives_loaded import on_subtrees
from .derivatives_motion import Column, Matrix, Sweep, gathered_twice, sweep
from .derivatives_turned import Response, turned_coriolis, turned_inertia

Tensor = list[Matrix]


class Tensors(NamedTuple):
    """Entry ``[i][j][k]``: force ``i`` by ``j``, then by position ``k``, or twice by velocity."""

    q_q: Tensor
    qd_qd: Tensor
    qd_q: Tensor
    qdd_q: Tensor


class Carried(NamedTuple):
    """What a joint carries: inertia, Coriolis matrix, net force, external force."""

    I: Inertia
    B: Coriolis
    f: Force
    F: Force


class Step(NamedTuple):
    """What coordinate ``z`` does, whatever other coordinate it meets.

    Forces on what it carries: ``by_q`` of a step, ``by_qd`` of a step of its rate, ``w`` of its
    acceleration; ``u = B^T s``; the rates of ``I`` and ``B`` along it; ``B(I, s)`` as a matrix
    and as what it does to ``s``.
    """

    z: Column
    by_q: Force
    by_qd: Force
    w: Force
    u: Force
    F: Force
    I_z: Inertia
    B_z: Coriolis
    B_s: Coriolis
    response: Response
    I: Inertia


class Lower(NamedTuple):
    """Forces made of ``y`` and ``z``, at or below it, for products with columns of ``x``.

    The force of ``z`` by ``y`` and ``x`` has ``s1 . a + s2 . b`` (two positions; less ``s . e``
    under external forces), ``s . a + sd . b`` (rate of x, position of y), ``s . c`` (two rates)
    and ``s1 . c`` (rate of y, position of x); that of ``x`` has ``s . p`` (two positions),
    ``s . m`` (two rates) and ``s . n`` (rate of z, position of y).
    """

    a: Force
    b: Force
    c: Force
    e: Force
    p: Force
    m: Force
    n: Force


class Upper(NamedTuple):
    """Forces made of ``y`` and of ``z`` below it, for products with columns of ``x``.

    The force of ``y`` by ``z`` and ``x`` has ``s1 . a + s2 . b`` (two positions),
    ``s . a + sd . b`` (rate of x, position of z), ``s . c`` (two rates) and ``s1 . c`` (rate of z,
    position of x); that of ``x`` has ``s . n`` (rate of y, position of z).
    """

    a: Force
    b: Force
    c: Force
    n: Force


def rnea_second_derivatives(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: PerBody | None = None
) -> Tensors:
    """Second derivatives of `rnea`, those that are zero for every machine left out.

    ``f_ext``, in base coordinates, is held as the joints move.
    """
    at = sweep(model, q, qd, qdd)
    carried = _carried(at, f_ext)
    into = Tensors(*(_zeros(at.model.nv) for _ in Tensors._fields))
    for i in reversed(at.model.bodies):
        for z in at.columns[i]:
            step = _step(z, carried[i])
            for y in at.path(i):
                above = list(at.path(y.body))
                _fill_lower(into, step, y, above, _lower(step, y))
                if y.body != i:
                    _fill_upper(into, z, y, above, _upper(step, y))
    if at.model is model:
        return into
    return Tensors(*(_gathered_thrice(part, at.origin, model.nv) for part in into))


def rnea_derivatives_by_qd(model: Model, q: PerBody, qd: PerBody, qdd: PerBody) -> Matrix:
    """``d tau / d qd`` alone."""
    return rnea_derivatives(model, q, qd, qdd)[1]


def _step(z: Column, of: Carried) -> Step:
    I, B, f, F = of
    return Step(
        z,
        B @ z.s1 + I @ z.s2 + z.s.cross(f),
        B @ z.s + I @ z.sd,
        I @ z.s,
        B.transposed(z.s),
        F,
        turned_inertia(I, z.s),
        turned_coriolis(I, B, z.s, z.s1),
        Coriolis.of(I, z.s),
        Response.of(I, z.s),
        I,
    )


def _lower(step: Step, y: Column) -> Lower:
    z = step.z
    m = step.B_s @ y.s
    if y.body == z.body:
        m = m + step.I @ z.s.cross(y.s)
    return Lower(
        y.s.cross(step.u) + step.response @ y.s1,
        y.s.cross(step.w),
        step.response @ y.s,
        y.s.cross(z.s).cross(step.F),
        y.s.cross(step.by_q) + step.B_z @ y.s1 + step.I_z @ y.s2,
        m,
        y.s.cross(step.by_qd) + step.B_s @ y.s1,
    )


def _upper(step: Step, y: Column) -> Upper:
    return Upper(
        step.B_z.transposed(y.s),
        step.I_z @ y.s,
        step.B_s.transposed(y.s),
        step.B_z @ y.s + step.I_z @ y.sd,
    )


def _fill_lower(into: Tensors, step: Step, y: Column, above: list[Column], pair: Lower) -> None:
    z = step.z
    for x in above:
        tie = x.body == y.body
        by_q = x.s1.dot(pair.a) + x.s2.dot(pair.b) - x.s.dot(pair.e)
        into.q_q[z.k][y.k][x.k] = by_q
        into.qd_q[z.k][y.k][x.k] = x.s1.dot(pair.c)
        by_qd = x.s.dot(pair.c)
        if tie:
            _store(into.qd_qd[z.k], y, x, by_qd + y.s.cross(x.s).dot(step.w))
            continue
        into.q_q[z.k][x.k][y.k] = by_q
        into.qd_q[z.k][x.k][y.k] = x.s.dot(pair.a) + x.sd.dot(pair.b)
        _store(into.qd_qd[z.k], y, x, by_qd)
        into.q_q[x.k][z.k][y.k] = x.s.dot(pair.p)
        into.qd_q[x.k][z.k][y.k] = x.s.dot(pair.n)
        _store(into.qd_qd[x.k], z, y, x.s.dot(pair.m))
        into.qdd_q[x.k][z.k][y.k] = into.qdd_q[z.k][x.k][y.k] = x.s.dot(pair.b)


def _fill_upper(into: Tensors, z: Column, y: Column, above: list[Column], pair: Upper) -> None:
    for x in above:
        _store(into.q_q[y.k], x, z, x.s1.dot(pair.a) + x.s2.dot(pair.b))
        _store(into.qd_qd[y.k], x, z, x.s.dot(pair.c))
        into.qd_q[y.k][x.k][z.k] = x.s.dot(pair.a) + x.sd.dot(pair.b)
        into.qd_q[y.k][z.k][x.k] = x.s1.dot(pair.c)
        into.qdd_q[x.k][y.k][z.k] = into.qdd_q[y.k][x.k][z.k] = x.s.dot(pair.b)
        if x.body != y.body:
            into.q_q[x.k][y.k][z.k] = into.q_q[x.k][z.k][y.k]
            into.qd_q[x.k][y.k][z.k] = x.s.dot(pair.n)


def _store(rows: Matrix, a: Column, b: Column, x: Scalar) -> None:
    rows[a.k][b.k] = rows[b.k][a.k] = x


def _carried(at: Sweep, f_ext: PerBody | None) -> dict[int, Carried]:
    """Of each body and all that hangs on it, in base coordinates."""
    F = on_subtrees(at.model, at.body_of, f_ext)
    I = {0: Inertia.zero()} | {i: at.inertia(i) for i in at.model.bodies}
    B, f = {0: Coriolis.zero()}, {0: Force.zero()}
    for i in at.model.bodies:
        B[i], f[i] = Coriolis.of(I[i], at.v[i]), I[i].net_force(at.v[i], at.a[i])
    for i in reversed(at.model.bodies):
        p = at.model.parent[i]
        I[p] += I[i]
        B[p] += B[i]
        f[p] += f[i]
    return {i: Carried(I[i], B[i], f[i], F[i]) for i in at.model.bodies}


def _zeros(n: int) -> Tensor:
    return [[[0.0] * n for _ in range(n)] for _ in range(n)]


def _gathered_thrice(part: Tensor, origin: Sequence[int], nv: int) -> Tensor:
    """Entries that stand for the same three coordinates, added up."""
    total = _zeros(nv)
    for i, rows in zip(origin, part, strict=True):
        for into, row in zip(total[i], gathered_twice(rows, origin, nv), strict=True):
            into[:] = [x + y for x, y in zip(into, row, strict=True)]
    return total
