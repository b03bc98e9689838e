"""How hard the solver tries, and what it tells afterwards."""

from __future__ import annotations

TOLERANCE = 0
SWEEPS = 1
NEWTON = 2
STAGES = 3
LAST_SWEEPS = 4
SOFTNESS = 5
LCP_EDGES = 6
SETTINGS_SIZE = 7

WORST = 0
ISLANDS = 1
UNCONVERGED = 2
STAGE = 3
SWEEPS_MADE = 4
NEWTON_STEPS = 5
ROWS = 6
ENERGY_CLIPPED = 7
LEFT = 8  # Newton steps after which an island is given up
REPORT_SIZE = 9
