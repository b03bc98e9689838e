"""A run from its start to its end, or to what is left of one that was stopped."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ..errors import SimulationWarning, warn_caller
from ..interrupts import uninterrupted
from ..recording import Recording
from ..recording.rates import runaway
from .errors import SimulationError, SimulationInterrupted
from .progress import Progress


class Run(ABC):
    """Something that moves, and keeps its records.

    Attributes
    ----------
    stopped : str
        Why it ended before its time, for the recording; set by `carry_out`.
    world : str
        What is said of the world that moves, if there are several.
    where : str
        What errors say besides.
    """

    stopped: str = ""
    world: str = ""
    where: str = ""

    @property
    @abstractmethod
    def time(self) -> float:
        """How far it came [s]."""

    @property
    def is_on_disk(self) -> bool:
        """Whether an `OSError` may be that of its file, which has records already."""
        return False

    @abstractmethod
    def go(self, bar: Progress) -> None:
        """Move from start to end."""

    @abstractmethod
    def close(self) -> Recording | None:
        """Finish the file if there is one; what was recorded, or None if nothing was."""

    def salvage(self, error: BaseException) -> Recording | None:
        """What there is of a run that cannot go on."""
        return self.close()


def carry_out(run: Run, duration: float, progress: bool | None) -> Recording:
    """Let a run go to its end, and return its recording.

    Raises
    ------
    SimulationError
        If it cannot go on; its ``recording`` holds what there is.
    SimulationInterrupted
        On Ctrl-C; its ``recording`` holds what there is.
    OSError
        If its file cannot be written at all.
    """
    bar = Progress(duration, progress)
    try:
        run.go(bar)
        recording = run.close()
        assert recording is not None  # the start is always recorded
    except KeyboardInterrupt:
        run.stopped = f"interrupted at t = {run.time:g} s{run.world}"
        raise _interrupted(run) from None
    except SimulationError as error:
        run.stopped = f"{error}{run.world}"
        error.args = (f"{run.stopped}{run.where}",)
        error.recording = run.salvage(error)
        raise
    except OSError as error:
        if not run.is_on_disk:
            raise
        run.stopped = _said_of_disk(error, run)
        raise SimulationError(run.stopped, run.salvage(error)) from error
    finally:
        bar.close()
    told = runaway(recording)
    if told:
        warn_caller(told, SimulationWarning)
    return recording


def _interrupted(run: Run) -> SimulationInterrupted:
    """The interrupt, with the recording of a run that ends here."""
    with uninterrupted():
        try:
            kept = run.close()
        except OSError as error:
            run.stopped += f"; {_said_of_disk(error, run)}"
            kept = run.salvage(error)
    return SimulationInterrupted(run.stopped, kept)


def _said_of_disk(error: OSError, run: Run) -> str:
    """What could not be written, why, and up to when there are records."""
    why = error.strerror or str(error).split("\n")[0]
    return (
        f"could not write '{error.filename}' at t = {run.time:g} s: {why}; what was written before "
        "is kept"
    )


class Worlds(Run):
    """Worlds of a batch that run one after the other, each by itself."""

    def __init__(self, shape: tuple[int, ...], run_of: Callable[[tuple[int, ...]], Run]):
        self.shape: tuple[int, ...] = shape
        self.run_of = run_of
        self.done: list[Recording] = []
        self.run: Run | None = None

    @property
    def time(self) -> float:
        return 0.0 if self.run is None else self.run.time

    def go(self, bar: Progress) -> None:
        silent = Progress(bar.end, False)
        for n, place in enumerate(np.ndindex(self.shape)):
            self.world: str = f", in world {place[0] if len(place) == 1 else place}"
            self.run = self.run_of(place)
            self.where: str = self.run.where
            self.run.go(silent)
            self._keep(self.run.close())
            self.run = None
            bar.at(bar.end * (n + 1) / math.prod(self.shape))

    def close(self) -> Recording | None:
        if self.run is not None:
            self.run.stopped = self.stopped
            self._keep(self.run.close())
        return joined(self.done, self.shape) if self.done else None

    def _keep(self, recording: Recording | None) -> None:
        if recording is not None:
            self.done.append(recording)


def joined(worlds: list[Recording], shape: tuple[int, ...]) -> Recording:
    """One recording of many worlds; NaN where one did not come."""
    longest = max(worlds, key=lambda world: len(world.times))
    rows: dict[str, np.ndarray] = {}
    for name in ("q", "qd", "tau", "tau_passive", "tau_constraint", "work", "controls",
                 "activation"):  # fmt: skip
        own = getattr(longest, name)
        whole = np.full((len(own), math.prod(shape), *own.shape[1:]), np.nan)
        for k, world in enumerate(worlds):
            values = getattr(world, name)
            whole[: len(values), k] = values
        rows[name] = whole.reshape(len(own), *shape, *own.shape[1:])
    notes = tuple(dict.fromkeys(note for world in worlds for note in world.notes))
    stopped = next((world.stopped for world in worlds if world.stopped), "")
    report = _joined_reports([world.report for world in worlds])
    return replace(longest, **rows, notes=notes, stopped=stopped, scene=None, report=report)


def _joined_reports(reports: list[Mapping[str, float]]) -> dict[str, float]:
    """Counts of all worlds together, and the worst of their values."""
    return {
        name: (sum if isinstance(value, int) else max)(each[name] for each in reports)
        for name, value in reports[0].items()
    }
