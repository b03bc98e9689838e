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
    return _free_box("brick", (0.3, 0.2, 0.06), 2.0)


BLOCK = 0.2, 0.16, 0.16  # m


def block() -> Model:
    """A free block of 2 kg that stands on its lowest face."""
    return _free_box("block", BLOCK, 2.0)


def _free_box(name: str, size: tuple[float, float, float], mass: float) -> Model:
    x, y, z = size
    inertia = (mass * (y**2 + z**2) / 12, mass * (x**2 + z**2) / 12, mass * (x**2 + y**2) / 12)
    return Model(name).add(
        name, joint=FloatingBase(), mass=mass, com=(0.0, 0.0, 0.0), inertia=inertia,
        visuals=[Visual(Box(size))],
    )  # fmt: skip


LINKS = {"crank": 0.3, "coupler": 0.6, "rocker": 0.5}  # m, each of 1 kg
PIN = 0.55, 0.0, 0.7  # place of the pin that holds the rocker's end
_CRANK = 0.0, 0.0, 0.7


def linkage() -> Model:
    """A four-bar linkage, cut open at the pin: crank, coupler and rocker as a chain."""
    width, mass = 0.05, 1.0
    model, parent, at = Model("four-bar"), None, Transform.translation(*_CRANK)
    for name, length in LINKS.items():
        across = mass * (length**2 + width**2) / 12.0
        middle = (0.5 * length, 0.0, 0.0)
        model = model.add(
            name, parent=parent, joint=Revolute.y(), frame=at, mass=mass, com=middle,
            inertia=(mass * width**2 / 6, across, across),
            visuals=[Visual(Box((length, width, width)), Transform.translation(*middle))],
        )  # fmt: skip
        parent, at = name, Transform.translation(length, 0.0, 0.0)
    return model
