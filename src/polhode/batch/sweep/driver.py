"""Handing out batches, taking back results, and finding the task that ends its worker."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, wait
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from .batches import BatchSize
from .errors import SweepError, TaskError
from .executors import Workers
from .functions import packed
from .values import Flat
from .work import Failure, Job, Outcome, run_batch

_ABREAST = 2  # batches for each place, so that none waits for the next
_LOOK = 0.5  # seconds after which the keyboard is heard
_BREAKING = 10.0  # seconds in which a pool that breaks gives up all it has
_IN_A_ROW = 8  # losses for each place and attempt after which it is not the tasks


class Batch(NamedTuple):
    """Tasks that go out together, how often their worker was lost, and if nothing else is out."""

    tasks: tuple[int, ...]
    lost: int = 0
    is_alone: bool = False


class Driver:
    """Runs tasks on workers; ``keep`` gets each result or error as it comes."""

    def __init__(
        self,
        job: Job,
        parameters: Sequence[dict[str, Any]],
        workers: Workers,
        *,
        threads: int,
        retries: int,
        keep: Callable[[int, Flat | TaskError], None],
    ):
        self.job: Job = job
        self.parameters = parameters
        self.workers: Workers = workers
        self.threads: int = threads
        self.retries: int = retries
        self.keep = keep
        self._sent = job if workers.shares_memory else packed(job, workers.is_local)
        self._size = BatchSize()
        self._flight: dict[Future, Batch] = {}
        self._returned: SimpleQueue[Future] = SimpleQueue()
        self._suspects: deque[Batch] = deque()
        self._is_alone = False  # suspects go out one at a time
        self._is_broken = False
        self._losses, self._reason = 0, ""

    def run(self, tasks: Iterable[int], each: Callable[[], None]) -> None:
        """Run the tasks; call ``each`` now and then."""
        fresh = deque(tasks)
        while fresh or self._suspects or self._flight:
            self._hand_out(fresh)
            # All of them before any is judged: when a pool breaks, all break together.
            done = [f for f in self._come_back() if f in self._flight]
            broken = [self._flight.pop(f) for f in done if not self._collected(f)]
            if broken:
                self._mend(broken)
            each()

    def _come_back(self) -> Iterator[Future]:
        """The batches that are done, after a while if there are none."""
        try:
            yield self._returned.get(timeout=_LOOK)
            while True:
                yield self._returned.get_nowait()
        except Empty:
            return

    def _hand_out(self, fresh: deque[int]) -> None:
        if self._is_alone:
            if not self._flight and self._suspects:
                self._submit(self._suspects.popleft()._replace(is_alone=True))
            self._is_alone = bool(self._suspects or self._flight)
            return
        places = self.workers.places
        while len(self._flight) < _ABREAST * places and (self._suspects or fresh):
            if self._suspects:
                batch = self._suspects.popleft()
            else:
                count = self._size.next(len(fresh), places)
                batch = Batch(tuple(fresh.popleft() for _ in range(min(count, len(fresh)))))
            if not self._submit(batch):
                return

    def _submit(self, batch: Batch) -> bool:
        tasks = [(k, self.parameters[k]) for k in batch.tasks]
        try:
            future = self.workers.executor.submit(
                run_batch, self._sent, tasks, os.getpid(), self.threads
            )
        except BrokenExecutor as error:
            self._note(error)
            self._suspects.appendleft(batch)
            self._mend([])
            return False
        except RuntimeError as error:
            raise SweepError(f"the executor takes no more tasks: {error}") from error
        self._flight[future] = batch
        future.add_done_callback(self._returned.put)
        return True

    def _collected(self, future: Future) -> bool:
        """Keep what a batch brought; False if its worker was lost."""
        try:
            outcome: Outcome = future.result()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._note(error)
            return False
        batch = self._flight.pop(future)
        if outcome.refused:
            raise SweepError(
                f"the workers cannot run the function: {outcome.refused}; its module must be "
                "importable there"
            )
        self._losses = 0
        self._size.took(outcome.seconds, len(batch.tasks))
        for index, result in outcome.results:
            self.keep(index, TaskError(index, *result) if isinstance(result, Failure) else result)
        return True

    def _note(self, error: BaseException) -> None:
        self._reason = f"{type(error).__name__}: {error}"
        self._is_broken = self._is_broken or isinstance(error, BrokenExecutor)
        self._losses += 1
        if self._losses > _IN_A_ROW * (self.retries + 1) * self.workers.places:
            raise SweepError(
                f"workers were lost {self._losses} times and nothing was done in between "
                f"({self._reason})"
            )

    def _mend(self, broken: list[Batch]) -> None:
        """Get a pool that works, and decide what becomes of the batches that were lost."""
        if self._is_broken:
            wait(self._flight, _BREAKING)
            broken += [self._flight.pop(f) for f in list(self._flight) if not self._collected(f)]
            if not self.workers.replace():
                raise SweepError(
                    f"the executor broke ({self._reason}) and cannot be replaced; give a function "
                    "that makes one instead"
                )
            self._is_broken, self._is_alone = False, True
        for batch in broken:
            self._suspects.extend(self._after_loss(batch))

    def _after_loss(self, batch: Batch) -> list[Batch]:
        lost = batch.lost + 1
        if lost <= self.retries:
            return [Batch(batch.tasks, lost)]
        first = batch.tasks[0]
        if len(batch.tasks) > 1:
            half = len(batch.tasks) // 2
            return [Batch(batch.tasks[:half], lost - 1), Batch(batch.tasks[half:], lost - 1)]
        if not batch.is_alone:  # it may have died of what ran beside it
            self._is_alone = True
            return [Batch(batch.tasks, lost)]
        message = f"the worker ended {lost} times while it ran this task ({self._reason})"
        self.keep(first, TaskError(first, "WorkerDied", message))
        return []
