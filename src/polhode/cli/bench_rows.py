"""The rows of the speed table: what is computed, on how many states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import polhode as ph

from ..model import Model

VECTOR, MATRIX = 8192, 512
"""States in a batch: a matrix result leaves the caches sooner."""


@dataclass(frozen=True)
class Row:
    """One line of the table; ``inputs`` out of q, v, a, t (positions, rates, forces)."""

    key: str
    name: str
    function: Callable[..., Any]
    inputs: str
    batch: int = VECTOR
    parallel_peer: bool = False


ROWS = (
    Row("rnea", "inverse dynamics", ph.inverse_dynamics, "qva", parallel_peer=True),
    Row("aba", "forward dynamics", ph.forward_dynamics, "qvt", parallel_peer=True),
    Row("solve", "M^-1 tau", ph.solve_mass_matrix, "qt"),
    Row("bias", "bias forces", ph.bias_forces, "qv"),
    Row("gravity", "gravity forces", ph.gravity_forces, "q"),
    Row("energy", "energy", ph.energy, "qv"),
    Row("com", "centre of mass", ph.center_of_mass, "q"),
    Row("crba", "mass matrix", ph.mass_matrix, "q", MATRIX),
    Row("minv", "inverse mass matrix", ph.inverse_mass_matrix, "q", MATRIX),
    Row("poses", "body poses", ph.body_poses, "q", MATRIX),
    Row("jacobian", "body Jacobian", ph.body_jacobian, "q", MATRIX),
    Row("d_rnea", "inverse dynamics' derivatives", ph.inverse_dynamics_derivatives, "qva", MATRIX),
    Row("d_aba", "forward dynamics' derivatives", ph.forward_dynamics_derivatives, "qvt", MATRIX),
)


@dataclass(frozen=True)
class States:
    """Random states of a model, the same for everybody."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    t: np.ndarray

    @classmethod
    def random(cls, model: Model, count: int, seed: int = 3) -> States:
        rng = np.random.default_rng(seed)
        q = ph.random_configuration(model, rng, size=(count,))
        return cls(q, *(rng.standard_normal((count, model.nv)) for _ in range(3)))

    def of(self, row: Row, count: int) -> list[np.ndarray]:
        """The row's arguments for the first ``count`` states."""
        return [getattr(self, name)[:count] for name in row.inputs]

    def one(self, row: Row, k: int = 0) -> list[np.ndarray]:
        """The row's arguments for one state, in arrays of their own."""
        return [getattr(self, name)[k].copy() for name in row.inputs]


def call(row: Row, model: Model, body: int, arrays: list[np.ndarray]) -> Callable[..., Any]:
    """``f(out=...)``: the row's function bound to its arguments."""
    if row.key == "jacobian":
        return partial(row.function, model, *arrays, body)
    return partial(row.function, model, *arrays)
