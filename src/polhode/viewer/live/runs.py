"""What a live view runs: a simulator of a scene, or of a model under a controller."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import ModelError, suggests_options
from ...model import Model
from ...recording.machines import scene_poses
from ...scene import Scene
from ...simulation.choices import without_joint_forces
from ...simulation.drive import Controller
from ...simulation.hold import ZeroOrderHold
from ...simulation.passive_joints import stops_suddenly
from ..contacts import lifting
from ..film import Film, still_film, up

_NONE = np.zeros((0, 6))


class LiveRun:
    """A simulation that can be stepped, pushed and started again."""

    def __init__(self, simulator: Any):
        self.simulator: Any = simulator
        self.dt: Any = simulator.dt
        self.scene: Scene = simulator.scene
        self.model: Model = simulator.model
        self._start = simulator.checkpoint()
        self._contacts, self._up = _NONE, up(self.model)
        self._links = _links(self.scene)

    @property
    def time(self) -> float:
        return self.simulator.current_time

    def film(self) -> Film:
        """What is drawn, where it is now."""
        still = still_film(self.model, self.poses(), scene=self.scene)
        return replace(still, contacts=[_NONE] if self.simulator.has_contact else None)

    def advance(self, count: int) -> None:
        """Make some steps."""
        log = self.simulator.advance(self.dt, count, count)
        real = log.contacts.real[: int(log.start[log.filled])]
        self._contacts = lifting(real[:, 0:3], real[:, 6:9], self._up)

    def poses(self) -> np.ndarray:
        """Poses (N, 4, 4) of all bodies."""
        return scene_poses(self.scene, self.simulator.state[0][None])[0]

    def contacts(self) -> np.ndarray:
        """Points and forces (n, 6) of the last step, in base coordinates."""
        return self._contacts

    def push(self, body: int, wrench: np.ndarray | None) -> None:
        """Hold a wrench on a body: moment about the base's origin, then force."""
        machine, link = self._links[body - 1]
        with suppress(ModelError):  # it does not move
            self.simulator.push(machine, link, np.zeros(6) if wrench is None else wrench)

    def reset(self) -> None:
        """Go back to the start."""
        self.simulator.restore(self._start)
        self._contacts = _NONE


def _links(scene: Scene) -> list[tuple[str, str]]:
    """For each body of the scene the model it belongs to, and a link that moves with it.

    Between the bodies of one joint there is no link: what is pushed there is the next.
    """
    found: list[tuple[str, str]] = []
    for machine in scene.machines:
        model = machine.model
        carried = {int(model.body(name).moving): name for name in reversed(machine.link_names)}
        for i in range(1, model.n_bodies + 1):
            found.append((machine.name, carried[min(k for k in carried if k >= i)]))
    return found


def run_of(subject: Any, options: Mapping[str, Any]) -> LiveRun:
    """The run of a simulator, of a scene as it says itself, or of a model."""
    from ...simulation.stepping import Simulator

    if isinstance(subject, Model):
        return LiveRun(_of_model(subject, **options))
    if isinstance(subject, Scene):
        return LiveRun(Simulator(subject, **options))
    if not all(hasattr(subject, name) for name in ("scene", "advance", "checkpoint")):
        raise TypeError(
            f"expected a Simulator, a Scene or a Model to show live, got {type(subject).__name__}"
        )
    if options:
        raise TypeError(f"unexpected {', '.join(options)}: give them to the simulator")
    return LiveRun(subject)


@suggests_options
def _of_model(
    model: Model,
    *,
    q0: Any = None,
    qd0: Any = None,
    dt: float = 1e-3,
    integrator: str | None = None,
    controller: Controller | None = None,
    f_ext: Any = None,
    joint_forces: str = "all",
    start: str = "check",
    seed: int | None = None,
) -> Any:
    """The simulator of a model; arguments as of `polhode.simulate`."""
    from ...simulation.model_runs import simulator_of

    if integrator is None:
        acting = model if joint_forces == "all" else without_joint_forces(model)
        is_sudden = stops_suddenly(acting) or isinstance(controller, ZeroOrderHold)
        integrator = "event_driven" if is_sudden else "symplectic"
    return simulator_of(
        model, q0, qd0, f_ext, controller, dt=dt, integrator=integrator,
        joint_forces=joint_forces, start=start, seed=seed,
    )  # fmt: skip
