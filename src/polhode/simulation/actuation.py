"""Actuators and tendons in a run: controls are held, activation goes on from step to step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..api.actuation import (
    actuator_forces,
    actuator_gains,
    actuator_values,
    next_activation,
)
from ..api.passive import all_passive_forces
from ..arrays import as_array
from ..errors import ModelError, ModelWarning, ShapeError, warn_once
from ..model import AdhesionTransmission, Model
from ..scene import Scene
from .errors import SimulationError
from .hold import ZeroOrderHold

Controls = Callable[[float, Any], Any] | np.ndarray


class Actuation:
    """What the actuators of a model do in a run, in one world or in worlds side by side.

    Controls and activation hold from one sample to the next: those are the starts of steps.

    Attributes
    ----------
    controls : ndarray, shape (..., n_controls)
        Those that are held.
    activation : ndarray, shape (..., n_activations)
        At the last sample.
    """

    def __init__(self, model: Model, given: Any, worlds: tuple[int, ...] = ()):
        self.model: Model = model
        self.worlds: tuple[int, ...] = worlds
        self.given: Controls = _checked(model, given, worlds)
        self.is_called: bool = callable(self.given)
        self.period: float = given.period if isinstance(given, ZeroOrderHold) else 0.0
        self._held_since: int = -1  # number of the period
        held = np.zeros(model.n_controls) if callable(self.given) else self.given
        held = np.broadcast_to(held, (*worlds, model.n_controls))
        self.controls: np.ndarray = np.array(held)
        self.activation: np.ndarray = np.zeros((*worlds, model.n_activations))
        self._sampled: tuple[float, np.ndarray, np.ndarray] | None = None
        self._reached: tuple[float, np.ndarray] | None = None
        self._past: list[tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
        self._passive: Model | None = _tendons_alone(model)

    def of_world(self, world: tuple[int, ...]) -> Actuation:
        """The same of one world."""
        given = self.given if callable(self.given) else self.controls[world]
        return Actuation(self.model, given)

    @property
    def has_states(self) -> bool:
        """Whether anything depends on the samples before."""
        return self.is_called or self.model.n_activations > 0

    def sample(self, t: float, q: np.ndarray, qd: np.ndarray, state: Any) -> None:
        """Go on to a time: the activation after the last sample, the controls of now."""
        self.activation = self.at(t)
        if callable(self.given) and self._is_due(t):
            answer = self.given(t, state)
            self.controls = _of_function(answer, t, self.model, self.controls.shape)
        self._sampled = t, np.array(q), np.array(qd)

    def _is_due(self, t: float) -> bool:
        """Whether controls are asked for: of sampled ones at or after multiples of the period."""
        if not self.period:
            return True
        before, self._held_since = self._held_since, int(t / self.period + 1e-9)
        return self._held_since != before

    def at(self, t: float) -> np.ndarray:
        """The activation at a time after the last sample."""
        if self._sampled is None or not self.model.n_activations:
            return self.activation
        if self._reached is not None and self._reached[0] == t:
            return self._reached[1]
        since, q, qd = self._sampled
        if t <= since:
            return self.activation
        return next_activation(self.model, q, qd, self.controls, self.activation, t - since)

    @property
    def held(self) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Time and state of the last sample, infinite before the first one; activation then."""
        if self._sampled is None:
            return math.inf, np.zeros(self.model.nq), np.zeros(self.model.nv), self.activation
        since, q, qd = self._sampled
        if self._reached is not None and self._reached[0] >= since:
            return self._reached[0], q, qd, self._reached[1]
        return since, q, qd, self.activation

    def hold(self, since: float, q: np.ndarray, qd: np.ndarray, activation: np.ndarray) -> None:
        """Take a sample that compiled code took, and the activation it holds from there on."""
        self._sampled, self._reached, self.activation = (since, q, qd), None, activation

    def reach(self, t: float, activation: np.ndarray) -> None:
        """Take the activation that a step led to, to its bits."""
        self._reached = t, np.array(activation)

    def remember(self) -> None:
        """Keep the last sample, for records of the step that it began."""
        if self._sampled is not None:
            self._past.append((*self._sampled, self.controls, self.activation))

    def forget(self) -> None:
        """Drop what was kept: it is recorded."""
        self._past.clear()

    def recalled(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Controls and activation at a time of the last steps; at the end of a step its own."""
        now = [] if self._sampled is None else [(*self._sampled, self.controls, self.activation)]
        before = [each for each in (*self._past, *now) if each[0] < t]
        if not before:
            return self.controls, self.activation
        since, q, qd, controls, activation = before[-1]
        if not self.model.n_activations:
            return controls, activation
        if self._reached is not None and self._reached[0] == t:
            return controls, self._reached[1]
        known = {each[0]: each[4] for each in (*self._past, *now)}
        if t in known:
            return controls, known[t]
        return controls, next_activation(self.model, q, qd, controls, activation, t - since)

    def restart(self, activation: np.ndarray) -> None:
        """Go on from another activation."""
        self.activation = np.array(activation)
        self._sampled = self._reached = None
        self._held_since = -1

    def forces(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Joint forces of the actuators, shape (..., nv)."""
        if not self.model.actuators:
            return np.zeros_like(qd)
        return actuator_forces(self.model, q, qd, self.controls, self.activation)

    @property
    def has_gains(self) -> bool:
        """Whether forces of actuators or tendons depend on lengths or velocities."""
        of_actuators = any(actuator.law.has_gains for actuator in self.model.actuators)
        return of_actuators or any(tendon.acts for tendon in self.model.tendons)

    def gains(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Stiffness and damping of these along each velocity, shape (..., nv)."""
        return actuator_gains(self.model, q, qd, self.controls, self.activation)

    def adhesion(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Forces of the actuators that act on contacts, in their order."""
        values = actuator_values(self.model, q, qd, self.controls, self.activation)
        return values.force[..., adhesive(self.model)]

    def all_forces(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Those, and what tendons, gravity compensation and a fluid do."""
        tau = self.forces(q, qd)
        return tau if self._passive is None else tau + all_passive_forces(self._passive, q, qd)


def actuation_of(
    model: Model,
    controls: Any,
    worlds: tuple[int, ...] = (),
    *,
    with_tendons: bool,
    with_contact: bool = False,
) -> Actuation | None:
    """The actuation of a model in a run; None if it has nothing of it.

    Raises
    ------
    ModelError
        If there are controls, but no actuators.
    """
    if controls is not None and not model.actuators:
        raise ModelError(f"unexpected controls: model '{model.name}' has no actuators")
    if not with_contact:
        _warn_of_adhesion(model)
    acts = with_tendons and _tendons_alone(model) is not None
    return Actuation(model, controls, worlds) if model.actuators or acts else None


def adhesive(model: Model | Scene) -> list[int]:
    """The numbers of the actuators that act on contacts."""
    return [k for k, actuator in enumerate(model.actuators)
            if isinstance(actuator.transmission, AdhesionTransmission)]  # fmt: skip


def with_bare_models(scene: Scene) -> Scene:
    """The scene with its tendons and actuators, but without those in its models."""
    if not any(m.model.tendons or m.model.actuators for m in scene.machines):
        return scene
    machines = tuple(replace(m, model=replace(m.model, tendons=(), actuators=()))
                     for m in scene.machines)  # fmt: skip
    return replace(scene, machines=machines)


def _tendons_alone(model: Model) -> Model | None:
    """The model without what joints do by themselves; None if nothing is left to act."""
    acts = any(t.acts for t in model.tendons) or any(mass for mass, _ in model.floated)
    if not acts and model.fluid is None:
        return None
    return replace(model, links=tuple(replace(link, dynamics=None) for link in model.links))


def _warn_of_adhesion(model: Model) -> None:
    for k in adhesive(model):
        warn_once(f"adhesion of actuator '{model.actuators[k].name}' does not act without contact "
                  f"(model '{model.name}')", ModelWarning)  # fmt: skip


def _checked(model: Model, given: Any, worlds: tuple[int, ...]) -> Controls:
    if given is None:
        return np.zeros(model.n_controls)
    if callable(given):
        return given
    values = as_array("controls", given, finite=True)
    expected = (*worlds, model.n_controls)
    try:
        if values.ndim == 0 or values.shape[-1] != model.n_controls:
            raise ValueError
        np.broadcast_to(values, expected)
    except ValueError:
        raise ShapeError(f"expected controls of shape {expected}, got {values.shape} (model "
                         f"'{model.name}')") from None  # fmt: skip
    return values


def _of_function(answer: Any, t: float, model: Model, shape: tuple[int, ...]) -> np.ndarray:
    """What a function of controls returned."""
    values = as_array("controls", answer, f" at t = {t:g} s; does the function return them?"
                      if answer is None else f" at t = {t:g} s")  # fmt: skip
    if values.ndim == 0 or values.shape[-1] != model.n_controls or values.ndim > len(shape):
        raise ShapeError(f"expected controls of shape {shape}, got {values.shape}, at t = {t:g} s "
                         f"(model '{model.name}')")  # fmt: skip
    if not np.isfinite(values).all():
        raise SimulationError(f"expected finite controls, got NaN or infinity at t = {t:g} s")
    return np.array(np.broadcast_to(values, shape))
