"""Results on disk: a folder that grows by one whole file at a time.

``sweep.json`` identifies the sweep, and ``parameters.npz`` has the parameters of the tasks.
``chunk-000000.npz`` and so on hold their results, stacked where these are alike, and their errors.
A file is whole or not there, so that a killed sweep leaves nothing half written; all of them are
plain NumPy and JSON.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError
from ...files.damage import brief
from ...files.reading import open_regular, read_regular
from ...files.writing import write_atomically
from ...recording.npz import read_arrays
from .errors import SweepError, TaskError
from .parameters import Parameters
from .values import KINDS, Flat, grouped, plain

_FORMAT = "polhode sweep 1"
_HEAD, _PARAMETERS = "sweep.json", "parameters.npz"
_MOST_HEAD = 2**20  # bytes
_CHUNK = re.compile(r"chunk-([0-9]{6,18})\.npz")
_DAMAGE = (OSError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError)


class Store:
    """The folder of a sweep, to write to."""

    def __init__(self, folder: str | Path, identity: Mapping[str, Any], parameters: Parameters):
        self.folder: Path = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(self.folder)
        try:
            self._begin(identity, parameters)
        except BaseException:
            self.close()
            raise
        self._next: int = 1 + max((number for number, _ in _chunks(self.folder)), default=-1)

    def _begin(self, identity: Mapping[str, Any], parameters: Parameters) -> None:
        for leftover in self.folder.glob(".*.part*"):
            leftover.unlink()
        head = self.folder / _HEAD
        if head.exists():
            _check_same(read_head(self.folder), identity, self.folder)
        else:
            if _chunks(self.folder):
                raise SweepError(f"expected an empty folder or a sweep's, got '{self.folder}'")
            tasks = ((k, plain(task)) for k, task in enumerate(parameters))
            write_atomically(self.folder / _PARAMETERS, _stacked(tasks))
            text = json.dumps({"format": _FORMAT, **identity}, indent=1)
            write_atomically(head, text.encode())

    def append(self, results: Mapping[int, Flat], errors: Mapping[int, TaskError]) -> None:
        """Write what came back since the last time."""
        rows = [{**asdict(error), "parameters": None} for error in errors.values()]
        content = _stacked(results.items(), errors=np.array(json.dumps(rows)))
        write_atomically(self.folder / f"chunk-{self._next:06d}.npz", content)
        self._next += 1

    def close(self) -> None:
        """Let others write here."""
        if self._lock is not None:
            self._lock.close()


def forget(folder: str | Path) -> None:
    """Delete a sweep from a folder, and nothing else."""
    if (Path(folder) / _HEAD).exists():
        chunks = [path for _, path in _chunks(Path(folder))]
        for path in (Path(folder) / _HEAD, Path(folder) / _PARAMETERS, *chunks):
            path.unlink(missing_ok=True)


def _chunks(folder: Path) -> list[tuple[int, Path]]:
    """Numbers and paths of the files with results, in order; other files are not looked at."""
    named = ((_CHUNK.fullmatch(path.name), path) for path in folder.iterdir())
    return sorted((int(match[1]), path) for match, path in named if match and path.is_file())


def read_head(folder: str | Path) -> dict[str, Any]:
    """Which sweep a folder holds."""
    path = Path(folder) / _HEAD
    if not path.exists():
        raise FileNotFoundError(f"no sweep in '{folder}'")
    try:
        head = json.loads(read_regular(path, _MOST_HEAD))
        if head["format"] != _FORMAT:
            raise ValueError(f"expected the format '{_FORMAT}'")
        if type(head["n"]) is not int or type(head["seed"]) is not int or head["n"] < 0:
            raise ValueError("expected whole numbers of tasks and as seed")
        return head
    except _DAMAGE as error:
        raise SweepError(f"not a sweep: {brief(error)} ({path})") from error


def read_results(folder: str | Path, count: int) -> tuple[dict[int, Flat], dict[int, TaskError]]:
    """Results and errors by task; files that are damaged count as not there."""
    results: dict[int, Flat] = {}
    errors: dict[int, TaskError] = {}
    for _, path in _chunks(Path(folder)):
        try:
            arrays = read_arrays(path, kinds=KINDS)
            failed = [_error(row, count) for row in json.loads(str(arrays["errors"]))]
            found = dict(_rows(arrays, count))
        except _DAMAGE:
            continue
        for index in found:
            errors.pop(index, None)
        results |= found
        errors |= {error.index: error for error in failed}
    return results, errors


def read_parameters(folder: str | Path, count: int) -> list[Flat]:
    """The parameters of all tasks; what is no number, text or array is a description."""
    path = Path(folder) / _PARAMETERS
    try:
        rows = dict(_rows(read_arrays(path, kinds=KINDS), count))
        return [rows[k] for k in range(count)]
    except _DAMAGE as error:
        raise SweepError(f"not the parameters of a sweep: {brief(error)} ({path})") from error


def _stacked(rows: Any, **more: np.ndarray) -> bytes:
    arrays = dict(more)
    for k, (indices, stacks) in enumerate(grouped(rows)):
        arrays[f"{k}.index"] = indices
        arrays |= {f"{k}/{name}": stack for name, stack in stacks.items()}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _rows(arrays: Mapping[str, np.ndarray], count: int) -> Iterator[tuple[int, Flat]]:
    """Tasks and their arrays, from one file."""
    for key, indices in arrays.items():
        group, is_index, _ = key.partition(".index")
        if not is_index or not group.isdigit():
            continue
        stacks = {n[len(group) + 1 :]: x for n, x in arrays.items() if n.startswith(f"{group}/")}
        if any(x.shape[:1] != indices.shape for x in stacks.values()):
            raise ValueError(f"expected {indices.shape} rows in each array of group {group}")
        for row, index in enumerate(indices.tolist()):
            flat = {name: np.array(stack[row]) for name, stack in stacks.items()}
            for array in flat.values():
                array.flags.writeable = False
            yield _index(index, count), flat


def _error(row: Any, count: int) -> TaskError:
    texts = [row[name] for name in ("kind", "message", "traceback")]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("expected texts in an error")
    return TaskError(_index(row["index"], count), *texts)


def _index(index: Any, count: int) -> int:
    if not isinstance(index, int) or not 0 <= index < count:
        raise ValueError(f"expected a task below {count}, got {index}")
    return index


def _check_same(kept: Mapping[str, Any], now: Mapping[str, Any], folder: Path) -> None:
    differing = [name for name, value in now.items() if kept.get(name) != value]
    if differing:
        first = differing[0]
        what = (
            f"{kept.get(first)} there, {now[first]} now" if first not in ("code", "tasks") else ""
        )
        words = {"code": "the function's code or what it holds", "tasks": "the parameters",
                 "n": "the number of tasks"}  # fmt: skip
        said = ", ".join(words.get(name, f"the {name}") for name in differing)
        raise SweepError(
            f"'{folder}' holds another sweep: {said} differ{f' ({what})' if what else ''}; give "
            "another output, or overwrite=True"
        )


def _locked(folder: Path) -> Any:
    """A lock that ends with this process, where the system has such."""
    try:
        import fcntl
    except ImportError:
        return None
    path = folder / ".lock"
    if not path.exists():
        path.touch()
    try:
        file = open_regular(path)
    except ModelError as error:
        raise SweepError(f"cannot lock '{folder}': {error}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise SweepError(f"another process is writing to '{folder}'") from None
    return file
