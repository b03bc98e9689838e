"""Assembly of a model: positions and velocities that meet its constraints."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from .. import algorithms
from ..arguments import as_count, as_number
from ..arrays import ArrayLike, as_array
from ..binding.calls import evaluate
from ..binding.constraints_arguments import common_batch, require_set, vector
from ..constraint_sets import ConstraintSet
from ..errors import ShapeError
from ..model import Model
from .constraints_iterate import iterate

_LIGHT = 1e-6  # of the largest weight: what holds free coordinates where they were in a pass


class Assembly(NamedTuple):
    """An assembled model, for each member of the batch.

    Attributes
    ----------
    q : ndarray, shape (..., nq)
    qd : ndarray, shape (..., nv), or None if no velocities were given
    success : ndarray of bool
        Whether the position error is below the tolerance.
    error : ndarray
        Norm of the position error at ``q``.
    iterations : ndarray of int
    """

    q: np.ndarray
    qd: np.ndarray | None
    success: np.ndarray
    error: np.ndarray
    iterations: np.ndarray


def assemble(
    model: Model,
    constraints: ConstraintSet,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    tolerance: float = 1e-12,
    step_tolerance: float | None = None,
    max_iterations: int = 100,
) -> Assembly:
    """Return positions near ``q`` that meet the constraints, and velocities near ``qd``.

    Parameters
    ----------
    model : Model
    constraints : ConstraintSet
    q : array_like, shape (..., nq)
        Where to start.
    qd : array_like, shape (..., nv), optional
        Velocities to bring into agreement with the positions found.
    weights : array_like, shape (nv,), optional
        How reluctantly each coordinate moves, zero for those that move freely; ones if
        omitted.
    tolerance : float
        Norm of the position error at which a member has succeeded.
    step_tolerance : float, optional
        Norm that the last step of a member must have come below as well, if it took any.
    max_iterations : int

    Returns
    -------
    assembly : Assembly
        ``q``, ``qd``, ``success``, ``error`` and ``iterations``.

    Raises
    ------
    ModelError
        If the set is empty or of another model.
    ShapeError
        If the last axes of an argument do not fit, or a weight is negative or not finite.

    Notes
    -----
    Newton's method on ``err(q) = 0``; each step is the one with the least ``sum w dq^2`` among
    those with ``G dq = -err``, taken along the joints' manifold.  Velocities: the least
    ``sum w (qd' - qd)^2`` with ``G qd' = 0``.  Redundant rows do no harm.
    """
    require_set(model, constraints)
    where = f" (model '{model.name}')"
    start, heavy = vector("q", q, model.nq, model), _weights(model, weights, where)
    moving = None if qd is None else vector("qd", qd, model.nv, model)
    tolerance = as_number("tolerance", tolerance, where, finite=False)
    max_iterations = as_count("max_iterations", max_iterations, where)
    if moving is not None:
        common_batch({"q": (start, 1), "qd": (moving, 1)}, model)
    free = tuple(np.flatnonzero(heavy == 0.0).tolist())
    heavy = np.maximum(heavy, _LIGHT * heavy.max(initial=0.0))
    settled = np.inf
    if step_tolerance is not None:
        settled = as_number("step_tolerance", step_tolerance, where, finite=False)
    result = iterate(
        partial(_step, constraints, heavy, free),
        start,
        (),
        tolerance=tolerance,
        step_tolerance=0.0,
        max_iterations=max_iterations,
        settled=settled,
    )
    velocities = None
    if moving is not None:
        arguments = (result.q, moving, heavy)
        velocities = evaluate(algorithms.assembled_velocities, constraints, arguments, free=free)
    is_settled = (result.iterations == 0) | (result.step < settled)
    success = np.asarray((result.error < tolerance) & is_settled)
    return Assembly(result.q, velocities, success, result.error, result.iterations)


def _step(
    constraints: ConstraintSet, weights: np.ndarray, free: tuple[int, ...], q: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    arguments = q, weights
    return evaluate(algorithms.assembly_step, constraints, arguments, free=free)


def _weights(model: Model, weights: ArrayLike | None, where: str) -> np.ndarray:
    if weights is None:
        return np.ones(model.nv)
    array = as_array("weights", weights, where, finite=True)
    if array.shape != (model.nv,) or not np.all(array >= 0.0):
        got = array.tolist() if array.size <= 20 else f"shape {array.shape}"
        raise ShapeError(f"expected nv = {model.nv} weights of at least 0, got {got}{where}")
    return array if array.any() else np.ones(model.nv)
