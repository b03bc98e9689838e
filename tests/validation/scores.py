"""How far a result is from a published number, and what it may be off by."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
VALIDATION = Path(os.environ.get("POLHODE_VALIDATION") or REPOSITORY / "../shared/validation")


class Apart(Enum):
    """Why a number neither passes nor fails: it is named with its reason instead."""

    REFUSED = "refused by an error with its place"
    NOT_COMPARABLE = "the data do not have the quantity"


class Score(NamedTuple):
    """The error of one quantity of a case, in the measure of its data, and what is allowed."""

    quantity: str
    error: float
    tolerance: float
    reason: str = ""
    apart: Apart | None = None

    @property
    def passes(self) -> bool:
        return self.apart is None and self.error <= self.tolerance

    @property
    def fails(self) -> bool:
        return self.apart is None and not self.error <= self.tolerance

    @property
    def digits(self) -> float:
        """Of an error of 1e-9, nine; 16 where nothing is off."""
        if not math.isfinite(self.error):
            return 0.0
        return min(-math.log10(self.error), 16.0) if self.error > 0.0 else 16.0


class Case(NamedTuple):
    """A case of a suite: its name, and what computes its scores."""

    name: str
    scores: Callable[[], Iterable[Score]]

    def run(self) -> list[Score]:
        """All scores; a case that cannot be run has one that fails."""
        try:
            found = list(self.scores())
        except Exception as error:
            told = str(error).replace(f"{VALIDATION}/", "")
            return [Score("all", math.inf, 0.0, f"cannot be run: `{type(error).__name__}: {told}`")]
        return found or [Score("all", math.inf, 0.0, "nothing to compare")]


def largest(got: Any, expected: Any, *, relative: bool = False) -> float:
    """The largest difference, of the largest entry's size if ``relative``; inf beside NaN."""
    a, b = np.asarray(got, float), np.asarray(expected, float)
    if a.shape != b.shape:
        raise ValueError(f"expected shape {b.shape}, got {a.shape}")
    scale = float(np.abs(b).max(initial=0.0)) if relative else 1.0
    error = float(np.abs(a - b).max(initial=0.0)) / (scale or 1.0)
    return error if math.isfinite(error) else math.inf


def json_files(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The records of a folder by the names of their files."""
    for path in sorted(folder.glob("*.json")):
        yield path.stem, json.loads(path.read_text())
