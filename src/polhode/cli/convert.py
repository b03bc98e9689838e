"""``polhode convert FILE OUTPUT``: a model or a scene in another format."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from ..errors import ModelError
from ..formats import save
from ..formats.lost import Lost
from ..formats.save import format_of
from ..model import Model
from ..scene import Machine, Scene
from .model_file import read_model, read_scene
from .terminal import Output

_OF_SCENES = ("geometries", "loops", "gears", "forces", "springs", "contacts", "plugins")
_CALLED = {"geometries": "collision shapes", "contacts": "rules of contact"}


def run(options: Namespace, output: Output) -> int:
    """Write the file; warnings say what the format has no place for."""
    kind = format_of(options.output, options.to)
    if kind in ("urdf", "lua"):
        found = read_model(options.file, options)
        found = found if isinstance(found, Model) else as_model(found, kind)
    else:
        found = read_scene(options.file, options)
    save(found, options.output, format=kind)
    output.say(f"wrote {options.output}")
    output.result({"file": options.file, "output": options.output, "format": kind})
    return 0


def as_model(scene: Scene, kind: str) -> Model:
    """The one model of a scene that moves; what else is in the scene is told as lost."""
    moving = [machine for machine in scene.machines if not machine.is_fixed]
    if len(moving) > 1:
        names = ", ".join(f"'{machine.name}'" for machine in moving[:3])
        raise ModelError(
            f"a {kind} file holds one model, scene '{scene.name}' has {len(moving)}: {names}"
        )
    machine = moving[0] if moving else scene.machines[0]
    lost = Lost({"urdf": "URDF", "lua": "Lua"}[kind])
    for key in _OF_SCENES:
        for part in getattr(scene, key):
            name = getattr(part, "name", None) or getattr(part, "a", None) or "all"
            lost.add(_CALLED.get(key, key), name)
    for other in scene.machines:
        if other is not machine:
            lost.add("models that do not move", other.name)
    if machine.q != Machine(machine.name, machine.model).q or any(machine.qd):
        lost.add("the start", machine.name)
    lost.warn(f"scene '{scene.name}'")
    return replace(machine.model, name=scene.name, gravity=scene.gravity)
