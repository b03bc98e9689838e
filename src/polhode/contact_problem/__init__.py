"""Contact, friction, limits and loops: impulses that obey Signorini's and Coulomb's laws.

May import `errors`, `arguments` and `compiler`.
"""

from .calls import height_of, impact, solve, solve_convex, solve_lcp
from .delassus import rows_of_delassus
from .rows import BILATERAL, BOX, CONTACT, DISK, NO_SLIP, UNILATERAL, ConstraintRows
from .settings import Report, SolverSettings, solver_settings

__all__ = [
    "BILATERAL",
    "BOX",
    "CONTACT",
    "DISK",
    "NO_SLIP",
    "UNILATERAL",
    "ConstraintRows",
    "Report",
    "SolverSettings",
    "height_of",
    "impact",
    "rows_of_delassus",
    "solve",
    "solve_convex",
    "solve_lcp",
    "solver_settings",
]
