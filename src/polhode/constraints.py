"""Constraints on a model: sets of contacts and loops, their equations and forces.

A `ConstraintSet` is an argument of `polhode.constrained_dynamics`, `polhode.constraint_impulses`
and `polhode.assemble`, and of the functions here.
"""

from typing import TYPE_CHECKING

from .api.constraints import ConstrainedMotion, Impact
from .api.constraints_assembly import Assembly
from .api.constraints_equations import (
    ConstrainedSystem,
    ConstraintErrors,
    constrained_system,
    constraint_errors,
    constraint_jacobian,
)
from .api.constraints_forces import (
    ConstraintReport,
    GroupForces,
    constraint_forces,
    constraint_report,
)
from .api.constraints_inverse import (
    ConstrainedForces,
    constrained_inverse_dynamics,
    is_fully_actuated,
)
from .api.explicit_constraints import explicit_dynamics, explicit_state
from .api.reactions import joint_reactions
from .constraint_sets import Constraint, ConstraintSet, Contact, Custom, Group, Loop
from .namespaces import says_where

__all__ = [
    "Assembly",
    "ConstrainedForces",
    "ConstrainedMotion",
    "ConstrainedSystem",
    "Constraint",
    "ConstraintErrors",
    "ConstraintReport",
    "ConstraintSet",
    "Contact",
    "Custom",
    "Group",
    "GroupForces",
    "Impact",
    "Loop",
    "constrained_inverse_dynamics",
    "constrained_system",
    "constraint_errors",
    "constraint_forces",
    "constraint_jacobian",
    "constraint_report",
    "explicit_dynamics",
    "explicit_state",
    "is_fully_actuated",
    "joint_reactions",
]

if not TYPE_CHECKING:  # type checkers would take any name
    __getattr__ = says_where(__name__)
