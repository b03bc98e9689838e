"""RBDL's rotations about axes, and its linear solvers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..algorithms.tree.sparsity import ancestors, ltdl
from ..scalar import cos, sin
from .errors import RBDLSizeMismatchError
from .spelling import spelled
from .vectors import given, matrix
from .vocabulary import described


@described("rotation")
def VectorCrossMatrix(vector: Sequence[Any] | np.ndarray) -> np.ndarray:
    """The matrix whose product with ``w`` is ``vector x w``."""
    x, y, z = vector
    return matrix([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


class _Rotation(Protocol):
    """A coordinate rotation about an axis."""

    def __call__(self, angle: Any) -> np.ndarray: ...


class _RotationRate(Protocol):
    """Its time derivative."""

    def __call__(self, angle: Any, angle_rate: Any) -> np.ndarray: ...


def rotation_functions(axis: int) -> tuple[_Rotation, _RotationRate]:
    """RBDL's ``rotx`` and ``rotxdot`` for one of the axes."""
    i, j = (axis + 1) % 3, (axis + 2) % 3

    def filled(on_axis: Any, c: Any, s: Any) -> np.ndarray:
        rows: list[list[Any]] = [[0.0] * 3 for _ in range(3)]
        rows[axis][axis], rows[i][i], rows[j][j], rows[i][j], rows[j][i] = on_axis, c, c, s, -s
        return matrix(rows)

    def rotation(angle: Any) -> np.ndarray:
        """The coordinate rotation by ``angle`` about the axis.

        Parameters
        ----------
        angle : float
            Angle [rad].

        Returns
        -------
        E : ndarray, shape (3, 3)
            The matrix.
        """
        return filled(1.0, cos(angle), sin(angle))

    def rate(angle: Any, angle_rate: Any) -> np.ndarray:
        """The time derivative of the rotation when the angle changes at ``angle_rate``.

        Parameters
        ----------
        angle, angle_rate : float
            Angle [rad] and its rate [rad/s].

        Returns
        -------
        rate : ndarray, shape (3, 3)
            The matrix [1/s].
        """
        return filled(0.0, -sin(angle) * angle_rate, cos(angle) * angle_rate)

    return rotation, rate


rotx: _Rotation
roty: _Rotation
rotz: _Rotation
rotxdot: _RotationRate
rotydot: _RotationRate
rotzdot: _RotationRate
rotx, rotxdot = rotation_functions(0)
roty, rotydot = rotation_functions(1)
rotz, rotzdot = rotation_functions(2)


@described("x", "x")
def LinSolveGaussElimPivot(A: Any, b: Any, x: np.ndarray | None = None) -> np.ndarray:
    """Solve ``A x = b`` for a square ``A``.

    Raises
    ------
    RBDLSizeMismatchError
        If the shapes do not fit.
    numpy.linalg.LinAlgError
        If ``A`` is singular.
    """
    A, b = np.asarray(A, dtype=float), np.asarray(b, dtype=float)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or b.shape != A.shape[:1]:
        raise RBDLSizeMismatchError(
            f"expected a square matrix and as many numbers, got {A.shape} and {b.shape}"
        )
    return given(x, np.linalg.solve(A, b))


# -- branch-sparse factors (RBDA section 6.5) --


def _parents(model: Any) -> list[int]:
    """Of each freedom the one before it, or -1, from a Model or its ``lambda_q``."""
    return [int(p) - 1 for p in getattr(model, "lambda_q", model)[1:]]


@spelled(returns="L")
def SparseFactorizeLTL(model: Any, H: np.ndarray) -> np.ndarray:
    """Replace ``H = L^T L`` by its lower triangular factor ``L``, and return that."""
    factor, inverse_d, _ = ltdl(np.asarray(H).tolist(), _parents(model))
    H[...] = np.tril(np.array(factor) / np.sqrt(np.array(inverse_d))[:, None])
    return H


@spelled(returns="x")
def SparseMultiplyHx(model: Any, H: np.ndarray, x: Any) -> np.ndarray:
    """``H x``, where of the symmetric ``H`` only the lower triangle is read."""
    lower = np.tril(H)
    x = np.asarray(x, dtype=float)
    return lower @ x + np.tril(lower, -1).T @ x


@spelled(returns="x")
def SparseMultiplyLx(model: Any, L: np.ndarray, x: Any) -> np.ndarray:
    """``L x``."""
    return np.tril(L) @ np.asarray(x, dtype=float)


@spelled(returns="x")
def SparseMultiplyLTx(model: Any, L: np.ndarray, x: Any) -> np.ndarray:
    """``L^T x``."""
    return np.tril(L).T @ np.asarray(x, dtype=float)


@spelled(returns="x")
def SparseSolveLx(model: Any, L: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Replace ``x`` by the solution of ``L y = x``; return it."""
    parents = _parents(model)
    for i in range(len(parents)):
        for j in ancestors(parents, i):
            x[i] -= L[i, j] * x[j]
        x[i] /= L[i, i]
    return x


@spelled(returns="x")
def SparseSolveLTx(model: Any, L: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Replace ``x`` by the solution of ``L^T y = x``; return it."""
    parents = _parents(model)
    for i in reversed(range(len(parents))):
        x[i] /= L[i, i]
        for j in ancestors(parents, i):
            x[j] -= L[i, j] * x[i]
    return x
