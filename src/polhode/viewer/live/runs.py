"""What a live view runs, seen alike: a simulator of a scene, or a model under a controller."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from ...errors import ModelError, ShapeError, suggestion
from ...model import Model
from ...simulation.drive import Controller, Drive, ZeroOrderHold
from ...simulation.errors import SimulationError
from ...simulation.fixed_step import FIXED_STEP
from ...simulation.scene import Scene
from ...simulation.start import start_of, warn_of_positions
from ...simulation.unapplied import warn_of_model
from ..contacts import lifting
from ..film import Film, model_poses, scene_poses, still_film, up

_NONE = np.zeros((0, 6))


class Run(Protocol):
    """A simulation that can be stepped, pushed and started again."""

    model: Model
    dt: float

    @property
    def time(self) -> float: ...

    def film(self) -> Film:
        """What is drawn, where it is now."""
        ...

    def advance(self, count: int) -> None:
        """Make some steps."""
        ...

    def poses(self) -> np.ndarray:
        """Poses (N, 4, 4) of all bodies."""
        ...

    def contacts(self) -> np.ndarray:
        """Points and forces (n, 6) of the last step, in base coordinates."""
        ...

    def push(self, body: int, wrench: np.ndarray | None) -> None:
        """Hold a wrench on a body: moment about the base's origin, then force."""
        ...

    def reset(self) -> None:
        """Go back to the start."""
        ...


class SceneRun:
    """A simulator of a scene."""

    def __init__(self, simulator: Any):
        self.simulator: Any = simulator
        self.dt: Any = simulator.dt
        self.scene: Scene = simulator.scene
        self.model: Model = self.scene.model
        self._start = simulator.checkpoint()
        self._contacts, self._up = _NONE, up(self.model)
        self._links = _links(self.scene)

    @property
    def time(self) -> float:
        return self.simulator.current_time

    def film(self) -> Film:
        still = still_film(self.model, self.poses())
        return replace(still, contacts=[_NONE] if self.simulator.has_contact else None)

    def advance(self, count: int) -> None:
        log = self.simulator.advance(self.dt, count, count)
        real = log.contacts.real[: int(log.start[log.filled])]
        self._contacts = lifting(real[:, 0:3], real[:, 6:9], self._up)

    def poses(self) -> np.ndarray:
        return scene_poses(self.scene, self.simulator.state[0][None])[0]

    def contacts(self) -> np.ndarray:
        return self._contacts

    def push(self, body: int, wrench: np.ndarray | None) -> None:
        machine, link = self._links[body - 1]
        with suppress(ModelError):  # it does not move
            self.simulator.push(machine, link, np.zeros(6) if wrench is None else wrench)

    def reset(self) -> None:
        self.simulator.restore(self._start)
        self._contacts = _NONE


def _links(scene: Scene) -> list[tuple[str, str]]:
    """For each body of the whole the machine it belongs to, and a link that moves with it.

    Between the bodies of one joint there is no link: what is pushed there is the next.
    """
    found: list[tuple[str, str]] = []
    for machine in scene.machines:
        model = machine.model
        carried = {int(model.body(name).moving): name for name in reversed(machine.link_names)}
        for i in range(1, model.n_bodies + 1):
            found.append((machine.name, carried[min(k for k in carried if k >= i)]))
    return found


class ModelRun:
    """A machine without contact, under a controller; arguments as of `polhode.simulate`."""

    def __init__(
        self,
        model: Model,
        *,
        q0: Any = None,
        qd0: Any = None,
        dt: float = 1e-3,
        method: str = "symplectic",
        controller: Controller | None = None,
        f_ext: Any = None,
        seed: int | None = None,
    ):
        if method not in FIXED_STEP:
            hint = suggestion(str(method), FIXED_STEP)
            raise ValueError(f"expected a method of {', '.join(FIXED_STEP)}, got {method!r}{hint}")
        if not 0.0 < dt < np.inf:
            raise ValueError(f"expected dt above 0 and finite, got {dt}")
        self.model: Model = model
        self.dt: float = float(dt)
        self._controller, self._seed, self._method = controller, seed, method
        self._start = start_of(model, q0, qd0)
        if self._start[0].ndim != 1:
            raise ShapeError(f"expected one world to show live, got q0 {self._start[0].shape}")
        warn_of_model(model, "a live view")
        warn_of_positions(model, self._start[0])
        self._given = Drive(model, None, f_ext, np.random.default_rng(seed), ())
        self._pushed = np.zeros((model.n_bodies, 6))
        self.reset()

    def reset(self) -> None:
        self.q: np.ndarray = self._start[0].copy()
        self.qd: np.ndarray = self._start[1].copy()
        rng = np.random.default_rng(self._seed)
        self._drive = Drive(self.model, self._controller, None, rng, ())
        self._stepper = FIXED_STEP[self._method](self._drive)
        self._time, self._samples, self._work = 0.0, 0, np.zeros(())
        self._pushed[:] = 0.0
        self._choose_loads()

    @property
    def time(self) -> float:
        return self._time

    def film(self) -> Film:
        return still_film(self.model, self.poses())

    def advance(self, count: int) -> None:
        for _ in range(count):
            self._step()
        if not (np.isfinite(self.q).all() and np.isfinite(self.qd).all()):
            raise SimulationError(f"the motion is not finite any more at t = {self._time:g} s")

    def _step(self) -> None:
        """One step, cut where a held controller is sampled."""
        end = self._time + self.dt
        held = self._controller if isinstance(self._controller, ZeroOrderHold) else None
        while end - self._time > 1e-9 * self.dt:
            until = end
            if held is not None:
                due = self._samples * held.period
                if due - self._time <= 1e-9 * self.dt:
                    self._drive.sample(self._time, self.q, self.qd)
                    self._samples += 1
                until = min(end, self._samples * held.period)
            h = until - self._time
            self._stepper.step(self._time, h, self.q, self.qd, self._work)
            self._time = until

    def poses(self) -> np.ndarray:
        return model_poses(self.model, self.q)

    def contacts(self) -> np.ndarray:
        return _NONE

    def push(self, body: int, wrench: np.ndarray | None) -> None:
        self._pushed[body - 1] = 0.0 if wrench is None else wrench
        self._choose_loads()

    def _choose_loads(self) -> None:
        is_pushed = self._pushed.any()
        self._drive.f_ext = self._loads if is_pushed else self._given.f_ext

    def _loads(self, t: float, state: Any) -> np.ndarray:
        given = self._given.loads(t, state.q, state.qd)
        return self._pushed if given is None else self._pushed + given


def run_of(subject: Any, options: Mapping[str, Any]) -> Run:
    """The run of a simulator, of a scene as it says itself, or of a model."""
    if isinstance(subject, Model):
        return ModelRun(subject, **options)
    if isinstance(subject, Scene):
        from ...simulation.stepping import Simulator, TimeSteppingSimulator

        kind = Simulator if subject.settings.kind == "simulator" else TimeSteppingSimulator
        return SceneRun(kind(subject, **options))
    if not all(hasattr(subject, name) for name in ("scene", "advance", "checkpoint")):
        raise TypeError(
            f"expected a Simulator, a Scene or a Model to show live, got {type(subject).__name__}"
        )
    if options:
        raise TypeError(f"unexpected {', '.join(options)}: give them to the simulator")
    return SceneRun(subject)
