"""Forces on a model in a run: its dynamics, a controller, external forces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..api.dynamics import bias_forces, forward_dynamics
from ..arguments import as_number, check_called_with
from ..arrays import as_array
from ..errors import ShapeError, shown, suggests_attributes
from ..model import Model
from .actuation import Actuation
from .constraints_held import HeldConstraints
from .errors import SimulationError
from .hold import ZeroOrderHold
from .passive_joints import PassiveJoints


@suggests_attributes
@dataclass(frozen=True, eq=False)
class State:
    """What a controller sees.

    Attributes
    ----------
    t : float
        Time [s].
    q, qd : ndarray, shape (..., nq) and (..., nv)
        Positions and velocities; copies, to keep or to change.
    model : Model
    rng : numpy.random.Generator
        Random numbers that repeat when the run is given a seed.
    """

    t: float
    q: np.ndarray
    qd: np.ndarray
    model: Model
    rng: np.random.Generator


Controller = Callable[[float, State], Any]


def zero_order_hold(controller: Controller, period: float) -> ZeroOrderHold:
    """A sampled controller: called once every ``period`` seconds, its forces held between.

    Parameters
    ----------
    controller : callable ``(t, state) -> tau`` or ``(t, state) -> controls``
        May keep a state of its own, for it is called once per sample, in order.
    period : float
        Sample time [s].

    Returns
    -------
    controller : ZeroOrderHold
        To be given to `simulate` as ``controller`` or ``controls``.

    Raises
    ------
    ArgumentError
        If ``controller`` is no function, or ``period`` is not positive and finite.

    Examples
    --------
    >>> import polhode as ph
    >>> controller = ph.simulation.zero_order_hold(lambda t, state: -state.qd, 0.005)
    """
    check_called_with("controller", controller, ("t", "state"))
    return ZeroOrderHold(controller, as_number("period", period, above=0.0))


class Drive:
    """Accelerations and power of a model under a controller and external forces."""

    def __init__(
        self,
        model: Model,
        controller: Controller | None,
        f_ext: Any,
        rng: np.random.Generator,
        shape: tuple[int, ...],
        joints: PassiveJoints | None = None,
        constraints: HeldConstraints | None = None,
        actuation: Actuation | None = None,
    ):
        self.actuation = actuation
        self.model: Model = model
        self.controller = controller
        self.rng = rng
        self.shape: tuple[int, ...] = shape
        has_states = actuation is not None and actuation.has_states
        self.is_sampled: bool = isinstance(controller, ZeroOrderHold) or has_states
        self._sample: int = -1
        self.f_ext: Callable[..., Any] | np.ndarray | None = (
            f_ext if callable(f_ext) or f_ext is None else self._loads(f_ext)
        )
        self.joints = joints
        self.constraints = constraints
        self._has_passive = joints is not None and not joints.are_idle
        self._tau = np.zeros((*shape, model.nv))
        self._still = np.zeros((*shape, model.nv))

    def of_world(self, world: tuple[int, ...]) -> Drive:
        """The same of one world."""
        f_ext = self.f_ext[world] if isinstance(self.f_ext, np.ndarray) else self.f_ext
        joints, constraints = self.joints, self.constraints
        actuation = self.actuation and self.actuation.of_world(world)
        return Drive(
            self.model, self.controller, f_ext, self.rng, (), joints, constraints, actuation
        )

    @property
    def is_free(self) -> bool:
        """Nothing but gravity does work."""
        acts = self.controller or self.actuation or self._has_passive
        return not acts and self.f_ext is None

    def sample(self, t: float, q: np.ndarray, qd: np.ndarray) -> None:
        """Call a sampled controller, and the controls of actuators; both are held from now on."""
        if isinstance(self.controller, ZeroOrderHold):
            sample = int(t / self.controller.period + 1e-9)
            if sample != self._sample:
                self._sample, self._tau = sample, self._call(t, q, qd)
        if self.actuation is not None:
            self.actuation.sample(t, q, qd, self._state(t, q, qd))

    def tau(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Joint forces of controller and actuators, shape (..., nv)."""
        is_held = self.controller is None or isinstance(self.controller, ZeroOrderHold)
        tau = self._tau if is_held else self._call(t, q, qd)
        return tau if self.actuation is None else tau + self.actuation.forces(q, qd)

    def damping(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray | None:
        """Force of joints and actuators for each unit of speed, if there is any."""
        own = None if self.joints is None else self.joints.damping
        if self.actuation is None or not self.actuation.has_gains:
            return own
        _, found = self.actuation.gains(q, qd)
        return found if own is None else found + own

    def acceleration(
        self, t: float, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, out: np.ndarray
    ) -> np.ndarray:
        """Joint accelerations under ``tau``, the joints' own and external forces."""
        loads, tau = self.loads(t, q, qd), self._with_passive(q, qd, tau)
        if self.constraints is not None:
            out[...] = self.constraints.acceleration(q, qd, tau, loads)
            return out
        if loads is None:
            return forward_dynamics(self.model, q, qd, tau, out=out)
        return forward_dynamics(self.model, q, qd, tau, f_ext=loads, out=out)

    def attracted_acceleration(
        self, t: float, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, out: np.ndarray
    ) -> np.ndarray:
        """`acceleration`, and what makes errors of the constraints die out."""
        self.acceleration(t, q, qd, tau, out)
        if self.constraints is not None:
            out += self.constraints.correction(q, qd)
        return out

    def _with_passive(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        return tau + self.passive(q, qd) if self._has_passive else tau

    def passive(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Forces of the joints' damping and springs, shape (..., nv)."""
        return np.zeros_like(qd) if self.joints is None else self.joints.forces(q, qd)

    def constraint_forces(
        self, t: float, q: np.ndarray, qd: np.ndarray, tau: np.ndarray
    ) -> np.ndarray:
        """Forces in the joints that hold the constraints, shape (..., nv)."""
        if self.constraints is None:
            return np.zeros_like(qd)
        loads = self.loads(t, q, qd)
        return self.constraints.joint_forces(q, qd, self._with_passive(q, qd, tau), loads)

    def finish_step(self, t: float, q: np.ndarray, qd: np.ndarray) -> None:
        """After each step: constraints are held, in place, and limits not passed.

        Raises
        ------
        SimulationError
            If a joint passes its limit.
        """
        self.project(q, qd)
        self.check_limits(t, q)

    def project(self, q: np.ndarray, qd: np.ndarray) -> None:
        """Positions and velocities that keep the constraints, in place."""
        if self.constraints is not None:
            self.constraints.project(q, qd)

    def check_limits(self, t: float, q: np.ndarray) -> None:
        """Raise `SimulationError` if a joint is past its limit."""
        if self.joints is not None:
            self.joints.check_limits(t, q)

    def power(self, t: float, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """What controller, joints and external forces put in, shape (...)."""
        loads, tau = self.loads(t, q, qd), self._with_passive(q, qd, tau)
        if loads is not None:
            bare = bias_forces(self.model, q, self._still)
            tau = tau + bare - bias_forces(self.model, q, self._still, f_ext=loads)
        return np.add.reduce(tau * qd, axis=-1)

    def loads(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray | None:
        """External forces, shape (..., n_bodies, 6), or None."""
        if not callable(self.f_ext):
            return self.f_ext
        return self._loads(self.f_ext(t, self._state(t, q, qd)), t)

    def _state(self, t: float, q: np.ndarray, qd: np.ndarray) -> State:
        return State(t, q.copy(), qd.copy(), self.model, self.rng)

    def _call(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        try:
            answer = self.controller(t, self._state(t, q, qd))  # type: ignore[misc]
        except Exception as error:
            error.add_note(f"in the controller, at t = {t:g} s (model '{self.model.name}')")
            raise
        try:
            return checked_forces(
                answer, "forces of the controller", t, self.model, (self.model.nv,), self.shape
            )
        except SimulationError:
            if np.isfinite(q).all() and np.isfinite(qd).all():
                raise
            raise SimulationError(
                f"the motion is not finite any more at t = {t:g} s: the controller does not "
                "stabilise it, or dt is too long"
            ) from None

    def _loads(self, f_ext: Any, t: float = 0.0) -> np.ndarray:
        return checked_loads(f_ext, t, self.model, self.shape)


def checked_loads(f_ext: Any, t: float, model: Model, worlds: tuple[int, ...] = ()) -> np.ndarray:
    """External forces on the bodies of a model, as `checked_forces` are."""
    core = (model.n_bodies, 6)
    return checked_forces(f_ext, "external forces f_ext", t, model, core, worlds)


def checked_forces(
    answer: Any,
    what: str,
    t: float,
    model: Model,
    core: tuple[int, ...],
    worlds: tuple[int, ...] = (),
) -> np.ndarray:
    """Forces that a user gave or a function returned, for each world if they are for all.

    Raises
    ------
    ShapeError
        If they are no numbers, or not as many as asked for.
    SimulationError
        If they are not finite.
    """
    expected = (*worlds, *core)
    try:
        values = as_array(what, answer)
        values = values if values.shape == expected else np.broadcast_to(values, expected)
        if values.ndim and np.shape(answer)[-len(core) :] != core:
            raise ValueError
    except (ValueError, TypeError):
        raise ShapeError(
            f"expected {what} of shape {expected}, got {_shape(answer)}, at t = {t:g} s "
            f"(model '{model.name}')"
        ) from None
    if not np.isfinite(values).all():
        raise SimulationError(f"expected finite {what}, got NaN or infinity at t = {t:g} s")
    return values


def _shape(answer: Any) -> Any:
    """The shape of what is an array of numbers, a description of anything else."""
    if answer is None:
        return "None (does the function return them?)"
    try:
        return as_array("", answer).shape
    except ShapeError:
        return shown(answer)
