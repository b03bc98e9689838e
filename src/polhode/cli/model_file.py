"""Model files of the command line, read with the options that all commands have."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from ..formats import load, read
from ..formats.load import SCENES, Functions, Located, located
from ..formats.urdf.placing import SUFFIXES
from ..scene import Scene
from ..scene.plugins import with_functions


def read_options(options: Namespace) -> dict[str, Any]:
    """The options of `polhode.load` that a command has."""
    found = {"package_roots": options.package_root, "trusted": options.trusted}
    own = {key: getattr(options, key, None) for key in ("floating_base", "gravity", "mimic")}
    return {**found, **{key: value for key, value in own.items() if value is not None}}


def urdf_of(options: Namespace) -> Located | None:
    """The file of a command, if it is a URDF or a xacro file."""
    file = located(options.file, options.package_root, trusted=options.trusted)
    return file if Path(file.path).suffix.lower() in SUFFIXES else None


def read_model(file: str, options: Namespace, **more: Any) -> Any:
    """The model or scene of a file."""
    return load(file, **read_options(options), **more)


def read_scene(file: str, options: Namespace, plugins: Functions | None = None) -> Scene:
    """The scene of a file, or that of a model; a URDF comes with its collision shapes."""
    place = located(file, options.package_root, trusted=options.trusted).path
    suffix = Path(place).suffix.lower()
    reading = read(file, **read_options(options), plugins=plugins if suffix in SCENES else None)
    found = reading.model
    if isinstance(found, Scene):
        return reading.warn()
    if suffix == ".lua":
        return with_functions(Scene.of(reading.warn()), plugins or {})
    scene = Scene(found.name, gravity=tuple(found.gravity.lin)).add_urdf(
        file,
        floating_base=options.floating_base,
        package_roots=options.package_root,
        mimic=options.mimic or "independent",
        trusted=options.trusted,
    )
    return with_functions(scene, plugins or {})
