"""A `Scene` as SDF: links where they are with all joints at zero, joints at the child's origin.

Joints with several axes, other than spherical and universal ones, become chains of massless links.
Free models stand where they start.  Restitution and friction are written where one rule holds for
all.  What else is not in the format is told in one warning.

Refused: joints that the reader has no kind for, and free joints inside a tree.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import quoteattr

from ...errors import ModelError
from ...files.writing import write_atomically
from ...model import FloatingBase, Link, Model
from ...scene import ContactParameters, DisabledPair, Geometry, Machine, Scene
from ...scene.uncoupled import uncoupled
from ...spatial import Quaternion, Transform, Vec3
from ..lost import Lost, note_lost_parts
from ..mjcf.tree import unused
from .gearbox_writer import gearboxes, is_gearbox
from .inertia_writer import inertial, numbers, pose
from .joint_writer import JointElements
from .machine import WEIGHTLESS, WORLD
from .self_collision import SELF_COLLIDE
from .shape_writer import ShapeWriter
from .surface import PATCH_TORQUE

GROUND = "ground"
_RULES = ("mu_viscous", "mu_static", "mu_rolling", "compliance", "penalty_kp", "penalty_kv")


def write(what: Model | Scene, path: str | os.PathLike[str]) -> None:
    """Write a model or scene to an SDF file, with its meshes in files beside it; see `dumps`."""
    target = Path(path)
    shapes = ShapeWriter(target.with_suffix(""), Lost("SDF"))
    text = _text(what, shapes)
    shapes.meshes.write()
    write_atomically(target, text.encode("utf-8"))


def dumps(what: Model | Scene) -> str:
    """The SDF text of a model or scene without meshes.

    Raises
    ------
    ModelError
        For joints and models that the format cannot express.

    Warns
    -----
    ModelWarning
        Of all else that is not in the format.
    """
    return _text(what, ShapeWriter(None, Lost("SDF")))


def _text(what: Model | Scene, shapes: ShapeWriter) -> str:
    scene = uncoupled(Scene.of(what) if isinstance(what, Model) else what, with_gears=False)
    lost = shapes.lost
    quiet = {DisabledPair(machine.name, machine.name) for machine in scene.machines}
    others = tuple(pair for pair in scene.disabled_pairs if pair not in quiet)
    machines = {machine.name: machine for machine in scene.machines}
    gears = tuple(gear for gear in scene.gears if not is_gearbox(machines, gear))
    other_parts = replace(scene, disabled_pairs=others, gears=gears)
    note_lost_parts(other_parts, lost, (0.0, WEIGHTLESS))
    lines = ['<?xml version="1.0"?>', '<sdf version="1.7">']
    lines += [f"  <world name={quoteattr(scene.name)}>"]
    lines += [f"    <gravity>{numbers(scene.gravity)}</gravity>"]
    surface = _surface(scene, lost)
    for machine in scene.machines:
        lines += ["    " + line for line in _Writer(scene, machine, shapes, surface).lines()]
    lost.warn(f"scene '{scene.name}'")
    return "\n".join([*lines, "  </world>", "</sdf>", ""])


def _surface(scene: Scene, lost: Lost) -> list[str]:
    """Of each collision: that of the rule for all."""
    usual = ContactParameters()
    for rule in scene.contacts:
        if rule.a is None:
            usual = rule
        else:
            lost.add("rules of contact", f"{rule.a} and {rule.b}")
    for key in _RULES:
        if getattr(usual, key) > (usual.mu_coulomb if key == "mu_static" else 0.0):
            lost.add(key, "all")
    lines = []
    if usual.restitution:
        value = repr(usual.restitution)
        lines.append(f"<bounce><restitution_coefficient>{value}</restitution_coefficient></bounce>")
    inside = ""
    if usual.mu_coulomb:
        inside += f"<ode><mu>{usual.mu_coulomb!r}</mu></ode>"
    if usual.mu_torsional:
        radius = usual.mu_torsional / PATCH_TORQUE
        inside += ("<torsional><coefficient>1.0</coefficient>"
                   f"<patch_radius>{radius!r}</patch_radius></torsional>")  # fmt: skip
    if inside:
        lines.append(f"<friction>{inside}</friction>")
    return ["<surface>", *("  " + line for line in lines), "</surface>"] if lines else []


class _Writer:
    """The lines of one model."""

    def __init__(self, scene: Scene, machine: Machine, shapes: ShapeWriter, surface: list[str]):
        self.scene: Scene = scene
        self.machine: Machine = machine
        self.shapes: ShapeWriter = shapes
        self.surface: list[str] = surface
        self.where: str = f"model '{machine.name}'"
        self.geometries: dict[str, list[Geometry]] = {}
        for geometry in scene.geometries:
            if geometry.machine == machine.name:
                self.geometries.setdefault(geometry.body, []).append(geometry)
        self.links: tuple[Link, ...] = self._renamed(machine.model.links)

    def _renamed(self, links: tuple[Link, ...]) -> tuple[Link, ...]:
        """Links of which none has the world's name but one that is nothing else than the world."""
        own = next((link for link in links if link.name == WORLD), None)
        if own is None or self._is_bare(own):
            return links
        self.shapes.lost.add("names of links", WORLD)
        other = unused(GROUND, {link.name for link in links})
        if WORLD in self.geometries:
            self.geometries[other] = self.geometries.pop(WORLD)
        return tuple(
            replace(
                link,
                name=other if link is own else link.name,
                parent=other if link.parent == WORLD else link.parent,
            )
            for link in links
        )

    def _is_bare(self, link: Link) -> bool:
        """Whether a link is nothing else than the world."""
        stands = link.parent is None and not link.joint.nv and link.frame == Transform.identity()
        return stands and not link.visuals and link.name not in self.geometries

    def lines(self) -> Iterator[str]:
        free = [link for link in self.links if isinstance(link.joint, FloatingBase)]
        carried = next((link for link in free if link.parent is not None), None)
        if carried is not None:
            raise ModelError(
                f"expected a free joint on a link that stands in the world, got that of "
                f"'{carried.name}', which an SDF cannot express ({self.where})"
            )
        self._note_start(free)
        name = self.machine.name
        if name == WORLD:  # reserved
            self.shapes.lost.add("names of models", WORLD)
            name = unused(GROUND, {machine.name for machine in self.scene.machines})
        yield f"<model name={quoteattr(name)}>"
        if self.machine.is_fixed:
            yield "  <static>true</static>"
        elif self._touches_itself():
            yield f"  <{SELF_COLLIDE}>true</{SELF_COLLIDE}>"
        place: dict[str | None, Transform] = {None: Transform.identity()}
        joints: list[str] = []
        writer = JointElements(self.machine, self.shapes.lost)
        for link in self.links:
            here = self._free_place(link) if isinstance(link.joint, FloatingBase) else link.frame
            place[link.name] = here @ place[link.parent]
            if link.name == WORLD:
                continue  # joints to the world need no link
            for line in self._link(link, place[link.name]):
                yield "  " + line
            if not isinstance(link.joint, FloatingBase):
                joints += writer.joints(link, place[link.name])
        joints += gearboxes(self.machine, self.scene.gears, place)
        for line in joints if not self.machine.is_fixed or len(self.links) > 1 else ():
            yield "  " + line
        yield "</model>"

    def _touches_itself(self) -> bool:
        """Whether links of the model may touch one another; in an SDF they do not."""
        name = self.machine.name
        is_quiet = DisabledPair(name, name) in self.scene.disabled_pairs
        return len(self.geometries) > 1 and not is_quiet

    def _note_start(self, free: Sequence[Link]) -> None:
        """Name a start that links at zero do not show."""
        own, lost = self.machine, self.shapes.lost
        places = [own.model.joint(link.joint_name).q for link in free]
        shown = {k for place in places for k in _indices(place, own.model.nq)}
        still = Machine(own.name, own.model).q
        if any(x != y for k, (x, y) in enumerate(zip(own.q, still, strict=True)) if k not in shown):
            lost.add("positions of joints at the start", own.name)
        if any(own.qd):
            lost.add("velocities at the start", own.name)

    def _free_place(self, link: Link) -> Transform:
        """Where a free link starts."""
        model, q = self.machine.model, self.machine.q
        entries = _indices(model.joint(link.joint_name).q, model.nq)
        x, y, z, i, j, k, w = (q[n] for n in entries)
        return Transform(Quaternion(w, i, j, k).matrix(), Vec3(x, y, z)) @ link.frame

    # -- links --

    def _link(self, link: Link, place: Transform) -> Iterator[str]:
        yield f"<link name={quoteattr(link.name)}>"
        yield f"  {pose(place)}"
        if link.gravity_compensation == WEIGHTLESS:
            yield "  <gravity>false</gravity>"
        for line in inertial(link.body, link.name, self.where):
            yield "  " + line
        for number, geometry in enumerate(self.geometries.get(link.name, ())):
            own = geometry.name.removeprefix(f"{self.machine.name}/{geometry.body}").lstrip("/#")
            shape = self.shapes.geometry(geometry.shape, geometry.name)
            if shape is None:
                self.shapes.lost.add("collision shapes", geometry.name)
                continue
            yield f"  <collision name={quoteattr(own or str(number))}>"
            yield f"    {pose(geometry.frame)}"
            yield f"    <geometry>{shape}</geometry>"
            yield from (f"    {line}" for line in self.surface)
            yield "  </collision>"
        for number, visual in enumerate(link.visuals):
            shape = self.shapes.geometry(visual.shape, f"{link.name}/{number}")
            if shape is None:
                self.shapes.lost.add("visuals", link.name)
                continue
            yield f"  <visual name={quoteattr(visual.name or f'visual{number}')}>"
            yield f"    {pose(visual.frame)}"
            yield f"    <geometry>{shape}</geometry>"
            if visual.color is not None:
                color = numbers(visual.color)
                yield f"    <material><diffuse>{color}</diffuse></material>"
            yield "  </visual>"
        yield "</link>"


def _indices(place: slice | Iterable[int], n: int) -> list[int]:
    return list(range(n)[place]) if isinstance(place, slice) else [int(k) for k in place]
