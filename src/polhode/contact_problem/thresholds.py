"""Thresholds of the exact solver, and the order of its stages.

A prox is a share of each block's own diagonal, a residual relative to the speed of the island.
`benchmarks/contact_stages.py` replaces each of them by a neutral value.
"""

from __future__ import annotations

# The stages, by what they do, and their order.
NEWTON, DE_SAXCE, STEADY, SMALL_PROX, PROXIMAL, LEMKE = 0, 1, 2, 3, 4, 5
STAGES = (NEWTON, DE_SAXCE, STEADY, SMALL_PROX, PROXIMAL, LEMKE)

# Sweeps
SLOWEST = 1e-6  # m/s or rad/s: residuals are relative to a velocity of at least this
ROUNDING = 1e-6  # of a velocity or impulse: a residual below it cannot be told from rounding
STILL = 0.1  # of the tolerance: a sweep that changes less is the last
NEAR = 1e-2  # residual of a start that gets a quarter of the first sweeps
SWEEPS_BETWEEN = 60  # after the first stage; twice as many after each next one
MOST_SWEPT = 100_000  # blocks gone over in the sweeps after a stage, for heaps
FEWEST_SWEEPS = 60  # whatever the number of blocks

# Newton's method
FIRST_PROX = 1e-3
LEAST_PROX = 1e-5
GREATEST_PROX = 0.1
PROX_FALL = 0.3
PROX_RISE = 3.0
HALVINGS = 4
IDLE = 0.5  # of all steps: so many without a new best are the last
MOST_WORK = 100_000  # blocks gone over in all Newton steps of an island, for heaps
FEWEST_STEPS = 50  # whatever the number of blocks
# Polishing
POLISHED = 0.1  # of the tolerance: a residual below needs no polishing
POLISHING_STEPS = 3
POLISHING_GOAL = 1e-2  # of the tolerance
# Steady steps: heaps bear their weight in many ways; this prox moves the impulses until contacts
# begin to slide, a smaller one makes them jump.
STEADY_PROX = 1e-4
STEADY_STEPS = 150
# Small prox
SMALL_FIRST_PROX = 1e-6
SMALL_LEAST_PROX = 1e-10
SMALL_PROX_STEPS = 3  # times the steps of the first stage

# Rounds of convex problems
ROUNDS = 10
ROUND_PROX = 1e-6  # less needs more rounds, more loses digits
ROUND_GOAL = 1e-9  # to which each round is solved
ROUND_ENOUGH = 1e-6  # a round that is solved less well is the last
ROUND_STEPS = 30

# Safeguarded Newton and proximal points
STIFFEST_PROX = 1.0
SHORTEST_STEP = 0.01
POINT_STEPS = 30
POINT_PATIENCE = 15  # more steps than a point should take: alpha falls more slowly
POINTS = 20
FIRST_ALPHA = 1.0
LEAST_ALPHA = 1e-12
GREATEST_ALPHA = 100.0
SHARE_OF_ALPHA = 1e-4  # that Newton's own prox has

MOST_PAIRS = 400  # of Lemke's method, whose cost grows with their cube

# Relaxed rows
COMPLIANCES = (1e-9, 1e-11)  # of each row's own velocity per impulse: one try after the other
MOST_SLACK = 1e-5  # of the speed of the island
