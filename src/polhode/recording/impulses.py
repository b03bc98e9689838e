"""Impulses of contacts: a row for each geometry that touched something since the last record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import ArgumentError

if TYPE_CHECKING:
    from .recording import Recording


def of_touched(impulses: np.ndarray) -> dict[str, np.ndarray]:
    """The arrays of a recording out of impulses of all geometries, shape (T, G, 3) [N s].

    Where any of a record is no number, none of them is known.
    """
    is_known = np.logical_not(np.isnan(impulses).any(axis=(1, 2)))
    record, geometry = np.nonzero(impulses.any(axis=2) & is_known[:, None])
    counts = np.bincount(record, minlength=len(impulses))
    return {
        "impulse_is_known": is_known,
        "impulse_start": np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        "impulse_geometry": geometry.astype(np.int64),
        "impulse": impulses[record, geometry],
    }


def of_all(recording: Recording) -> np.ndarray:
    """Impulses of all geometries, shape (T, G, 3) [N s]; not numbers where they are not known."""
    found = np.zeros((len(recording.times), len(recording.geometry_names), 3))
    first, last = recording.impulse_start[0], recording.impulse_start[-1]
    found[records_of(recording), recording.impulse_geometry[first:last]] = recording.impulse[
        first:last
    ]
    found[~recording.impulse_is_known] = np.nan
    return found


def require_impulses(recording: Recording) -> None:
    """Refuse a recording whose impulses of contacts are not all known.

    Raises
    ------
    ArgumentError
        With how to record them.
    """
    if not recording.impulse_is_known.all():
        raise ArgumentError(
            "expected a recording with impulses of contacts; this is from a file of an earlier "
            "version, or of integrator='moreau' without record=1 "
            f"(recording of '{recording.model.name}')"
        )


def records_of(recording: Recording) -> np.ndarray:
    """The record of each row of impulses."""
    return np.repeat(np.arange(len(recording.times)), np.diff(recording.impulse_start))
