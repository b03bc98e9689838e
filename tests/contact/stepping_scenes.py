"""Scenes for tests of the simulators."""

from __future__ import annotations

import numpy as np

from polhode.model import Model
from polhode.model.joints import Revolute
from polhode.model.shapes import Box, Plane, Sphere
from polhode.scene import JointSettings, Scene
from polhode.spatial import Transform, rotation_x


def pile(seed, count=5, restitution=0.3, mu=0.5, order=None):
    """Boxes and balls above each other, turning, over a plane."""
    rng = np.random.default_rng(seed)
    bodies = []
    for k in range(count):
        size = rng.uniform(0.2, 0.5)
        shape = Sphere(size / 2) if k % 2 else Box((size, 0.8 * size, 1.2 * size))
        quaternion = rng.normal(size=4)
        place = {
            "position": (0.1 * rng.normal(), 0.1 * rng.normal(), 0.5 + 0.7 * k),
            "quaternion": tuple(quaternion / np.linalg.norm(quaternion)),
            "velocity": tuple(rng.normal(size=3)),
            "spin": tuple(3.0 * rng.normal(size=3)),
        }
        bodies.append((f"body{k}", shape, place))
    scene = Scene("pile").add_fixed("ground", Plane())
    scene = scene.contact(restitution=restitution, mu_coulomb=mu)
    for k in range(count) if order is None else order:
        name, shape, place = bodies[k]
        scene = scene.add_body(name, shape, density=500.0, **place)
    return scene


def pendulum(restitution=0.5, joint_settings=None, gravity=(0.0, 0.0, -9.81)):
    """Two bars on hinges, the upper one with limits."""
    model = Model("bars")
    for name, parent in (("upper", None), ("lower", "upper")):
        frame = Transform.translation(0, 0, 0.0 if parent is None else -1.0)
        model = model.add(
            name, parent=parent, frame=frame, joint=Revolute.y(), mass=1.0, com=(0, 0, -0.5),
            inertia=(0.09, 0.09, 0.01),
        )  # fmt: skip
    limits = joint_settings or [
        JointSettings("upper", lower=-0.7, upper=0.9, restitution=restitution)
    ]
    scene = Scene("pendulum", gravity=gravity)
    return scene.add_machine(model, "bars", q=[0.85, 0.3], qd=[2.0, 0.0], joint_settings=limits)


def four_bar():
    """A parallelogram: cranks of length 0.5 and mass 1, a coupler of mass 2, closed by a loop."""
    length, crank, coupler = 0.5, 1.0, 2.0
    own = crank * length**2 / 12.0
    model = Model("four-bar")
    across = Transform.translation(0, 0, -length)
    bar = {"joint": Revolute.y(), "mass": crank, "com": (0, 0, -length / 2)}
    model = model.add("left", inertia=(own, own, 1e-4), **bar)
    model = model.add(
        "coupler", parent="left", frame=across, joint=Revolute.y(), mass=coupler,
        com=(0.5, 0, 0), inertia=(1e-3, 0.1, 0.1),
    )  # fmt: skip
    model = model.add(
        "right", frame=Transform.translation(1.0, 0, 0), inertia=(own, own, 1e-4), **bar
    )
    # A revolute loop about y: its z axis is turned to y on both sides.
    turn = Transform.rotation(rotation_x(-np.pi / 2))
    scene = Scene("four-bar").add_machine(model, "bars", q=[0.6, -0.6, 0.6])
    return scene.add_loop(
        "loop", "revolute", ("bars", "coupler"), ("bars", "right"),
        frame_a=turn @ Transform.translation(1.0, 0, 0), frame_b=turn @ across,
    )  # fmt: skip
