"""The public function of sweeps."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from multiprocessing import current_process
from pathlib import Path
from typing import Any

from ...errors import suggestion
from ...files.kinds import check_output_folder
from ...model import Model
from ...scene import Scene
from .driver import Driver
from .errors import SweepError, TaskError
from .executors import Workers
from .fingerprint import digest
from .functions import job_of, name_of
from .parameters import Parameters, as_parameters
from .progress import TaskProgress
from .result import SweepResult
from .store import Store, forget, read_results
from .values import Flat
from .work import Job

_WRITE_EVERY = 2.0  # seconds
_WRITE_TASKS = 20000  # or so many tasks


def sweep(
    function: Callable[..., Any] | Model | Scene,
    parameters: Any,
    *,
    executor: Any = None,
    workers: int | None = None,
    threads: int = 1,
    seed: int = 0,
    output: str | Path | None = None,
    overwrite: bool = False,
    retry_errors: bool = False,
    retries: int = 2,
    progress: bool | None = None,
    **options: Any,
) -> SweepResult:
    """Call a function, or run a scene, once for each of many parameters, on many processors.

    Parameters
    ----------
    function : callable, Model or Scene
        Called with a task's parameters by name, and with ``rng``, a random generator of the
        task's own, if it has an argument of that name.  It returns a number, a text, an array
        or a mapping of these.  A model or scene is simulated; parameters are named after what
        they change: ``"box.mass"``, ``"box.q"``, ``"mu_coulomb"``, ``"gravity"``, ``"dt"``.
    parameters : mapping, list of mappings, Parameters or int
        A mapping of names to sequences is taken row by row; see `grid` and `sample`; a number
        is that of tasks without parameters.
    executor : concurrent.futures.Executor or callable, optional
        Who works, or a function that makes it: a pool of processes here if omitted, of a Dask
        cluster the client, or ``client.get_executor()``.
    workers : int, optional
        Batches at the same time; processors here by default; 0 runs all in this process.
    threads : int
        Threads of each worker process.
    seed : int
        Of all tasks' random numbers; each task's depend on it and the task's index only.
    output : path, optional
        A folder that takes the results while they come.  If it holds a part of the same sweep
        this goes on with it, and says how many results are kept.
    overwrite : bool
        Delete another sweep in that folder.
    retry_errors : bool
        Run tasks again that failed before.
    retries : int
        How often tasks go out again whose worker ended.
    progress : bool, optional
        Whether to draw a bar on standard error, or in a notebook; by default there and on a
        terminal only.  Runs in tasks draw none.
    **options
        Of scenes and models: ``duration`` [s], ``measure``, and the options of `simulate`.
        ``measure`` is a function of the recording that gives the result; by default this is the
        last state.

    Returns
    -------
    result : SweepResult
        Errors of tasks are in ``errors``; interrupted from the keyboard, it has what was done
        and says so in ``stopped``.

    Raises
    ------
    TypeError
        If the function does not take the parameters.
    ValueError
        If ``output`` is the name of a file, such as ``"run.h5"``.
    OSError
        If ``output`` is no folder, or cannot be written to.
    SweepError
        If the function cannot be sent to the workers, if there is nothing to go on with, or
        if ``output`` holds another sweep.

    Notes
    -----
    Results are the same bit for bit whatever the workers, the batches and the interruptions.
    Tasks travel in batches of about a tenth of a second, measured as they come back.  When a
    worker ends, its batch goes out again, and is halved until the task that does it is found.

    Examples
    --------
    >>> import polhode as ph
    >>> result = ph.sweep(pow, ph.sweeps.grid(base=[2, 3], exp=[1, 2, 3]), workers=0)
    >>> result.results == (2, 4, 8, 3, 9, 27)
    True
    """
    if getattr(current_process(), "_inheriting", False):
        raise SweepError("sweep is called while a worker reads the script: call it under "
                         "if __name__ == '__main__':")  # fmt: skip
    if output is not None:
        check_output_folder(output, "the results of a sweep")
    tasks = as_parameters(parameters)
    called = _function(function, tasks, options)
    job = job_of(called, tuple(tasks[0]), seed) if len(tasks) else Job(called, False, seed)
    log = _Log(job, tasks, output, overwrite, retry_errors, progress)
    try:
        pool = Workers(executor, workers, threads)
        _run(pool, log, job, tasks, threads, retries)
    finally:
        log.close()
    return log.result()


def _run(pool: Workers, log: _Log, job: Job, tasks: Parameters, threads: int, retries: int) -> None:
    is_whole = False
    try:
        driver = Driver(job, tasks, pool, threads=threads, retries=retries, keep=log.keep)
        driver.run(log.left, log.look)
        is_whole = True
    except KeyboardInterrupt:
        log.stopped = "interrupted"
    except SweepError as error:
        log.stopped = str(error)
        raise SweepError(str(error), log.result()) from error.__cause__
    finally:
        pool.stop(kill=not is_whole)


def _function(function: Any, tasks: Parameters, options: dict[str, Any]) -> Callable[..., Any]:
    if isinstance(function, (Model, Scene)):
        from .runs import ChangedRun, last_state

        if "duration" not in options:
            raise TypeError("expected duration= of the runs, got none")
        duration, measure = options.pop("duration"), options.pop("measure", last_state)
        run = ChangedRun(function, duration, measure, options)
        run.prepare(tasks[0] if len(tasks) else {})
        return run
    if not callable(function):
        raise TypeError(f"expected a function, a Model or a Scene, got {type(function).__name__}")
    if options:
        name = next(iter(options))
        known = list(sweep.__kwdefaults__ or ())
        raise TypeError(f"unexpected option '{name}'{suggestion(name, known)}; what the function "
                        "takes goes into parameters")  # fmt: skip
    return function


class _Log:
    """Results as they come, in memory and on disk."""

    def __init__(
        self,
        job: Job,
        tasks: Parameters,
        output: str | Path | None,
        overwrite: bool,
        retry_errors: bool,
        progress: bool | None,
    ):
        self.tasks, self.seed, self.stopped = tasks, job.entropy, ""
        self.flats: dict[int, Flat] = {}
        self.errors: dict[int, TaskError] = {}
        self.store: Store | None = None
        self._new: tuple[dict[int, Flat], dict[int, TaskError]] = ({}, {})
        self._written = time.monotonic()
        if output is not None:
            if overwrite:
                forget(output)
            self.store = Store(output, _identity(job, tasks), tasks)
            self.flats, self.errors = read_results(output, len(tasks))
            if retry_errors:
                self.errors = {}
        self.kept = len(self.flats) + len(self.errors)
        self.bar = TaskProgress(len(tasks), progress)
        if self.kept and self.bar.shown:
            sys.stderr.write(
                f"{self.kept} of {len(tasks)} results were found in '{output}' and are kept\n"
            )
        self.bar.begin(self.kept)

    @property
    def left(self) -> list[int]:
        """Tasks without a result or an error."""
        return [k for k in range(len(self.tasks)) if k not in self.flats and k not in self.errors]

    def keep(self, index: int, result: Flat | TaskError) -> None:
        """Note what came of a task."""
        failed = isinstance(result, TaskError)
        if failed:
            self.errors[index] = result
        else:
            self.flats[index] = result
        if self.store is not None:
            self._new[failed][index] = result  # type: ignore[assignment]

    def look(self) -> None:
        """Draw the bar, and write if it is time to."""
        self.bar.failed = len(self.errors)
        self.bar.at(len(self.flats) + len(self.errors))
        waiting = len(self._new[0]) + len(self._new[1])
        if waiting > _WRITE_TASKS or time.monotonic() - self._written > _WRITE_EVERY:
            self._write()

    def _write(self) -> None:
        if self.store is not None and any(self._new):
            self.store.append(*self._new)
            self._new = ({}, {})
        self._written = time.monotonic()

    def close(self) -> None:
        """Write what is left, and wipe the bar."""
        self.bar.close()
        try:
            self._write()
        finally:
            if self.store is not None:
                self.store.close()

    def result(self) -> SweepResult:
        return SweepResult.of(
            self.tasks, self.flats, self.errors, self.stopped, self.seed, self.kept
        )


def _identity(job: Job, tasks: Parameters) -> Mapping[str, Any]:
    return {
        "n": len(tasks),
        "function": name_of(job.function),
        "seed": job.entropy,
        "tasks": digest(list(tasks)),
        "code": digest(job.function),
    }
