"""Reader of RBDL's Lua models, in a process with limits.

Read: gravity, frames with body, joint and joint frame, visuals that are simple shapes, constraint
sets.  Not read: markers, muscles, human data and phases, which other programs use.
"""

from ...model import Constraint, ContactConstraint, LoopConstraint
from .reader import parse, read

__all__ = ["Constraint", "ContactConstraint", "LoopConstraint", "parse", "read"]
