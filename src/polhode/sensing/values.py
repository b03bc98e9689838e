"""Values of sensors as a function of the state."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms import sensor_values
from ..api.actuation import actuator_forces
from ..api.dynamics import forward_dynamics
from ..api.passive import all_passive_forces
from ..arrays import ArrayLike, as_array
from ..binding.calls import called_program, check_shape, checked_unless_traced
from ..binding.programs import made
from ..compiler import Program
from ..errors import ModelError, TraceError, shown
from ..model import Model, SensorKind
from ..once import kept
from ..scene import Scene
from .lowering import lowered
from .range_finders import RangeFinders


def sensors(
    scene: Scene,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike | None = None,
    *,
    tau: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    time: ArrayLike = 0.0,
    controls: ArrayLike | None = None,
    activation: ArrayLike | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the values of a scene's sensors, one after the other.

    Parameters
    ----------
    scene : Scene
    q : array_like, shape (..., nq)
        Positions of all that moves, in the order of ``scene.model``.
    qd : array_like, shape (..., nv)
    qdd : array_like, shape (..., nv), optional
        Accelerations.  Without them they are those of `forward_dynamics` under the forces of
        springs and damping in the joints, of actuators, ``tau`` and ``f_ext``.
    tau : array_like, shape (..., nv), optional
        Joint forces of controllers, beside those of actuators; zero if omitted.
    f_ext : array_like, shape (..., n_bodies, 6), optional
        External forces on the moving bodies, in base coordinates.
    time : array_like, shape (...), optional
        What a clock shows [s].
    controls : array_like, shape (..., n_controls), optional
        Of the actuators, in their order; zero if omitted, as in simulations.
    activation : array_like, shape (..., n_activations), optional
        States of filters, integrators, muscles and motors; zero if omitted.
    out : ndarray, shape (..., n), optional

    Returns
    -------
    values : ndarray, shape (..., n)
        Those of each sensor are at ``scene.sensor_slices[name]``.

    Raises
    ------
    ModelError
        For anything but a scene.
    ShapeError
        If the last axes of an argument do not fit the scene's model.

    Notes
    -----
    What each kind measures is in `SensorKind`; conventions are MuJoCo's.  No state decides the
    forces of contacts, limits and loops.  Sensors of such forces give zero here, and accelerations
    have them only in ``qdd``; `Recording.sensors` has both.  A range finder meets the collision
    shapes of the scene, but for those on its own body.

    Examples
    --------
    >>> import polhode as ph
    >>> from polhode.model import Revolute
    >>> arm = ph.Model("arm").add("link", joint=Revolute.y(), mass=2.0, com=(0.5, 0.0, 0.0))
    >>> scene = ph.Scene.of(arm).add_sensor("imu", "accelerometer", ("arm", "link"))
    >>> ph.sensors(scene, [0.0], [0.0], qdd=[0.0])
    array([0.  , 0.  , 9.81])
    """
    if not isinstance(scene, Scene):
        raise ModelError(f"expected a Scene, got {shown(scene)}; Scene.of makes one of a model")
    model = scene.model
    controls = np.zeros(model.n_controls) if controls is None else controls
    activation = np.zeros(model.n_activations) if activation is None else activation
    driving = {"controls": (model.n_controls,), "activation": (model.n_activations,)}
    checked_unless_traced(driving, (controls, activation), model)  # no sensor may look at them
    tau = np.zeros(model.nv) if tau is None else as_array("tau", tau)
    if model.actuators and any(sensor.kind.needs_joint_forces for sensor in scene.sensors):
        tau = tau + actuator_forces(model, q, qd, controls, activation)
    if qdd is None:
        qdd = _accelerations(scene, q, qd, tau, f_ext)
    arguments = (q, qd, qdd, tau, _loads(model, f_ext), time, controls, activation)
    return values_under(scene, arguments, out)


def values_under(scene: Scene, arguments: tuple[Any, ...], out: Any = None) -> np.ndarray:
    """The values of all sensors for positions, velocities, accelerations, forces, loads, time,
    controls and activation.

    The forces are those of actuators and controllers, shape (..., nv).  Loads are external forces
    on all links of the scene's model, fixed ones too, in base coordinates, shape (..., n, 6).
    """
    *state, controls, activation = arguments
    driving = {"controls": controls, "activation": activation}
    given = (*state, *(driving[name] for name in _driving(scene)))
    values = called_program(_program(scene), given, out, scene.model)
    if any(sensor.kind is SensorKind.RANGEFINDER for sensor in scene.sensors):
        if not isinstance(values, np.ndarray):
            raise TraceError("range finders cannot be part of a function that is compiled")
        finders = kept(scene.programs, RangeFinders, lambda: RangeFinders.of(scene))
        values[..., finders.places] = finders.measure(scene, arguments[0])
    return values


def _accelerations(scene: Scene, q: Any, qd: Any, tau: Any, f_ext: Any) -> Any:
    """Those of forward dynamics, if a sensor needs them."""
    model = scene.model
    if not model.nv or not any(sensor.kind.needs_acceleration for sensor in scene.sensors):
        return np.zeros(model.nv)
    return forward_dynamics(model, q, qd, tau + all_passive_forces(model, q, qd), f_ext)


def _driving(scene: Scene) -> tuple[str, ...]:
    """What the scene's actuators need beside its state."""
    sizes = {"controls": scene.n_controls, "activation": scene.n_activations}
    return tuple(name for name, size in sizes.items() if size)


def _loads(model: Model, f_ext: Any) -> np.ndarray:
    """External forces on the links, out of those on moving bodies."""
    if f_ext is None:
        return np.zeros((len(model.links), 6))
    forces = as_array("f_ext", f_ext)
    check_shape("f_ext", (model.n_bodies, 6), forces, model)
    loads = np.zeros((*forces.shape[:-2], len(model.links), 6))
    for k, link in enumerate(model.links):
        body = model.body(link.name)
        if not body.is_fixed:
            loads[..., k, :] = forces[..., int(body) - 1, :]
    return loads


def _program(scene: Scene) -> Program:
    """The program of a scene's sensors, kept with it."""

    def make() -> Program:
        own = {"loads": (len(scene.model.links), 6), "time": ()}
        return made(sensor_values, scene.model, own, lowered(scene)._asdict(), _driving(scene))

    return kept(scene.programs, sensor_values, make)
