"""Inverse dynamics as a linear function of the model's inertial parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import algorithms
from ..algorithms.tree.regressor import JOINT_PARAMETERS, PARAMETERS
from ..arrays import ArrayLike, as_array
from ..binding.calls import evaluate
from ..binding.model_argument import require_model
from ..binding.parameter_inputs import checked_names
from ..errors import ModelError, ShapeError, shown
from ..model import Model
from .parameters import parameters_of, with_parameters

N_PARAMETERS = len(PARAMETERS)


def inverse_dynamics_regressor(
    model: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, joints: Sequence[str] = (),
    out: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """Return the matrix that takes inertial parameters to joint forces.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd, qdd : array_like, shape (..., nv)
    joints : sequence of str
        Of ``"armature"``, ``"damping"`` and ``"friction"``, what joints do by themselves: each
        adds nv columns behind those of the bodies, one for each velocity entry.
    out : ndarray, shape (..., nv, columns), optional

    Returns
    -------
    Y : ndarray, shape (..., nv, 10 n_bodies + nv len(joints))

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    ModelError
        For an unknown name in ``joints``, or one given twice.

    Notes
    -----
    ``tau = Y(q, qd, qdd) pi``, where ``pi`` is what `inertial_parameters` returns; O(n depth).
    It is what `inverse_dynamics` needs of a model whose armature is zero or in ``joints``;
    ``"damping"`` adds ``damping qd``, and ``"friction"`` adds ``friction sign(qd)``.  The mass
    properties of the model itself do not enter.  Atkeson, An and Hollerbach,
    "Estimation of inertial parameters of manipulator loads and links", IJRR 5(3), 1986.
    """
    names = joint_names(joints)
    return evaluate(
        algorithms.rnea_regressor, model, (q, qd, qdd), out, **({"joints": names} if names else {})
    )


def joint_names(joints: Sequence[str]) -> tuple[str, ...]:
    """The names in ``joints``, or a ModelError unless each is known and comes once."""
    names = checked_names(joints)
    for name in names:
        if name not in JOINT_PARAMETERS:
            raise ModelError(f"expected {', '.join(JOINT_PARAMETERS)} as joints, got {shown(name)}")
    return names


def inertial_parameters(model: Model, *, joints: Sequence[str] = ()) -> np.ndarray:
    """Return the inertial parameters of a model, ten a body.

    Parameters
    ----------
    model : Model
    joints : sequence of str
        Of ``"armature"``, ``"damping"`` and ``"friction"``, which follow, nv numbers each.

    Returns
    -------
    pi : ndarray, shape (10 n_bodies + nv len(joints),)
        For each body, in its coordinates: its mass, first moment of mass (x, y, z), and rotational
        inertia about the body's origin.  The latter has the order xx, xy, xz, yy, yz, zz.
    """
    bodies = np.array(algorithms.inertial_parameters(require_model(model)), dtype=float)
    return np.concatenate([bodies, *parameters_of(model, joint_names(joints)).values()])


def with_inertial_parameters(model: Model, pi: ArrayLike, *, joints: Sequence[str] = ()) -> Model:
    """Return the model whose inertial parameters are ``pi``.

    Parameters
    ----------
    model : Model
    pi : array_like, shape (10 n_bodies + nv len(joints),)
        In the order of `inertial_parameters`.
    joints : sequence of str
        As of `inertial_parameters`.

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
    names = joint_names(joints)
    n_bodies = N_PARAMETERS * require_model(model).n_bodies
    n, where = n_bodies + model.nv * len(names), f" (model '{model.name}')"
    array = as_array("pi", pi, where)
    if array.shape != (n,):
        size = "10 n_bodies" + (f" + {len(names)} nv" if names else "")
        raise ShapeError(f"expected {size} = {n} parameters as pi, got shape {array.shape}{where}")
    bodies = array[:n_bodies].reshape(-1, N_PARAMETERS)
    of_joints = dict(zip(names, array[n_bodies:].reshape(len(names), model.nv), strict=True))
    mass, moment = bodies[:, 0], bodies[:, 1:4]
    com = np.divide(moment, mass[:, None], out=np.zeros_like(moment), where=mass[:, None] != 0)
    square = np.einsum("ki,ki->k", com, com)[:, None, None] * np.eye(3)
    shift = mass[:, None, None] * (square - com[:, :, None] * com[:, None, :])
    about_origin = bodies[:, [4, 5, 6, 5, 7, 8, 6, 8, 9]].reshape(-1, 3, 3)
    values = {"mass": mass, "com": com, "inertia": about_origin - shift, **of_joints}
    return with_parameters(model, values)


def parameter_names(model: Model, joints: Sequence[str] = ()) -> tuple[str, ...]:
    """A name for each entry of `inertial_parameters`, such as ``Izz(forearm)``."""
    of_bodies = [f"{name}({body.name})" for body in model.bodies for name in PARAMETERS]
    entries = [
        joint.name if joint.kind.nv == 1 else f"{joint.name}[{k}]"
        for joint in model.joints
        for k in range(joint.kind.nv)
    ]
    return (*of_bodies, *(f"{name}({entry})" for name in joints for entry in entries))
