"""Inverse kinematics: joint positions that bring bodies to their targets."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import algorithms
from ..arguments import as_choice, as_count, as_flag, as_number
from ..arrays import ArrayLike, as_array
from ..binding.calls import check_shape
from ..binding.model_argument import require_model, where_of
from ..binding.programs import made
from ..errors import ModelError, ShapeError
from ..model import Model, Revolute
from ..once import kept
from .constraints_iterate import Iterated, iterate
from .inverse_kinematics_targets import Targets
from .manifold import neutral, random_configuration

if TYPE_CHECKING:
    from ..compiler import Program

_DEFAULTS = {"damped": (0.01, 55), "adaptive": (1e-9, 300)}  # damping and iterations, as RBDL's


class IKResult(NamedTuple):
    """Where inverse kinematics ended, for each member of the batch.

    Without a batch ``success``, ``residual``, ``step`` and ``iterations`` are Python numbers.

    Attributes
    ----------
    q : ndarray, shape (..., nq)
        Without success the position with the smallest residual that was found.
    success : bool or ndarray of bool
        Whether the residual is below the tolerance.
    residual : float or ndarray
        Norm of the weighted residual at ``q``.
    step : float or ndarray
        Norm of the last step; where it is small without success, the target is out of reach
        or the joints are stuck.
    iterations : int or ndarray of int
        Steps of all tries together.
    """

    q: np.ndarray
    success: bool | np.ndarray
    residual: float | np.ndarray
    step: float | np.ndarray
    iterations: int | np.ndarray


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
    restarts: int = 10,
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
        Length of a step at which a try ends.
    max_iterations : int, optional
        Of each try; 300 and 55 respectively, if omitted.
    limits : bool
        Keep joints within the limits of the model; ``q0`` is brought within them first.
    restarts : int
        How many further tries a member without success gets, from random positions that are
        the same in every call.  0 stays with the solution that ``q0`` leads to.

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
        If the last axis of ``q0`` is not ``model.nq``, or it holds no real numbers.
    ValueError
        If ``restarts`` is negative.

    Notes
    -----
    Damped: ``dq = J^T (J J^T + damping^2)^-1 e``.  Adaptive: ``dq = (J^T J + W)^-1 J^T e`` with
    ``W_k = (J^T e)_k^2 / 2 + damping`` (Sugihara 2011).  Steps are taken along the joints'
    manifold, so quaternions stay unit.

    Angles of revolute joints without limits, and of all revolute joints unless ``limits``,
    end within half a turn of ``q0``.  All is computed in float64; a member's result does not
    depend on the other members.
    """
    _check(model, targets, method, restarts)
    start = np.asarray(neutral(model)) if q0 is None else as_array("q0", q0, where_of(model))
    check_shape("q0", (model.nq,), start, model)
    bounds = model.limits[:2] if as_flag("limits", limits) else None
    default_damping, default_iterations = _DEFAULTS[method]
    if damping is not None:
        default_damping = as_number("damping", damping, least=0.0)
    if max_iterations is not None:
        default_iterations = as_count("max_iterations", max_iterations, least=0)
    constants = (default_damping, *(bounds or ()))
    program = _step_program(model, targets.kinds, method == "adaptive", limits)
    descend = partial(
        iterate,
        partial(_step, _Steps(program, constants, _periods(model, bounds), bounds)),
        tolerance=as_number("tolerance", tolerance, least=0.0),
        step_tolerance=as_number("step_tolerance", step_tolerance, least=0.0),
        max_iterations=default_iterations,
        keeps_best=True,
    )
    batch = _batch(start, targets)
    near, values = (
        np.broadcast_to(x, (*batch, x.shape[-1])).reshape(math.prod(batch), x.shape[-1])
        for x in (start, targets.array)
    )
    found = descend(_clipped(near.copy(), bounds), (values, near))
    _try_again(descend, found, values, near, _starts(model, restarts, bounds), tolerance)
    return _result(found, batch, tolerance)


def descend(
    model: Model,
    targets: Targets,
    q0: np.ndarray,
    *,
    method: str,
    damping: float,
    tolerance: float,
    step_tolerance: float,
    max_iterations: int,
) -> IKResult:
    """One try from ``q0`` to where the last step leads, for one position of the joints.

    Parameters as of `inverse_kinematics`; angles are not brought back to those of ``q0``.
    """
    _check(model, targets, method, 0)
    program = _step_program(model, targets.kinds, method == "adaptive", False)
    found = iterate(
        lambda q, values: program(q, values, damping),
        q0,
        (targets.array,),
        tolerance=tolerance,
        step_tolerance=step_tolerance,
        max_iterations=max_iterations,
    )
    return _result(found, found.error.shape, tolerance)


Bounds = tuple[np.ndarray, np.ndarray] | None


class _Steps(NamedTuple):
    """The program of a step, its last arguments, and where positions are kept."""

    program: Any
    constants: tuple
    periods: np.ndarray
    bounds: Bounds


def _step(
    steps: _Steps, q: np.ndarray, values: np.ndarray, near: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One step of all members, brought within the limits and within half a turn of ``near``."""
    after, error, length = steps.program(q, values, *steps.constants)
    turns = np.isfinite(steps.periods)
    period = steps.periods[turns]
    after[..., turns] -= period * np.rint((after - near)[..., turns] / period)
    return _clipped(after, steps.bounds), error, length


def _periods(model: Model, bounds: Bounds) -> np.ndarray:
    """For each position entry after how much the joint is where it was; infinite if never."""
    periods = np.full(model.nq, np.inf)
    followed = {model.relation(joint.name).leader for joint in model.followers}
    for joint in model.joints:
        if joint.name in followed:  # a turn of it is another angle of those that follow
            continue
        entries = np.arange(model.nq)[joint.q]
        for k, part in zip(entries, getattr(joint.kind, "parts", (joint.kind,)), strict=False):
            is_free = bounds is None or (np.isinf(bounds[0][k]) and np.isinf(bounds[1][k]))
            if isinstance(part, Revolute) and is_free:
                periods[k] = 2.0 * np.pi / np.linalg.norm(part.axis)
    return periods


def _clipped(q: np.ndarray, bounds: Bounds) -> np.ndarray:
    """Positions within the limits, in place: a step's sum may round to beyond them."""
    if bounds is not None:
        nv = len(bounds[0])
        q[..., :nv] = np.clip(q[..., :nv], *bounds)
    return q


def _batch(start: np.ndarray, targets: Targets) -> tuple[int, ...]:
    shapes = start.shape[:-1], targets.array.shape[:-1]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ShapeError(
            f"expected batch axes that broadcast, got q0 {shapes[0]}, targets {shapes[1]} "
            f"(model '{targets.model.name}')"
        ) from None


def _starts(model: Model, count: int, bounds: Bounds) -> np.ndarray:
    """Random positions, always the same."""
    starts = random_configuration(model, np.random.default_rng(0), count)
    return _clipped(starts, bounds)


def _try_again(
    descend: Callable[..., Iterated],
    found: Iterated,
    values: np.ndarray,
    near: np.ndarray,
    starts: np.ndarray,
    tolerance: float,
) -> None:
    """Start members without success elsewhere; in place, where the residual falls."""
    for start in starts:
        left = np.flatnonzero(~(found.error < tolerance) & np.isfinite(found.error))
        if not len(left):
            return
        again = descend(start, (values[left], near[left]))
        found.iterations[left] += again.iterations
        fell = again.error < found.error[left]
        for best, new in ((found.q, again.q), (found.error, again.error), (found.step, again.step)):
            best[left[fell]] = new[fell]


def _result(found: Iterated, batch: tuple[int, ...], tolerance: float) -> IKResult:
    q = found.q.reshape(*batch, found.q.shape[-1])
    rest = (found.error < tolerance, found.error, found.step, found.iterations)
    if batch:
        return IKResult(q, *(x.reshape(batch) for x in rest))
    return IKResult(q, *(x.item() for x in rest))


def _step_program(model: Model, kinds: tuple, is_adaptive: bool, limits: bool):
    """The program of one step for these kinds of targets, kept with the model."""
    function = algorithms.ik_step_limited if limits else algorithms.ik_step
    key = (function, kinds, is_adaptive)

    def make() -> Program:
        n_values = sum(algorithms.IK_VALUES[kind] for kind, _ in kinds)
        own = {"values": (n_values,), "damping": (), "lower": (model.nv,), "upper": (model.nv,)}
        static = {"targets": kinds, "is_adaptive": is_adaptive}
        return made(function, model, own, static)

    return kept(model.programs, key, make)


def _check(model: Any, targets: Any, method: str, restarts: int) -> None:
    require_model(model)
    if not isinstance(targets, Targets):
        raise ModelError(
            f"expected Targets, got {type(targets).__name__}; "
            "make them with polhode.kinematics.Targets(model).pose(body, pose)"
        )
    if targets.model is not model and targets.model != model:
        raise ModelError(
            f"expected targets of model '{model.name}', got some of '{targets.model.name}'"
        )
    if not targets.kinds:
        raise ModelError(f"expected at least one target on model '{model.name}', got none")
    as_choice("method", method, tuple(_DEFAULTS))
    as_count("restarts", restarts, least=0)
