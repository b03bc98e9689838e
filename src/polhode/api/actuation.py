"""Forces of actuators, and the lengths of tendons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import algorithms
from ..algorithms.actuation.gains import gains_of_velocities
from ..arrays import ArrayLike, several
from ..binding.calls import evaluate
from ..model import Model
from .passive import HasModel, model_of


class ActuatorValues(NamedTuple):
    """Length, velocity and force of each actuator, shape (..., n_actuators)."""

    length: np.ndarray
    velocity: np.ndarray
    force: np.ndarray


def actuator_forces(
    model: Model | HasModel,
    q: ArrayLike,
    qd: ArrayLike,
    controls: ArrayLike,
    activation: ArrayLike | None = None,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the joint forces of all actuators.

    Parameters
    ----------
    model : Model or Scene
        Of a scene the joints of `Scene.model`, driven by `Scene.actuators`.
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    controls : array_like, shape (..., n_controls)
        In the order of ``model.actuators``; clamped to their ranges.
    activation : array_like, shape (..., n_activations), optional
        States of filters, integrators, muscles and motors; zero if omitted.
    out : ndarray, shape (..., nv), optional

    Returns
    -------
    tau : ndarray, shape (..., nv)
        [N m or N].

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    ``tau = J^T clamp(gain x + bias)``, where ``J qd`` is the velocity of the actuators and ``x``
    their activation, or control.  The efforts of joints with limits bound the sum.
    `inverse_dynamics` and `forward_dynamics` add none of it, `simulate` applies it.

    Examples
    --------
    >>> import polhode as ph
    >>> from polhode.model import Revolute
    >>> arm = ph.Model().add("arm", joint=Revolute.y(), mass=1.0)
    >>> arm = arm.add_motor("motor", joint="arm", gear=50.0)
    >>> ph.actuator_forces(arm, [0.0], [0.0], [0.2])
    array([10.])
    """
    return _evaluated(algorithms.actuator_forces, model, (q, qd, controls), activation, out)


def actuator_values(
    model: Model | HasModel,
    q: ArrayLike,
    qd: ArrayLike,
    controls: ArrayLike,
    activation: ArrayLike | None = None,
    *,
    out: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
) -> ActuatorValues:
    """Return the length, velocity and force of each actuator.

    Parameters
    ----------
    model, q, qd, controls, activation
        As of `actuator_forces`.
    out : three ndarrays, shape (..., n_actuators), optional

    Returns
    -------
    values : ActuatorValues
        Times the gear; forces are along the lengths, and within their ranges.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    """
    function = algorithms.actuator_values
    found = _evaluated(function, model, (q, qd, controls), activation, several(out))
    return ActuatorValues(*found)


def actuator_gains(
    model: Model | HasModel,
    q: ArrayLike,
    qd: ArrayLike,
    controls: ArrayLike,
    activation: ArrayLike | None = None,
    *,
    out: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return how much less the joint forces of actuators and tendons are by positions, velocities.

    Parameters
    ----------
    model, q, qd, controls, activation
        As of `actuator_forces`.
    out : two ndarrays, shape (..., nv), optional

    Returns
    -------
    stiffness, damping : ndarray, shape (..., nv)
        [N/m, N s/m or N m/rad, N m s/rad], not negative; zero where forces are clamped.  Of
        those on several velocities diagonal matrices that are not less than theirs.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    """
    function = gains_of_velocities
    return tuple(_evaluated(function, model, (q, qd, controls), activation, several(out)))


def activation_rates(
    model: Model | HasModel,
    q: ArrayLike,
    qd: ArrayLike,
    controls: ArrayLike,
    activation: ArrayLike,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the rates of change of the actuators' activation.

    Parameters
    ----------
    model, q, qd, controls, activation
        As of `actuator_forces`.
    out : ndarray, shape (..., n_activations), optional

    Returns
    -------
    rates : ndarray, shape (..., n_activations)

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    """
    arguments = (q, qd, controls, activation)
    return evaluate(algorithms.activation_rates, model_of(model), arguments, out)


def next_activation(
    model: Model | HasModel,
    q: ArrayLike,
    qd: ArrayLike,
    controls: ArrayLike,
    activation: ArrayLike,
    dt: ArrayLike,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the activation after a time step, at constant controls and velocities.

    Parameters
    ----------
    model, q, qd, controls, activation
        As of `actuator_forces`.
    dt : array_like, shape (...)
        Time step [s].
    out : ndarray, shape (..., n_activations), optional

    Returns
    -------
    activation : ndarray, shape (..., n_activations)
        Within its ranges.  Exact filters take the exact solution, others a step of Euler's method.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    """
    arguments = (q, qd, controls, activation, dt)
    return evaluate(algorithms.next_activation, model_of(model), arguments, out)


def tendon_lengths(
    model: Model | HasModel, q: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the lengths of all tendons.

    Parameters
    ----------
    model : Model or Scene
    q : array_like, shape (..., nq)
    out : ndarray, shape (..., n_tendons), optional

    Returns
    -------
    lengths : ndarray, shape (..., n_tendons)
        [m], in the order of ``model.tendons``.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    """
    return evaluate(algorithms.tendon_lengths, model_of(model), (q,), out)


def tendon_jacobian(
    model: Model | HasModel, q: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the Jacobian of the lengths of all tendons.

    Parameters
    ----------
    model : Model or Scene
    q : array_like, shape (..., nq)
    out : ndarray, shape (..., n_tendons, nv), optional

    Returns
    -------
    J : ndarray, shape (..., n_tendons, nv)
        ``J qd`` are the rates of change of the lengths.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    """
    return evaluate(algorithms.tendon_jacobian, model_of(model), (q,), out)


def _evaluated(
    function: Callable[..., Any],
    model: Model | HasModel,
    arguments: tuple[Any, ...],
    activation: ArrayLike | None,
    out: Any,
) -> Any:
    machine = model_of(model)
    if activation is None and getattr(machine, "n_activations", 0):
        activation = np.zeros(machine.n_activations)
    more = () if activation is None else (activation,)
    return evaluate(function, machine, (*arguments, *more), out)
