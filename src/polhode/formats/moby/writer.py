"""A `Scene` as Moby XML: snapshots that reload.

Links are drawn where they are with all joints at zero (free bodies and floating bases where they
start), and joints carry ``q``.  Attributes that Moby ignores hold the rest:
``inertial-relative-com`` (of its manual), frames of joints that close loops, initial states of
spherical joints.  Colours of single visuals are there, too.  Joints with several axes, other than
spherical and universal ones, become chains of massless links.

Not in the format: joints of FloatingBase kind inside a tree, axes that are not of unit length,
joints in Python code, functions of plug-ins.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path

from ...errors import ModelError
from ...files.writing import write_atomically
from ...scene import (
    ContactParameters,
    Damping,
    DampingGains,
    Plugin,
    Scene,
    Settings,
    StokesDrag,
    UniformGravity,
)
from ...scene.uncoupled import uncoupled
from ..lost import Lost, warn_of_lost_dynamics
from ..markup import MarkupElement, document, number, numbers
from .coupling_writer import gear_element, loop_element
from .ids import Ids
from .machine_writer import MachineWriter
from .primitive_writer import PrimitiveWriter
from .simulator import CONTACT_NUMBERS, ITERATIONS, NUMBERS

VIEW: dict[str, tuple[str, ...]] = {
    "camera": ("position", "target", "up"),
    "window": ("location", "size"),
}
GAINS = {
    "linear": "klinear",
    "angular": "kangular",
    "linear_squared": "klinear-sq",
    "angular_squared": "kangular-sq",
}


def write(scene: Scene, path: str | os.PathLike[str]) -> None:
    """Write a scene to a Moby file, with its meshes in files beside it; see `dumps`."""
    target = Path(path)
    primitives = PrimitiveWriter(target.with_suffix(""))
    text = _text(scene, primitives)
    primitives.write_files()
    write_atomically(target, text.encode("utf-8"))


def dumps(scene: Scene) -> str:
    """The Moby text of a scene without meshes and height fields.

    Raises
    ------
    ModelError
        For what the format cannot express.
    """
    return _text(scene, PrimitiveWriter(None))


def _text(scene: Scene, primitives: PrimitiveWriter) -> str:
    scene = uncoupled(scene, with_gears=True)
    _check_dynamics(scene)
    ids = Ids(scene)
    machines = MachineWriter(scene, ids, primitives)
    bodies = [machines.element(machine) for machine in scene.machines]
    loops = [loop_element(scene, ids, loop) for loop in scene.loops]
    gears = [gear_element(ids, gear) for gear in scene.gears]
    inside = [
        *(MarkupElement(tag, attributes) for tag, attributes in primitives.elements()),
        *_forces(scene, ids),
        *bodies,
        *loops,
        *gears,
        *(MarkupElement("CollisionDetectionPlugin", {"id": p.name}) for p in _finders(scene)),
        *_dissipation(scene),
        _simulator(scene, ids),
    ]
    root = MarkupElement(
        "XML", {}, [_driver(scene), MarkupElement("MOBY", {"name": scene.name}, inside)]
    )
    return document(root)


def _check_dynamics(scene: Scene) -> None:
    """Refuse springs, and warn of the armature of joints."""
    names = [spring.name for spring in scene.springs]
    joints = [(machine, joint) for machine in scene.machines for joint in machine.model.joints]
    names += [joint.name for machine, joint in joints if any(machine.dynamics(joint).stiffness)]
    if names:
        raise ModelError(f"a Moby file cannot express spring '{names[0]}' (scene '{scene.name}')")
    lost, told = Lost("Moby"), ("tendons", "actuators")
    for what in (*told, "sensors"):
        for each in getattr(scene, what):
            lost.add(what, each.name)
    if scene.fluid is not None:
        lost.add("fluid", f"of {scene.fluid.density:g} kg/m^3")
    lost.warn(f"scene '{scene.name}'")
    for machine in scene.machines:
        dry = replace(machine.model, fluid=None)
        warn_of_lost_dynamics(dry, "Moby", ("damping", "friction", *told))


def _driver(scene: Scene) -> MarkupElement:
    step = scene.settings.step_size
    node = MarkupElement("DRIVER", {} if step is None else {"step-size": number(step)})
    for tag, keys in VIEW.items():
        values = {key: getattr(scene.view, f"{tag}_{key}") for key in keys}
        written = {key: numbers(value) for key, value in values.items() if value is not None}
        if written:
            node.children.append(MarkupElement(tag, written))
    return node


def _forces(scene: Scene, ids: Ids) -> Iterable[MarkupElement]:
    yield MarkupElement("GravityForce", {"id": ids.gravity, "accel": numbers(scene.gravity)})
    for force in scene.forces:
        match force:
            case UniformGravity(name, acceleration):
                yield MarkupElement("GravityForce", {"id": name, "accel": numbers(acceleration)})
            case StokesDrag(name, linear, angular):
                values = {"drag-b": number(linear), "drag-b-ang": number(angular)}
                yield MarkupElement("StokesDragForce", {"id": name, **values})
            case Damping(name, gains):
                yield MarkupElement(
                    "DampingForce", {"id": name}, [_gains(each, ids) for each in gains]
                )


def _gains(gains: DampingGains, ids: Ids) -> MarkupElement:
    values = {key: number(getattr(gains, field)) for field, key in GAINS.items()}
    return MarkupElement("Gains", {"body-id": ids.name(gains.body), **values})


def _dissipation(scene: Scene) -> Iterable[MarkupElement]:
    if scene.dissipation is not None:
        own = scene.dissipation
        bodies = [MarkupElement("Body", {"id": m, "lambda": number(x)}) for m, x in own.factors]
        yield MarkupElement(
            "Dissipation", {"id": "dissipation", "default": number(own.default)}, bodies
        )


def _finders(scene: Scene) -> list[Plugin]:
    """The plug-ins that a file can name: those that find contacts."""
    return [plugin for plugin in scene.plugins if plugin.kind == "collision"]


def _simulator(scene: Scene, ids: Ids) -> MarkupElement:
    settings = scene.settings
    tag = "Simulator" if settings.kind == "simulator" else "TimeSteppingSimulator"
    node = MarkupElement(tag, {"id": settings.name, **_settings(settings)})
    if scene.dissipation is not None:
        node.attributes["dissipator-id"] = "dissipation"
    for plugin in _finders(scene):
        node.attributes["collision-detection-plugin"] = plugin.name
    add = node.children.append
    for machine in scene.simulated:
        add(MarkupElement("DynamicBody", {"dynamic-body-id": ids.machine(machine.name)}))
    for loop in scene.loops:
        add(MarkupElement("ImplicitConstraint", {"joint-id": loop.name}))
    add(MarkupElement("RecurrentForce", {"recurrent-force-id": ids.gravity}))
    for force in scene.forces:
        if force.bodies is None:
            add(MarkupElement("RecurrentForce", {"recurrent-force-id": force.name}))
    for contact in scene.contacts:
        add(_contact(contact, ids))
    for pair in scene.disabled_pairs:
        sides = {"object1-id": ids.name(pair.a), "object2-id": ids.name(pair.b)}
        add(MarkupElement("DisabledPair", sides))
    return node


def _settings(settings: Settings) -> dict[str, str]:
    """Values that differ from the defaults."""
    plain = {each.name: each.default for each in fields(Settings)}
    found = {
        key: number(getattr(settings, field))
        for key, field in NUMBERS.items()
        if getattr(settings, field) != plain[field]
    }
    most = settings.constraint_stabilization_max_iterations
    return found if most is None else {**found, ITERATIONS: str(most)}


def _contact(contact: ContactParameters, ids: Ids) -> MarkupElement:
    node = MarkupElement("ContactParameters", {})
    if contact.a is not None and contact.b is not None:
        node.attributes["object1-id"] = ids.name(contact.a)
        node.attributes["object2-id"] = ids.name(contact.b)
    for key, field in CONTACT_NUMBERS.items():
        value = getattr(contact, field)
        if value or key in ("epsilon", "mu-coulomb"):
            node.attributes[key] = number(value)
    if contact.friction_cone_edges:
        node.attributes["friction-cone-edges"] = str(contact.friction_cone_edges)
    return node
