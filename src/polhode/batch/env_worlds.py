"""Worlds of an environment: their states and parameters, and the steps of an action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ArgumentError, ModelError, shown
from ..scene import Scene
from ..simulation.lanes.lowering import contact_model_of, refusal
from ..simulation.lanes.parameters import of_worlds, parameter_arrays
from ..simulation.lanes.programs import StepPrograms, step_programs
from ..simulation.lanes.worlds import LaneWorlds, run_of
from ..simulation.stepping.clock import step_of
from .lanes import blocks
from .machines import run_all


class EnvWorlds:
    """States of many worlds of a scene, and their steps."""

    def __init__(
        self, scene: Scene, n: int, dt: float | None, steps: int,
        parameters: Mapping[str, Any] | None,
    ):  # fmt: skip
        if not isinstance(scene, Scene):
            hint = "; load one with polhode.load" if isinstance(scene, str) else ""
            raise ArgumentError(f"expected a scene or a model, got {shown(scene)}{hint}")
        if not scene.n_controls:
            raise ModelError(
                "expected actuators, on which a policy acts, got none: add_motor and add_actuator "
                f"of a model or a scene add them (scene '{scene.name}')"
            )
        why = refusal(scene)
        if why is not None:
            raise ModelError(f"a vector environment has no {why}")
        self.scene: Scene = scene
        self.dt: float = step_of(scene, dt)
        self.steps: int = steps
        where = f"scene '{scene.name}'"
        values = parameter_arrays(contact_model_of(scene).parameter_shapes(), parameters, where)
        self.programs: StepPrograms = step_programs(scene, parameters=tuple(values))
        self.parameters: list[np.ndarray] = of_worlds(values, self.programs.parameters, (n,), where)
        sizes = {
            "q": scene.model.nq, "qd": scene.model.nv, "activation": scene.model.n_activations,
            "x": self.programs.kept.n_kept,
        }  # fmt: skip
        self.state: dict[str, np.ndarray] = {
            name: np.zeros((n, sizes[name])) for name in self.programs.state
        }
        self._no_forces = np.zeros((n, 1, scene.model.nv))

    def put(self, which: np.ndarray, q: np.ndarray, qd: np.ndarray) -> None:
        """Place worlds, without activation and impulses."""
        for x in self.state.values():
            x[which] = 0.0
        self.state["q"][which], self.state["qd"][which] = q, qd

    def set_parameters(self, which: np.ndarray, parameters: Mapping[str, Any]) -> None:
        """Give worlds other values of the same parameters.

        Raises
        ------
        ModelError
            If they are others than at first.
        """
        where = f"scene '{self.scene.name}'"
        values = parameter_arrays(
            contact_model_of(self.scene).parameter_shapes(), parameters, where
        )
        if values.keys() != self.programs.parameters.keys():
            first = ", ".join(self.programs.parameters)
            raise ModelError(
                f"expected parameters {first} as at first, got {', '.join(values)} ({where})"
            )
        own = of_worlds(values, self.programs.parameters, (int(which.sum()),), where)
        for kept, new in zip(self.parameters, own, strict=True):
            kept[which] = new

    def advance(self, controls: np.ndarray) -> np.ndarray:
        """Make the steps of an action; return how many are unsolved, of each world."""
        parts, tasks = [], []
        for b in blocks(len(controls)):
            state = [x[b] for x in self.state.values()]
            held = self._no_forces[b], controls[b, None]
            own = [x[b] for x in self.parameters]
            parts.append(LaneWorlds(self.programs, state, self.dt, own))
            tasks.append(run_of(parts[-1], held, [self.steps], [x[None] for x in state]))
        run_all(tasks)
        return np.concatenate([each.unsolved for each in parts])

    def is_finite(self) -> np.ndarray:
        """Which worlds have a state that is finite."""
        return np.logical_and.reduce([np.isfinite(x).all(-1) for x in self.state.values()])
