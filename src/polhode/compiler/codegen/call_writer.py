"""Branches and loops around calls, in LLVM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from .calls import Call, Turns
from .emitter import IR, Emitter
from .llvm import literal
from .machine import Format


class CallWriter:
    """Writes calls into a function, given how it addresses a slot."""

    def __init__(self, form: Format, address: Callable[[Emitter, int], IR]):
        self.form: Format = form
        self.address: Callable[[Emitter, int], IR] = address

    def write(
        self,
        e: Emitter,
        calls: Sequence[Call | Turns],
        depth: int = 0,
        lanes: IR | None = None,
    ) -> None:
        """Calls in turn, for the sake of these lanes (of all, if none are given)."""
        for branch, run in groupby(calls, key=lambda c: c.branches[depth : depth + 1]):
            if branch:
                wanted = _both(self._holds(e, branch[0]), lanes)
                with e.when(_in_any_lane(wanted)):
                    self.write(e, list(run), depth + 1, wanted)
                continue
            for call in run:
                if isinstance(call, Turns):
                    self._turns(e, call, lanes)
                    continue
                for line in call.lines:
                    e.put(line)

    def _turns(self, e: Emitter, turns: Turns, lanes: IR | None) -> None:
        for slot, x in turns.start:
            self._store(e, slot, self._load(e, x))
        self._store_condition(e, turns.goes, _both(self._holds(e, turns.goes), lanes))
        done = e.alloca("i64", 8)
        done.store(e.constant("i64", 0))
        with e.repeat() as stop_unless:
            n = done.load("i64")
            stop_unless(n < turns.most)
            done.store(n + 1)
            goes = self._holds(e, turns.goes)
            stop_unless(_in_any_lane(goes))
            self.write(e, turns.calls, 0, goes)
            again = goes & self._holds(e, turns.again)
            self._carry(e, turns, goes)
            self._store_condition(e, turns.goes, again)

    def _carry(self, e: Emitter, turns: Turns, goes: IR) -> None:
        """What a turn made of carried numbers, for the next turn of lanes that go on.

        Registers do not hold all of them: only numbers that others overwrite are loaded before.
        """
        changing = [(x, y) for x, y in turns.carried if x != y]
        overwritten = {x for x, _ in changing}
        early = {y: self._load(e, y) for _, y in changing if y in overwritten}
        for slot, y in changing:
            new = early[y] if y in early else self._load(e, y)
            self._store(e, slot, goes.select(new, self._load(e, slot)))

    def _load(self, e: Emitter, x: int | float) -> IR:
        """What a slot holds, or a constant."""
        if isinstance(x, float):
            return IR(e, self.form.vector(), literal(x, self.form))
        return self.address(e, x).load(self.form.vector(), self.form.slot)

    def _store(self, e: Emitter, slot: int, x: IR) -> None:
        self.address(e, slot).store(x, self.form.slot)

    def _holds(self, e: Emitter, condition: int) -> IR:
        return self._load(e, condition).differs(0.0)

    def _store_condition(self, e: Emitter, slot: int, x: IR) -> None:
        one, zero = self._load(e, 1.0), self._load(e, 0.0)
        self._store(e, slot, x.select(one, zero))


def _both(holds: IR, lanes: IR | None) -> IR:
    return holds if lanes is None else holds & lanes


def _in_any_lane(holds: IR) -> IR:
    if holds.lanes == 1:
        return holds
    return holds.e(f"i{holds.lanes}", f"bitcast {holds} to i{holds.lanes}").differs(0)
