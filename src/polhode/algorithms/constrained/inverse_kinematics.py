"""Inverse kinematics by damped least squares (Wampler 1986; damping of Sugihara 2011).

A target is a pair of its kind and its body.  Values that may change from state to state are
weights, points and their goals.  They come in one row of numbers, in the order of `VALUES`.
Rotations are nine numbers, row by row, from body to base axes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...model import Model, PerBody
from ...scalar import Scalar, maximum, minimum, where
from ...spatial import LDL, Mat3, Quaternion, Transform, Vec3
from ..tree.manifold import integrate
from ..tree.scatter import add_columns
from .assembly import norm
from .rows import FrameKinematics
from .sparse_rows import Row, row_product, row_times

Targets = tuple[tuple[str, int], ...]
Vector = list[Scalar]

VALUES = {"point": 7, "point_xy": 6, "point_z": 5, "orientation": 10, "full": 16, "com_xy": 3}
"""Count of numbers that describe a target of each kind: weight, point, position, rotation."""

ROWS = {"point": 3, "point_xy": 2, "point_z": 1, "orientation": 3, "full": 6, "com_xy": 2}
"""Count of rows of the Jacobian for a target of each kind."""


class Residual(NamedTuple):
    """Residuals of the targets, and their Jacobian."""

    J: list[Row]
    e: Vector


def ik_step(
    model: Model,
    q: PerBody,
    values: Sequence[Scalar],
    damping: Scalar,
    *,
    targets: Targets,
    is_adaptive: bool,
) -> tuple[Vector, Scalar, Scalar]:
    """One step towards the targets; the norms of the residual before, and of the step."""
    J, e = ik_residual(model, q, values, targets)
    step = _damped(J, e, damping, model.nv, is_adaptive)
    return integrate(model, q, model.split_v(step), 1.0), norm(e), norm(step)


def ik_step_limited(
    model: Model,
    q: PerBody,
    values: Sequence[Scalar],
    damping: Scalar,
    lower: Sequence[Scalar],
    upper: Sequence[Scalar],
    *,
    targets: Targets,
    is_adaptive: bool,
) -> tuple[Vector, Scalar, Scalar]:
    """One step within joint limits, which have an entry for each velocity.

    Joints that the free step would take beyond a limit stop there, and the others make up
    for what is then missing.
    """
    J, e = ik_residual(model, q, values, targets)
    at = model.join_v({i: q[i][: model.joint[i].nv] for i in model.bodies})
    low = [minimum(end - x, 0.0) for x, end in zip(at, lower, strict=True)]
    high = [maximum(end - x, 0.0) for x, end in zip(at, upper, strict=True)]
    free_step = _damped(J, e, damping, model.nv, is_adaptive)
    clamped = [_clamped(x, *ends) for x, *ends in zip(free_step, low, high, strict=True)]
    is_free = [
        where(x < a, 0.0, where(x > b, 0.0, 1.0))
        for x, a, b in zip(free_step, low, high, strict=True)
    ]
    stopped = [x * (1.0 - free) for x, free in zip(clamped, is_free, strict=True)]
    rest = [x - row_times(row, stopped) for x, row in zip(e, J, strict=True)]
    open_rows = [{k: x * is_free[k] for k, x in row.items()} for row in J]
    others = _damped(open_rows, rest, damping, model.nv, is_adaptive)
    step = [
        _clamped(x * free + y, *ends)
        for x, free, y, *ends in zip(others, is_free, stopped, low, high, strict=True)
    ]
    return integrate(model, q, model.split_v(step), 1.0), norm(e), norm(step)


def ik_residual(model: Model, q: PerBody, values: Sequence[Scalar], targets: Targets) -> Residual:
    """Weighted residuals of all targets, and their Jacobian, in base axes."""
    frames, rest = FrameKinematics(model, q, None), iter(values)
    total = Residual([], [])
    for kind, body in targets:
        weight = next(rest)
        if kind == "com_xy":
            J, e = _com(model, q, rest)
        else:
            J, e = _body(kind, frames, body, rest)
        total.J.extend({k: x * weight for k, x in row.items()} for row in J)
        total.e.extend(x * weight for x in e)
    return total


def _body(kind: str, frames: FrameKinematics, body: int, values: Iterator[Scalar]) -> Residual:
    """Rows about a body: its rotation first, then where its point is."""
    point = Vec3.zero() if kind == "orientation" else _vector(values)
    at = frames.at(body, Transform(Mat3.identity(), point))
    J, e = [], []
    if kind != "orientation":
        kept = {"point_xy": (0, 1), "point_z": (2,)}.get(kind, (0, 1, 2))
        wanted = [next(values) for _ in kept]
        here = tuple(at.position)
        e = [x - here[r] for r, x in zip(kept, wanted, strict=True)]
        J = [{k: tuple(m.lin)[r] for k, m in at.columns.items()} for r in kept]
    if kind in ("orientation", "full"):
        rotation = Mat3(_vector(values), _vector(values), _vector(values))
        to_wanted: Mat3 = rotation.T @ at.R
        turn = Quaternion.from_matrix(to_wanted).log()
        e = [*(at.R @ turn), *e]
        J = [{k: tuple(m.ang)[r] for k, m in at.columns.items()} for r in range(3)] + J
    return Residual(J, e)


def _com(model: Model, q: PerBody, values: Iterator[Scalar]) -> Residual:
    """Rows of the model's centre of mass: a joint moves all that it carries."""
    X_0, S = {0: Transform.identity()}, {}
    for i in model.bodies:
        XJ, S[i], _, _ = model.joint[i].jcalc(q[i])
        X_0[i] = XJ @ model.X_tree[i] @ X_0[model.parent[i]]
    carried: dict[int, Any] = {int(i): X_0[i].T @ model.inertia[i] @ X_0[i] for i in model.bodies}
    J: list[Row] = [{}, {}]
    total = Vec3.zero()
    for i in reversed(model.bodies):
        p = model.parent[i]
        for k, column in zip(model.v_index[i], S[i].columns, strict=True):
            momentum = (carried[i] @ X_0[i].to_parent(column)).lin * (1.0 / model.mass)
            add_columns(J[0], [k], [momentum.x])
            add_columns(J[1], [k], [momentum.y])
        if p:
            carried[p] += carried[i]
        else:
            total = total + carried[i].h
    here = total * (1.0 / model.mass)
    return Residual(J, [next(values) - here.x, next(values) - here.y])


def _damped(J: Sequence[Row], e: Vector, damping: Scalar, nv: int, is_adaptive: bool) -> Vector:
    """``(J^T J + W)^-1 J^T e``, by the smaller system: this one or ``(J W^-1 J^T + 1) y = e``.

    ``W`` is ``damping^2``; if adaptive, its entry ``k`` is ``(J^T e)_k^2 / 2 + damping``.
    """
    pull: Vector = [0.0] * nv
    for row, x in zip(J, e, strict=True):
        for k, y in row.items():
            pull[k] = pull[k] + y * x
    if len(J) > nv:
        ease = [x * x * 0.5 + damping if is_adaptive else damping * damping for x in pull]
        return list(LDL.of(_normal(J, ease)).solve(pull))
    if is_adaptive:
        ease = [1.0 / (x * x * 0.5 + damping) for x in pull]
        scaled = [{k: x * ease[k] for k, x in row.items()} for row in J]
        extra: Scalar = 1.0
    else:
        scaled, extra = J, damping * damping
    A = [[row_product(row, other) for other in J[: i + 1]] for i, row in enumerate(scaled)]
    for i, line in enumerate(A):
        line[i] = line[i] + extra
    step: Vector = [0.0] * nv
    for row, y in zip(scaled, LDL.of(A).solve(e), strict=True):
        for k, x in row.items():
            step[k] = step[k] + x * y
    return step


def _normal(J: Sequence[Row], diagonal: Vector) -> list[list[Scalar]]:
    """The lower triangle of ``J^T J`` plus a diagonal matrix."""
    A: list[list[Scalar]] = [[0.0] * (k + 1) for k in range(len(diagonal))]
    for row in J:
        for i, x in row.items():
            for j, y in row.items():
                if j <= i:
                    A[i][j] = A[i][j] + x * y
    for k, x in enumerate(diagonal):
        A[k][k] = A[k][k] + x
    return A


def _vector(values: Iterator[Scalar]) -> Vec3:
    return Vec3(next(values), next(values), next(values))


def _clamped(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    return minimum(maximum(x, low), high)
