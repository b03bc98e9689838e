"""Programs to adapt, and states for them: a machine with a quaternion, and outputs by name."""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode import algorithms
from polhode.compiler import Program
from random_trees import random_state, tree

MODEL = tree(["revolute y", "spherical", "prismatic"], seed=4)


def effort(model, q, qd, tau, weight):
    """A cost, and what it is made of by name."""
    qdd = ph.forward_dynamics(model, q, qd, tau)
    cost = sum((x * x for x in qdd), 0.0) * weight
    return {"cost": cost, "detail": {"qdd": qdd, "height": algorithms.center_of_mass(model, q).z}}


def inverse_dynamics() -> Program:
    return ph.compile(algorithms.inverse_dynamics, MODEL)


def costs() -> Program:
    return ph.compile(effort, MODEL, shapes={"weight": ()})


def state(*size: int) -> list[np.ndarray]:
    """Position, velocity and acceleration of `MODEL`."""
    q, qd, qdd, _ = random_state(MODEL, 3, size)
    return [q, qd, qdd]
