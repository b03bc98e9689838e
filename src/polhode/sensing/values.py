"""Values of sensors as a function of the state."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms import sensor_values
from ..api.dynamics import forward_dynamics
from ..api.passive import passive_forces
from ..arrays import ArrayLike, as_array
from ..binding.calls import called_program, check_shape
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
        springs and damping in the joints, ``tau`` and ``f_ext``.
    tau : array_like, shape (..., nv), optional
        Joint forces of actuators and controllers; zero if omitted.
    f_ext : array_like, shape (..., n_bodies, 6), optional
        External forces on the moving bodies, in base coordinates.
    time : array_like, shape (...), optional
        What a clock shows [s].
    out : ndarray, shape (..., n), optional

    Returns
    -------
    values : ndarray, shape (..., n)
        Those of each sensor are at ``scene.sensor_slices[name]``.

    Raises
    ------
    ModelError
        If a sensor measures what cannot be computed, such as an actuator.
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
    tau = np.zeros(model.nv) if tau is None else tau
    if qdd is None:
        qdd = _accelerations(scene, q, qd, tau, f_ext)
    return values_under(scene, (q, qd, qdd, tau, _loads(model, f_ext), time), out)


def values_under(scene: Scene, arguments: tuple[Any, ...], out: Any = None) -> np.ndarray:
    """The values of all sensors for positions, velocities, accelerations, forces, loads and time.

    The forces are those of actuators, shape (..., nv).  Loads are external forces on all links of
    the scene's model, fixed ones too, in base coordinates, shape (..., n, 6).
    """
    values = called_program(_program(scene), arguments, out, scene.model)
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
    forces = as_array("tau", tau) + passive_forces(model, q, qd)
    return forward_dynamics(model, q, qd, forces, f_ext)


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
        return made(sensor_values, scene.model, own, lowered(scene)._asdict())

    return kept(scene.programs, sensor_values, make)
