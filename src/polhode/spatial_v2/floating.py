"""Floating bases by quaternion: dynamics, kinematics, and angles that do not jump."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..api.floating_base import floating_base_dynamics, floating_base_inverse_dynamics
from ..arrays import as_array
from ..errors import ModelError, ShapeError
from .arrays import ArrayLike, vector
from .convert import floating_core, forces
from .rotation import rq, rqd, rx, ry, rz
from .system import SystemModel
from .vocabulary import described

Pair = tuple[np.ndarray, np.ndarray]


_JOINTS = dict.fromkeys(("q", "qd", "qdd", "tau"), ("(NB - 6,)", "Of joint 7 and those after."))


@described(**_JOINTS, nargout=("int", "With 1 only ``xdfb`` is returned."))
def FDfb(
    model: SystemModel, xfb: ArrayLike, q: ArrayLike = (), qd: ArrayLike = (), tau: ArrayLike = (),
    f_ext: Any = None, *, nargout: int = 2,
) -> Any:  # fmt: skip
    """Forward dynamics of a floating tree, without singularity.

    ``model`` is spatial, and as `floatbase` makes it; the first five of ``f_ext`` are ignored.

    Returns
    -------
    xdfb, qdd : ndarray
    """
    return _floating(floating_base_dynamics, model, xfb, q, qd, tau, f_ext, nargout)


@described(**_JOINTS, nargout=("int", "As in `FDfb`; 2 needs a joint."))
def IDfb(
    model: SystemModel, xfb: ArrayLike, q: ArrayLike = (), qd: ArrayLike = (), qdd: ArrayLike = (),
    f_ext: Any = None, *, nargout: int | None = None,
) -> Any:  # fmt: skip
    """Inverse dynamics of the joints of a floating tree, and the motion of its base.

    ``model`` is spatial, and as `floatbase` makes it; the first five of ``f_ext`` are ignored.

    Returns
    -------
    xdfb, tau : ndarray

    Raises
    ------
    ModelError
        If ``tau`` is asked for by ``nargout=2`` and there is no joint.
    """
    if nargout == 2 and model.NB == 6:
        raise ModelError("tau is asked for, but the model has no joints beyond the base (NB = 6)")
    return _floating(floating_base_inverse_dynamics, model, xfb, q, qd, qdd, f_ext, nargout or 2)


def _floating(dynamics: Callable[..., Any], model, xfb, q, qd, drive, f_ext, nargout: int) -> Any:
    core, n = floating_core(model), model.NB - 6
    x = vector(xfb, 13, "xfb")
    joints = [vector(y, n, name) for name, y in (("q", q), ("qd", qd), ("tau or qdd", drive))]
    loads = forces(model, f_ext, first=5)  # body 1 of the core is a virtual one
    results = dynamics(core, x, *joints, loads)
    return results[0] if nargout == 1 else results


def fbkin(first: ArrayLike, *rest: ArrayLike, nargout: int | None = None) -> Any:
    """Kinematics of the floating base, from six joints to the quaternion form and back.

    ``fbkin(q) -> p``, ``fbkin(q, qd) -> x``, ``fbkin(q, qd, qdd) -> (x, xd)``;
    ``fbkin(p) -> q``, ``fbkin(x) -> (q, qd)``, ``fbkin(x, xd) -> (q, qd, qdd)``.

    The first argument has 6, 7 (p) or 13 (x) entries.  Angles come back within pi, the
    second within pi/2.  Where that is pi/2 only the velocities are undefined (NaN).
    With ``nargout=1`` the position alone is returned.

    Parameters
    ----------
    first : array_like, shape (6,), (7,) or (13,)
        `q`, `p` or `x`.
    *rest : array_like
        The rates that belong to it, if any.
    nargout : int, optional
        How many results are wanted, as MATLAB counts them.

    Returns
    -------
    states : ndarray or tuple of ndarray
        As the forms above say.
    """
    size = np.size(first)
    if size not in (6, 7, 13):
        raise ShapeError(f"expected 6, 7 or 13 numbers first, got shape {np.shape(first)}")
    if size == 6:
        return _to_quaternion(vector(first, 6, "q"), rest, nargout)
    q, axes = _angles(np.asarray(first, float).ravel()[:7])
    if size == 7 or nargout == 1:
        return q
    x = vector(first, 13, "x")
    w, r = x[7:10], q[:3]
    moved = x[10:] + np.cross(w, r)
    with np.errstate(divide="ignore", invalid="ignore"):
        qd = np.concatenate((moved, _solved(axes, w)))
        if not rest:
            return q, qd
        a = vector(rest[0], 13, "xd")[7:]
        spin = a[:3] - _axes_rate(axes, qd[3:]) @ qd[3:]
        pushed = a[3:] + np.cross(a[:3], r) + np.cross(w, moved)
        return q, qd, np.concatenate((pushed, _solved(axes, spin)))


def _to_quaternion(q: np.ndarray, rest: tuple, nargout: int | None) -> Any:
    p = np.concatenate((rq(_rotation(q)), q[:3]))
    if not rest or (len(rest) == 2 and nargout == 1):
        return p
    qd, axes = vector(rest[0], 6, "qd"), _axes(q)
    w, r = axes @ qd[3:], q[:3]
    x = np.concatenate((p, w, qd[:3] + np.cross(r, w)))
    if len(rest) == 1:
        return x
    qdd = vector(rest[1], 6, "qdd")
    wd = axes @ qdd[3:] + _axes_rate(axes, qd[3:]) @ qd[3:]
    vd = qdd[:3] + np.cross(qd[:3], w) + np.cross(r, wd)
    return x, np.concatenate((rqd(w, p[:4]), qd[:3], wd, vd))


def _rotation(q: np.ndarray) -> np.ndarray:
    return rz(q[5]) @ ry(q[4]) @ rx(q[3])


def _axes(q: np.ndarray) -> np.ndarray:
    """The axes of joints 4 to 6 in fixed coordinates, a column each."""
    first = rx(q[3])
    return np.stack((np.eye(3)[0], first.T[:, 1], (ry(q[4]) @ first).T[:, 2]), axis=1)


def _axes_rate(axes: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Each axis is turned by the joints before it."""
    a, b, c = axes.T
    turning = a * rates[0]
    return np.stack((np.zeros(3), np.cross(turning, b), np.cross(turning + b * rates[1], c)), 1)


def _solved(axes: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The rates with ``axes @ rates == w``: the second axis is across the other two."""
    a, b, c = axes.T
    slant = a @ c
    spread = 1.0 - slant * slant
    along_a, along_c = a @ w, c @ w
    return np.array(
        [(along_a - slant * along_c) / spread, b @ w, (along_c - slant * along_a) / spread]
    )


def _angles(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The six joint positions of ``p``, and the joints' axes.

    The first angle follows from its sum with the third, or its difference, whichever is
    well defined: near the singularity the third alone is arbitrary.
    """
    E = rq(p[:4])
    sine, third = E[2, 0], np.arctan2(-E[1, 0], E[0, 0])
    if sine > 0.0:
        first = np.arctan2(E[1, 2] + E[0, 1], E[1, 1] - E[0, 2]) - third
    else:
        first = np.arctan2(E[1, 2] - E[0, 1], E[1, 1] + E[0, 2]) + third
    if abs(first) > np.pi:
        first -= np.copysign(2.0 * np.pi, first)
    q = np.array([*p[4:7], first, np.arctan2(sine, np.hypot(E[0, 0], E[1, 0])), third])
    return q, _axes(q)


def fbanim(X: ArrayLike, Qr: ArrayLike | None = None) -> np.ndarray:
    """Joint positions for showmotion, a column for each sample, without jumps of angles.

    Parameters
    ----------
    X : array_like, 13xN, 7xN, 13x1xN or 7x1xN
        States or positions of the floating base.
    Qr : array_like, MxN or Mx1xN, optional
        Positions of the joints beyond.

    Returns
    -------
    Q : ndarray, (6+M)xN

    Notes
    -----
    The turns ``(a, b, c)`` and ``(a + pi, pi - b, c + pi)`` are the same; of these, and
    whole turns more or less, the one nearest to the sample before is taken.
    """
    samples = _columns(X, "X")
    if len(samples) not in (7, 13):
        raise ShapeError(f"expected 7 or 13 rows in X, got shape {np.shape(X)}")
    Q = np.stack([_angles(column)[0] for column in samples[:7].T], axis=1)
    for k in range(1, Q.shape[1]):
        before, now = Q[3:, k - 1], Q[3:, k]
        halves = np.round((before[2] - now[2]) / np.pi)
        now[2] += halves * np.pi
        if halves % 2:
            now[0] += np.pi
            now[1] = np.pi - now[1]
        now[:2] += np.round((before[:2] - now[:2]) / (2.0 * np.pi)) * 2.0 * np.pi
    if Qr is None:
        return Q
    return np.concatenate((Q, _columns(Qr, "Qr")))


def _columns(values: ArrayLike, name: str) -> np.ndarray:
    array = as_array(name, values)
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[1] != 1):
        raise ShapeError(f"expected {name} of MxN or Mx1xN, got shape {array.shape}")
    return array.reshape(array.shape[0], -1)
