"""Forces that the joints and tendons of a model or a scene have by themselves."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from .. import algorithms
from ..arguments import as_number
from ..arrays import ArrayLike
from ..binding.calls import evaluate
from ..model import Model


class HasModel(Protocol):
    """A scene, whose ``model`` is the model of all that moves in it."""

    @property
    def model(self) -> Model: ...


def model_of(subject: Model | HasModel) -> Any:
    """A model, or that of a scene."""
    return subject if isinstance(subject, Model) else getattr(subject, "model", subject)


def passive_forces(
    model: Model | HasModel,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    friction_speed: float | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the joint forces of springs and damping, and of gravity compensation.

    Parameters
    ----------
    model : Model or Scene
        Of a scene all joints of `Scene.model`; its springs between bodies are not in joints.
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    friction_speed : float, optional
        Speed [rad/s or m/s] over which smoothed dry friction changes its sign; without it none is
        in the result.  It is for optimisers, which need derivatives: in simulations dry friction
        is exact.
    out : ndarray, shape (..., nv), optional

    Returns
    -------
    tau : ndarray, shape (..., nv)
        [N m or N].

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    ArgumentError
        If ``friction_speed`` is not above zero.

    Notes
    -----
    ``tau = -stiffness (q - rest) - damping qd - friction tanh(qd / friction_speed)``.  For a
    spherical joint ``q - rest`` is the rotation vector from its rest, in body axes.  What
    joints do is in ``model.joint(name)``.  Springs and dampers of tendons act along their lengths,
    and gravity compensation carries a part of the weight of links.  `inverse_dynamics` and
    `forward_dynamics` add none of it, `simulate` and `rollout` apply it.  Forces of a fluid are
    `polhode.actuation.fluid_forces`.

    Examples
    --------
    >>> import polhode as ph
    >>> from polhode.model import Revolute
    >>> door = ph.Model().add("leaf", joint=Revolute.z(), mass=9.0, stiffness=5.0, damping=2.0)
    >>> ph.passive_forces(door, [0.1], [1.0])
    array([-2.5])
    """
    machine = model_of(model)
    if friction_speed is None:
        return evaluate(algorithms.passive_forces, machine, (q, qd), out)
    speed = as_number("friction_speed", friction_speed, above=0.0)
    return evaluate(algorithms.smooth_passive_forces, machine, (q, qd, speed), out)


def fluid_forces(
    model: Model | HasModel, q: ArrayLike, qd: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the joint forces of the fluid around a model: drag, lift and added mass.

    Parameters
    ----------
    model : Model or Scene
        See its `with_fluid`.
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    out : ndarray, shape (..., nv), optional

    Returns
    -------
    tau : ndarray, shape (..., nv)
        [N m or N]; its product with ``qd`` is the power that the fluid gives, in still fluid at
        most zero.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    A `FluidBox` with sides ``a, b, c`` and ``d = (a + b + c) / 3`` is resisted along its first axis
    with ``3 pi d viscosity v + density b c |v| v / 2``, and about it with
    ``pi d^3 viscosity w + density a (b^4 + c^4) |w| w / 64``.  A `FluidEllipsoid` has the drag and
    lift of MuJoCo's documentation (*Computation*, fluid forces).  Added mass acts by velocities
    only, not by accelerations.  `inverse_dynamics` and `forward_dynamics` add none of it,
    `simulate` and `rollout` apply it.

    Examples
    --------
    >>> import polhode as ph
    >>> from polhode.model import FluidBox, Prismatic
    >>> sled = ph.Model().add("sled", joint=Prismatic.x(), mass=9.0)
    >>> sled = sled.with_fluid(density=1.2, shapes={"sled": [FluidBox((1.0, 2.0, 0.5))]})
    >>> ph.actuation.fluid_forces(sled, [0.0], [10.0])
    array([-60.])
    """
    return evaluate(algorithms.fluid_forces, model_of(model), (q, qd), out)


def all_passive_forces(model: Model, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
    """Both, as simulations apply them."""
    return evaluate(algorithms.all_passive_forces, model, (q, qd), None)
