"""Spatial and planar vector arithmetic on float arrays.

A spatial quantity is 6 or 6x6, a planar one 3 or 3x3: ``(omega_z, v_x, v_y)`` for motions,
``(n_z, f_x, f_y)`` for forces.  The size of an argument decides.
"""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from ..arrays import as_array
from ..errors import ShapeError
from .arrays import ArrayLike, is_planar, matrix, scalar, vector
from .rotation import rx, ry, rz, skew
from .vocabulary import described


@described("matrix")
def crm(v: ArrayLike) -> np.ndarray:
    """The matrix of the cross product of ``v`` with motion vectors."""
    v = as_array("v", v).ravel()
    if is_planar(v, "v"):
        w, x, y = v
        return np.array([[0.0, 0.0, 0.0], [y, 0.0, -w], [-x, w, 0.0]])
    turn, move = skew(v[:3]), skew(v[3:])
    return np.block([[turn, np.zeros((3, 3))], [move, turn]])


@described("matrix")
def crf(v: ArrayLike) -> np.ndarray:
    """The matrix of the cross product of ``v`` with force vectors."""
    return -crm(v).T


@overload
def mcI(m: float, c: ArrayLike, I: ArrayLike, /) -> np.ndarray: ...
@overload
def mcI(rbi: ArrayLike, /) -> tuple[float, np.ndarray, Any]: ...
@described()
def mcI(*arguments: Any) -> np.ndarray | tuple[float, np.ndarray, Any]:
    """``mcI(m, c, I)``: a rigid-body inertia; ``mcI(rbi)``: its mass, centre and inertia.

    ``I`` is about the centre of mass; planar, it is a number and ``c`` has two entries.
    The second form needs a mass that is not zero, else it returns NaN.

    Returns
    -------
    inertia : ndarray, shape (6, 6) or (3, 3), or tuple
        The inertia, or its mass [kg], centre [m] and inertia [kg m^2].
    """
    if len(arguments) == 1:
        return _decomposed(_square(arguments[0], "rbi"))
    if len(arguments) != 3:
        raise TypeError(f"expected mcI(m, c, I) or mcI(rbi), got {len(arguments)} arguments")
    m, c, I = scalar(arguments[0], "m"), as_array("c", arguments[1]).ravel(), arguments[2]
    if c.size == 2:
        x, y = m * c
        about = scalar(I, "I") + m * c @ c
        return np.array([[about, -y, x], [-y, m, 0.0], [x, 0.0, m]])
    C = skew(vector(c, 3, "c"))
    about = matrix(I, (3, 3), "I") + m * C @ C.T
    return np.block([[about, m * C], [m * C.T, m * np.eye(3)]])


def _decomposed(rbi: np.ndarray) -> tuple[float, np.ndarray, Any]:
    planar = is_planar(rbi, "rbi")
    m = float(rbi[-1, -1])
    with np.errstate(invalid="ignore", divide="ignore"):
        if planar:
            c = np.array([rbi[2, 0], -rbi[1, 0]]) / m
            return m, c, float(rbi[0, 0] - m * c @ c)
        c = skew(rbi[:3, 3:]) / m
        C = skew(c)
        return m, c, rbi[:3, :3] - m * C @ C.T


@described("X")
def rotx(theta: float) -> np.ndarray:
    """Spatial coordinate transform from A to B, B being turned by ``theta`` about x."""
    return _placed(rx(theta), np.zeros(3))


@described("X")
def roty(theta: float) -> np.ndarray:
    """Spatial coordinate transform from A to B, B being turned by ``theta`` about y."""
    return _placed(ry(theta), np.zeros(3))


@described("X")
def rotz(theta: float) -> np.ndarray:
    """Spatial coordinate transform from A to B, B being turned by ``theta`` about z."""
    return _placed(rz(theta), np.zeros(3))


@described("X")
def xlt(r: ArrayLike) -> np.ndarray:
    """Spatial coordinate transform from A to B, B's origin being at ``r`` in A."""
    return _placed(np.eye(3), vector(r, 3, "r"))


@overload
def plnr(theta: float, r: ArrayLike, /) -> np.ndarray: ...
@overload
def plnr(X: ArrayLike, /) -> tuple[float, np.ndarray]: ...
@described()
def plnr(*arguments: Any) -> np.ndarray | tuple[float, np.ndarray]:
    """``plnr(theta, r)``: a planar coordinate transform; ``plnr(X)``: its angle and place.

    Returns
    -------
    transform : ndarray, shape (3, 3), or tuple
        The transform, or angle [rad] and place [m].
    """
    if len(arguments) == 1:
        X = matrix(arguments[0], (3, 3), "X")
        turn = X[1:, 1:]
        x, y = turn.T @ X[1:, 0]
        return float(np.arctan2(X[1, 2], X[1, 1])), np.array([y, -x])
    if len(arguments) != 2:
        raise TypeError(f"expected plnr(theta, r) or plnr(X), got {len(arguments)} arguments")
    theta = scalar(arguments[0], "theta")
    c, s = np.cos(theta), np.sin(theta)
    x, y = vector(arguments[1], 2, "r")
    return np.array([[1.0, 0.0, 0.0], [s * x - c * y, c, s], [c * x + s * y, -s, c]])


@overload
def plux(E: ArrayLike, r: ArrayLike, /) -> np.ndarray: ...
@overload
def plux(X: ArrayLike, /) -> tuple[np.ndarray, np.ndarray]: ...
@described()
def plux(*arguments: ArrayLike) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """``plux(E, r)``: a spatial coordinate transform; ``plux(X)``: its rotation and place.

    Returns
    -------
    transform : ndarray, shape (6, 6), or tuple
        The transform, or rotation and place [m].
    """
    if len(arguments) == 1:
        X = matrix(arguments[0], (6, 6), "X")
        E = X[:3, :3].copy()
        return E, -skew(E.T @ X[3:, :3])
    if len(arguments) != 2:
        raise TypeError(f"expected plux(E, r) or plux(X), got {len(arguments)} arguments")
    return _placed(matrix(arguments[0], (3, 3), "E"), vector(arguments[1], 3, "r"))


def _square(values: ArrayLike, name: str) -> np.ndarray:
    array = as_array(name, values)
    if array.ndim != 2:
        raise ShapeError(f"expected {name} of 6x6 or 3x3, got shape {array.shape}")
    return array


def _placed(E: np.ndarray, r: np.ndarray) -> np.ndarray:
    return np.block([[E, np.zeros((3, 3))], [-E @ skew(r), E]])


@described()
def pluho(argument: ArrayLike) -> np.ndarray:
    """The 4x4 homogeneous coordinate transform of a spatial one, or the other way round.

    Returns
    -------
    transform : ndarray, shape (4, 4) or (6, 6)
        The other form.
    """
    given = as_array("argument", argument)
    if given.shape == (4, 4):
        E = given[:3, :3]
        return _placed(E, -E.T @ given[:3, 3])
    E, r = plux(given)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = E, -E @ r
    return T


@described("v")
def XtoV(X: ArrayLike) -> np.ndarray:
    """The small motion from A to B that a coordinate transform stands for; ``X v = v``."""
    X = _square(X, "X")
    if is_planar(X, "X"):
        s, c = X[1, 2], X[1, 1]
        x, y = X[1, 0], X[2, 0]
        return np.array([s, 0.5 * (s * x + (1.0 + c) * y), 0.5 * (s * y - (1.0 + c) * x)])
    return -np.concatenate((skew(X[:3, :3]), skew(X[3:, :3])))


@described("points")
def Xpt(X: ArrayLike, p: ArrayLike) -> np.ndarray:
    """Points ``p``, a column each, in the coordinates that ``X`` leads to."""
    X = _square(X, "X")
    if is_planar(X, "X"):
        _, r = plnr(X)
        return _at_columns(p, 2, lambda p: X[1:, 1:] @ (p - r[:, None]))
    E, r = plux(X)
    return _at_columns(p, 3, lambda p: E @ (p - r[:, None]))


@described(
    "velocity", v=("(6,), (3,) or a column each", "Motion of the body that carries the points.")
)
def Vpt(v: ArrayLike, p: ArrayLike) -> np.ndarray:
    """Linear velocities at points ``p`` of one motion ``v``, or of one in each column."""
    v = as_array("v", v)
    planar = is_planar(v[:, 0] if v.ndim == 2 else v, "v")
    v = v.reshape(len(v), -1)
    if planar:
        return _at_columns(p, 2, lambda p: v[1:] + v[0] * np.stack((-p[1], p[0])))
    return _at_columns(p, 3, lambda p: v[3:] + _cross(*np.broadcast_arrays(v[:3], p)))


@described("f")
def Fpt(fp: ArrayLike, p: ArrayLike) -> np.ndarray:
    """The spatial or planar force of each linear force ``fp`` at a point ``p``."""
    fp, p = as_array("fp", fp), as_array("p", p)
    if fp.shape != p.shape or fp.shape[:1] not in ((2,), (3,)):
        raise ShapeError(
            f"expected forces and points alike, 3xn or 2xn, got {fp.shape} and {p.shape}"
        )
    if len(p) == 2:
        return np.concatenate(((p[0] * fp[1] - p[1] * fp[0])[None], fp))
    return np.concatenate((_cross(p, fp), fp))


def _at_columns(p: ArrayLike, rows: int, function) -> np.ndarray:
    """A function of points in columns; a point alone comes back as a vector."""
    points = as_array("p", p)
    if points.shape[:1] != (rows,) or points.ndim > 2:
        raise ShapeError(f"expected points as a {rows}xn array, got shape {points.shape}")
    return function(points.reshape(rows, -1)).reshape(points.shape)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.cross(a, b, axis=0)
