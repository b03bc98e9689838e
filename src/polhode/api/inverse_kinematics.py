"""Inverse kinematics: joint positions that bring bodies to their targets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import algorithms
from ..arrays import ArrayLike
from ..errors import ModelError, suggestion
from ..model import Model
from ..once import kept
from .constraints_iterate import iterate
from .constraints_programs import build
from .inverse_kinematics_targets import Targets
from .manifold import neutral
from .programs import check_shape, require_model

if TYPE_CHECKING:
    from ..compiler import Program

_DEFAULTS = {"damped": (0.01, 55), "adaptive": (1e-9, 300)}  # damping and iterations, as RBDL's


class IKResult(NamedTuple):
    """Where inverse kinematics came to rest, for each member of the batch.

    Attributes
    ----------
    q : ndarray, shape (..., nq)
    success : ndarray of bool
        Whether the residual is below the tolerance.
    residual : ndarray
        Norm of the weighted residual at ``q``.
    step : ndarray
        Norm of the last step; where it is small without success, the target is out of reach
        or the joints are stuck.
    iterations : ndarray of int
    """

    q: np.ndarray
    success: np.ndarray
    residual: np.ndarray
    step: np.ndarray
    iterations: np.ndarray


def inverse_kinematics(
    model: Model,
    targets: Targets,
    q0: ArrayLike | None = None,
    *,
    method: str = "adaptive",
    damping: float | None = None,
    tolerance: float = 1e-12,
    step_tolerance: float = 1e-12,
    max_iterations: int | None = None,
    limits: bool = False,
) -> IKResult:
    """Return joint positions at which bodies are where they are wanted.

    Parameters
    ----------
    model : Model
    targets : Targets
    q0 : array_like, shape (..., nq), optional
        Where to start; neutral if omitted.
    method : {"adaptive", "damped"}
        Damping that shrinks with the residual, or that is constant.
    damping : float, optional
        1e-9 and 0.01 respectively, if omitted.
    tolerance : float
        Residual norm at which a member has succeeded.
    step_tolerance : float
        Length of a step at which a member gives up.
    max_iterations : int, optional
        300 and 55 respectively, if omitted.
    limits : bool
        Keep joints within the limits of the model; ``q0`` is brought within them first.

    Returns
    -------
    result : IKResult
        ``q``, ``success``, ``residual``, ``step`` and ``iterations``, each with the broadcast
        of the batch axes of ``q0`` and of the targets.

    Raises
    ------
    ModelError
        If the targets are of another model or there are none, or there is no such method.
    ShapeError
        If the last axis of ``q0`` is not ``model.nq``.

    Notes
    -----
    Damped: ``dq = J^T (J J^T + damping^2)^-1 e``.  Adaptive: ``dq = (J^T J + W)^-1 J^T e`` with
    ``W_k = (J^T e)_k^2 / 2 + damping`` (Sugihara 2011).  Steps are taken along the joints'
    manifold, so quaternions stay unit.
    """
    _check(model, targets, method)
    start = np.asarray(neutral(model) if q0 is None else q0, dtype=float)
    check_shape("q", (model.nq,), start, model)
    default_damping, default_iterations = _DEFAULTS[method]
    constants: tuple = (default_damping if damping is None else float(damping),)
    if limits:
        lower, upper = joint_limits(model)
        start = np.array(start)
        start[..., : model.nv] = np.clip(start[..., : model.nv], lower, upper)
        constants = (*constants, lower, upper)
    program = _step_program(model, targets.kinds, method == "adaptive", limits)
    result = iterate(
        partial(_call, program, constants),
        start,
        (targets.array,),
        tolerance=tolerance,
        step_tolerance=step_tolerance,
        max_iterations=default_iterations if max_iterations is None else max_iterations,
    )
    success = np.asarray(result.error < tolerance)
    return IKResult(result.q, success, result.error, result.step, result.iterations)


def joint_limits(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper limit for each velocity entry; infinite where there is none."""
    lower, upper = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    for joint in model.joints:
        if joint.limits is not None and joint.kind.nv == 1:
            lower[joint.v], upper[joint.v] = joint.limits.lower, joint.limits.upper
    return lower, upper


def _call(program: Any, constants: tuple, q: np.ndarray, values: np.ndarray):
    return program(q, values, *constants)


def _step_program(model: Model, kinds: tuple, is_adaptive: bool, limits: bool):
    """The program of one step for these kinds of targets, kept with the model."""
    function = algorithms.ik_step_limited if limits else algorithms.ik_step
    key = (function, kinds, is_adaptive)

    def make() -> Program:
        n_values = sum(algorithms.IK_VALUES[kind] for kind, _ in kinds)
        own = {"values": (n_values,), "damping": (), "lower": (model.nv,), "upper": (model.nv,)}
        static = {"targets": kinds, "is_adaptive": is_adaptive}
        return build(function, model, own, static).program

    return kept(model.programs, key, make)


def _check(model: Any, targets: Any, method: str) -> None:
    require_model(model)
    if not isinstance(targets, Targets):
        raise ModelError(
            f"expected Targets, got {type(targets).__name__}; make them with polhode.Targets(model)"
        )
    if targets.model is not model and targets.model != model:
        raise ModelError(
            f"expected targets of model '{model.name}', got some of '{targets.model.name}'"
        )
    if not targets.kinds:
        raise ModelError(f"expected at least one target on model '{model.name}', got none")
    if method not in _DEFAULTS:
        raise ModelError(
            f"expected a method of {', '.join(_DEFAULTS)}, got {method!r}"
            f"{suggestion(str(method), _DEFAULTS)}"
        )
