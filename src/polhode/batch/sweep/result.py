"""What a sweep leaves behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...once import cached_property
from .errors import TaskError
from .values import Flat, plain, restore


@dataclass(frozen=True, eq=False)
class SweepResult:
    """What `sweep` returns; task k has ``parameters[k]`` and ``results[k]``.

    Attributes
    ----------
    parameters : sequence of mappings
    errors : tuple of TaskError
        In order of their tasks.
    stopped : str
        Why it ended early, or empty.
    seed : int
    kept : int
        Tasks whose results or errors an earlier call left in the folder of the sweep.
    """

    parameters: Sequence[Mapping[str, Any]]
    errors: tuple[TaskError, ...] = ()
    stopped: str = ""
    seed: int = 0
    _flats: Mapping[int, Flat] = field(repr=False, default_factory=dict)
    kept: int = field(default=0, compare=False)

    def __len__(self) -> int:
        return len(self.parameters)

    @cached_property
    def results(self) -> tuple[Any, ...]:
        """What each task returned, None where there is nothing; numbers are NumPy's."""
        return tuple(restore(self._flats.get(k, {})) for k in range(len(self)))

    @property
    def done(self) -> np.ndarray:
        """Which tasks have a result, shape (n,)."""
        return np.array([k in self._flats for k in range(len(self))], bool)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names in results: ``"a/b"`` for ``{"a": {"b": ...}}``, ``""`` for a bare number."""
        return tuple(dict.fromkeys(name for flat in self._flats.values() for name in flat))

    def __getitem__(self, name: str) -> np.ndarray:
        """All tasks' values of one name, stacked; NaN, 0 or empty text where there is none.

        Raises
        ------
        KeyError
            For a name that no result has.
        ValueError
            If the arrays differ in shape.
        """
        found = {k: flat[name] for k, flat in self._flats.items() if name in flat}
        if not found:
            known = ", ".join(map(repr, self.names)) or "nothing"
            raise KeyError(f"expected a name in the results ({known}), got {name!r}")
        return _column(found, len(self), name)

    def table(self) -> dict[str, np.ndarray]:
        """Parameters and results as columns, one row for each task.

        ``pandas.DataFrame(result.table())`` works where all are numbers or texts.  A bare
        number's column is ``"result"``; ``"error"`` says what went wrong, if anything did.

        Returns
        -------
        columns : dict of str to ndarray
            A row for each task.
        """
        columns = {}
        tasks = [plain(task) for task in self.parameters]
        for name in dict.fromkeys(name for task in tasks for name in task):
            found = {k: task[name] for k, task in enumerate(tasks) if name in task}
            columns[name] = _column(found, len(self), name)
        for name in self.names:
            key = name or "result"
            columns[f"result/{key}" if key in columns else key] = self[name]
        if self.errors:
            told = {e.index: np.array(f"{e.kind}: {e.message}") for e in self.errors}
            columns["error"] = _column(told, len(self), "error")
        return columns

    def to_csv(self, path: str | Path) -> Path:
        """Write the columns of `table`; each entry of an array gets a column of its own.

        Parameters
        ----------
        path : path_like
            A ``.csv`` file.

        Returns
        -------
        path : Path
            The file.
        """
        import csv
        import io

        from ...files.kinds import TABLES, kind_of
        from ...files.writing import write_atomically

        kind_of(path, TABLES, "a table")
        columns = _spread(self.table())
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
        return write_atomically(path, text.getvalue().encode())

    @classmethod
    def load(cls, folder: str | Path) -> SweepResult:
        """Read the folder of a sweep, finished or not.

        Parameters that are no numbers, texts or arrays come back as descriptions.

        Parameters
        ----------
        folder : path_like
            The sweep's folder.
        """
        from .store import read_head, read_parameters, read_results

        head = read_head(folder)
        parameters = [restore(flat) or {} for flat in read_parameters(folder, head["n"])]
        flats, errors = read_results(folder, head["n"])
        left = head["n"] - len(flats) - len(errors)
        stopped = f"{left} tasks are still to be done" if left else ""
        return cls.of(parameters, flats, errors, stopped, int(head["seed"]))

    @classmethod
    def of(
        cls,
        parameters: Sequence[Mapping[str, Any]],
        flats: Mapping[int, Flat],
        errors: Mapping[int, TaskError],
        stopped: str = "",
        seed: int = 0,
        kept: int = 0,
    ) -> SweepResult:
        """The result of tasks in any order.

        Parameters
        ----------
        parameters : sequence of mappings
            Of all tasks.
        flats : mapping
            Results by task, flattened.
        errors : mapping of int to TaskError
            By task.
        stopped : str
            Why it ended early, or empty.
        seed : int
            Of the random numbers.
        kept : int
            Tasks that were done before.
        """
        told = [TaskError(e.index, e.kind, e.message, e.traceback, parameters[e.index])
                for _, e in sorted(errors.items())]  # fmt: skip
        return cls(parameters, tuple(told), stopped, seed, dict(sorted(flats.items())), kept)

    def __repr__(self) -> str:
        kept = f", {self.kept} kept of an earlier call" if self.kept else ""
        stopped = f", stopped={self.stopped!r}" if self.stopped else ""
        return (
            f"SweepResult({len(self)} tasks, {len(self._flats)} done, {len(self.errors)} failed"
            f"{kept}{stopped})"
        )


def _column(found: Mapping[int, np.ndarray], count: int, name: str) -> np.ndarray:
    shapes = {array.shape for array in found.values()}
    if len(shapes) > 1:
        raise ValueError(
            f"expected arrays of one shape to stack '{name}', got {sorted(shapes)}; see results"
        )
    kind = np.result_type(*{array.dtype for array in found.values()})
    if len(found) < count and kind.kind in "biu":
        kind = np.dtype(float)  # which has NaN
    nothing: Any = np.nan if kind.kind in "fc" else np.zeros((), kind)[()]
    column = np.full((count, *shapes.pop()), nothing, kind)
    for k, array in found.items():
        column[k] = array
    return column


def _spread(columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    out = {}
    for name, column in columns.items():
        if column.ndim == 1:
            out[name] = column
            continue
        for at in np.ndindex(column.shape[1:]):
            out[f"{name}[{', '.join(map(str, at))}]"] = column[(slice(None), *at)]
    return out
