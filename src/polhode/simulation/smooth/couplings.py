"""Loops and gears as equations in coordinates: their Jacobian, errors, rates and bias."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...algorithms.constrained.closures import ROWS, Closure, closure_rows
from ...binding.calls import evaluate
from ...model import Model
from ...scene import Loop
from ...scene.couplings import BodyOf
from ...spatial import Transform
from ..stepping.lowering import SceneLayout


class CouplingRows(NamedTuple):
    """`polhode.algorithms.constrained.closures.ClosureRows` of loops and gears, as arrays."""

    J: np.ndarray
    err: np.ndarray
    errd: np.ndarray
    bias: np.ndarray


class Couplings:
    """All loops and gears of a scene, over the coordinates of one model."""

    def __init__(self, plan: SceneLayout, model: Model, gears: list[tuple[int, int, float, float]]):
        self.model: Model = model
        self.gears: list[tuple[int, int, float, float]] = gears
        self.closures: tuple[Closure, ...] = tuple(
            _closure(plan, model, loop) for loop in plan.scene.loops
        )

    def __len__(self) -> int:
        return sum(len(ROWS[closure.kind]) for closure in self.closures) + len(self.gears)

    def rows(self, q: np.ndarray, qd: np.ndarray) -> CouplingRows:
        """The rows of all loops, then of all gears, as arrays."""
        gears = [self._gear(q, qd, *gear) for gear in self.gears]
        if not self.closures:
            return CouplingRows(*map(np.array, zip(*gears, strict=True)))
        loops = evaluate(closure_rows, self.model, (q, qd), closures=self.closures)
        if not gears:
            return CouplingRows(*loops)
        of_gears = zip(*gears, strict=True)
        return CouplingRows(*map(np.concatenate, zip(loops, of_gears, strict=True)))

    def _gear(
        self, q: np.ndarray, qd: np.ndarray, a: int, b: int, ratio: float, constant: float
    ) -> tuple[np.ndarray, float, float, float]:
        """The row of ``q_a = ratio q_b + constant``."""
        J = np.zeros(self.model.nv)
        J[a], J[b] = 1.0, -ratio
        return J, q[a] - ratio * q[b] - constant, qd[a] - ratio * qd[b], 0.0


def _closure(plan: SceneLayout, model: Model, loop: Loop) -> Closure:
    a, frame_a = _side(plan, model, loop.a, loop.frame_a)
    b, frame_b = _side(plan, model, loop.b, loop.frame_b)
    return Closure(loop.kind.value, loop.pitch, a, b, frame_a, frame_b)


def _side(
    plan: SceneLayout, model: Model, owner: BodyOf | None, frame: Transform
) -> tuple[int, Transform]:
    """A body of the model, 0 for the world, and a frame on it."""
    if owner is None:
        return 0, frame
    place = plan.places[owner]
    if place.body < 0:
        return 0, place.local(frame)
    return int(model.body("/".join(owner)).id), frame
