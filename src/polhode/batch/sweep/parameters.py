"""What differs from task to task: lists, tables, grids, random draws, and products of them."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np

from ...arguments import as_count

_DRAWS = 0  # tells the numbers drawn for parameters from those that tasks draw themselves


class Parameters(Sequence[Any]):
    """A sequence of mappings from names to values, one for each task, made when asked for.

    ``a * b`` has every task of ``a`` with every one of ``b``.
    """

    names: tuple[str, ...] = ()

    @abstractmethod
    def _task(self, index: int) -> dict[str, Any]:
        """The task of this number."""

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self._task(k) for k in range(len(self))[index]]
        return self._task(range(len(self))[index])

    def __mul__(self, other: Any) -> Parameters:
        if not isinstance(other, Parameters):
            return NotImplemented
        return _Product(self, other)

    def __repr__(self) -> str:
        names = ", ".join(self.names)
        return f"Parameters({len(self)} tasks{': ' if names else ''}{names})"


class _Listed(Parameters):
    def __init__(self, tasks: Sequence[Mapping[str, Any]]):
        self._tasks = [dict(task) for task in tasks]
        self.names = tuple(dict.fromkeys(name for task in self._tasks for name in task))

    def __len__(self) -> int:
        return len(self._tasks)

    def _task(self, index: int) -> dict[str, Any]:
        return dict(self._tasks[index])


class _Table(Parameters):
    def __init__(self, columns: Mapping[str, Any]):
        self.names = tuple(columns)
        self._columns = {n: x for n, x in columns.items() if _is_many(x)}
        self._constants = {n: x for n, x in columns.items() if n not in self._columns}
        lengths = {name: len(column) for name, column in self._columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(
                f"expected as many values of each parameter, got "
                f"{', '.join(f'{n} of {name}' for name, n in lengths.items())}; "
                "polhode.sweeps.grid(...) makes all combinations"
            )
        self._count = next(iter(lengths.values()), 1)

    def __len__(self) -> int:
        return self._count

    def _task(self, index: int) -> dict[str, Any]:
        return {n: self._columns[n][index] if n in self._columns else self._constants[n]
                for n in self.names}  # fmt: skip


class _Grid(Parameters):
    def __init__(self, axes: Mapping[str, Any]):
        self.names = tuple(axes)
        self._axes = {name: axis if _is_many(axis) else [axis] for name, axis in axes.items()}

    def __len__(self) -> int:
        return math.prod(len(axis) for axis in self._axes.values())

    def _task(self, index: int) -> dict[str, Any]:
        task = {}
        for name in reversed(self.names):
            index, k = divmod(index, len(self._axes[name]))
            task[name] = self._axes[name][k]
        return {name: task[name] for name in self.names}


class _Sampled(Parameters):
    def __init__(self, n: int, seed: int, distributions: Mapping[str, Any]):
        self._count, self._seed = n, seed
        self.names, self._distributions = tuple(distributions), dict(distributions)

    def __len__(self) -> int:
        return self._count

    def _task(self, index: int) -> dict[str, Any]:
        sequence = np.random.SeedSequence(self._seed, spawn_key=(index, _DRAWS))
        rng = np.random.default_rng(sequence)
        return {name: _drawn(x, rng) for name, x in self._distributions.items()}


class _Product(Parameters):
    def __init__(self, outer: Parameters, inner: Parameters):
        twice = set(outer.names) & set(inner.names)
        if twice:
            raise ValueError(f"expected each parameter once, got '{min(twice)}' in both factors")
        self._outer, self._inner = outer, inner
        self.names = (*outer.names, *inner.names)

    def __len__(self) -> int:
        return len(self._outer) * len(self._inner)

    def _task(self, index: int) -> dict[str, Any]:
        k, j = divmod(index, len(self._inner))
        return {**self._outer[k], **self._inner[j]}


def grid(**values: Any) -> Parameters:
    """Return all combinations of values, the last name's changing fastest.

    Parameters
    ----------
    **values : sequences
        A number or a text stands for itself.

    Returns
    -------
    parameters : Parameters

    Examples
    --------
    >>> import polhode as ph
    >>> list(ph.sweeps.grid(kp=[1.0, 2.0], kd=[0.1, 0.2]))[1]
    {'kp': 1.0, 'kd': 0.2}
    """
    return _Grid(values)


def sample(n: int, *, seed: int = 0, **distributions: Any) -> Parameters:
    """Return ``n`` random draws, each the same whatever ``n`` is.

    Parameters
    ----------
    n : int
    seed : int
    **distributions
        A pair ``(low, high)``: uniform between; a list or an array: one of its entries; what
        has SciPy's ``rvs(random_state=)``; a callable ``rng -> value``; else a constant.

    Returns
    -------
    parameters : Parameters

    Raises
    ------
    ArgumentError
        If ``n`` or ``seed`` is no whole number of at least 0.

    Examples
    --------
    >>> import polhode as ph
    >>> draws = ph.sweeps.sample(100, mass=(0.5, 2.0), surface=["wood", "ice"])
    >>> 0.5 <= draws[7]["mass"] < 2.0
    True
    """
    return _Sampled(as_count("n", n), as_count("seed", seed, most=2**64), distributions)


def as_parameters(given: Any) -> Parameters:
    """Parameters from all that `sweep` takes for them."""
    if isinstance(given, Parameters):
        return given
    if isinstance(given, Mapping):
        return _Table(given)
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool) and given >= 0:
        return _Sampled(int(given), 0, {})
    if isinstance(given, Sequence) and all(isinstance(task, Mapping) for task in given):
        return _Listed(given)
    raise TypeError(
        "expected parameters as a mapping of names to sequences, a list of mappings, "
        "polhode.sweeps.grid(...), polhode.sweeps.sample(...) or a number of tasks, "
        f"got {type(given).__name__}"
    )


def _is_many(values: Any) -> bool:
    """Whether these are several values, not one."""
    return not isinstance(values, (str, bytes, Mapping)) and hasattr(values, "__len__")


def _drawn(distribution: Any, rng: np.random.Generator) -> Any:
    if hasattr(distribution, "rvs"):
        return distribution.rvs(random_state=rng)
    if callable(distribution):
        return distribution(rng)
    if isinstance(distribution, tuple) and len(distribution) == 2:
        return float(rng.uniform(*distribution))
    if isinstance(distribution, (list, np.ndarray)):
        return distribution[int(rng.integers(len(distribution)))]
    return distribution
