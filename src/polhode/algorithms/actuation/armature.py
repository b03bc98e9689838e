"""The inertia of tendons: what it adds to the equation of motion.

A tendon of length ``L(q)`` and armature ``a`` has the kinetic energy ``a (J qd)^2 / 2``.  So it
adds ``a J^T J`` to ``H`` and ``a J^T (dJ/dt qd)`` to ``C``.  ``J`` may join branches of the tree,
so forward dynamics solves without tendons first.  The rows of all ``J``, ``k`` of them, then give
the forces ``f`` along tendons by ``(A^-1 + J H^-1 J^T) f = -(J qdd + dJ/dt qd)`` (Woodbury's
identity).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...model import Model, PerBody, Tendon
from ...scalar import Scalar
from ...spatial import Motion, Vec3
from .lengths import PlacedTree
from .tendons import pieces, tendon_length
from .wrapping import direction

Row = dict[int, Scalar]


def heavy_tendons(model: Model) -> list[Tendon]:
    """The tendons with armature."""
    return [tendon for tendon in model.tendons if tendon.armature]


def rows_of(model: Model, q: PerBody) -> list[Row]:
    """The gradients by ``qd`` of the lengths of tendons with armature."""
    placed = PlacedTree(model, q)
    return [placed.row(tendon_length(placed, tendon)) for tendon in heavy_tendons(model)]


def add_to_mass_matrix(model: Model, q: PerBody, H: list[list[Scalar]]) -> None:
    """Add ``a J^T J`` for each tendon, in place."""
    if not heavy_tendons(model):
        return
    for tendon, row in zip(heavy_tendons(model), rows_of(model, q), strict=True):
        for i, x in row.items():
            for j, y in row.items():
                if j <= i:
                    H[i][j] = H[i][j] + x * y * tendon.armature
                    H[j][i] = H[i][j]


def tendon_inertia_forces(model: Model, q: PerBody, qd: PerBody, qdd: PerBody) -> PerBody:
    """Joint forces that move the armature of tendons: ``a J^T (J qdd + dJ/dt qd)``."""
    total: Row = {}
    for tendon, row, acceleration in length_accelerations(PlacedTree(model, q, qd), qdd):
        for k, x in row.items():
            total[k] = total.get(k, 0.0) + x * acceleration * tendon.armature
    return {i: tuple(total.get(k, 0.0) for k in model.v_index[i]) for i in model.bodies}


def length_accelerations(placed: PlacedTree, qdd: PerBody) -> Iterator[tuple[Tendon, Row, Scalar]]:
    """Each tendon with armature, the gradient of its length, and the acceleration of that."""
    a, rates = _accelerations(placed), placed.model.join_v(qdd)
    for tendon in heavy_tendons(placed.model):
        row = placed.row(tendon_length(placed, tendon))
        yield tendon, row, _times(row, rates) + _bias(placed, a, tendon)


def with_tendons(
    model: Model,
    q: PerBody,
    qdd: Sequence[Scalar],
    solve: Callable[[PerBody], PerBody],
    qd: PerBody | None = None,
) -> list[Scalar]:
    """Accelerations with the armature of tendons, from those without.

    ``solve`` is ``H^-1`` of the model without tendons.  Without ``qd`` it is at rest.
    """
    placed, tendons = PlacedTree(model, q, qd), heavy_tendons(model)
    rows = [placed.row(tendon_length(placed, tendon)) for tendon in tendons]
    a = None if qd is None else _accelerations(placed)
    sought = [_times(row, qdd) for row in rows]
    if a is not None:
        sought = [x + _bias(placed, a, t) for x, t in zip(sought, tendons, strict=True)]
    columns = [
        model.join_v(solve(model.split_v([row.get(k, 0.0) for k in range(model.nv)])))
        for row in rows
    ]
    S = [[_times(row, column) for column in columns] for row in rows]
    for k, tendon in enumerate(tendons):
        S[k][k] = S[k][k] + 1.0 / tendon.armature
    found = list(qdd)
    for force, column in zip(_solved(S, sought), columns, strict=True):
        found = [x - y * force for x, y in zip(found, column, strict=True)]
    return found


def tendon_energy(model: Model, q: PerBody, qd: PerBody) -> Scalar:
    """Kinetic energy of the armature of tendons."""
    placed, total = PlacedTree(model, q, qd), 0.0
    for tendon in heavy_tendons(model):
        rate = placed.rate(tendon_length(placed, tendon))
        total = total + rate * rate * (0.5 * tendon.armature)
    return total


def _accelerations(placed: PlacedTree) -> dict[int, Motion]:
    """Spatial accelerations of the bodies at ``qdd = 0``, in base coordinates."""
    model, a = placed.model, {0: Motion.zero()}
    assert placed.qd is not None  # it is for all that has a bias
    for i in model.bodies:
        _, _, vJ, cJ = model.joint[i].jcalc(placed.q[i], placed.qd[i])
        X, v = placed.X_0[i], placed.v_0[i]
        a[i] = a[model.parent[i]] + X.to_parent(cJ) + v.cross(X.to_parent(vJ))
    return a


def _bias(placed: PlacedTree, a: dict[int, Motion], tendon: Tendon) -> Scalar:
    """``dJ/dt qd``, the acceleration of a length at ``qdd = 0``."""
    total: Scalar = 0.0
    for first, _, last, factor in pieces(tendon):
        (i, p), (j, r) = (placed.point(x.body, x.point) for x in (first, last))
        length, way = direction(p, r)
        velocity = _velocity(placed.v_0[j], r) - _velocity(placed.v_0[i], p)
        acceleration = _acceleration(placed.v_0[j], a[j], r) - _acceleration(placed.v_0[i], a[i], p)
        along = way.dot(velocity)
        turning = (velocity.dot(velocity) - along * along) / length
        total = total + (way.dot(acceleration) + turning) * factor
    return total


def _velocity(v: Motion, point: Vec3) -> Vec3:
    return v.lin + v.ang.cross(point)


def _acceleration(v: Motion, a: Motion, point: Vec3) -> Vec3:
    """Classical acceleration of a point (RBDA section 2.11)."""
    return a.lin + a.ang.cross(point) + v.ang.cross(_velocity(v, point))


def _times(row: Row, x: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for k, factor in row.items():
        total = total + x[k] * factor
    return total


def _solved(S: list[list[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """``S^-1 b`` for a positive definite matrix, by elimination."""
    n, A, x = len(b), [list(row) for row in S], list(b)
    for k in range(n):
        for i in range(k + 1, n):
            factor = A[i][k] / A[k][k]
            A[i][k:] = [p - q * factor for p, q in zip(A[i][k:], A[k][k:], strict=True)]
            x[i] = x[i] - x[k] * factor
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            x[k] = x[k] - A[k][j] * x[j]
        x[k] = x[k] / A[k][k]
    return x
