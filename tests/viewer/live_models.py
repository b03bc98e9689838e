"""Machines for the tests of the live view."""

from polhode.model import Box, Capsule, FloatingBase, Model, Revolute, Visual
from polhode.spatial import Transform


def pendulum(name="pendulum"):
    look = (Visual(Capsule(0.08, 0.9), Transform.translation(0, 0, -0.5), (0.9, 0.4, 0.1, 1.0)),)
    return Model(name).add(
        "rod", joint=Revolute.x(), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01),
        visuals=look,
    )  # fmt: skip


def brick():
    """A free body in empty space."""
    look = (Visual(Box((0.4, 0.3, 0.2))),)
    return Model("brick", gravity=(0, 0, 0)).add(
        "brick", joint=FloatingBase(), mass=2.0, inertia=(0.02, 0.03, 0.04), visuals=look
    )
