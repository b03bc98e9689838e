"""Measured forces as external forces on bodies."""

from __future__ import annotations

import numpy as np

from ..arrays import ArrayLike, as_array
from ..binding.model_argument import require_model, where_of
from ..errors import ModelError, ShapeError
from ..model import Model


def applied_forces(
    model: Model,
    body: int | str,
    force: ArrayLike,
    point: ArrayLike,
    torque: ArrayLike | None = None,
) -> np.ndarray:
    """Return forces at points, as external forces of dynamics functions.

    Parameters
    ----------
    model : Model
    body : int, str or Body
        The body that they act on.
    force : array_like, shape (..., 3)
        Base axes [N].
    point : array_like, shape (..., 3)
        Where the force acts, base coordinates [m].
    torque : array_like, shape (..., 3), optional
        Beside the force, base axes [N m].

    Returns
    -------
    f_ext : ndarray, shape (..., n_bodies, 6)
        Add those of several bodies.

    Raises
    ------
    ModelError
        If there is no such body, or it cannot move.
    ShapeError
        If the last axes are not of three numbers, or the others do not broadcast.
    """
    found = require_model(model).body(body)
    if found.moving == 0:
        raise ModelError(f"expected a body that moves, got '{found.name}' (model '{model.name}')")
    given = {"force": force, "point": point, "torque": np.zeros(3) if torque is None else torque}
    arrays = {key: as_array(key, value, where_of(model)) for key, value in given.items()}
    for key, array in arrays.items():
        if array.shape[-1:] != (3,):
            raise ShapeError(f"expected 3 on the last axis of {key}, got shape {array.shape}")
    shapes = [array.shape for array in arrays.values()]
    try:
        shape = np.broadcast_shapes(*shapes)[:-1]
    except ValueError:
        raise ShapeError(
            f"expected axes that broadcast, got force {shapes[0]}, point {shapes[1]}, torque "
            f"{shapes[2]}"
        ) from None
    push, place, turn = arrays.values()
    f_ext = np.zeros((*shape, model.n_bodies, 6))
    f_ext[..., found.moving - 1, :3] = turn + np.cross(place, push)
    f_ext[..., found.moving - 1, 3:] = push
    return f_ext
