"""When a run records, when a held controller is called, and the steps in between."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import MOST_COUNT, as_number
from ..errors import ArgumentError

_DEFAULT_RECORD = 0.01  # s: a hundred records a second play smoothly
_SAME = 1e-6  # of a step: what differs by less is meant to be the same
_MAX_STEPS = 10**9  # of a run whose instants are listed
_MOST_STEPS = 10**12  # months of computing, and more records than fit anywhere


@dataclass(frozen=True)
class Timeline:
    """Instants in order; the first is 0, the last the duration, both recorded."""

    times: np.ndarray
    recorded: np.ndarray
    ticks: np.ndarray

    @property
    def record_times(self) -> np.ndarray:
        return self.times[self.recorded]


def timeline(
    duration: float, dt: float, record: float | int | None, tick: float | None
) -> Timeline:
    """The instants of a run.

    Parameters
    ----------
    duration, dt : float
        Length of the run and of a step [s].
    record : float, int or None
        A period [s], a whole number of steps, or None: every 10 ms (or step, if longer).
    tick : float or None
        Period [s] of a held controller.
    """
    duration, dt = positive(duration, "duration"), positive(dt, "dt")
    if duration / dt > _MAX_STEPS:
        raise ArgumentError(
            f"expected at most {_MAX_STEPS} steps, got duration {duration:g} s at dt {dt:g} s"
        )
    records = _grid(_period(record, dt), duration, dt)
    ticks = _grid(positive(tick, "period"), duration, dt) if tick is not None else records[:1]
    times = np.concatenate((records, ticks))
    order = np.argsort(times, kind="stable")
    is_record = (np.arange(len(times)) < len(records))[order]
    times = times[order]
    # Instants that differ by rounding only are one.
    first = np.concatenate(((True,), np.diff(times) > 1e-9 * min(dt, duration)))
    group = np.cumsum(first) - 1
    recorded, ticking = (np.zeros(first.sum(), bool) for _ in range(2))
    recorded[group[is_record]] = True
    ticking[group[~is_record]] = True
    return Timeline(times[first], recorded, ticking)


def steps(start: float, end: float, dt: float) -> tuple[int, float]:
    """How many equal steps of at most ``dt`` lead from ``start`` to ``end``, and their length."""
    count = max(1, math.ceil((end - start) / dt - _SAME))
    return count, (end - start) / count


def steps_of_records(record: float | int | None, dt: float) -> tuple[float, int]:
    """The length of a step, ``dt`` at most, and how many of them lead from record to record.

    Steps are shorter than ``dt`` where the time between records is no multiple of it. By default
    this time is the multiple of ``dt`` next to 10 ms.
    """
    if record is None:
        return dt, max(1, round(_DEFAULT_RECORD / dt))
    period = _period(record, dt)
    if period / dt > MOST_COUNT:
        raise ArgumentError(
            f"expected to record after 1 step to {MOST_COUNT}, got {period / dt:.4g} "
            f"(record={record})"
        )
    count, h = steps(0.0, period, dt)
    return (dt if abs(h - dt) * count <= _SAME * dt else h), count


def whole_steps(duration: float, h: float) -> tuple[int, float]:
    """How many steps of ``h`` fit into a run, and how long the last one is that ends it, or 0."""
    if duration / h > _MOST_STEPS:
        raise ArgumentError(
            f"expected at most {_MOST_STEPS} steps, got {duration / h:.3g} (duration "
            f"{duration:g} s, dt {h:g} s)"
        )
    count = math.floor(duration / h + _SAME)
    rest = duration - count * h
    return count, rest if rest > _SAME * h else 0.0


def _period(record: float | int | None, dt: float) -> float:
    if record is None:
        return max(_DEFAULT_RECORD, dt)
    if isinstance(record, bool):
        raise TypeError("expected a period or a number of steps as record, got a bool")
    if isinstance(record, (int, np.integer)):
        return positive(record, "record") * dt
    return positive(record, "record")


def _grid(period: float, duration: float, dt: float) -> np.ndarray:
    """Multiples of the period below the duration, and the duration itself."""
    if duration / period > _MAX_STEPS:
        raise ArgumentError(
            f"expected at most {_MAX_STEPS} records or samples, got duration {duration:g} s with "
            f"record or period {period:g} s"
        )
    inner = np.arange(math.ceil(duration / period - _SAME)) * period
    return np.append(inner, duration)


def positive(value: Any, name: str) -> float:
    is_nan = isinstance(value, float) and math.isnan(value)
    value = math.nan if is_nan else as_number(name, value, finite=False)
    if not (0.0 < value < math.inf):
        raise ArgumentError(f"expected {name} to be positive and finite, got {value}")
    return value
