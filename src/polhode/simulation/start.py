"""Where a run of a model starts: positions and velocities, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.manifold import neutral
from ..arrays import as_array
from ..errors import ShapeError, StartWarning, warn_caller
from ..model import Model
from .errors import StartError
from .joint_limits import JointLimits

UNIT_TOLERANCE = 1e-3  # of the norm of a quaternion; within it the quaternion is made unit
LIMIT_TOLERANCE = 1e-3  # beyond a limit [rad or m]
_TURN = 2.0 * np.pi
_SHOWN = 4


def start_of(model: Model, q0: Any, qd0: Any) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities with the same leading axes, free to be overwritten.

    Raises
    ------
    ShapeError
        If they do not fit the model, or are not finite.
    """
    where = f" (model '{model.name}')"
    q = neutral(model) if q0 is None else vector_of("q0", q0, model.nq, "nq", where)
    qd = np.zeros(model.nv) if qd0 is None else vector_of("qd0", qd0, model.nv, "nv", where)
    try:
        shape = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1])
    except ValueError:
        raise ShapeError(
            f"expected the worlds of q0 and qd0 to agree, got {q.shape[:-1]} and {qd.shape[:-1]}"
        ) from None
    q = unit(model, q, "q0")
    return (
        np.broadcast_to(q, (*shape, model.nq)).copy(),
        np.broadcast_to(qd, (*shape, model.nv)).copy(),
    )


def vector_of(what: str, x: Any, size: int, name: str = "", where: str = "") -> np.ndarray:
    """Finite numbers whose last axis is ``size`` long."""
    array = as_array(what, x, where)
    if not np.isfinite(array).all():
        raise ShapeError(f"expected a finite start, got NaN or infinity in {what}{where}")
    if array.shape[-1:] != (size,):
        got = array.shape[-1] if array.ndim else "a scalar"
        length = f"{name} = {size}" if name else str(size)
        raise ShapeError(f"expected {length} on the last axis of {what}, got {got}{where}")
    return array


def unit(model: Model, q: np.ndarray, what: str) -> np.ndarray:
    """Positions whose quaternions, if nearly unit, are exactly so; a copy if one changes.

    Raises
    ------
    ShapeError
        For a quaternion whose norm is off by more than `UNIT_TOLERANCE`.
    """
    for k, v in zip(model.q_index, model.v_index, strict=True):
        if len(k) == len(v):
            continue
        norms = np.linalg.norm(q[..., k], axis=-1, keepdims=True)
        worst = float(np.abs(norms - 1.0).max(initial=0.0))
        if not worst <= UNIT_TOLERANCE:
            raise ShapeError(
                f"expected unit quaternions in {what}, got a norm off by {worst:.3g}; "
                f"polhode.neutral gives a start (model '{model.name}')"
            )
        if worst > 1e-12:
            q = q.copy()
            q[..., k] /= norms
    return q


def answer_limits(model: Model, q: np.ndarray, start: str) -> str:
    """Answer joints outside the limits that the model declares as ``start`` says.

    Returns
    -------
    note : str
        What was said, empty if there was nothing to say; settled positions are in ``q``.

    Raises
    ------
    StartError
        If there are some, and they are neither to be settled nor kept.
    """
    limits, told = JointLimits(model), []
    beyond = limits.beyond(q)
    for k, name in enumerate(limits.names):
        past = beyond[..., k]
        if past.max(initial=0.0) > LIMIT_TOLERANCE:
            worst = float(q[..., limits.place[k]].flat[int(past.argmax())])
            lower, upper = float(limits.lower[k]), float(limits.upper[k])
            told.append(beyond_limits(f"joint '{name}'", worst, lower, upper, limits.is_angle[k]))
    if not told:
        return ""
    more = f"; and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
    text = f"{'; '.join(told[:_SHOWN])}{more} (model '{model.name}')"
    if start == "check":
        raise StartError(f"{text}; start='settle' moves joints to their limits first, "
                         "start='keep' takes them as they are")  # fmt: skip
    if start == "settle":
        clipped = q.copy()
        clipped[..., limits.place] = np.clip(q[..., limits.place], limits.lower, limits.upper)
        text += f": moved by {np.abs(clipped - q).max():.3g}"
        q[...] = clipped
    warn_caller(text, StartWarning)
    return text


def beyond_limits(joint: str, q: float, lower: float, upper: float, is_angle: bool) -> str:
    """What to say of a joint that is outside of its limits."""
    unit = "rad" if is_angle else "m"
    degrees = f" ({q:.4g} degrees are {np.radians(q):.4g} rad)" if abs(q) > _TURN else ""
    return (
        f"{joint} starts at {q:.4g} {unit}, outside its limits {lower:.4g} to {upper:.4g}"
        f"{degrees if is_angle else ''}"
    )
