"""The time of a simulator: what steps of one length add up to, so that rounding does not."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...arguments import as_number
from ...errors import ArgumentError
from ...scene import Scene
from .counter_indices import BASE_STEPS, BASE_TIME, N_STEPS, STEP, TIME
from .system import System

_LEAST = 1e-300  # below it quotients by a step overflow [s]


class StepCount(NamedTuple):
    """How many steps to make, and which to record.

    ``count`` steps of ``h`` [s]; the first has the number ``phase`` in its run. Numbers begin at 1.
    The state is recorded after each step whose number is a multiple of ``every``.
    """

    h: float
    count: int
    every: int
    phase: int

    @property
    def n_records(self) -> int:
        """How many of the steps are recorded."""
        if self.every <= 0:
            return 0
        return (self.phase + self.count) // self.every - self.phase // self.every


class Clock:
    """Time and steps of a lowered scene, kept where the compiled loop counts them."""

    def __init__(self, fields: System, start: float):
        self.fields: System = fields
        self.set(start)

    @property
    def time(self) -> float:
        """Time [s]."""
        return float(self.fields.totals[TIME])

    def show(self, t: float) -> None:
        """Let callables see the time ``t``, within a step."""
        self.fields.totals[TIME] = t

    def set(self, t: float) -> None:
        """Count steps from the time ``t`` on."""
        totals = self.fields.totals
        totals[TIME] = totals[BASE_TIME] = t
        totals[BASE_STEPS] = self.fields.counters[N_STEPS]

    def step_by(self, h: float) -> float:
        """Take ``h`` [s] as the step from here on; return it as a number.

        Raises
        ------
        ArgumentError
            If it is not above 0 and finite.
        """
        if not 0.0 < (h := as_number("h", h, finite=False)) < math.inf:
            raise ArgumentError(f"expected a step h above 0 and finite, got {h}")
        if h != self.fields.totals[STEP]:
            self.fields.totals[STEP] = h
            self.set(self.time)
        return h

    def count(self, count: int, h: float) -> None:
        """Count steps of ``h`` that were made."""
        totals, counters = self.fields.totals, self.fields.counters
        counters[N_STEPS] += count
        totals[TIME] = totals[BASE_TIME] + (counters[N_STEPS] - totals[BASE_STEPS]) * h


def step_of(scene: Scene, dt: float | None) -> float:
    """The step that was asked for, the scene's own, or 1 ms [s]."""
    chosen = dt if dt is not None else scene.settings.step_size
    value = 1e-3 if chosen is None else as_number("dt", chosen, finite=False)
    if not _LEAST <= value < math.inf:
        raise ArgumentError(f"expected dt above 0 and finite, got {value}")
    return value
