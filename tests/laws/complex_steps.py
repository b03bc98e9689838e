"""Derivatives by complex steps: exact to rounding, without the graph and without formulas.

An algorithm run on complex numbers at ``x + i h e`` has ``h`` times its derivative along ``e`` as
imaginary part; with ``h`` far below rounding nothing is cut off (Squire and Trapp 1998).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polhode.binding.plain import run_plain
from polhode.binding.program_derivatives import tangent_rows
from polhode.model import Model

STEP = 1e-100


def complex_step(
    function: Callable, model: Model, arrays: Sequence[np.ndarray], which: int, **static: Any
) -> tuple[np.ndarray, ...]:
    """Derivatives of each result by one argument, whose axis comes last; position is number 0."""
    x = np.asarray(arrays[which])
    n = model.nv if which == 0 else len(x)
    directions = np.array(tangent_rows(model, x), dtype=float).T if which == 0 else np.eye(n)
    moved = list(arrays)
    moved[which] = x + 1j * STEP * directions
    results = run_plain(function, model, moved, **static)
    results = results if isinstance(results, tuple) else (results,)
    return tuple(
        np.moveaxis(np.broadcast_to(r, (n, *r.shape[1:])).imag / STEP, 0, -1) for r in results
    )


def relative(got: np.ndarray, expected: np.ndarray, scale: float = 1.0) -> float:
    """The largest difference, as a part of the largest entry."""
    assert got.shape == expected.shape
    size = max(scale, float(np.abs(expected).max(initial=0.0)))
    return float(np.abs(got - expected).max(initial=0.0)) / size
