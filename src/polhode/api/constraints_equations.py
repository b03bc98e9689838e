"""The equations of motion under constraints, and by how much a state violates them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import algorithms
from ..arrays import ArrayLike
from ..binding.calls import evaluate
from ..binding.constraints_arguments import require_set
from ..constraint_sets import ConstraintSet
from ..model import Model


class ConstrainedSystem(NamedTuple):
    """``H qdd + C = tau + G^T force``, ``G qdd = gamma``, and the rows' errors."""

    H: np.ndarray
    C: np.ndarray
    G: np.ndarray
    gamma: np.ndarray
    err: np.ndarray
    errd: np.ndarray


class ConstraintErrors(NamedTuple):
    """Position and velocity error of each row (..., n_rows)."""

    position: np.ndarray
    velocity: np.ndarray


def constrained_system(
    model: Model,
    constraints: ConstraintSet,
    q: ArrayLike,
    qd: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: tuple[np.ndarray, ...] | None = None,
) -> ConstrainedSystem:
    """Return all parts of the equations of motion under constraints.

    Parameters
    ----------
    model : Model
    constraints : ConstraintSet
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    f_ext : array_like, shape (..., n_bodies, 6), optional
        Counted in ``C``.
    out : tuple of ndarray, optional
        Six, where to put the results.

    Returns
    -------
    system : ConstrainedSystem
        ``H`` (..., nv, nv), ``C`` (..., nv), ``G`` (..., n_rows, nv), and ``gamma``, ``err``
        and ``errd`` (..., n_rows); ``gamma`` includes stabilization.

    Raises
    ------
    ModelError
        If the set is empty or of another model.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    ``H qdd + C = tau + G^T force`` and ``G qdd = gamma``; ``errd = G qd``.  With a time constant
    ``T``, ``gamma`` has the further terms ``-2/T errd - 1/T^2 err``.
    """
    require_set(model, constraints)
    arguments = (q, qd) if f_ext is None else (q, qd, f_ext)
    return ConstrainedSystem(*evaluate(algorithms.constrained_system, constraints, arguments, out))


def constraint_jacobian(
    model: Model, constraints: ConstraintSet, q: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return ``G``, whose product with ``qd`` is the velocity error of each row.

    Parameters
    ----------
    model : Model
    constraints : ConstraintSet
    q : array_like, shape (..., nq)
    out : ndarray, shape (..., n_rows, nv), optional

    Returns
    -------
    G : ndarray, shape (..., n_rows, nv)

    Raises
    ------
    ModelError
        If the set is empty or of another model.
    ShapeError
        If the last axis of `q` is not ``model.nq``.

    Notes
    -----
    Contact: ``n . v``.  Loop: ``axis . (v_s - v_p)`` of the two frames' origins, along axes that
    the predecessor carries.
    """
    require_set(model, constraints)
    return evaluate(algorithms.constraint_jacobian, constraints, (q,), out)


def constraint_errors(
    model: Model, constraints: ConstraintSet, q: ArrayLike, qd: ArrayLike | None = None
) -> ConstraintErrors:
    """Return by how much positions and velocities violate each row.

    Parameters
    ----------
    model : Model
    constraints : ConstraintSet
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv), optional
        At rest if omitted.

    Returns
    -------
    errors : ConstraintErrors
        ``position`` and ``velocity`` (..., n_rows).

    Raises
    ------
    ModelError
        If the set is empty or of another model.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    Loop: the offset of the successor's frame in the predecessor's, and ``u sin(theta)`` of its
    turn; beyond a right angle the latter falls again.  Contact: the height above its ground,
    zero if it was given none.
    """
    require_set(model, constraints)
    qd = [0.0] * model.nv if qd is None else qd
    result = evaluate(algorithms.constraint_errors, constraints, (q, qd))
    return ConstraintErrors(*result)
