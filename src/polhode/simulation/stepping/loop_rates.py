"""Velocities of loops at the end of a step, not only where they are kicked.

A kick that lets a loop's rows stand still at its own pose takes energy: on the way on, the
rows turn under the velocity.  How fast they do is seen from the drift between two kicks.
"""

from __future__ import annotations

import numpy as np

from ...compiler.loops import loop
from ..contact import REPORT_SIZE, solve
from .assembly import assemble
from .blocks import row_rate
from .records import empty_contacts, empty_limits

RATE, TIME = 0, 1  # columns of s.loop_past: rate after the last kick, and drift since [s]


@loop
def settle_rates(s):
    """Make velocities ones that loops and gears allow, as a blow at the start would."""
    if len(s.loop_rows) + len(s.gear_dof) == 0:
        return
    rows = assemble(s, empty_contacts(0), empty_limits(0), s.velocity, 0.0, s.share, False)
    x, report = np.zeros(len(rows.kind)), np.empty(REPORT_SIZE)
    solve(rows, x, s.trial, s.solver, report)
    for k in range(len(s.velocity)):
        s.velocity[k] = s.trial[k]
    forget_rates(s)


@loop
def forget_rates(s):
    """After a blow: all rates of loops are zero."""
    for r in range(len(s.loop_rows)):
        s.loop_past[r, RATE] = s.loop_past[r, TIME] = 0.0


@loop
def aim_rates(s, rows, h):
    """Set biases so that the rates of loops are zero where the step ends."""
    for r in range(len(s.loop_rows)):
        share = 1.0
        for k in range(rows.segment[r], rows.segment[r + 1]):
            share = s.share[rows.node[k]]
        drift = s.loop_past[r, TIME] + (1.0 - share) * h
        bend = 0.0
        if drift > 0.0 and rows.compliance[rows.row[r]] == 0.0:
            bend = (row_rate(rows, r, s.velocity) - s.loop_past[r, RATE]) / drift
        rows.bias[rows.row[r]] = share * h * bend
        s.loop_past[r, RATE], s.loop_past[r, TIME] = -share * h * bend, share * h
