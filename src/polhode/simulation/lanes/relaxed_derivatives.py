"""Steps of worlds whose laws are relaxed, and their derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...api.manifold import difference, integrate
from .derivative_programs import relaxed_programs
from .relaxed_steps import SOLVED, relax_worlds
from .step_derivatives import Balanced, EndedSteps, StepDerivatives, StepMade
from .widening import put_widening


class RelaxedSteps(NamedTuple):
    """How relaxed steps ended, and which did not fulfil their laws."""

    made: StepMade
    is_unsolved: np.ndarray


class RelaxedDerivatives(StepDerivatives):
    """As `StepDerivatives`, of steps whose laws are relaxed.

    They are given the exact steps, from whose impulses the search begins.  Positions are pushed
    out of overlaps as in these.
    """

    def __init__(self, exact: StepDerivatives):
        super().__init__(exact.programs, relaxed_programs(exact.programs, exact.made))
        self._exact: StepDerivatives = exact

    def steps(self, given: Mapping[str, Any], made: StepMade) -> RelaxedSteps:
        """How the relaxed steps end, by the exact ones."""
        ended, error = self._relaxed(given, made)
        return RelaxedSteps(ended.made, ~(error < SOLVED))

    def _ended(
        self, given: Mapping[str, Any], made: StepMade, columns: Sequence[int] | None = None
    ) -> EndedSteps:
        return self._relaxed(given, made, columns)[0]

    def _relaxed(
        self, given: Mapping[str, Any], made: StepMade, columns: Sequence[int] | None = None
    ) -> tuple[EndedSteps, np.ndarray]:
        """The relaxed steps, and by how much each misses its laws."""
        dt, here, v, error = given["dt"], self.made, made.qd.copy(), np.empty(len(made.qd))
        joints = np.zeros((len(v), here.n_rows))
        parts, poses = self._parts(given, v, joints, columns)
        points = self._points.near(poses, self._points.all(made.x), given)
        free = self._free(given, parts)
        if self._is_viscous:
            put_widening(free.parts, points, dt)
        relax_worlds(parts, points, free.v, made.relaxation, v, error)
        q = self._moved(given, made, v)
        now, _ = self._parts(given, v, parts.joints, columns)
        there = Balanced(v, now, self._impulses(now, points, dt))
        overlaps = self._exact.overlaps(given, made)
        return EndedSteps(made._replace(q=q, qd=v), there, points, overlaps), error

    def _moved(self, given: Mapping[str, Any], made: StepMade, v: np.ndarray) -> np.ndarray:
        """Positions after relaxed steps: those of exact ones, but for the velocities."""
        model, dt = self.programs.whole.model, given["dt"]
        if model.nq == model.nv:
            return made.q + dt * (v - made.qd)
        pushed = difference(model, given["q"], made.q) - dt * made.qd
        return integrate(model, given["q"], pushed + dt * v)
