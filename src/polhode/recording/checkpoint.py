"""What a run depends on from some moment on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .npz import json_array, json_of


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Arrays of a simulator's state, to go on from to the same bits."""

    arrays: Mapping[str, np.ndarray]
    is_fresh: bool
    rng: Mapping[str, Any]

    def as_arrays(self) -> dict[str, np.ndarray]:
        """Everything as arrays, for files."""
        return {**self.arrays, "more": json_array({"is_fresh": self.is_fresh, "rng": self.rng})}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Checkpoint:
        """The inverse of `as_arrays`."""
        more = json_of(arrays["more"])
        kept = {name: np.array(x) for name, x in arrays.items() if name != "more"}
        return cls(kept, bool(more["is_fresh"]), more["rng"])
