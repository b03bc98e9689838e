"""How Jacobians change: in time, and along the tangent of the joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import algorithms
from ..algorithms.derivatives import kinematics as derivatives_kinematics
from ..arrays import ArrayLike
from ..binding.calls import evaluate
from ..binding.derivatives_programs import (
    called_derived,
    derived_program,
    evaluate_derivative,
    has_formulas,
)
from ..model import Model


def body_jacobian_derivative(
    model: Model, q: ArrayLike, qd: ArrayLike, body: int | str, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the time derivative of `body_jacobian`.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    body : int or str
    out : ndarray, shape (..., 6, nv), optional

    Returns
    -------
    Jd : ndarray, shape (..., 6, nv)
        ``J qdd + Jd qd`` is the body's spatial acceleration, in body axes.

    Raises
    ------
    ModelError
        If there is no such body.
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    ``(v_k - v) x s_k`` for the joint of body ``k``; O(depth). RBDA section 2.10.
    """
    return _rate(algorithms.body_jacobian, derivatives_kinematics.body_jacobian_derivative,
                 model, (q, qd), body, out)  # fmt: skip


def frame_jacobian_derivative(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    body: int | str,
    point: ArrayLike = (0.0, 0.0, 0.0),
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the time derivative of `frame_jacobian`.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    body : int or str
    point : array_like, shape (..., 3)
        Origin of the frame, in body coordinates [m].
    out : ndarray, shape (..., 6, nv), optional

    Returns
    -------
    Jd : ndarray, shape (..., 6, nv)
        ``J qdd + Jd qd`` is angular acceleration, and the point's acceleration as an
        observer measures it, both in base axes.

    Raises
    ------
    ModelError
        If there is no such body.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    A column turns with the body that its joint moves, and its arm grows by the point's
    velocity; O(depth). RBDA section 2.10.
    """
    return _rate(algorithms.frame_jacobian, derivatives_kinematics.frame_jacobian_derivative,
                 model, (q, qd, point), body, out)  # fmt: skip


def point_jacobian_derivative(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    body: int | str,
    point: ArrayLike,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the time derivative of `point_jacobian`.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    body : int or str
    point : array_like, shape (..., 3)
        In body coordinates [m].
    out : ndarray, shape (..., 3, nv), optional

    Returns
    -------
    Jd : ndarray, shape (..., 3, nv)
        ``J qdd + Jd qd`` is the point's acceleration, in base axes.

    Raises
    ------
    ModelError
        If there is no such body.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    The last three rows of `frame_jacobian_derivative`; O(depth). RBDA section 2.10.
    """
    return _rate(algorithms.point_jacobian, derivatives_kinematics.point_jacobian_derivative,
                 model, (q, qd, point), body, out)  # fmt: skip


def frame_hessian(
    model: Model,
    q: ArrayLike,
    body: int | str,
    point: ArrayLike = (0.0, 0.0, 0.0),
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the derivatives of `frame_jacobian` by position.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    body : int or str
    point : array_like, shape (..., 3)
        Origin of the frame, in body coordinates [m].
    out : ndarray, shape (..., 6, nv, nv), optional

    Returns
    -------
    hessian : ndarray, shape (..., 6, nv, nv)
        Entry ``[:, k, j]``: column ``k`` of the Jacobian by position ``j``, which varies as
        `integrate` moves it.

    Raises
    ------
    ModelError
        If there is no such body.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    The first three rows are never symmetric in ``k`` and ``j``: a joint turns the axes of those
    it carries, not the other way round.  O(depth^2).
    """
    return _hessian(algorithms.frame_jacobian, derivatives_kinematics.frame_hessian,
                    model, (q, point), body, out)  # fmt: skip


def point_hessian(
    model: Model, q: ArrayLike, body: int | str, point: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the derivatives of `point_jacobian` by position.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    body : int or str
    point : array_like, shape (..., 3)
        In body coordinates [m].
    out : ndarray, shape (..., 3, nv, nv), optional

    Returns
    -------
    hessian : ndarray, shape (..., 3, nv, nv)
        Entry ``[:, k, j]``: column ``k`` of the Jacobian by position ``j``, which varies as
        `integrate` moves it.

    Raises
    ------
    ModelError
        If there is no such body.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    ``s_j x s_k`` at the point, of the angular part of the joint nearer to the base and the linear
    part of the other.  Symmetric in ``k`` and ``j`` but for two rotations of one spherical joint.
    Rotations do not commute, and the two entries differ by the effect of the rotation
    ``e_j x e_k``.  O(depth^2).
    """
    return _hessian(algorithms.point_jacobian, derivatives_kinematics.point_hessian,
                    model, (q, point), body, out)  # fmt: skip


def _rate(jacobian, analytic, model: Model, arguments: tuple, body: int | str, out: Any):
    """With custom joints, the change of the Jacobian's program along the velocity."""
    if has_formulas(model):
        return evaluate(analytic, model, arguments, out, body=body)
    q, qd, *point = arguments
    program = derived_program(jacobian, model, _along_position, analytic, body=body)
    return called_derived(program, model, (q, *point, qd), out, None)


def _hessian(jacobian, analytic, model: Model, arguments: tuple, body: int | str, out: Any):
    """With custom joints, the derivative of the Jacobian's program."""
    found = evaluate_derivative(analytic, model, arguments, out, jacobian, _by_position, body=body)
    return found if model.nv else np.zeros((*found.shape, 0))  # rows of no freedom hold nothing


def _along_position(program):
    return program.jvp("q", tangent=True)


def _by_position(program):
    return program.jacobian("q", tangent=True)
