"""Machines and scenes that tests of several folders share; a model is made once."""

from __future__ import annotations

from functools import cache

import numpy as np

import polhode as ph
from polhode.examples import path
from polhode.model import FloatingBase, Limits, Model, Plane, Revolute, Sphere
from polhode.spatial import Mat3, Transform, Vec3, rotation_x, rotation_z
from random_trees import tree


def at(x: float, y: float = 0.0, z: float = 0.0) -> Transform:
    return Transform(Mat3.identity(), Vec3(x, y, z))


@cache
def example(name: str) -> Model:
    """A model that ships with the package."""
    return ph.load(path(name))


@cache
def pendulum() -> Model:
    """A rod of a metre that hangs on a hinge about x."""
    return Model("pendulum").add(
        "rod", joint=Revolute.x(), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)
    )


@cache
def crane() -> Model:
    """A hinge, and a slide on it."""
    return tree(["revolute y", "prismatic"])


@cache
def wrist() -> Model:
    """A hinge, and a spherical joint on it."""
    return tree(["revolute y", "spherical"])


@cache
def four_bar(gravity: tuple[float, float, float] = (0.0, -9.81, 0.0)) -> Model:
    """Crank, coupler and rocker in the plane of x and y, in series."""
    model = Model("four-bar", gravity=gravity)
    lengths = {"crank": 0.5, "coupler": 1.0, "rocker": 0.8}
    parent, reach = None, 0.0
    for name, length in lengths.items():
        model = model.add(
            name,
            parent=parent,
            joint=Revolute.z(),
            frame=at(reach),
            mass=length,
            com=(length / 2, 0.0, 0.0),
            inertia=(0.01, length**3 / 12, length**3 / 12),
        )
        parent, reach = name, length
    return model


@cache
def seven_axes() -> Model:
    """An arm with the geometry and the limits of a Franka Panda, and a hand that is fixed to it.

    From the manufacturer's table of Denavit-Hartenberg parameters (Craig's convention).
    """
    table = [  # a, d, alpha, limits
        (0.0, 0.333, 0.0, (-2.8973, 2.8973)),
        (0.0, 0.0, -1.0, (-1.7628, 1.7628)),
        (0.0, 0.316, 1.0, (-2.8973, 2.8973)),
        (0.0825, 0.0, 1.0, (-3.0718, -0.0698)),
        (-0.0825, 0.384, -1.0, (-2.8973, 2.8973)),
        (0.0, 0.0, 1.0, (-0.0175, 3.7525)),
        (0.088, 0.0, 1.0, (-2.8973, 2.8973)),
    ]
    model = Model("seven axes")
    for k, (a, d, right_angles, ends) in enumerate(table):
        turn = rotation_x(right_angles * np.pi / 2)
        frame = at(0.0, 0.0, d) @ Transform(turn, Vec3(a, 0.0, 0.0))
        model = model.append(
            f"link{k + 1}", joint=Revolute.z(), frame=frame, mass=1.0,
            inertia=(0.1, 0.1, 0.1), limits=Limits(*ends),
        )  # fmt: skip
    return model.append("hand", frame=Transform(rotation_z(-np.pi / 4), Vec3(0.0, 0.0, 0.2104)))


@cache
def walker() -> Model:
    """A free trunk on two legs of three joints each."""
    model = Model("walker").add(
        "trunk", joint=FloatingBase(), mass=5.0, com=(0.02, 0.0, 0.1), inertia=(0.2, 0.3, 0.1)
    )
    for side, y in (("left", 0.2), ("right", -0.2)):
        parent, frame = "trunk", at(0.0, y, 0.0)
        for name, axis, length in (("hip", "x", 0.0), ("thigh", "y", 0.4), ("shin", "y", 0.4)):
            model = model.add(
                f"{side} {name}",
                parent=parent,
                joint=getattr(Revolute, axis)(),
                frame=frame,
                mass=0.7,
                com=(0.01, 0.0, -0.15),
                inertia=(0.02, 0.02, 0.01),
                limits=Limits(-1.0, 1.2),
            )
            parent, frame = f"{side} {name}", at(0.0, 0.0, -length)
    return model


def ball_on_plane(height: float, radius: float = 0.1, **rule) -> ph.Scene:
    """A ball of a kilogramme above level ground, under one contact rule."""
    scene = ph.Scene("ball").add_fixed("ground", Plane()).contact(**rule)
    return scene.add_body("ball", Sphere(radius), mass=1.0, position=(0, 0, height))
