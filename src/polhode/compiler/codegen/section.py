"""Sections of a program: what becomes one function call, and in which order."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..graph.code import Code


@dataclass(slots=True)
class Section:
    """A run of instructions that becomes one function call.

    Attributes
    ----------
    members : list of int
        The instructions, in order.
    stores : list of int
        Members that other sections or the outputs need.
    kind : int
        Number of the repeated step that this is an instance of; -1 if it is none.
    branches : tuple of int
        Conditions, outermost first, each of which must hold in some lane for this to run.
    joins : set of int
        Members that are written where what they replace is (`Joins`).
    alone : set of int
        Those of them that replace nothing.
    carried : set of int
        Those of them that replace what a loop carries, in lanes that go on.
    copies : list of (int, int)
        Values to put into the slots of later joins, and the joins.
    """

    members: list[int]
    stores: list[int] = field(default_factory=list)
    kind: int = -1
    branches: tuple[int, ...] = ()
    joins: set[int] = field(default_factory=set)
    alone: set[int] = field(default_factory=set)
    carried: set[int] = field(default_factory=set)
    copies: list[tuple[int, int]] = field(default_factory=list)

    def is_loop(self, code: Code) -> bool:
        """Whether its one member is a loop."""
        return bool(self.members) and code.ops[self.members[0]].loop is not None


@dataclass(slots=True)
class SectionPlan:
    """The sections of a program in order of execution.

    Attributes
    ----------
    sections : list of Section
    dummy : int
        Slot for values that only other instances of a repeated step have a use for; or -1.
    """

    sections: list[Section]
    dummy: int = -1

    def instances(self, kind: int) -> list[Section]:
        """The sections that are instances of a repeated step."""
        return [s for s in self.sections if s.kind == kind]

    @property
    def n_kinds(self) -> int:
        """Number of repeated steps."""
        return 1 + max((s.kind for s in self.sections), default=-1)
