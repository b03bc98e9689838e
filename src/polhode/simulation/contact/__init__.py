"""Contact, friction, limits and loops: impulses that obey Signorini's and Coulomb's laws."""

from .dense import rows_of_delassus
from .doors import impact, solve, solve_convex, solve_lcp, solver_settings
from .rows import BILATERAL, BOX, CONTACT, NO_SLIP, UNILATERAL, Rows
from .settings import Report, Settings

__all__ = [
    "BILATERAL",
    "BOX",
    "CONTACT",
    "NO_SLIP",
    "UNILATERAL",
    "Report",
    "Rows",
    "Settings",
    "impact",
    "rows_of_delassus",
    "solve",
    "solve_convex",
    "solve_lcp",
    "solver_settings",
]
