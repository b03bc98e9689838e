"""Contact, friction, limits and loops: impulses that obey Signorini's and Coulomb's laws."""

from .dense import rows_of_delassus
from .doors import impact, solve, solve_convex, solve_lcp, solver_settings
from .rows import BILATERAL, BOX, CONTACT, UNILATERAL, Rows
from .settings import REPORT_SIZE

__all__ = [
    "BILATERAL",
    "BOX",
    "CONTACT",
    "REPORT_SIZE",
    "UNILATERAL",
    "Rows",
    "impact",
    "rows_of_delassus",
    "solve",
    "solve_convex",
    "solve_lcp",
    "solver_settings",
]
