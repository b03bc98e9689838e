"""A URDF as a part of a scene: its model where it is put, and its collision shapes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError
from ...model import Model
from ...scene import Machine, Scene
from ...spatial import Quaternion, Transform, Vec3
from ..load import check_choice, located, read
from .collision import read_collisions

SUFFIXES = (".urdf", ".xacro")


def with_urdf(
    scene: Scene,
    path: str | os.PathLike[str],
    name: str | None,
    r: Vec3,
    turn: Quaternion,
    *,
    floating_base: bool,
    package_roots: Sequence[str | os.PathLike[str]],
    mimic: str,
    snap_angles: bool | str,
    trusted: bool,
) -> Scene:
    """The scene with a URDF's model, its base at a pose; see `Scene.add_urdf`."""
    file = located(path, package_roots, trusted=trusted)
    if Path(file.path).suffix.lower() not in SUFFIXES:
        raise ModelError(f"expected a file name that ends in .urdf or .xacro, got '{file.path}'; "
                         "polhode.load reads scenes of other formats")  # fmt: skip
    common: dict[str, Any] = {"package_roots": file.package_roots, "snap_angles": snap_angles,
                              "trusted": file.trusted}  # fmt: skip
    check_choice("mimic", mimic, ("independent", "coupled"))
    options = {"floating_base": floating_base, "name": name, "gravity": scene.gravity,
               "mimic": mimic}  # fmt: skip
    model: Model = read(file.path, **options, **common).warn(stacklevel=4, repeats=False)
    geometries = read_collisions(file.path, **common)
    if floating_base:
        q = np.array(Machine(model.name, model).q)
        q[model.joints[0].q] = (*r, turn.x, turn.y, turn.z, turn.w)
        return scene.add_machine(model, q=q, geometries=geometries)
    root, *others = model.links
    root = replace(root, frame=root.frame @ Transform(turn.matrix(), r))
    return scene.add_machine(replace(model, links=(root, *others)), geometries=geometries)
