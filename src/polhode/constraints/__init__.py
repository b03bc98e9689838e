"""Constraints on a model beyond its joints: contacts, closed loops, and the user's own."""

from .records import Constraint, Contact, Custom, Group, Loop
from .sets import ConstraintSet

__all__ = ["Constraint", "ConstraintSet", "Contact", "Custom", "Group", "Loop"]
