"""Machines with constraints for the tests: four-bars, legs, and random trees."""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode.constraints import ConstraintSet
from polhode.model import FloatingBase, Limits, Model, Revolute
from polhode.spatial import Mat3, Transform, Vec3, rotation_x, rotation_z
from random_trees import random_frame

PIN_X, PIN_Y = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
CLOSED = (0.6, -0.1, -2.2)  # near where the four-bar's loop closes


def at(x: float, y: float = 0.0, z: float = 0.0) -> Transform:
    return Transform(Mat3.identity(), Vec3(x, y, z))


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


def closed(model: Model, rows, **options) -> ConstraintSet:
    """The rocker's tip pinned to the base at (1.1, 0, 0) along ``rows``."""
    return ConstraintSet(model).loop(0, "rocker", at(1.1), at(0.8), rows, name="pin", **options)


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


def standing(model: Model) -> ConstraintSet:
    """Both feet of a walker held in all three directions."""
    made = ConstraintSet(model)
    for side in ("left", "right"):
        made = made.contact(f"{side} shin", (0.0, 0.0, -0.4), np.eye(3).tolist(), name=side)
    return made


def random_set(model: Model, seed: int) -> ConstraintSet:
    """A contact, a ground contact, and a loop with turning rows, between random bodies."""
    rng = np.random.default_rng(seed)
    names = [link.name for link in model.links]
    first, last = names[0], names[-1]
    made = ConstraintSet(model).contact(
        last, rng.uniform(-0.5, 0.5, 3), rng.standard_normal(3), name="touch",
        normal_acceleration=float(rng.standard_normal()),
    )  # fmt: skip
    made = made.contact(
        first, rng.uniform(-0.5, 0.5, 3), rng.standard_normal(3), name="ground",
        ground=rng.uniform(-0.5, 0.5, 3), stabilization=0.1,
    )  # fmt: skip
    axes = rng.standard_normal((2, 6))
    frames = random_frame(rng), random_frame(rng)
    return made.loop(first, last, *frames, axes, name="loop", stabilization=0.2)


def constrained_state(model: Model, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    q = ph.integrate(model, ph.neutral(model), rng.uniform(-0.6, 0.6, model.nv))
    return (q, *rng.standard_normal((2, model.nv)))
