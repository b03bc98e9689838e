"""The ground-contact functions: where points are, what forces they feel, and how it moves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..api.ground_contact import (
    floating_point_motions,
    ground_contact_force,
    ground_contact_push,
    point_motions,
)
from ..arrays import as_array
from ..errors import ModelError, ShapeError
from .arrays import ArrayLike, vector
from .convert import core_model, floating_core
from .floating import FDfb
from .system import SystemModel
from .vocabulary import described


@described("motion", state=("array_like", "Of the base and of the joints, as `FDfb` takes it."))
def gcPosVel(model: SystemModel, *state: ArrayLike) -> np.ndarray:
    """Positions and velocities of the model's ground-contact points, a column each.

    ``gcPosVel(model, q, qd)``; or ``gcPosVel(model, xfb)`` and
    ``gcPosVel(model, xfb, q, qd)`` of a floating base.  Positions are the upper half of
    the result, 6xn or (planar) 4xn.
    """
    points = _points(model)
    if len(state) == 2:
        core = core_model(model)
        q, qd = (vector(y, model.NB, name) for name, y in zip(("q", "qd"), state, strict=True))
        p, v = point_motions(core, q, qd, points)
    elif len(state) in (1, 3):
        core, n = floating_core(model), model.NB - 6
        q, qd = state[1:] or ((), ())
        moved = [(i - 4, p) for i, p in points]  # body 6 is body 2 of the core
        joints = vector(q, n, "q"), vector(qd, n, "qd")
        p, v = floating_point_motions(core, vector(state[0], 13, "xfb"), *joints, moved)
    else:
        raise TypeError(f"expected q and qd, or xfb, or xfb, q and qd; got {len(state)} arguments")
    d = 2 if model.is_planar else 3
    return np.concatenate((p[:, :d].T, v[:, :d].T))


def _points(model: SystemModel) -> list[tuple[int, tuple[float, ...]]]:
    if "gc" not in model:
        raise ModelError("the model has no field 'gc' with points that may touch the ground")
    rows = model.gc.point.T.tolist()
    if len(rows) != len(model.gc.body) or len(rows[0]) != (2 if model.is_planar else 3):
        raise ModelError(
            f"expected one column of coordinates in gc.point for each of the "
            f"{len(model.gc.body)} bodies in gc.body, got shape {model.gc.point.shape}"
        )
    return [(int(i), (*row, 0.0)[:3]) for i, row in zip(model.gc.body, rows, strict=True)]


def gcontact(
    K: float, D: float, mu: float, p: ArrayLike, pd: ArrayLike,
    u: ArrayLike | None = None, *, nargout: int = 3,
) -> Any:  # fmt: skip
    """Forces of compliant ground on points, a column each.

    Parameters
    ----------
    K, D, mu : float
        Stiffness, damping, friction.  With ``mu`` zero there is no friction: ``p`` and
        ``pd`` are heights and their derivatives, and only the normal forces are returned.
    p, pd : array_like, 3xn or 2xn
        Positions and velocities; the ground is at zero of the last row.
    u : array_like, 2xn or 1xn
        How far the ground has yielded along itself under each point.
    nargout : int
        With 1, the three results are stacked into one array.

    Returns
    -------
    f, ud : ndarray
        Forces, and the derivative of ``u``.
    fcone : ndarray, n
        Greater than 1 where a point slides; 2 at most, and where it is not in contact.
    """
    if mu == 0:
        return ground_contact_push(K, D, p, pd)
    if u is None:
        raise TypeError("gcontact needs u, the ground's deformation, unless mu is 0")
    p, pd, u = as_array("p", p), as_array("pd", pd), as_array("u", u)
    if p.shape[:1] not in ((2,), (3,)) or p.ndim > 2 or pd.shape != p.shape:
        raise ShapeError(
            f"expected p and pd alike, 3xn or 2xn, got shapes {p.shape} and {pd.shape}"
        )
    shape = (len(p) - 1, *p.shape[1:])
    if u.size != math.prod(shape):
        raise ShapeError(f"expected u of shape {shape}, got {u.shape}")
    u = u.reshape(shape)
    force, rate, cone = ground_contact_force(K, D, mu, p.T, pd.T, u.T)
    f, ud, fcone = np.transpose(force), np.transpose(rate), np.asarray(cone)
    return np.concatenate((f, ud, fcone[None])) if nargout == 1 else (f, ud, fcone)


def gcFD(model: SystemModel, FDfn: Callable[..., Any], u: ArrayLike) -> np.ndarray:
    """A forward-dynamics function with its arguments, and its results, as one vector.

    Parameters
    ----------
    model : SystemModel
        With the field ``gc`` if there are contact forces.
    FDfn : callable
        `FDab`, `FDcrb`, `FDgq` or `FDfb`.
    u : array_like
        ``[q; qd; tau; f]``, or ``[x; q; qd; tau; f]`` for `FDfb`; ``f`` may be omitted, and
        else holds the spatial (planar) force at each contact point, one after the other.

    Returns
    -------
    ndarray
        ``qdd``, or ``[xd; qdd]`` for `FDfb`.

    Raises
    ------
    ShapeError
        If ``u`` has another length.
    """
    u = as_array("u", u).ravel()
    floats = FDfn is FDfb
    n = model.NB - 6 if floats else model.NB
    start = 13 if floats else 0
    end = start + 3 * n
    size = 3 if model.is_planar else 6
    with_forces = end + size * len(model.gc.body) if "gc" in model else end
    if u.size not in (end, with_forces):
        raise ShapeError(
            f"expected {end} numbers, or {with_forces} with contact forces, in u, got {u.size}"
        )
    arguments = [u[:13]] if floats else []
    arguments += [u[start + k * n : start + (k + 1) * n] for k in range(3)]
    if u.size > end:
        arguments.append(_summed(model, u[end:].reshape(-1, size)))
    result = FDfn(model, *arguments)
    return np.concatenate(result) if floats else result


def _summed(model: SystemModel, forces: np.ndarray) -> np.ndarray:
    """The forces at contact points added up for each body."""
    total = np.zeros((model.NB, forces.shape[1]))
    np.add.at(total, model.gc.body - 1, forces)
    return total
