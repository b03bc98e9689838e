"""What a run of a scene tells and writes on its way: lines, log, snapshots."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, suggestion
from ..scene import Scene
from .terminal import Output

if TYPE_CHECKING:
    from ..simulation.stepping import Simulator

ITEMS = ("step", "time", "cpu", "energy", "contacts", "impacts", "residual", "q", "qd")


class ProgressLines:
    """Prints what is asked for, one line each time."""

    def __init__(self, items: Sequence[str], scene: Scene, output: Output):
        self.items: list[str] = _checked(items, scene)
        self.output: Output = output
        self._last = (0, time.perf_counter())
        output.say(" ".join(self.items))

    def __call__(self, simulator: Simulator) -> None:
        report = simulator.report
        self.output.say(" ".join(self._text(item, simulator, report) for item in self.items))
        self._last = (int(report["steps"]), time.perf_counter())

    def _text(self, item: str, simulator: Simulator, report: Any) -> str:
        if item == "step":
            return str(report["steps"])
        if item == "time":
            return f"{simulator.current_time:.9g}"
        if item == "cpu":
            steps, began = self._last
            return f"{(time.perf_counter() - began) / max(1, report['steps'] - steps):.3g}"
        if item == "energy":
            return _numbers([energy_of(simulator)])
        if item == "contacts":
            return str(simulator._near.n_contacts)
        if item in ("impacts", "residual"):
            return f"{report[item]:.6g}"
        machine, _, which = item.rpartition(".")
        q, qd = simulator.state_of(machine) if machine else simulator.state
        return _numbers(q if which == "q" else qd)


def _checked(items: Sequence[str], scene: Scene) -> list[str]:
    names = [machine.name for machine in scene.simulated if not machine.is_fixed]
    known = [*ITEMS, *(f"{name}.{which}" for name in names for which in ("q", "qd"))]
    for item in items:
        if item not in known:
            raise ModelError(
                f"nothing to print is called '{item}'{suggestion(item, known)}; there are "
                f"{', '.join(ITEMS)}, and MODEL.q, MODEL.qd"
            )
    return list(items)


def _numbers(values: Any) -> str:
    return " ".join(f"{x:.9g}" for x in np.asarray(values, float))


def energy_of(simulator: Simulator) -> float:
    """Kinetic plus potential energy of the models that move [J]."""
    from dataclasses import replace

    from ..api.energetics import energy

    total, scene = 0.0, simulator.scene
    for machine in scene.simulated:
        if not machine.is_fixed:
            model = replace(machine.model, gravity=scene.gravity)  # type: ignore[arg-type]
            total += float(sum(energy(model, *simulator.state_of(machine.name))))
    return total


class RunLog:
    """Writes what happens in a run to a file or to standard error, from some level on."""

    def __init__(self, level: str, path: str | None):
        self.logger: logging.Logger = logging.Logger("polhode.sim", getattr(logging, level.upper()))
        handler = logging.StreamHandler(sys.stderr) if path is None else logging.FileHandler(path)
        handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
        self.logger.addHandler(handler)
        self._before: dict[str, float] = {}

    @property
    def is_per_step(self) -> bool:
        """Whether steps are told of one by one."""
        return self.logger.isEnabledFor(logging.DEBUG)

    def __call__(self, simulator: Simulator) -> None:
        """Tell of the last step, and of what went wrong in it."""
        report = simulator.report
        new = {key: report[key] - self._before.get(key, 0) for key in report}
        self._before, t = report, simulator.current_time
        self.logger.debug(
            "step %d t = %.9g: %d mini-steps, %d impacts, %d contacts", report["steps"], t,
            new["mini_steps"], new["impacts"], simulator._near.n_contacts,
        )  # fmt: skip
        if new["unconverged"]:
            self.logger.warning("t = %.9g: %d contact problems not solved to tolerance", t,
                                new["unconverged"])  # fmt: skip
        if new["capped_steps"]:
            self.logger.warning("t = %.9g: a limit on the work of a step was reached", t)

    def close(self) -> None:
        """Close the file."""
        for handler in self.logger.handlers:
            handler.close()


class Snapshots:
    """Writes the scene as it is, as Moby XML that loads again and goes on from there."""

    def __init__(self, folder: str, scene: Scene):
        self.root: Path = Path(folder)
        self.scene: Scene = scene
        self.count: int = 0
        self.root.mkdir(parents=True, exist_ok=True)
        self._last = -1

    def __call__(self, simulator: Simulator) -> None:
        from ..formats import save

        step, t = int(simulator.report["steps"]), simulator.current_time
        if step == self._last:
            return
        save(scene_now(simulator), self.root / f"{self.scene.name}-{step:08d}-{t:.6f}.xml")
        self._last, self.count = step, self.count + 1


def scene_now(simulator: Simulator) -> Scene:
    """The scene started at the state of a simulator."""
    scene = simulator.scene
    for machine in scene.simulated:
        if not machine.is_fixed:
            q, qd = simulator.state_of(machine.name)
            scene = scene.with_start(machine.name, q=q.tolist(), qd=qd.tolist())
    return scene.with_settings(time=simulator.current_time)


Watches = list[tuple[int, Callable[[Any], None]]]
