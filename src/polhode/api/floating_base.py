"""Dynamics of a floating-base model whose base is a state of its own: no singularity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..algorithms.tree import floating_base
from ..arrays import ArrayLike
from ..binding.calls import evaluate
from ..binding.model_argument import require_model
from ..errors import ModelError
from ..model import Model, PerBody
from ..scalar import Scalar

Pair = tuple[np.ndarray, np.ndarray]


def floating_base_dynamics(
    model: Model,
    x: ArrayLike,
    q: ArrayLike = (),
    qd: ArrayLike = (),
    tau: ArrayLike = (),
    f_ext: ArrayLike | None = None,
    *,
    out: Pair | None = None,
) -> Pair:
    """Return how a floating base and the joints beyond it accelerate.

    Parameters
    ----------
    model : Model
        Its first link has a `FloatingBase` joint and carries all others.
    x : array_like, shape (..., 13)
        The base: quaternion ``w x y z`` of any length, position [m], and spatial velocity
        in fixed coordinates, angular part first [rad/s, m/s].
    q : array_like, shape (..., nq - 7)
        Positions of the joints beyond the base.
    qd, tau : array_like, shape (..., nv - 6)
        Their velocities and forces.
    f_ext : array_like, shape (..., n_bodies, 6), optional
        External forces in fixed coordinates, moment about the origin first; body 2 is the
        floating base, the entry of body 1 is ignored.
    out : pair of ndarray, optional

    Returns
    -------
    xd : ndarray, shape (..., 13)
        The derivative of ``x``; that of the quaternion draws its length back to 1.
    qdd : ndarray, shape (..., nv - 6)

    Raises
    ------
    ModelError
        If the model does not float so.
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    Articulated bodies, O(n). RBDA section 9.4.
    """
    _require_afloat(model)
    arguments = (x, q, qd, tau) if f_ext is None else (x, q, qd, tau, f_ext)
    return evaluate(floating_base.floating_forward, model, arguments, out)


def floating_base_inverse_dynamics(
    model: Model,
    x: ArrayLike,
    q: ArrayLike = (),
    qd: ArrayLike = (),
    qdd: ArrayLike = (),
    f_ext: ArrayLike | None = None,
    *,
    out: Pair | None = None,
) -> Pair:
    """Return the joint forces for given joint accelerations, and how the base then moves.

    Parameters
    ----------
    model, x, q, qd : Model, array_like of shapes (..., 13), (..., nq - 7), (..., nv - 6)
        As in `floating_base_dynamics`.
    qdd : array_like, shape (..., nv - 6)
        Accelerations of the joints beyond the base.
    f_ext : array_like, shape (..., n_bodies, 6), optional
        As in `floating_base_dynamics`.
    out : pair of ndarray, optional

    Returns
    -------
    xd : ndarray, shape (..., 13)
        The derivative of ``x``: nothing but the joints moves the base.
    tau : ndarray, shape (..., nv - 6)

    Raises
    ------
    ModelError
        If the model does not float so.
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    Composite bodies, O(n). RBDA Table 9.6.
    """
    _require_afloat(model)
    arguments = (x, q, qd, qdd) if f_ext is None else (x, q, qd, qdd, f_ext)
    return evaluate(floating_base.floating_inverse, model, arguments, out)


def floating_base_state(
    model: Model,
    x: ArrayLike,
    q: ArrayLike = (),
    qd: ArrayLike = (),
    *,
    out: Pair | None = None,
) -> Pair:
    """Return the same state as ``q`` and ``qd`` of the whole model.

    Parameters
    ----------
    model, x, q, qd : Model, array_like of shapes (..., 13), (..., nq - 7), (..., nv - 6)
        As in `floating_base_dynamics`.
    out : pair of ndarray, optional

    Returns
    -------
    q : ndarray, shape (..., nq)
    qd : ndarray, shape (..., nv)

    Raises
    ------
    ModelError
        If the model does not float so.
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    The position's rate is ``v_O + w x r``; the joint's angular velocity is in body axes.
    """
    _require_afloat(model)
    return evaluate(whole_state, model, (x, q, qd), out)


def total_inertia(model: Model, q: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the inertia of the model as if frozen, about the base origin.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    out : ndarray, shape (..., 6, 6), optional

    Returns
    -------
    I : ndarray, shape (..., 6, 6)
        Spatial inertia in base coordinates, angular part first.

    Raises
    ------
    ShapeError
        If the last axis of `q` is not ``model.nq``.

    Notes
    -----
    ``sum 0X* I X0`` over the bodies; O(n). RBDA eq. 2.66.
    """
    return evaluate(floating_base.total_inertia, require_model(model), (q,), out)


def whole_state(
    model: Model, x: Sequence[Scalar], q_joints: PerBody, qd_joints: PerBody
) -> tuple[list[Scalar], list[Scalar]]:
    """`floating_state` as whole vectors."""
    q, qd = floating_base.floating_state(model, x, q_joints, qd_joints)
    return model.join_q(q), model.join_v(qd)


def _require_afloat(model: Model) -> None:
    if not floating_base.is_afloat(require_model(model)):
        raise ModelError(
            f"expected a model whose first link has a FloatingBase() joint and carries all "
            f"others (model '{model.name}'); see Model.float"
        )
