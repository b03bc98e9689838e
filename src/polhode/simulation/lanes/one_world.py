"""Steps of one world in a compiled loop, up to a step that the exact solver has to help."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...algorithms.stepping.attempts import SOLVED
from ...compiler.jit import Floats, Ints, Struct, jit
from ..addresses import call_loop
from ..stepping.lowering import SCALAR, address_of, loop_steps
from .programs import StepPrograms
from .shown import Shown, show, shown_nowhere
from .worlds import LaneWorlds

_FEW = 4  # steps that are made sooner one by one than by a call of a compiled loop


class StepCall(Struct):
    """The program of a step with the addresses of its arguments, and what it reads and writes.

    Attributes
    ----------
    loop, data : int
        Addresses of the program.
    arguments, steps : ndarray of int
        Addresses of its inputs and outputs, and their strides.
    now, after, error, account : ndarray
        The state before and after a step, its error and its `StepAccount`.
    sums : ndarray, shape (4,)
        Work, energy of push-out, deepest overlap, greatest error.
    shown : Shown
        Where to put the state after the last step.
    """

    loop: int
    data: int
    arguments: Ints
    steps: Ints
    now: Floats
    after: Floats
    error: Floats
    account: Floats
    sums: Floats
    shown: Shown


@jit
def make_steps(call: StepCall, count: int, tolerance: float):
    """Make up to ``count`` steps; return how many.

    The last of them is not taken over where its error is not below the tolerance.
    """
    for k in range(count):
        call_loop(
            call.loop, call.arguments.ctypes.data, call.steps.ctypes.data,
            call.steps.ctypes.data + 8, call.data,
        )  # fmt: skip
        if not call.error[0] < tolerance:
            return k + 1
        _take_over(call)
    show(call.shown, call.now)
    return count


@jit
def _take_over(call: StepCall):
    """Let the state after a step be that before the next one."""
    for k in range(call.now.size):
        call.now[k] = call.after[k]
    call.sums[0] += call.account[0]
    call.sums[1] += call.account[1]
    call.sums[2] = max(call.sums[2], call.account[2])
    call.sums[3] = max(call.sums[3], call.error[0])


class OneWorld(LaneWorlds):
    """One world of a scene, whose steps are made in a compiled loop, to the same bits.

    Attributes
    ----------
    state : mapping of str to ndarray
        What `StepPrograms.state` names; written to between steps.
    tau, controls : ndarray
        Joint forces and controls of the next steps; written to between steps.
    sums : ndarray, shape (4,)
        Since the start: work, energy of push-out [J], deepest overlap [m], greatest error.

    Where to show the state after steps may be given.
    """

    def __init__(self, programs: StepPrograms, shown: Shown | None = None):
        ends = np.cumsum([0, *(programs.inputs[name][0] for name in programs.state)]).tolist()
        now, after = np.zeros((2, ends[-1]))
        parts = [slice(a, b) for a, b in pairwise(ends)]
        super().__init__(programs, [now[None, part] for part in parts], 0.0)
        self._after = [after[None, part] for part in parts]
        self.state: dict[str, np.ndarray] = {
            name: x[0] for name, x in zip(programs.state, self.now, strict=True)
        }
        self.tau: np.ndarray = np.zeros(programs.inputs["tau"])
        self.controls: np.ndarray = np.zeros(programs.inputs.get("controls", 0))
        self.sums: np.ndarray = np.zeros(4)
        self._held: list[np.ndarray] = [x[None] for x in (self.tau, self.controls) if x.size]
        self._dt: np.ndarray = np.zeros(1)
        self._kernel = programs.step.kernel(SCALAR)  # holds the code that is called by address
        given = *self.now, *self._held, self._dt, *self._after, self._error, self._account
        self._inputs: list[np.ndarray] = [x[0] for x in (*self.now, *self._held)]
        self._inputs.append(self._dt.reshape(()))
        self._outputs: tuple[np.ndarray, ...] = tuple(x[0] for x in self._after)
        self._outputs += self._error.reshape(()), self._account[0]
        self._call: StepCall = StepCall(
            loop=int(self._kernel.descriptor["loop"]), data=int(self._kernel.descriptor.address),
            arguments=np.array([address_of(x, 0) for x in given]),
            steps=np.array(loop_steps(programs.step)), now=now, after=after,
            error=self._error, account=self._account[0], sums=self.sums,
            shown=shown or shown_nowhere(),
        )  # fmt: skip

    def advance(self, count: int, dt: float) -> int:
        """Make steps of ``dt`` [s], and show the state; return how many led to a finite one."""
        self.use_step(dt)
        self._dt[0] = dt
        made, is_shown = 0, False
        try:
            while made < count:
                self.exact_impulses: np.ndarray | None = None
                left, is_shown = count - made, False
                made += self._make(left)
                if self._error[0] < SOLVED:
                    is_shown = left > _FEW
                    continue
                self._help(np.zeros(1, np.int64), self._held)
                if not np.isfinite(self._call.after).all():
                    made -= 1
                    break
                self._take_over()
        finally:  # also where a run is interrupted
            if not is_shown:
                show(self._call.shown, self._call.now)
        return made

    def impulses(self) -> np.ndarray:
        """Those of all rows in the last step: of joints, then three of each point."""
        if self.exact_impulses is not None:
            return self.exact_impulses[0]
        return self.programs.kept.all_rows(self.now[self._impulses])[0]

    def _make(self, count: int) -> int:
        """Make up to so many steps; return how many."""
        if count > _FEW:
            return make_steps(self._call, count, SOLVED)
        self.programs.step.fast(*self._inputs, self._outputs)
        if self._error[0] < SOLVED:
            self._take_over()
        return 1

    def _take_over(self) -> None:
        """Let the state after a step be that before the next one."""
        call, sums = self._call, self.sums
        call.now[:] = call.after
        sums[:2] += call.account[:2]
        sums[2:] = np.maximum(sums[2:], (call.account[2], self._error[0]))
