"""How hard the solver tries, and what it tells afterwards."""

from __future__ import annotations

TOLERANCE = 0
SWEEPS = 1
NEWTON = 2
STAGES = 3
LAST_SWEEPS = 4
SOFTNESS = 5
LCP_EDGES = 6
MAY_YIELD = 7
SETTINGS_SIZE = 8

WORST = 0
ISLANDS = 1
UNCONVERGED = 2
STAGE = 3
SWEEPS_MADE = 4
NEWTON_STEPS = 5
ROWS = 6
ENERGY_CLIPPED = 7
LEFT = 8  # Newton steps after which an island is given up
YIELDED = 9  # islands solved only with rows that yield a little
GAVE_WAY = 10  # the greatest velocity by which these rows did [m/s or rad/s]
REPORT_SIZE = 11
