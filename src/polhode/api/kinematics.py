"""Kinematics: where bodies and points are, and how they move."""

from __future__ import annotations

import numpy as np

from .. import algorithms
from ..arrays import ArrayLike
from ..binding.calls import evaluate
from ..model import Model


def body_poses(model: Model, q: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the pose of each moving body.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
        Joint positions [rad or m].
    out : ndarray, shape (..., n_bodies, 4, 4), optional

    Returns
    -------
    poses : ndarray, shape (..., n_bodies, 4, 4)
        Homogeneous matrices from body to base coordinates; entry ``i - 1`` is body ``i``.

    Raises
    ------
    ShapeError
        If the last axis of `q` is not ``model.nq``.

    Notes
    -----
    ``iX0 = XJ XT pX0`` from base to tips; O(n). RBDA section 4.4.
    """
    return evaluate(algorithms.poses, model, (q,), out)


def body_pose(
    model: Model, q: ArrayLike, body: int | str, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the pose of one body, or of a frame that is fixed to a body.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
        Joint positions [rad or m].
    body : int or str
        Number or name of any body: moving, fixed to another, or the base.
    out : ndarray, shape (..., 4, 4), optional

    Returns
    -------
    pose : ndarray, shape (..., 4, 4)
        Homogeneous matrix from body to base coordinates: ``pose[..., :3, :3]`` is the rotation
        from body to base axes, ``pose[..., :3, 3]`` the body's origin in base coordinates [m].

    Raises
    ------
    ModelError
        If there is no such body.
    ShapeError
        If the last axis of `q` is not ``model.nq``.

    Notes
    -----
    The inverse of ``iX0 = XJ XT pX0``, from the body down to the base; O(depth).
    RBDA section 4.4.

    Examples
    --------
    >>> import polhode as ph
    >>> from polhode.model import Revolute
    >>> from polhode.spatial import Transform
    >>> arm = ph.Model("arm").add("upper", joint=Revolute.z(), mass=1.0)
    >>> arm = arm.add("tool", parent="upper", frame=Transform.translation(0.5, 0, 0))
    >>> ph.body_pose(arm, [0.0], "tool")[:3, 3].tolist()
    [0.5, 0.0, 0.0]
    """
    return evaluate(algorithms.body_pose, model, (q,), out, body=body)


def point_position(
    model: Model, q: ArrayLike, body: int | str, point: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return where a point fixed in a body is.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    body : int or str
        Number or name; links fixed to another body too.
    point : array_like, shape (..., 3)
        In body coordinates [m].
    out : ndarray, shape (..., 3), optional

    Returns
    -------
    position : ndarray, shape (..., 3)
        In base coordinates [m].

    Raises
    ------
    ModelError
        If there is no such body.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    ``r + E^T p`` with the body's transform; O(depth). RBDA section 2.8.
    """
    return evaluate(algorithms.point_position, model, (q, point), out, body=body)


def point_velocity(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    body: int | str,
    point: ArrayLike,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the velocity of a point fixed in a body.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    body : int or str
    point : array_like, shape (..., 3)
        In body coordinates [m].
    out : ndarray, shape (..., 3), optional

    Returns
    -------
    velocity : ndarray, shape (..., 3)
        In base axes [m/s].

    Raises
    ------
    ModelError
        If there is no such body.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    ``E^T (v + w x p)``; O(depth). RBDA eq. 2.12.
    """
    return evaluate(algorithms.point_velocity, model, (q, qd, point), out, body=body)


def point_acceleration(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    body: int | str,
    point: ArrayLike,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the acceleration of a point fixed in a body, without gravity.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd, qdd : array_like, shape (..., nv)
    body : int or str
    point : array_like, shape (..., 3)
        In body coordinates [m].
    out : ndarray, shape (..., 3), optional

    Returns
    -------
    acceleration : ndarray, shape (..., 3)
        The second derivative of the point's position, in base axes [m/s^2].

    Raises
    ------
    ModelError
        If there is no such body.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    The spatial acceleration plus ``w x velocity``; O(depth). RBDA section 2.11.
    """
    return evaluate(algorithms.point_acceleration, model, (q, qd, qdd, point), out, body=body)


def body_jacobian(
    model: Model, q: ArrayLike, body: int | str, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the Jacobian of a body's spatial velocity, in body coordinates.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    body : int or str
    out : ndarray, shape (..., 6, nv), optional

    Returns
    -------
    J : ndarray, shape (..., 6, nv)
        ``J qd`` is angular velocity, then velocity of the body's origin, in body axes.

    Raises
    ------
    ModelError
        If there is no such body.
    ShapeError
        If the last axis of `q` is not ``model.nq``.

    Notes
    -----
    Columns are joint motions carried to the body; O(depth). RBDA section 4.4.
    """
    return evaluate(algorithms.body_jacobian, model, (q,), out, body=body)


def frame_jacobian(
    model: Model,
    q: ArrayLike,
    body: int | str,
    point: ArrayLike = (0.0, 0.0, 0.0),
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the Jacobian of the velocity of a frame at a point of a body, in base axes.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    body : int or str
    point : array_like, shape (..., 3)
        Origin of the frame, in body coordinates [m].
    out : ndarray, shape (..., 6, nv), optional

    Returns
    -------
    J : ndarray, shape (..., 6, nv)
        ``J qd`` is angular velocity, then velocity of the point, both in base axes.

    Raises
    ------
    ModelError
        If there is no such body.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    O(depth). RBDA section 4.4.
    """
    return evaluate(algorithms.frame_jacobian, model, (q, point), out, body=body)


def point_jacobian(
    model: Model, q: ArrayLike, body: int | str, point: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the Jacobian of a point's velocity, in base axes.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    body : int or str
    point : array_like, shape (..., 3)
        In body coordinates [m].
    out : ndarray, shape (..., 3, nv), optional

    Returns
    -------
    J : ndarray, shape (..., 3, nv)

    Raises
    ------
    ModelError
        If there is no such body.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    The last three rows of `frame_jacobian`; O(depth). RBDA section 4.4.
    """
    return evaluate(algorithms.point_jacobian, model, (q, point), out, body=body)
