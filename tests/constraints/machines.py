"""Constraints of the tests: of four-bars, legs, and random trees."""

from __future__ import annotations

import numpy as np

import polhode as ph
from models import at
from polhode.constraints import ConstraintSet
from polhode.model import Model
from random_trees import random_frame

PIN_X, PIN_Y = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
CLOSED = (0.6, -0.1, -2.2)  # near where the four-bar's loop closes


def closed(model: Model, rows, **options) -> ConstraintSet:
    """The rocker's tip pinned to the base at (1.1, 0, 0) along ``rows``."""
    return ConstraintSet(model).loop(0, "rocker", at(1.1), at(0.8), rows, name="pin", **options)


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
