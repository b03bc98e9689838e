"""From the sensors of a scene to the terms that programs are made of."""

from __future__ import annotations

from typing import NamedTuple

from ..algorithms.sensors import LinkTerms, SensorFrame, SensorTerms
from ..model import Model, Sensor, SensorKind
from ..scene import Scene
from ..spatial import Transform

_OF_SUBTREES = (
    SensorKind.FORCE, SensorKind.TORQUE, SensorKind.SUBTREE_COM,
    SensorKind.SUBTREE_LINEAR_VELOCITY, SensorKind.SUBTREE_ANGULAR_MOMENTUM,
    SensorKind.POTENTIAL_ENERGY,
)  # fmt: skip
_WORLD = SensorFrame(0, Transform.identity())
_FREE = (-float("inf"), float("inf"))


class LoweredSensors(NamedTuple):
    """The sensors of a scene, and the links of its model where a sensor needs their masses."""

    sensors: tuple[SensorTerms, ...]
    links: tuple[LinkTerms, ...]


def lowered(scene: Scene) -> LoweredSensors:
    """The terms of all sensors."""
    model, numbers = scene.model, {link.name: k for k, link in enumerate(scene.model.links)}
    sensors = tuple(_terms(scene, sensor, numbers) for sensor in scene.sensors)
    needs_masses = any(sensor.kind in _OF_SUBTREES for sensor in scene.sensors)
    return LoweredSensors(sensors, _links(model, numbers) if needs_masses else ())


def frame_of(
    model: Model, of: tuple[str, str] | None, frame: Transform, numbers: dict[str, int]
) -> SensorFrame:
    """A frame on a body of the scene; ``numbers`` are those of the links by name."""
    if of is None:
        return SensorFrame(0, frame)
    name = "/".join(of)
    body = model.body(name)
    return SensorFrame(int(body.moving), frame @ body.frame, numbers[name])


def _links(model: Model, numbers: dict[str, int]) -> tuple[LinkTerms, ...]:
    found = []
    for link in model.links:
        body = model.body(link.name)
        parent = -1 if link.parent is None else numbers[link.parent]
        found.append(LinkTerms(int(body.moving), body.frame, link.body.spatial(), parent))
    return tuple(found)


def _terms(scene: Scene, sensor: Sensor, numbers: dict[str, int]) -> SensorTerms:
    kind, model, of = sensor.kind, scene.model, sensor.of
    at, part, limits = _WORLD, 0, _FREE
    match kind.subject:
        case "body":
            at = frame_of(model, of, sensor.frame, numbers)  # type: ignore[arg-type]
        case "joint" | "spherical":
            machine, name = of  # type: ignore[misc]
            part = int(model.joint(f"{machine}/{name}").body)
            if kind.subject == "joint":
                settings = scene.machine(machine).settings(name)
                limits = settings.lower[0], settings.upper[0]
        case "actuator":
            part = [each.name for each in model.actuators].index(of)  # type: ignore[arg-type]
        case "tendon":
            part = [each.name for each in model.tendons].index(of)  # type: ignore[arg-type]
            limits = model.tendons[part].limits
    reference = frame_of(model, sensor.reference, sensor.reference_frame, numbers)
    return SensorTerms(kind, at, reference, part, limits, sensor.cutoff, sensor.magnetic_field)
