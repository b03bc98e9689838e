"""Indices of the counts in ``s.counters`` and of the values in ``s.totals``."""

# `STOP` says why: a Python function raised, or the state is not finite any more.
RAISED, NOT_FINITE = 1, 2
STOP, N_STEPS, N_MINI, N_SOLVES, N_UNCONVERGED, N_IMPACTS, N_CAPPED, N_CONTACTS = range(8)
N_RELAXED, N_NEWTON = 8, 9
TIME, RESIDUAL, PENETRATION, LOOP_ERROR, CLIPPED, LAST_STEP, BASE_TIME, BASE_STEPS = range(8)
MARGIN, STEP, SLACK, WORK, ELAPSED, PUSH_OUT = 8, 9, 10, 11, 12, 13  # further entries of totals
