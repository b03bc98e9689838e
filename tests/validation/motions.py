"""Motions at given times, by the adaptive integrator as strict as doubles allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import polhode as ph
from polhode.recording import Recording

STRICT = {"integrator": "DOP853", "rtol": 1e-13, "atol": 1e-14}


def motion(model: ph.Model, times: Sequence[float], q0: Any, qd0: Any, **options: Any) -> Recording:
    """The recorded motion from ``q0`` and ``qd0`` at time zero, at equally spaced times."""
    period = float(np.min(np.diff([0.0, *(t for t in times if t > 0.0)])))
    run = ph.simulate(
        model, float(times[-1]), q0=q0, qd0=qd0, record=period, **STRICT | {"dt": 1e-4} | options
    )
    if not np.allclose(run.times[rows_of(run, times)], times, rtol=0.0, atol=1e-9):
        raise ValueError(f"expected times that are multiples of {period:g} s")
    return run


def rows_of(run: Recording, times: Sequence[float]) -> np.ndarray:
    """The rows of a recording nearest to given times."""
    return np.abs(run.times[:, None] - np.asarray(times)).argmin(axis=0)
