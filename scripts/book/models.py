"""The models of the chapters."""

from __future__ import annotations

from importlib.resources import as_file, files

import polhode as ph
from polhode import Model
from polhode.model import Box, FloatingBase, Revolute, Visual
from polhode.spatial import Transform


def _shipped(name: str) -> Model:
    with as_file(files("polhode") / "examples" / name) as path:
        return ph.load(path)


def arm() -> Model:
    """The shipped arm of six joints."""
    return _shipped("arm.urdf")


def walker() -> Model:
    """The shipped walker: 15 bodies, 29 degrees of freedom."""
    return _shipped("walker.lua")


def chain() -> Model:
    """Three equal rods of 1 kg and 0.5 m, hanging one from the other."""
    length, width, mass = 0.5, 0.06, 1.0
    across = mass * (length**2 + width**2) / 12.0
    model = Model("chain")
    for k in range(3):
        model = model.add(
            f"rod_{k + 1}", parent=f"rod_{k}" if k else None, joint=Revolute.y(),
            frame=Transform.translation(0.0, 0.0, -length if k else 1.2),
            mass=mass, com=(0.0, 0.0, -0.5 * length), inertia=(across, across, mass * width**2 / 6),
            visuals=[Visual(
                Box((width, width, length)), Transform.translation(0.0, 0.0, -0.5 * length)
            )],
        )  # fmt: skip
    return model


def brick() -> Model:
    """A free brick of 2 kg with three different moments of inertia."""
    x, y, z, mass = 0.3, 0.2, 0.06, 2.0
    inertia = (mass * (y**2 + z**2) / 12, mass * (x**2 + z**2) / 12, mass * (x**2 + y**2) / 12)
    return Model("brick").add(
        "brick", joint=FloatingBase(), mass=mass, com=(0.0, 0.0, 0.0), inertia=inertia,
        visuals=[Visual(Box((x, y, z)))],
    )  # fmt: skip
