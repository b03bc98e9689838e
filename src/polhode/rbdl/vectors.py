"""RBDL's vectors and matrices: NumPy arrays with the constructors of its Python wrapper."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np

from .addresses import Pointerless, refuse_address
from .errors import RBDLInvalidParameterError, RBDLSizeMismatchError
from .vocabulary import described


class ArrayOfRBDL(Pointerless, np.ndarray):
    """A NumPy array; its parts, and results of another shape, are plain arrays."""

    def __getitem__(self, key: Any) -> Any:
        return self.view(np.ndarray)[key]

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        keeps_class = plain.shape == self.shape and plain.dtype == self.dtype
        return plain.view(type(self)) if keeps_class else plain[()]

    def toNumpy(self) -> np.ndarray:
        """The same numbers as a plain array.

        Returns
        -------
        array : ndarray
            A copy.
        """
        return np.array(self)


class _OfOneShape(ArrayOfRBDL):
    """Arrays of the shape of their class.

    ``(0, values)`` as in RBDL's wrapper, the entries one by one, one sequence of them, or
    nothing for zeros.
    """

    _shape: ClassVar[tuple[int, ...]] = ()

    def __new__(cls, address: Any = 0, pyvalues: Any = None, *entries: Any) -> Self:
        if np.ndim(address):
            return cls.fromPythonArray(address)
        if entries or (pyvalues is not None and not np.ndim(pyvalues)):
            return cls.fromPythonArray((address, pyvalues, *entries))
        refuse_address(address, cls.__name__)
        return cls.Zero() if pyvalues is None else cls.fromPythonArray(pyvalues)

    @classmethod
    @described("array")
    def fromPythonArray(cls, python_values: Any) -> Self:
        """The array of a sequence of the entries, row by row.

        Raises
        ------
        RBDLSizeMismatchError
            If there are more or fewer.
        """
        array = matrix(python_values)
        if array.size != math.prod(cls._shape):
            raise RBDLSizeMismatchError(
                f"expected {math.prod(cls._shape)} numbers for a {cls.__name__}, got {array.size}"
            )
        return array.reshape(cls._shape).view(cls)

    @classmethod
    @described("array")
    def Zero(cls) -> Self:
        """Zeros."""
        return np.zeros(cls._shape).view(cls)


class Vector2d(_OfOneShape):
    """Two numbers."""

    _shape = (2,)


class Vector3d(_OfOneShape):
    """Three numbers."""

    _shape = (3,)


class Vector4d(_OfOneShape):
    """Four numbers."""

    _shape = (4,)


class Matrix3d(_OfOneShape):
    """Three rows of three numbers."""

    _shape = (3, 3)


class Matrix63(_OfOneShape):
    """Six rows of three numbers."""

    _shape = (6, 3)


class SpatialVector(_OfOneShape):
    """Six numbers, those of rotation first."""

    _shape = (6,)


class SpatialMatrix(_OfOneShape):
    """Six rows of six numbers."""

    _shape = (6, 6)


class VectorNd(ArrayOfRBDL):
    """A vector of zeros of the given length, or of the given numbers."""

    def __new__(cls, ndim: Any = 0, address: Any = 0, pyvalues: Any = None) -> Self:
        refuse_address(address, cls.__name__)
        if np.ndim(ndim):
            return cls.fromPythonArray(ndim)
        if pyvalues is None:
            return np.zeros(int(ndim)).view(cls)
        if len(pyvalues) != ndim:
            raise RBDLSizeMismatchError(f"expected {ndim} numbers, got {len(pyvalues)}")
        return cls.fromPythonArray(pyvalues)

    @classmethod
    @described("array", python_values=("(n,)", "The numbers."))
    def fromPythonArray(cls, python_values: Any) -> Self:
        """The vector of the given numbers."""
        return matrix(python_values).view(cls)


class MatrixNd(ArrayOfRBDL):
    """A matrix of zeros of the given size ``(rows, columns)``, or of the given rows."""

    def __new__(cls, msize: Any = None, address: Any = 0, pyvalues: Any = None) -> Self:
        if pyvalues is not None:
            refuse_address(address, cls.__name__)
            return cls.fromPythonArray(pyvalues)
        if np.ndim(msize) == 0:  # rows, columns
            rows = int(msize or 0)
            return np.zeros((rows, int(address or rows))).view(cls)
        refuse_address(address, cls.__name__)
        if np.ndim(msize) > 1:
            return cls.fromPythonArray(msize)
        rows, columns = msize
        return np.zeros((int(rows), int(columns))).view(cls)

    @classmethod
    @described("array", python_values=("(rows, columns)", "The rows."))
    def fromPythonArray(cls, python_values: Any) -> Self:
        """The matrix of the given rows."""
        return matrix(python_values).view(cls)


Vector3dZero: np.ndarray = np.zeros(3)
SpatialVectorZero: np.ndarray = np.zeros(6)
Matrix3dIdentity: np.ndarray = np.eye(3)


def matrix(rows: Any) -> np.ndarray:
    """Entries as an array of its own: of floats, or of objects when one is a traced value."""
    array = np.array(rows)
    return array if array.dtype == object else array.astype(float, copy=False)


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
    if out.dtype.kind not in "fO" or not out.flags.writeable:
        got = f"{out.dtype}" if out.flags.writeable else "one that is read-only"
        raise RBDLInvalidParameterError(
            f"expected a writable array of floating-point numbers for the result, got {got}"
        )
