"""Counts and worst values of a run."""

from __future__ import annotations

from .counter_indices import (
    CLIPPED,
    LOOP_ERROR,
    N_CAPPED,
    N_CONTACTS,
    N_IMPACTS,
    N_MINI,
    N_NEWTON,
    N_RELAXED,
    N_SOLVES,
    N_STEPS,
    N_UNCONVERGED,
    PENETRATION,
    PUSH_OUT,
    RESIDUAL,
    SLACK,
)
from .system import System

_COUNTS = {
    "steps": N_STEPS,
    "mini_steps": N_MINI,
    "solves": N_SOLVES,
    "unconverged": N_UNCONVERGED,
    "impacts": N_IMPACTS,
    "capped_steps": N_CAPPED,
    "contacts": N_CONTACTS,
    "relaxed": N_RELAXED,
    "newton_steps": N_NEWTON,
}
_VALUES = {
    "slack": SLACK,
    "residual": RESIDUAL,
    "penetration": PENETRATION,
    "loop_error": LOOP_ERROR,
    "energy_clipped": CLIPPED,
    "push_out_energy": PUSH_OUT,
}


def report_of(fields: System) -> dict[str, float]:
    """Counts and worst values of a lowered scene since its start."""
    counts = {name: int(fields.counters[k]) for name, k in _COUNTS.items()}
    return counts | {name: float(fields.totals[k]) for name, k in _VALUES.items()}
