"""What a format has no place for, told by name when a model is written."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import ModelWarning, warn_caller
from ..model import JointDynamics, Model
from ..model.records import JointEntries

if TYPE_CHECKING:
    from ..scene import Scene


@dataclass
class Lost:
    """Parts of a model that a format has no place for, or changes, told in one warning."""

    format: str
    found: dict[str, list[str]] = field(default_factory=dict)

    def add(self, what: str, name: str) -> None:
        """Something of this name is not written as it is; those of one kind are told together."""
        names = self.found.setdefault(what, [])
        if name not in names:
            names.append(name)

    def warn(self, of: str) -> None:
        """Warn once of all of it."""
        if self.found:
            parts = [f"{what} ({_some(names)})" for what, names in self.found.items()]
            lines = "\n  ".join([f"{of}: lost or changed in {self.format}:", *parts])
            warn_caller(lines, ModelWarning)


_NAMED = 3
_PARTS = ("loops", "gears", "forces", "springs", "plugins", "tendons", "actuators", "sensors",
          "keyframes")  # fmt: skip


def _some(names: Sequence[str]) -> str:
    """The first of many names, and how many there are beside them."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(f"'{name}'" for name in names[:_NAMED]) + more


def note_lost_parts(scene: Scene, lost: Lost, compensations: Container[float] = (0.0,)) -> None:
    """Note parts of a scene that only formats of whole scenes have.

    Of gravity compensations the format has those given.
    """
    for key in _PARTS:
        for part in getattr(scene, key):
            lost.add(key, getattr(part, "name", None) or type(part).__name__)
    if scene.fluid is not None:
        lost.add("fluid", f"of {scene.fluid.density:g} kg/m^3")
    if scene.dissipation is not None:
        lost.add("dissipation", scene.name)
    for pair in scene.disabled_pairs:
        lost.add("pairs that never touch", f"{pair.a} and {pair.b}")
    for machine in scene.machines:
        if any(machine.surface_velocity):
            lost.add("moving surfaces", machine.name)
        for link in machine.model.links:
            if link.gravity_compensation not in compensations:
                lost.add("gravity compensation", link.name)
    for geometry in scene.geometries:
        if any(geometry.surface_velocity):
            lost.add("moving surfaces", geometry.name)


def warn_of_lost_dynamics(model: Model, format: str, written: Container[str] = ()) -> None:
    """Warn of a fluid, of what drives joints, and of what they do that is not ``written``."""
    for what, driving in (("tendons", model.tendons), ("actuators", model.actuators)):
        if driving and what not in written:
            warn_caller(
                f"a {format} file has no {what}: '{driving[0].name}'{_more(driving)} is not "
                f"written (model '{model.name}')", ModelWarning,
            )  # fmt: skip
    if model.fluid is not None:
        warn_caller(f"a {format} file has no fluid: it is not written (model '{model.name}')",
                    ModelWarning)  # fmt: skip
    names = [j.name for j in model.joints if j.limits and j.limits.lower_effort is not None]
    if names:
        warn_caller(
            f"a {format} file has no lower effort of joints: that of '{names[0]}'{_more(names)} is "
            f"not written (model '{model.name}')", ModelWarning,
        )  # fmt: skip
    for key in JointEntries._fields:
        if key in written or key == "rest":  # without its spring a rest says nothing
            continue
        names = [j.name for j in model.joints if _has(j.dynamics, key)]
        if names:
            warn_caller(
                f"a {format} file has no {key} of joints: that of '{names[0]}'{_more(names)} is "
                f"not written (model '{model.name}')", ModelWarning,
            )  # fmt: skip


def _more(things: Sequence[object]) -> str:
    return f" and {len(things) - 1} more" if len(things) > 1 else ""


def _has(dynamics: JointDynamics | None, key: str) -> bool:
    if dynamics is None:
        return False
    value = getattr(dynamics, key)
    return any(value) if isinstance(value, tuple) else value != 0.0
