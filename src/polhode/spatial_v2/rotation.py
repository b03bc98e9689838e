"""3D vectors and rotation: coordinate transforms, rotation vectors, quaternions."""

from __future__ import annotations

import numpy as np

from ..algorithms.tree.floating_base import quaternion_rate
from ..spatial import Mat3, Quaternion, Vec3, rotation_x, rotation_y, rotation_z
from .arrays import ArrayLike, matrix, scalar, vector
from .vocabulary import described


@described("E")
def rx(theta: float) -> np.ndarray:
    """Coordinate transform from A to B, B being turned by ``theta`` about the x axis."""
    return _array(rotation_x(scalar(theta, "theta")))


@described("E")
def ry(theta: float) -> np.ndarray:
    """Coordinate transform from A to B, B being turned by ``theta`` about the y axis."""
    return _array(rotation_y(scalar(theta, "theta")))


@described("E")
def rz(theta: float) -> np.ndarray:
    """Coordinate transform from A to B, B being turned by ``theta`` about the z axis."""
    return _array(rotation_z(scalar(theta, "theta")))


@described()
def rv(argument: ArrayLike) -> np.ndarray:
    """The coordinate transform of a rotation vector, or the rotation vector of one.

    A 3x3 argument is taken as the transform; the vector then is at most pi long.

    Returns
    -------
    result : ndarray, shape (3, 3) or (3,)
        The other form.
    """
    if np.shape(argument) == (3, 3):
        return np.array(list(Quaternion.from_matrix(_mat3(argument)).log()))
    return _array(Quaternion.exp(Vec3.of(vector(argument, 3, "v").tolist())).matrix())


@described()
def rq(argument: ArrayLike) -> np.ndarray:
    """The coordinate transform of a quaternion of any length, or the quaternion of one.

    A 3x3 argument is taken as the transform; the first entry then is at least 0.

    Returns
    -------
    result : ndarray, shape (3, 3) or (4,)
        The other form.
    """
    if np.shape(argument) == (3, 3):
        return _wxyz(Quaternion.from_matrix(_mat3(argument)))
    q = vector(argument, 4, "q")
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = Quaternion(*(q / np.linalg.norm(q)).tolist())
    return _array(unit.matrix())


def rqd(first: ArrayLike, second: ArrayLike) -> np.ndarray:
    """The derivative of a quaternion: ``rqd(wA, q)``, or ``rqd(q, wB)``.

    The angular velocity is in the axes that the quaternion starts from (A) or leads to (B).
    A term that draws the quaternion's length to 1 is added.

    Parameters
    ----------
    first : array_like, shape (3,) or (4,)
        `wA` [rad/s], or `q`.
    second : array_like, shape (4,) or (3,)
        `q`, or `wB` [rad/s].

    Returns
    -------
    rate : ndarray, shape (4,)
        [1/s].
    """
    in_body = np.size(first) == 4
    q, w = (first, second) if in_body else (second, first)
    turn = Quaternion(*vector(q, 4, "q").tolist())
    return _wxyz(quaternion_rate(turn, Vec3.of(vector(w, 3, "w").tolist()), in_body=in_body))


@described()
def skew(argument: ArrayLike) -> np.ndarray:
    """The matrix of the cross product with a vector, or the vector of a 3x3 matrix's skew part.

    Returns
    -------
    result : ndarray, shape (3, 3) or (3,)
        The other form.
    """
    if np.shape(argument) == (3, 3):
        A = matrix(argument, (3, 3), "A")
        return 0.5 * np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])
    return _array(Vec3.of(vector(argument, 3, "v").tolist()).skew())


def _array(E: Mat3) -> np.ndarray:
    return np.array(E.rows(), float)


def _mat3(E: ArrayLike) -> Mat3:
    return Mat3.of(matrix(E, (3, 3), "E").tolist())


def _wxyz(q: Quaternion) -> np.ndarray:
    return np.array([q.w, q.x, q.y, q.z], float)
