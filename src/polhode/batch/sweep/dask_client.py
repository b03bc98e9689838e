"""Work on a Dask cluster.

Dask's own executor loses sight of a task whose result went down with its worker and which then
fails: its future never ends.  So tasks are submitted by the client, and every end is heard.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

_PATIENCE = 2.0  # seconds before a result that does not come is looked after
_SLOWEST = 120.0  # seconds that a result may take from a worker that has it


class DaskClient(Executor):
    """An executor on a client, or on what ``client.get_executor()`` gave."""

    def __init__(self, client: Any, options: dict[str, Any] | None = None):
        self._client = client
        self._options = {"pure": False, **(options or {})}

    @property
    def _max_workers(self) -> int:
        """Processors of the cluster now."""
        return max(1, sum(self._client.ncores().values()))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start a task; the future hears of every end."""
        future: Future[Any] = Future()
        task = self._client.submit(fn, *args, **kwargs, **self._options)
        task.add_done_callback(lambda task: _settle(task, future))
        return future


def _settle(task: Any, future: Future[Any]) -> None:
    """Pass on how a task ended; a result that cannot be had counts as lost."""
    began = time.monotonic()
    while not future.done():
        try:
            future.set_result(task.result(timeout=_PATIENCE))
        except TimeoutError:
            is_there = task.status == "finished"
            if not is_there or time.monotonic() - began > _SLOWEST:
                future.set_exception(ConnectionError("the result went down with its worker"))
                task.cancel()
                return
        except BaseException as error:
            future.set_exception(error)
    task.release()  # or the cluster would compute it again when it loses what is had already


def on_dask(executor: Any) -> Any:
    """The same executor, or a better one if it is Dask's."""
    if hasattr(executor, "get_executor") and hasattr(executor, "ncores"):
        return DaskClient(executor)
    client = getattr(executor, "_client", None)
    if hasattr(client, "ncores"):
        return DaskClient(client, getattr(executor, "_kwargs", None))
    return executor
