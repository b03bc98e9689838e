"""Reading reference numbers, comparing with them, and counting what was compared."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
REFERENCE = Path(os.environ.get("POLHODE_REFERENCE") or REPOSITORY / "tests/reference/data")
MODELS = Path(os.environ.get("POLHODE_MODELS") or REPOSITORY / "../shared/models")

TOLERANCE = 1e-9  # what two correct programs may differ by, relative to the largest entry
DIGITS_SHOWN = 3


@cache
def read(name: str) -> dict[str, Any]:
    """The reference file ``name``, plain or gzipped, of the folder in use."""
    plain, packed = REFERENCE / f"{name}.json", REFERENCE / f"{name}.json.gz"
    if plain.exists():
        return json.loads(plain.read_text())
    if packed.exists():
        return json.loads(gzip.decompress(packed.read_bytes()))
    raise FileNotFoundError(f"no {name}.json or {name}.json.gz in {REFERENCE}")


def array(value: Any) -> np.ndarray:
    """Numbers as an array; the strings "NaN", "Infinity" and "-Infinity" are numbers too."""
    return np.array(value, dtype=object).astype(float)


class Tally:
    """Counts the cases of each function of one test and keeps the failures' texts."""

    def __init__(self, program: str):
        self.program = program
        self.outcomes: dict[str, Counter] = {}
        self.failures: list[str] = []

    def compare(
        self,
        function: str,
        where: str,
        compute: Callable[[], Any],
        expected: Any,
        tolerance: float = TOLERANCE,
    ) -> None:
        """One case: what ``compute`` returns, or that it cannot be run, against ``expected``."""
        try:
            problem = difference(compute(), expected, tolerance)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        self.count(function, "failed" if problem else "checked")
        if problem:
            self.failures.append(f"{function} [{where}]: {problem}")

    def count(self, function: str, outcome: str, number: int = 1) -> None:
        """Add to the count without comparing: cases set aside, with ``outcome`` as the reason."""
        self.outcomes.setdefault(function, Counter())[outcome] += number

    def close(self, record_property: Callable[[str, object], None]) -> None:
        """Report the counts and fail the test if any case failed."""
        for function, outcomes in self.outcomes.items():
            for outcome, number in outcomes.items():
                record_property("reference", (self.program, function, outcome, number))
        assert not self.failures, f"{len(self.failures)} cases failed\n" + "\n".join(self.failures)


def difference(got: Any, expected: Any, tolerance: float) -> str | None:
    """Why ``got`` is not ``expected``, or None; records and ragged lists entry by entry."""
    if isinstance(expected, dict):
        if not isinstance(got, dict) or set(got) != set(expected):
            return f"expected the fields {list(expected)}, got {got!r}"
        return _first(expected, got, expected, tolerance)
    if isinstance(expected, list) and not _is_numeric(expected):
        if len(got) != len(expected):
            return f"expected {len(expected)} entries, got {len(got)}"
        return _first(range(len(expected)), got, expected, tolerance)
    if isinstance(expected, str | bool | None):
        return None if got == expected else f"expected {expected!r}, got {got!r}"
    a, b = np.asarray(got, float), array(expected)
    if a.shape != b.shape:
        return f"expected shape {b.shape}, got {a.shape}"
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return f"expected {b}, got {a}"
    scale = max(1.0, float(np.abs(b[np.isfinite(b)]).max(initial=0.0)))
    error = float(np.abs(a - b)[np.isfinite(b)].max(initial=0.0)) / scale
    return None if error <= tolerance else f"relative error {error:.{DIGITS_SHOWN}g}"


def _first(keys: Iterable, got: Any, expected: Any, tolerance: float) -> str | None:
    for key in keys:
        problem = difference(got[key], expected[key], tolerance)
        if problem:
            return f"{key}: {problem}"
    return None


def _is_numeric(value: list) -> bool:
    try:
        return array(value).ndim > 0
    except (TypeError, ValueError):
        return False
