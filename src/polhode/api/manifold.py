"""The configuration manifold: neutral and random positions, steps and differences."""

from __future__ import annotations

import numpy as np

from .. import algorithms
from ..arguments import MOST_ENTRIES, as_generator, as_shape
from ..arrays import ArrayLike, batch_of
from ..binding.calls import checked, evaluate
from ..binding.model_argument import require_model, where_of
from ..errors import ModelError, ShapeError
from ..model import Joint, Model, Spherical


def neutral(model: Model) -> np.ndarray:
    """Return the position at which every joint's frames coincide, shape (nq,).

    Parameters
    ----------
    model : Model

    Returns
    -------
    q : ndarray, shape (nq,)
        The positions.
    """
    neutral = {i: model.joint[i].neutral() for i in require_model(model).bodies}
    return np.array(model.join_q(neutral), dtype=float)


def random_configuration(
    model: Model, rng: np.random.Generator | int | None = None, size: int | tuple[int, ...] = ()
) -> np.ndarray:
    """Return random positions, uniform within the joints' limits.

    Parameters
    ----------
    model : Model
    rng : numpy.random.Generator or int, optional
        A generator or a seed.
    size : int or tuple of int
        Batch shape.

    Returns
    -------
    q : ndarray, shape (..., nq)
        Coordinates without finite limits lie in [-pi, pi] (angles) or [-1, 1] (lengths);
        orientations are uniform over all rotations.

    Raises
    ------
    ArgumentError
        If ``rng`` or ``size`` is something else.
    """
    require_model(model)
    rng, size = as_generator("rng", rng), as_shape("size", size, most=MOST_ENTRIES // 8)
    q = rng.uniform(*_ranges(model), size=(*size, model.nq))
    for i in model.bodies:
        if isinstance(model.joint[i], Spherical):
            quaternion = rng.standard_normal((*size, 4))
            quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
            q[..., list(model.q_index[i])] = quaternion
    return q


def _ranges(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends from which coordinates are drawn."""
    lower, upper = np.full(model.nq, -np.pi), np.full(model.nq, np.pi)
    names = [name for joint in model.joints for name in joint.kind.dof_names]
    for k, name in enumerate(names):
        if name.startswith("T"):
            lower[k], upper[k] = -1.0, 1.0
    for joint in model.joints:
        _limit(joint, lower, upper)
    return lower, upper


def _limit(joint: Joint, lower: np.ndarray, upper: np.ndarray) -> None:
    if joint.limits is None or joint.kind.nv != 1:
        return
    low, high = joint.limits.lower, joint.limits.upper
    if np.isfinite(low) and np.isfinite(high):
        lower[joint.q], upper[joint.q] = low, high


def integrate(
    model: Model, q: ArrayLike, v: ArrayLike, dt: ArrayLike = 1.0, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the position reached with constant joint velocities.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)
        Joint velocities.
    dt : array_like, shape (...)
        Time [s].
    out : ndarray, shape (..., nq), optional

    Returns
    -------
    q : ndarray, shape (..., nq)
        Quaternions stay unit.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    ``q + v dt`` for scalar coordinates, ``q exp(w dt)`` for quaternions with body-frame angular
    velocity ``w``; O(n).  RBDA section 4.5.  A quaternion of length zero is no orientation: its
    coordinates come out as NaN.
    """
    return evaluate(algorithms.integrate, model, (q, v, dt), out)


def difference(
    model: Model, q0: ArrayLike, q1: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the joint velocities that lead from ``q0`` to ``q1`` in unit time.

    Parameters
    ----------
    model : Model
    q0, q1 : array_like, shape (..., nq)
    out : ndarray, shape (..., nv), optional

    Returns
    -------
    v : ndarray, shape (..., nv)
        For orientations the shortest rotation, at most pi.

    Raises
    ------
    ShapeError
        If the last axis of an argument is not ``model.nq``.

    Notes
    -----
    The inverse of `integrate`; O(n).  NaN where a quaternion has length zero.
    """
    return evaluate(algorithms.difference, model, (q0, q1), out)


def get_quaternion(model: Model, q: ArrayLike, body: int | str) -> np.ndarray:
    """Return the orientation of a spherical joint as ``(w, x, y, z)``, shape (..., 4).

    ``body`` is the body that the joint, or a floating base, moves.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
        Joint positions [rad or m].
    body : int, str or Body
        The body.

    Returns
    -------
    quaternion : ndarray, shape (..., 4)
        Orientation ``w, x, y, z``.

    Raises
    ------
    ModelError
        If the body's joint has no quaternion.
    ShapeError
        If the last axis of `q` is not ``model.nq``.
    """
    (q,) = checked({"q": (require_model(model).nq,)}, [q], model)
    x, y, z, w = _quaternion_index(model, body)
    return q[..., [w, x, y, z]]


def set_quaternion(
    model: Model, q: ArrayLike, body: int | str, quaternion: ArrayLike
) -> np.ndarray:
    """Return ``q`` with the orientation of a spherical joint replaced.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    body : int or str
        The body that the joint, or a floating base, moves.
    quaternion : array_like, shape (..., 4)
        ``(w, x, y, z)``; normalised here.

    Returns
    -------
    q : ndarray, shape (..., nq)
        A new array.

    Raises
    ------
    ModelError
        If the body's joint has no quaternion.
    ShapeError
        If the last axes do not fit, or a quaternion is zero.
    """
    shapes = {"q": (require_model(model).nq,), "quaternion": (4,)}
    q, quaternion = checked(shapes, [q, quaternion], model)
    quaternion = quaternion.astype(float)
    _, exponent = np.frexp(np.abs(quaternion).max(axis=-1, keepdims=True))
    quaternion = np.ldexp(quaternion, -exponent)  # so that no square is too large or too small
    norm = np.linalg.norm(quaternion, axis=-1, keepdims=True)
    if (norm == 0.0).any():
        raise ShapeError(f"expected a quaternion of non-zero length{where_of(model)}")
    batch = batch_of(shapes, [q, quaternion])
    result = np.array(np.broadcast_to(q, (*batch, model.nq)), dtype=float)
    x, y, z, w = _quaternion_index(model, body)
    with np.errstate(invalid="ignore"):  # NaN stays in its own state
        result[..., [w, x, y, z]] = quaternion / norm
    return result


def _quaternion_index(model: Model, body: int | str) -> tuple[int, ...]:
    i = model.body(body)
    if not 1 <= i <= model.n_bodies or not isinstance(model.joint[i], Spherical):
        raise ModelError(f"the joint of body '{i.name}' of model '{model.name}' has no quaternion")
    return model.q_index[i]
