"""Inverse dynamics as a linear function of the model's inertial parameters."""

from __future__ import annotations

import numpy as np

from .. import algorithms
from ..algorithms.tree.regressor import PARAMETERS
from ..arrays import ArrayLike, as_array
from ..binding.calls import evaluate
from ..binding.model_argument import require_model
from ..errors import ShapeError
from ..model import Model
from .parameters import with_parameters

N_PARAMETERS = len(PARAMETERS)


def inverse_dynamics_regressor(
    model: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the matrix that takes inertial parameters to joint forces.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd, qdd : array_like, shape (..., nv)
    out : ndarray, shape (..., nv, 10 n_bodies), optional

    Returns
    -------
    Y : ndarray, shape (..., nv, 10 n_bodies)

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    ``tau = Y(q, qd, qdd) pi``, where ``pi`` is what `inertial_parameters` returns; O(n depth).
    The mass properties of the model itself do not enter.  Atkeson, An and Hollerbach,
    "Estimation of inertial parameters of manipulator loads and links", IJRR 5(3), 1986.
    """
    return evaluate(algorithms.rnea_regressor, model, (q, qd, qdd), out)


def inertial_parameters(model: Model) -> np.ndarray:
    """Return the inertial parameters of a model, ten a body.

    Parameters
    ----------
    model : Model

    Returns
    -------
    pi : ndarray, shape (10 n_bodies,)
        For each body, in its coordinates: its mass, first moment of mass (x, y, z), and rotational
        inertia about the body's origin.  The latter has the order xx, xy, xz, yy, yz, zz.
    """
    return np.array(algorithms.inertial_parameters(require_model(model)), dtype=float)


def with_inertial_parameters(model: Model, pi: ArrayLike) -> Model:
    """Return the model whose inertial parameters are ``pi``.

    Parameters
    ----------
    model : Model
    pi : array_like, shape (10 n_bodies,)
        In the order of `inertial_parameters`.

    Returns
    -------
    model : Model

    Raises
    ------
    ModelError
        If a mass is negative, or a number not finite.
    ShapeError
        If there are not ten numbers a body.
    """
    n, where = N_PARAMETERS * require_model(model).n_bodies, f" (model '{model.name}')"
    array = as_array("pi", pi, where)
    if array.shape != (n,):
        raise ShapeError(
            f"expected 10 n_bodies = {n} parameters as pi, got shape {array.shape}{where}"
        )
    bodies = array.reshape(-1, N_PARAMETERS)
    mass, moment = bodies[:, 0], bodies[:, 1:4]
    com = np.divide(moment, mass[:, None], out=np.zeros_like(moment), where=mass[:, None] != 0)
    square = np.einsum("ki,ki->k", com, com)[:, None, None] * np.eye(3)
    shift = mass[:, None, None] * (square - com[:, :, None] * com[:, None, :])
    about_origin = bodies[:, [4, 5, 6, 5, 7, 8, 6, 8, 9]].reshape(-1, 3, 3)
    values = {"mass": mass, "com": com, "inertia": about_origin - shift}
    return with_parameters(model, values)


def parameter_names(model: Model) -> tuple[str, ...]:
    """A name for each entry of `inertial_parameters`, such as ``Izz(forearm)``."""
    return tuple(f"{name}({body.name})" for body in model.bodies for name in PARAMETERS)
