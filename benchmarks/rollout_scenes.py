"""Scenes that fall to the ground, for benchmarks of many worlds."""

from __future__ import annotations

import sys
from importlib.resources import files

from polhode.model.shapes import Box, Plane, Sphere
from polhode.scene import Scene
from polhode.spatial import Transform

sys.path.insert(0, str(files("polhode") / "examples" / "sweeps"))
from random_terrain import FOOT, SHANK, STANCE, robot

MU = 0.8
BOXES = [(0.3, 0.3, 0.3), (0.3, 0.4, 0.2), (0.2, 0.2, 0.4), (0.4, 0.3, 0.25), (0.25, 0.35, 0.3)]


def place_of(box: int) -> tuple[float, float, float]:
    """Where a box begins [m]."""
    return 0.02 * box, -0.03 * box, 0.3 + 0.5 * box


def boxes() -> Scene:
    """Five boxes over each other, which fall into a heap."""
    scene = Scene("boxes").add_fixed("ground", Plane()).contact(mu_coulomb=MU)
    for k, size in enumerate(BOXES):
        scene = scene.add_body(f"box{k}", Box(size), position=place_of(k), density=500.0)
    return scene


def legged() -> Scene:
    """The robot of the example, let fall in its stance without force in its joints."""
    model = robot(10.0, 0.0)
    touching = [("trunk", Box((0.7, 0.3, 0.15)), Transform.identity())]
    feet = [link.name for link in model.links if link.name.endswith("shank")]
    touching += [(foot, Sphere(FOOT), Transform.translation(0, 0, -SHANK)) for foot in feet]
    scene = Scene("legged").add_fixed("ground", Plane()).contact(mu_coulomb=MU)
    start = [0, 0, 0.6, 0, 0, 0, *STANCE, 1]
    return scene.add_machine(model, "robot", q=start, geometries=touching)
