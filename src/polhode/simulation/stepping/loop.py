"""Many steps in one compiled call, with records on the way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiler.jit import Floats, Floats2, Floats3, jit
from .clock import StepCount
from .contacts import (
    GAP,
    IMPULSE,
    N_REAL,
    TORQUE,
    Contacts,
    Near,
    copy_contact,
    empty_contacts,
    keep_near,
    near_rows,
)
from .counter_indices import BASE_STEPS, BASE_TIME, LAST_STEP, N_STEPS, STOP, TIME, WORK
from .held_actuators import note_activation
from .step import find_near, step
from .system import System


class RecordedRows(NamedTuple):
    """States at the records, and the forces of the last step before each, a row of each."""

    times: Floats
    position: Floats2
    velocity: Floats2
    applied: Floats2
    passive: Floats2
    constraint: Floats2
    work: Floats
    impulses: Floats3 = np.zeros((0, 0, 3))  # of contacts on geometries since the record before


class Log(NamedTuple):
    """What a call recorded: ``filled`` rows of states, and their contacts one after the other."""

    filled: int
    rows: RecordedRows
    start: np.ndarray
    contacts: Contacts


_COLUMNS = [np.zeros(0), *[np.zeros((0, 0))] * 5, np.zeros(0)]
NOTHING: Log = Log(
    0, RecordedRows(*_COLUMNS), np.zeros(1, np.int64),
    Contacts(np.zeros((0, 4), np.int64), np.zeros((0, N_REAL))),
)  # fmt: skip
"""What a call returns that was to record nothing."""


@jit
def advance(s: System, near: Near, is_fresh: bool, steps: StepCount, drive: Floats2):
    """Make some steps; contacts and limits are looked for first if ``is_fresh``.

    ``drive`` has the joint forces of each of the steps, or no rows: then ``s.tau`` stays.

    Returns
    -------
    contacts, limits
        Those that are near now, if there was no room for them in ``near``; otherwise none.
    filled, table, start, kept
        The arguments of `log_of`.
    """
    h, count, every, phase = steps.h, steps.count, steps.every, steps.phase
    contacts, limits = near_rows(near)
    if is_fresh:
        contacts, limits = find_near(s)
    most = steps.n_records
    width = 2 + len(s.position) + 4 * len(s.velocity) + 3 * len(s.contact_impulse)
    table = np.empty((most, width))
    start = np.zeros(most + 1 if every > 0 else 0, np.int64)
    kept = empty_contacts(8 * most)
    k = 0
    for i in range(count):
        if i < len(drive):
            for j in range(len(s.tau)):
                s.tau[j] = drive[i, j]
        contacts, limits = step(s, contacts, limits, h)
        if s.counters[STOP] != 0:
            break
        done = s.counters[N_STEPS] - s.totals[BASE_STEPS]
        s.totals[TIME] = s.totals[BASE_TIME] + done * h
        if every > 0 and (phase + i + 1) % every == 0:
            _note(s, table[k])
            if len(s.activation):
                note_activation(s, k)
            kept = _append(s, kept, start[k], contacts)
            start[k + 1] = start[k] + _near(s, contacts)
            k += 1
    contacts, limits = keep_near(near, contacts, limits)
    return contacts, limits, k, table, start, kept


@jit
def _note(s: System, row: Floats):
    """Fill a row: time, work, and the other columns of `RecordedRows` one after the other."""
    row[0], row[1] = s.totals[TIME], s.totals[WORK]
    nq, nv = len(s.position), len(s.velocity)
    for j in range(nq):
        row[2 + j] = s.position[j]
    at = 2 + nq
    for j in range(nv):
        row[at + j] = s.velocity[j]
        row[at + nv + j] = s.tau[j] + (s.adhesive[j] if len(s.adhesion) else 0.0)
        row[at + 2 * nv + j] = s.passive_force[j]
        row[at + 3 * nv + j] = s.constraint_force[j]
    at += 4 * nv
    for g in range(len(s.contact_impulse)):
        for i in range(3):
            row[at + 3 * g + i], s.contact_impulse[g, i] = s.contact_impulse[g, i], 0.0


def log_of(
    sizes: tuple[int, int], filled: int, table: np.ndarray, start: np.ndarray, contacts: Contacts
) -> Log:
    """What `advance` recorded, by name; ``sizes`` are those of a position and a velocity."""
    nq, nv = sizes
    ends = np.cumsum([1, 1, nq, nv, nv, nv, nv])
    times, work, position, *of_joints, impulses = np.split(table, ends, axis=1)
    impulses = impulses.reshape(len(table), impulses.shape[1] // 3, 3)
    rows = RecordedRows._make([times[:, 0], position, *of_joints, work[:, 0], impulses])
    return Log(filled, rows, start, contacts)


@jit
def _near(s: System, contacts: Contacts):
    """Contacts worth a record: those that press, and those that touch."""
    count = 0
    for c in range(len(contacts.whole)):
        count += _is_kept(s, contacts, c)
    return count


@jit
def _is_kept(s: System, contacts: Contacts, c: int):
    real = contacts.real
    presses = real[c, IMPULSE] != 0.0 or real[c, IMPULSE + 1] != 0.0 or real[c, IMPULSE + 2] != 0.0
    return presses or real[c, GAP] <= s.thresh


@jit
def _append(s: System, kept: Contacts, at: int, contacts: Contacts):
    """Put contacts behind those that are there; impulses become forces."""
    needed = at + _near(s, contacts)
    if needed > len(kept.whole):
        larger = empty_contacts(2 * needed)
        for c in range(at):
            copy_contact(kept, c, larger, c)
        kept = larger
    last = s.totals[LAST_STEP]
    for c in range(len(contacts.whole)):
        if _is_kept(s, contacts, c):
            copy_contact(contacts, c, kept, at)
            for j in range(3):
                for k in (IMPULSE + j, TORQUE + j):
                    kept.real[at, k] = kept.real[at, k] / last if last > 0.0 else 0.0
            at += 1
    return kept
