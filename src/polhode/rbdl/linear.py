"""RBDL's vectors and matrices, which are NumPy arrays here, and its linear solvers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..algorithms.sparsity import ancestors, ltdl
from ..scalar import cos, sin
from .errors import RBDLSizeMismatchError


class _Constructor:
    """Makes arrays of one shape: called with the entries, with one sequence, or with nothing."""

    def __init__(self, name: str, shape: tuple[int, ...]):
        self.__name__: str = name
        self.shape: tuple[int, ...] = shape

    def __call__(self, *values: Any) -> np.ndarray:
        if not values:
            return np.zeros(self.shape)
        source = values[0] if len(values) == 1 and np.ndim(values[0]) else values
        return self.fromPythonArray(source)

    def fromPythonArray(self, values: Any) -> np.ndarray:
        """The array of a sequence of the entries, row by row."""
        array = np.array(values, dtype=float)
        if array.size != math.prod(self.shape):
            raise RBDLSizeMismatchError(
                f"expected {math.prod(self.shape)} numbers for a {self.__name__}, got {array.size}"
            )
        return array.reshape(self.shape)

    def Zero(self) -> np.ndarray:
        return np.zeros(self.shape)

    def __repr__(self) -> str:
        return f"<{self.__name__}: an ndarray of shape {self.shape}>"


Vector2d: _Constructor = _Constructor("Vector2d", (2,))
Vector3d: _Constructor = _Constructor("Vector3d", (3,))
Vector4d: _Constructor = _Constructor("Vector4d", (4,))
Matrix3d: _Constructor = _Constructor("Matrix3d", (3, 3))
Matrix63: _Constructor = _Constructor("Matrix63", (6, 3))
SpatialVector: _Constructor = _Constructor("SpatialVector", (6,))
SpatialMatrix: _Constructor = _Constructor("SpatialMatrix", (6, 6))

Vector3dZero: np.ndarray = Vector3d()
SpatialVectorZero: np.ndarray = SpatialVector()
Matrix3dIdentity: np.ndarray = np.eye(3)


def VectorNd(values: Any = 0) -> np.ndarray:
    """A vector of zeros of the given length, or of the given numbers.

    Parameters
    ----------
    values : int or array_like
        The length, or the numbers.

    Returns
    -------
    vector : ndarray, shape (n,)
        The vector.
    """
    return np.zeros(values) if isinstance(values, int) else np.array(values, dtype=float)


def MatrixNd(rows: Any = 0, columns: int | None = None) -> np.ndarray:
    """A matrix of zeros of the given size, or of the given rows.

    Parameters
    ----------
    rows : int or array_like
        Their number, or the rows themselves.
    columns : int, optional
        Number of columns.

    Returns
    -------
    matrix : ndarray, shape (rows, columns)
        The matrix.
    """
    if isinstance(rows, int):
        return np.zeros((rows, rows if columns is None else columns))
    return np.array(rows, dtype=float)


def VectorCrossMatrix(vector: Sequence[Any] | np.ndarray) -> np.ndarray:
    """The matrix whose product with ``w`` is ``vector x w``.

    Parameters
    ----------
    vector : array_like, shape (3,)
        A vector.

    Returns
    -------
    matrix : ndarray, shape (3, 3)
        The matrix.
    """
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


def matrix(rows: Any) -> np.ndarray:
    """Entries as an array: of floats, or of objects when one is a traced value."""
    array = np.array(rows)
    return array if array.dtype == object else array.astype(float)


def LinSolveGaussElimPivot(A: Any, b: Any, x: np.ndarray | None = None) -> np.ndarray:
    """Solve ``A x = b`` for a square ``A``.

    Parameters
    ----------
    A : array_like, shape (n, n)
        A square matrix.
    b : array_like, shape (n,)
        Right side.
    x : ndarray, optional
        Where to put the result.

    Returns
    -------
    x : ndarray, shape (n,)
        The solution.

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


def given(out: np.ndarray | None, result: np.ndarray) -> np.ndarray:
    """``result``, put into the caller's array if there is one."""
    if out is None:
        return result
    check_output(out, result.shape)
    out[...] = result
    return out


def check_output(out: Any, shape: tuple[int, ...]) -> None:
    """Raise an error unless ``out`` is an array of ``shape`` to write a result to."""
    if getattr(out, "shape", None) != shape:
        got = out.shape if hasattr(out, "shape") else type(out).__name__
        raise RBDLSizeMismatchError(f"expected an array of shape {shape} for the result, got {got}")


# -- branch-sparse factors (RBDA section 6.5) --


def _parents(model: Any) -> list[int]:
    """Of each freedom the one before it, or -1, from a Model or its ``lambda_q``."""
    return [int(p) - 1 for p in getattr(model, "lambda_q", model)[1:]]


def SparseFactorizeLTL(model: Any, H: np.ndarray) -> np.ndarray:
    """Replace the lower triangle of ``H`` by the factor ``L`` of ``H = L^T L``; return it.

    Parameters
    ----------
    model : Model
    H : array_like, shape (n, n)
        Symmetric, with the branches of the model.

    Returns
    -------
    L : ndarray, shape (n, n)
        The factor.
    """
    factor, inverse_d, _ = ltdl(np.asarray(H).tolist(), _parents(model))
    L = np.array(factor) / np.sqrt(np.array(inverse_d))[:, None]
    rows, columns = np.tril_indices(len(L))
    H[rows, columns] = L[rows, columns]
    return H


def SparseMultiplyHx(model: Any, H: np.ndarray, x: Any) -> np.ndarray:
    """``H x``, where of the symmetric ``H`` only the lower triangle is read.

    Parameters
    ----------
    model : Model
    H : array_like, shape (n, n)
        Symmetric, with the branches of the model.
    x : array_like
        A vector.

    Returns
    -------
    y : ndarray, shape (n,)
        The product, or the solution.
    """
    lower = np.tril(H)
    x = np.asarray(x, dtype=float)
    return lower @ x + np.tril(lower, -1).T @ x


def SparseMultiplyLx(model: Any, L: np.ndarray, x: Any) -> np.ndarray:
    """``L x``.

    Parameters
    ----------
    model : Model
    L : array_like, shape (n, n)
        Lower triangular factor.
    x : array_like
        A vector.

    Returns
    -------
    y : ndarray, shape (n,)
        The product, or the solution.
    """
    return np.tril(L) @ np.asarray(x, dtype=float)


def SparseMultiplyLTx(model: Any, L: np.ndarray, x: Any) -> np.ndarray:
    """``L^T x``.

    Parameters
    ----------
    model : Model
    L : array_like, shape (n, n)
        Lower triangular factor.
    x : array_like
        A vector.

    Returns
    -------
    y : ndarray, shape (n,)
        The product, or the solution.
    """
    return np.tril(L).T @ np.asarray(x, dtype=float)


def SparseSolveLx(model: Any, L: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Replace ``x`` by the solution of ``L y = x``; return it.

    Parameters
    ----------
    model : Model
    L : array_like, shape (n, n)
        Lower triangular factor.
    x : array_like
        A vector.

    Returns
    -------
    y : ndarray, shape (n,)
        The product, or the solution.
    """
    parents = _parents(model)
    for i in range(len(parents)):
        for j in ancestors(parents, i):
            x[i] -= L[i, j] * x[j]
        x[i] /= L[i, i]
    return x


def SparseSolveLTx(model: Any, L: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Replace ``x`` by the solution of ``L^T y = x``; return it.

    Parameters
    ----------
    model : Model
    L : array_like, shape (n, n)
        Lower triangular factor.
    x : array_like
        A vector.

    Returns
    -------
    y : ndarray, shape (n,)
        The product, or the solution.
    """
    parents = _parents(model)
    for i in reversed(range(len(parents))):
        x[i] /= L[i, i]
        for j in ancestors(parents, i):
            x[j] -= L[i, j] * x[i]
    return x
