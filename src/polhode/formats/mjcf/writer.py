"""A `Scene` as MuJoCo's XML.

Written are bodies with joints, mass and sites; shapes; friction, and pairs that never touch.  Also
spherical and fixed loops, gears, mimic joints; tendons, actuators, sensors; gravity, the time step,
and the start.  Joints with several axes become joints in series on one body, and so do links
without mass between two joints.

Refused: joints and loops that MJCF has no kind for, and moving links without mass.  What else is
not in the format is told in one warning.
"""

from __future__ import annotations

import os
from pathlib import Path

from ...errors import ModelError
from ...files.writing import write_atomically
from ...model import Model
from ...scene import Scene
from ...scene.uncoupled import uncoupled
from ..lost import Lost
from ..markup import MarkupElement, document, number, numbers
from .body_writer import BodyWriter
from .contact_writer import ContactWriter, friction, usual
from .drive_writer import DriveWriter
from .equality_writer import EqualityWriter
from .fluid_writer import fluid_option
from .geom_writer import Attributes, GeomWriter
from .keyframe_writer import KeyframeWriter
from .sensor_writer import SensorWriter
from .site_writer import SiteWriter


def write(what: Model | Scene, path: str | os.PathLike[str]) -> None:
    """Write a model or scene to an MJCF file, with its meshes in files beside it; see `dumps`."""
    target = Path(path)
    geoms = GeomWriter(target.with_suffix(""), Lost("MJCF"))
    text = _text(what, geoms)
    geoms.write_files()
    write_atomically(target, text.encode("utf-8"))


def dumps(what: Model | Scene) -> str:
    """The MJCF text of a model or scene, meshes and all.

    Raises
    ------
    ModelError
        For joints and loops that MJCF has no kind for, and moving links without mass.

    Warns
    -----
    ModelWarning
        Of all else that is not in the format.
    """
    return _text(what, GeomWriter(None, Lost("MJCF")))


def _text(what: Model | Scene, geoms: GeomWriter) -> str:
    lost = geoms.lost
    scene = uncoupled(Scene.of(what) if isinstance(what, Model) else what, with_gears=False)
    _note_lost(scene, lost)
    bodies = BodyWriter(scene, scene.simulated, geoms, lost)
    bodies.write()
    sites = SiteWriter(bodies)
    equalities = EqualityWriter(scene, bodies, sites).elements()
    contacts = ContactWriter(scene, geoms.written, bodies.names, lost).elements()
    drives = DriveWriter(scene, bodies, sites, lost, set(geoms.written))
    tendons, actuators = drives.tendons(), drives.actuators()
    sensors = SensorWriter(scene, bodies, sites, drives.names, lost)
    inside = [
        MarkupElement("compiler", {"angle": "radian", "inertiafromgeom": "false"}),
        _option(scene, sensors.option()),
        MarkupElement("default", {}, _defaults(scene)),
        MarkupElement("asset", {}, geoms.assets),
        bodies.world,
        MarkupElement("contact", {}, contacts),
        MarkupElement("equality", {}, equalities),
        MarkupElement("tendon", {}, tendons),
        MarkupElement("actuator", {}, actuators),
        MarkupElement("sensor", {}, sensors.elements()),
        MarkupElement("keyframe", {}, KeyframeWriter(scene, bodies.parts, drives.names).elements()),
    ]
    sections = [each for each in inside if each.attributes or each.children]
    root = MarkupElement("mujoco", {"model": scene.name}, sections)
    lost.warn(f"scene '{scene.name}'")
    return document(root)


def _option(scene: Scene, more: Attributes) -> MarkupElement:
    step = scene.settings.step_size
    found = {"gravity": numbers(scene.gravity)} | fluid_option(scene.fluid) | more
    return MarkupElement("option", found if step is None else found | {"timestep": number(step)})


def _defaults(scene: Scene) -> list[MarkupElement]:
    """Friction, and what is only drawn or only touches; inertias do not come from shapes."""
    links = (link for machine in scene.machines for link in machine.model.links)
    if not scene.geometries and not any(link.visuals for link in links):
        return []
    visual = MarkupElement("geom", {"contype": "0", "conaffinity": "0", "group": "2"})
    collision = MarkupElement("geom", {"group": "3"})
    return [
        MarkupElement("geom", friction(usual(scene))),
        MarkupElement("mesh", {"inertia": "shell"}),
        MarkupElement("default", {"class": "visual"}, [visual]),
        MarkupElement("default", {"class": "collision"}, [collision]),
    ]


def _note_lost(scene: Scene, lost: Lost) -> None:
    for machine in scene.machines:
        if not machine.is_simulated:
            lost.add("models that do not take part", machine.name)
        for name in machine.model.constraint_sets:
            lost.add("constraint sets", name)
    for force in scene.forces:
        lost.add("forces on bodies", force.name)
    for spring in scene.springs:
        lost.add("springs between bodies", spring.name)
    for plugin in scene.plugins:
        lost.add("plug-ins", plugin.name)
    if scene.dissipation is not None:
        lost.add("dissipation", "after each step")
    ends = {end[0] for each in (*scene.loops, *scene.gears) for end in (each.a, each.b) if end}
    idle = {machine.name for machine in scene.machines if not machine.is_simulated}
    if both := sorted(ends & idle):
        raise ModelError(f"model '{both[0]}' is coupled, but does not take part "
                         f"(scene '{scene.name}')")  # fmt: skip
