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
from ..model.inertias import ROUNDING
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
        For an unknown name, a negative mass, or a value that is not finite.  Also for a frame that
        is not a rotation and an origin, and an inertia that is not symmetric.
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
        check_frames(arrays["frame"], where)
    if "inertia" in arrays:
        check_inertias(arrays["inertia"], where)
    return edited(model, {name: array.tolist() for name, array in arrays.items()})


def check_frames(poses: np.ndarray, where: str) -> None:
    """Refuse poses of frames, shape (..., n_bodies, 4, 4), of which one is none.

    Raises
    ------
    ModelError
        For the first that is not a rotation and an origin.
    """
    turn = poses[..., :3, :3]
    wrong = np.abs(turn @ turn.swapaxes(-1, -2) - np.eye(3)).max((-2, -1), initial=0.0) > 1e-9
    wrong |= (np.linalg.det(turn) < 0) | (poses[..., 3, :] != (0.0, 0.0, 0.0, 1.0)).any(-1)
    _refuse(wrong, poses, "a rotation and an origin, over (0, 0, 0, 1), as the frame", where)


def check_inertias(inertia: np.ndarray, where: str) -> None:
    """Refuse inertias, shape (..., n_bodies, 3, 3), of which one is not symmetric.

    Raises
    ------
    ModelError
        For the first that is not.
    """
    off = np.abs(inertia - inertia.swapaxes(-1, -2)).max((-2, -1), initial=0.0)
    most = np.abs(inertia).max((-2, -1), initial=0.0)
    _refuse(off > ROUNDING * most, inertia, "a symmetric matrix as the inertia", where)


def _refuse(wrong: np.ndarray, values: np.ndarray, wanted: str, where: str) -> None:
    """Raise an error that shows the first matrix that is wrong, if one is."""
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0])
        raise ModelError(
            f"expected {wanted} of body {place[-1] + 1}, got {values[place].tolist()}{where}"
        )
