"""Steps of worlds in lanes: the compiled step, and the exact solver for worlds that it leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from ...algorithms.stepping.attempts import AGAIN, SOLVED, begins_again
from ...algorithms.stepping.moreau import MISSED
from .programs import StepPrograms
from .refining import IN_REACH, IN_STEP, WorldProblem, refined

LANES = 8
"""Worlds in a register of double precision at most: blocks are multiples of it."""


class LaneWorlds:
    """Worlds of a scene that make their steps together.

    Parameters
    ----------
    programs : StepPrograms
    state : list of ndarray, each of shape (n, ...)
        What `StepPrograms.state` names; kept and written to.
    dt : float
        Time step [s].
    parameters : sequence of ndarray, each of shape (n, ...)
        Those of the programs.

    Attributes
    ----------
    now : list of ndarray
        The state after the last step.
    refined, unsolved : ndarray of int, shape (n,)
        In how many steps the exact solver helped; how many it did not solve, or ended in a state
        that is not finite.
    work, push_out, depth : ndarray, shape (n,)
        Sums of those of `StepAccount` [J], and the deepest overlap where a step began [m].
    exact_impulses : ndarray or None
        Of all rows, of the worlds that the exact solver helped last.
    """

    def __init__(
        self, programs: StepPrograms, state: list[np.ndarray], dt: float,
        parameters: Sequence[np.ndarray] = (),
    ):  # fmt: skip
        self.programs: StepPrograms = programs
        self.now: list[np.ndarray] = state
        self.dt: float = dt
        self.parameters: Sequence[np.ndarray] = parameters
        n = len(state[0])
        self.refined: np.ndarray = np.zeros(n, np.int64)
        self.unsolved: np.ndarray = np.zeros(n, np.int64)
        self.work: np.ndarray = np.zeros(n)
        self.push_out: np.ndarray = np.zeros(n)
        self.depth: np.ndarray = np.zeros(n)
        self.exact_impulses: np.ndarray | None = None
        self._after: list[np.ndarray] = [np.empty_like(x) for x in state]
        self._error: np.ndarray = np.empty(n)
        self._account: np.ndarray = np.empty((n, 3))
        self._impulses: int = programs.state.index("x") if "x" in programs.state else -1
        self._again: int = AGAIN if begins_again(programs.whole.model) else 0

    def use_step(self, dt: float) -> None:
        """Make steps of ``dt`` [s] from here on."""
        self.dt = dt

    def step(self, held: Sequence[np.ndarray]) -> None:
        """Make a step under joint forces and controls, a row for each world."""
        out = (*self._after, self._error, self._account)
        self.programs.step.ufunc(*self.now, *held, self.dt, *self.parameters, out=out)
        left = np.flatnonzero(~(self._error < SOLVED))
        if len(left):
            self._help(left, held)
        self.unsolved += self._is_lost() | ~(self._error < SOLVED)
        self.now, self._after = self._after, self.now
        work, push_out, depth = self._account.T
        self.work += work
        self.push_out += push_out
        np.maximum(self.depth, depth, out=self.depth)

    def _is_lost(self) -> np.ndarray:
        """Which worlds have a state after the step that is not finite."""
        found = np.zeros(len(self._error), bool)
        for k, x in enumerate(self._after):
            if k != self._impulses and not np.isfinite(x).all():
                found |= ~np.isfinite(x).all(-1)
        return found

    def _help(self, left: np.ndarray, held: Sequence[np.ndarray]) -> None:
        """Make the steps of some worlds that are not solved yet."""
        left = self._begun_again(left, held)
        self._refine(left[np.isfinite(self.now[0][left]).all(-1)], held)

    def _begun_again(self, left: np.ndarray, held: Sequence[np.ndarray]) -> np.ndarray:
        """Repeat steps from the impulses that were reached; return the worlds that are left then.

        They fill registers of their own, so others do not wait for them (`attempts`).
        """
        for _ in range(self._again):
            left = left[np.isfinite(self.now[0][left]).all(-1)]
            again = left[np.isfinite(self._error[left])]  # not those with too few slots
            if not len(again):
                break
            whole = min(-(-len(again) // LANES) * LANES, len(self._error))
            filled = np.resize(again, whole)  # a short batch would need code of its own
            given = [x[filled] for x in self.now]
            given[self._impulses] = self._after[self._impulses][filled]
            own = [x[filled] for x in self.parameters]
            found = self.programs.step.ufunc(*given, *(x[filled] for x in held), self.dt, *own)
            kept = (*self._after, self._error, self._account)
            for x, new in zip(kept, found, strict=True):
                x[again] = new[: len(again)]
            left = left[~(self._error[left] < SOLVED)]
        return left

    def _refine(self, left: np.ndarray, held: Sequence[np.ndarray]) -> None:
        """Make the steps of some worlds with impulses of the exact solver."""
        if not len(left):
            return
        programs, given = self.programs, [x[left] for x in (*self.now, *held)]
        given += [np.full(len(left), self.dt), *(x[left] for x in self.parameters)]
        problem = programs.problem(*given)
        self.exact_impulses = programs.kept.all_rows(given[self._impulses])
        missed = self._solve_exactly(left, given, problem, slice(None), IN_STEP)
        driven = np.flatnonzero(~(missed <= MISSED))  # points to where none was looked for
        if len(driven):
            self._solve_exactly(left, given, problem, driven, IN_REACH)
        self._after[self._impulses][left] = programs.kept.kept(self.exact_impulses)
        self.refined[left] += 1

    def _solve_exactly(
        self, left: np.ndarray, given: Sequence[np.ndarray], problem: WorldProblem, of: Any,
        least: float,
    ) -> np.ndarray:  # fmt: skip
        """Make the steps of some of the worlds that are left; return what they missed."""
        programs, x = self.programs, cast(np.ndarray, self.exact_impulses)
        parts = WorldProblem(*(part[of] for part in problem))
        found = refined(parts, programs.kinds, x[of], self.dt, least)
        q, qd, missed, account = programs.finish(*(part[of] for part in given), found.w)
        worlds, x[of] = left[of], found.x
        self._after[0][worlds], self._after[1][worlds] = q, qd
        self._account[worlds] = account
        self._error[worlds] = np.maximum(found.error, missed)
        return missed


def run_of(
    worlds: LaneWorlds,
    held: Sequence[np.ndarray],
    recorded: Sequence[int],
    records: Sequence[np.ndarray | None],
) -> Callable[[], Any]:
    """What carries worlds from start to end; rows of records are states after so many steps.

    ``held`` are joint forces and controls of each step, or one for all, shape (n, steps, ...).
    """

    def run() -> None:
        at = 0
        for row, stop in enumerate(recorded):
            for k in range(at, stop):
                worlds.step([x[:, min(k, x.shape[1] - 1)] for x in held])
            at = stop
            for record, x in zip(records, worlds.now, strict=True):
                if record is not None:
                    record[row] = x

    return run
