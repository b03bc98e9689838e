"""A long module cut into parts, which LLVM optimises and compiles side by side.

LLVM can put a short function in the place of a call only where it has the function's text.  So
every part has a copy of the functions that it calls.  Some are in one part only: those that are
long with all that they call, and those of middle length that several call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from .functions import Written

LONG = 700_000  # characters of a part, about; LLVM takes 1.5 s for them
SHARED = 40_000  # of a function, with all that it calls, of which there are no copies


@dataclass(slots=True)
class ModulePart:
    """The functions of a part, each behind those that it calls."""

    functions: dict[Written, None] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """Characters, about."""
        return sum(written.length for written in self.functions)

    def outside(self) -> list[Written]:
        """What it calls of other parts."""
        callees = dict.fromkeys(y for x in self.functions for y in x.callees)
        return [written for written in callees if written not in self.functions]

    def texts(self, called: Collection[Written]) -> Iterator[str]:
        """What a module has of it, if other parts call these functions."""
        for written in self.outside():
            yield written.declaration()
        for written in self.functions:
            yield written.text("hidden" if written in called else "internal")


def parts_of(functions: Sequence[Written]) -> list[ModulePart]:
    """Parts of a module whose functions are given, each behind those that it calls."""
    callers = Counter(callee for written in functions for callee in written.callees)
    heads: set[Written] = set()
    found = [ModulePart()]
    for written in functions:
        own = ModulePart(_with_callees(written, heads))
        is_shared = callers[written] > 1 and own.length >= SHARED
        if not is_shared and own.length < LONG and written is not functions[-1]:
            continue
        heads.add(written)
        both = ModulePart(found[-1].functions | own.functions)
        if found[-1].functions and both.length > 1.5 * LONG:
            found.append(own)
        else:
            found[-1] = both
    return found


def _with_callees(written: Written, heads: Collection[Written]) -> dict[Written, None]:
    """A function behind all that it calls, but for heads of parts and what only these call."""
    found: dict[Written, None] = {}

    def add(one: Written) -> None:
        for callee in one.callees:
            if callee not in found and callee not in heads:
                add(callee)
        found[one] = None

    add(written)
    return found
