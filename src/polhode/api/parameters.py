"""Parameters of a model as inputs of a program, and models with other parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..arguments import as_mapping
from ..arrays import ArrayLike, as_array
from ..binding.model_argument import require_model
from ..binding.parameter_inputs import checked_names
from ..errors import ModelError
from ..model import Model
from ..model.parameters import PARAMETERS, edited, nominal, shape_of


def parameters_of(model: Model, names: Sequence[str] = tuple(PARAMETERS)) -> dict[str, np.ndarray]:
    """Return the model's parameters as arrays, in the order of ``names``.

    Parameters
    ----------
    model : Model
    names : sequence of str
        Of ``"mass"``, ``"com"``, ``"inertia"``, ``"frame"``, ``"gravity"``, ``"armature"``,
        ``"damping"``, ``"friction"``, ``"stiffness"`` and ``"rest"``; all if omitted.

    Returns
    -------
    parameters : dict
        In body coordinates ``mass`` (n_bodies,) [kg], ``com`` (n_bodies, 3) [m], and ``inertia``
        (n_bodies, 3, 3) about the centre of mass [kg m^2].  ``frame`` (n_bodies, 4, 4) is the pose
        of each joint's frame in the parent body; ``gravity`` is (3,).  What joints do by
        themselves, from ``armature`` to ``rest``, is (nv,).

    Raises
    ------
    ModelError
        For a name that is none of these, or given twice.

    Notes
    -----
    Entry k is that of body k + 1, links fixed to it included.  Entries of the massless
    bodies inside a joint with several axes are there, and have no effect.

    Examples
    --------
    >>> program = ph.compile(ph.algorithms.rnea, arm, parameters=["mass", "com"])
    >>> tau = program(q, qd, qdd, *ph.identification.parameters_of(arm, ["mass", "com"]).values())
    """
    require_model(model)
    return {
        name: np.array(nominal(model, name), dtype=float).reshape(shape_of(model, name))
        for name in checked_names(names)
    }


def with_parameters(model: Model, parameters: Mapping[str, ArrayLike]) -> Model:
    """Return the model with other parameters.

    Parameters
    ----------
    model : Model
    parameters : mapping of str to array_like
        Some of those of `parameters_of`, in the same shapes.

    Returns
    -------
    model : Model
        Links fixed to a body keep their places; if a mass property is given, theirs
        becomes part of the body's.

    Raises
    ------
    ModelError
        For an unknown name, a negative mass, a frame that is not a rotation and an origin,
        or a value that is not finite.
    ShapeError
        If a value holds anything but real numbers, or does not have the parameter's shape.
    ArgumentError
        If ``parameters`` is no mapping.
    """
    require_model(model)
    where, arrays = f" (model '{model.name}')", {}
    for name in checked_names(list(as_mapping("parameters", parameters, where))):
        array = as_array(name, parameters[name], where, shape=shape_of(model, name))
        if not np.isfinite(array).all():
            raise ModelError(f"expected finite numbers as {name}{where}")
        arrays[name] = array
    if "frame" in arrays:
        _check_frames(model, arrays["frame"])
    return edited(model, {name: array.tolist() for name, array in arrays.items()})


def _check_frames(model: Model, poses: np.ndarray) -> None:
    turn = poses[:, :3, :3]
    wrong = np.abs(turn @ turn.transpose(0, 2, 1) - np.eye(3)).max((1, 2), initial=0.0) > 1e-9
    wrong |= (np.linalg.det(turn) < 0) | (poses[:, 3] != (0.0, 0.0, 0.0, 1.0)).any(-1)
    if wrong.any():
        body = int(np.argmax(wrong)) + 1
        raise ModelError(
            f"expected a rotation and an origin, over (0, 0, 0, 1), as the frame of body {body}, "
            f"got {poses[body - 1].tolist()} (model '{model.name}')"
        )
