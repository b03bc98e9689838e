"""RBDL's rotations about axes, and its linear solvers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms.tree import sparsity
from ..scalar import cos, sin
from ..spatial import PlaneRotation, Vec3, rotation_x, rotation_y, rotation_z
from .errors import RBDLSizeMismatchError
from .spelling import spelled
from .vectors import given, matrix
from .vocabulary import described


@described("rotation")
def VectorCrossMatrix(vector: Sequence[Any] | np.ndarray) -> np.ndarray:
    """The matrix whose product with ``w`` is ``vector x w``."""
    return matrix(Vec3.of(list(vector)).skew().rows())


@described("rotation")
def rotx(angle: Any) -> np.ndarray:
    """The coordinate rotation by ``angle`` about x."""
    return matrix(rotation_x(angle).rows())


@described("rotation")
def roty(angle: Any) -> np.ndarray:
    """The coordinate rotation by ``angle`` about y."""
    return matrix(rotation_y(angle).rows())


@described("rotation")
def rotz(angle: Any) -> np.ndarray:
    """The coordinate rotation by ``angle`` about z."""
    return matrix(rotation_z(angle).rows())


@described("rotation_rate")
def rotxdot(angle: Any, angle_rate: Any) -> np.ndarray:
    """The time derivative of `rotx` when the angle changes at ``angle_rate``."""
    return _rotation_rate(0, angle, angle_rate)


@described("rotation_rate")
def rotydot(angle: Any, angle_rate: Any) -> np.ndarray:
    """The time derivative of `roty` when the angle changes at ``angle_rate``."""
    return _rotation_rate(1, angle, angle_rate)


@described("rotation_rate")
def rotzdot(angle: Any, angle_rate: Any) -> np.ndarray:
    """The time derivative of `rotz` when the angle changes at ``angle_rate``."""
    return _rotation_rate(2, angle, angle_rate)


def _rotation_rate(axis: int, angle: Any, rate: Any) -> np.ndarray:
    E = matrix(PlaneRotation.about(axis, -sin(angle) * rate, cos(angle) * rate).rows())
    E[axis, axis] = 0.0
    return E


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
    """Of each degree of freedom the one before it, or -1, from a Model or its ``lambda_q``."""
    return [int(p) - 1 for p in getattr(model, "lambda_q", model)[1:]]


@spelled("L")
def SparseFactorizeLTL(model: Any, H: np.ndarray) -> np.ndarray:
    """Replace ``H = L^T L`` by its lower triangular factor ``L``, and return that."""
    factor, inverse_d, _ = sparsity.ltdl(np.asarray(H).tolist(), _parents(model))
    H[...] = np.tril(np.array(factor) / np.sqrt(np.array(inverse_d))[:, None])
    return H


@spelled("x")
def SparseMultiplyHx(model: Any, H: np.ndarray, x: Any) -> np.ndarray:
    """``H x``, where of the symmetric ``H`` only the lower triangle is read."""
    lower = np.tril(H)
    x = np.asarray(x, dtype=float)
    return lower @ x + np.tril(lower, -1).T @ x


@spelled("x")
def SparseMultiplyLx(model: Any, L: np.ndarray, x: Any) -> np.ndarray:
    """``L x``."""
    return np.tril(L) @ np.asarray(x, dtype=float)


@spelled("x")
def SparseMultiplyLTx(model: Any, L: np.ndarray, x: Any) -> np.ndarray:
    """``L^T x``."""
    return np.tril(L).T @ np.asarray(x, dtype=float)


@spelled("x")
def SparseSolveLx(model: Any, L: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Replace ``x`` by the solution of ``L y = x``; return it."""
    x[...] = sparsity.solve_lower(np.asarray(L).tolist(), _parents(model), x.tolist())
    return x


@spelled("x")
def SparseSolveLTx(model: Any, L: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Replace ``x`` by the solution of ``L^T y = x``; return it."""
    x[...] = sparsity.solve_upper(np.asarray(L).tolist(), _parents(model), x.tolist())
    return x
