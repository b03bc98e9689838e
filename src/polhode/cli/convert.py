"""``polhode convert FILE OUTPUT``: a model or a scene in another format."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from ..errors import ModelError
from ..formats import save
from ..formats.lost import Lost, note_lost_parts
from ..formats.save import format_of
from ..formats.urdf import writer as urdf
from ..formats.urdf.collision import read_collisions
from ..formats.urdf.writer import Touching
from ..model import JointDynamics, Limits, Link, Model
from ..model.coupling import is_follower
from ..scene import Machine, Scene
from .model_file import read_model, read_scene, urdf_of
from .terminal import Output

_FORMATS = {"urdf": "URDF", "lua": "Lua"}


def run(options: Namespace, output: Output) -> int:
    """Write the file; warnings say what the format has no place for."""
    kind = format_of(options.output, options.to)
    if kind in _FORMATS:
        _convert_model(options, kind)
    else:
        save(read_scene(options.file, options), options.output, format=kind)
    output.say(f"wrote {options.output}")
    output.result({"file": options.file, "output": options.output, "format": kind})
    return 0


def _convert_model(options: Namespace, kind: str) -> None:
    """Write a file of one model, with its collision shapes where the format has them."""
    found, lost = read_model(options.file, options), Lost(_FORMATS[kind])
    if isinstance(found, Scene):
        machine = _one_machine(found, kind)
        touching = _shapes_of(found, machine)
        model, of = _as_model(found, machine, lost), f"scene '{found.name}'"
    else:
        model, touching, of = found, _shapes_of_file(options), f"model '{found.name}'"
    if kind == "urdf":
        urdf.write(model, options.output, touching)
    else:
        for link, _, _ in touching:
            lost.add("collision shapes", link)
        save(model, options.output, format=kind)
    lost.warn(of)


def _shapes_of_file(options: Namespace) -> tuple[Touching, ...]:
    """The collision shapes of a URDF, whose meshes stay files; other models have none."""
    file = urdf_of(options)
    if file is None:
        return ()
    return read_collisions(
        file.path, package_roots=file.package_roots, trusted=file.trusted, as_hulls=False
    )


def _shapes_of(scene: Scene, machine: Machine) -> tuple[Touching, ...]:
    own = (each for each in scene.geometries if each.machine == machine.name)
    return tuple((each.body, each.shape, each.frame) for each in own)


def _one_machine(scene: Scene, kind: str) -> Machine:
    """The one model of a scene that moves."""
    moving = [machine for machine in scene.machines if not machine.is_fixed]
    if len(moving) > 1:
        names = ", ".join(f"'{machine.name}'" for machine in moving[:3])
        raise ModelError(
            f"a {kind} file holds one model, scene '{scene.name}' has {len(moving)}: {names}"
        )
    return moving[0] if moving else scene.machines[0]


def _as_model(scene: Scene, machine: Machine, lost: Lost) -> Model:
    """One model of a scene; what else is in the scene is told as lost."""
    told_by_writer = {link.gravity_compensation for each in scene.machines
                      for link in each.model.links}  # fmt: skip
    note_lost_parts(scene, lost, told_by_writer)
    for rule in scene.contacts:
        lost.add("rules of contact", rule.a or "all")
    for geometry in scene.geometries:
        if geometry.machine != machine.name:
            lost.add("collision shapes", geometry.name)
    for other in scene.machines:
        if other is not machine:
            lost.add("models that do not move", other.name)
    if machine.q != Machine(machine.name, machine.model).q or any(machine.qd):
        lost.add("the start", machine.name)
    links = [_declaring(link, machine, lost) for link in machine.model.links]
    return replace(machine.model, name=scene.name, links=tuple(links), gravity=scene.gravity)


def _declaring(link: Link, machine: Machine, lost: Lost) -> Link:
    """A link that declares what the scene says of its joint."""
    if not link.joint.nv or is_follower(link):
        return link
    settings, rows = machine.settings(link.joint_name), machine.dynamics(link.joint_name)
    limits = link.limits
    if settings.restitution:
        lost.add("restitution of limits", link.joint_name)
    if settings.is_limited and link.joint.nv > 1:
        lost.add("limits of joints of several axes", link.joint_name)
    elif settings.is_limited:
        limits = replace(limits or Limits(), lower=settings.lower[0], upper=settings.upper[0])
    dynamics = JointDynamics(*rows) if any(map(any, rows)) else None
    return replace(link, limits=limits, dynamics=dynamics)
