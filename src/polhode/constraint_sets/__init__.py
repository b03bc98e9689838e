"""Constraints on a model beyond its joints: contacts, closed loops, and the user's own.

`sets` is what users build, `records` a row of it, `checks` refuse what is none. What they mean for
motion is in `algorithms`.  May import `errors`, `reprs`, `once`, `arrays`, `arguments`, `spatial`
and `model`.
"""

from .records import Constraint, Contact, Custom, Group, Loop
from .sets import ConstraintSet

__all__ = ["Constraint", "ConstraintSet", "Contact", "Custom", "Group", "Loop"]
