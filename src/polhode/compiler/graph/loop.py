"""Loops as nodes: a small graph of one turn, with inputs and outputs of its own.

A turn takes the carried numbers and what else it needs, which is captured.  It gives the next
carried numbers, and last a condition to go on, as 1 or 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from .code import Code, interpret, lower
from .graph import Graph
from .ops import AND, BRANCH, CONST, INPUT, OR, Op
from .replay import constructor
from .value import ClosedValue, Value, as_scalar

_JOINED = (AND, OR, BRANCH)

Step = Callable[[list[Any]], tuple[list[Any], Any]]


@dataclass(frozen=True, eq=False)
class Loop:
    """What a loop computes.

    Attributes
    ----------
    graph : Graph
        One turn; its inputs are the carried numbers, then the captured ones.
    outputs : list of Value or float
        The next carried numbers, and whether to go on.
    most : int
        Turns at most.
    tolerance : float, optional
        Of a loop that seeks a fixed point: the largest change with which it ends.
    """

    graph: Graph
    outputs: list[Value | float]
    most: int
    tolerance: float | None = None
    _made: list[Code] = field(default_factory=list)

    @property
    def n_carried(self) -> int:
        """Carried numbers."""
        return len(self.outputs) - 1

    @property
    def code(self) -> Code:
        """Straight-line code of a turn."""
        if not self._made:
            self._made.append(lower(self.graph, self.outputs))
        return self._made[0]

    def run(self, goes: float, *operands: float) -> list[float]:
        """The carried numbers at the end, on Python floats."""
        x, captured = list(operands[: self.n_carried]), operands[self.n_carried :]
        for _ in range(self.most):
            if not goes:
                break
            *x, goes = interpret(self.code, [*x, *captured])
        return x

    def results(self, goes: Any, operands: Sequence[Any]) -> list[Any]:
        """The carried numbers at the end, of values and floats: carried first, then captured."""
        results = constructor(self.op(len(operands)))(goes, *operands)
        return [constructor(part(k))(results) for k in range(self.n_carried)]

    def op(self, n_operands: int) -> Op:
        """The op of a node of this loop."""
        return Op("repeat", n_operands + 1, self.run, loop=self)


@cache
def part(k: int) -> Op:
    """The op that takes a number from the results of a loop."""
    return Op(f"part {k}", 1, lambda results: results[k], derivative=lambda y, a: (1.0,), part=k)


class TracedGraph(Graph):
    """A graph that functions of values are traced into, loops included."""

    __slots__ = ()

    def repeat(
        self, step: Step, x: Sequence[Any], goes: Any, most: int, tolerance: float | None
    ) -> list[Any]:
        """The results of a loop; its turn is a function of values, and may use others around it."""
        start = len(self.nodes)
        carried = [self.new((INPUT, start, k), INPUT, (k,)) for k in range(len(x))]
        results, again = step(list(carried))
        outputs = [*map(as_scalar, results), as_scalar(again)]
        turn = Graph(keeps_signs=self.keeps_signs)
        known = {a.id: turn.input(k) for k, a in enumerate(carried)}
        captured: list[Value] = []
        for node in _since(self, outputs, start):
            op = node.op
            if op is CONST:
                known[node.id] = turn.constant(node.args[0])
            elif node.id < start and op not in _JOINED:
                known[node.id] = turn.input(len(carried) + len(captured))
                captured.append(node)
                if op.is_condition:
                    known[node.id] = known[node.id] > 0.0
            elif op is not INPUT:
                known[node.id] = turn.copy(op, tuple([known[a.id] for a in node.args]))
        made = [known[y.id] if y.__class__ is Value else y for y in outputs]
        _close(self, start)
        loop = Loop(turn, made, most, tolerance)
        return loop.results(as_scalar(goes), [as_scalar(a) for a in (*x, *captured)])


def _since(graph: Graph, outputs: Sequence[Any], start: int) -> list[Value]:
    """The nodes from ``start`` on that the outputs need, and before them those that they use."""
    needed = {x.id for x in outputs if x.__class__ is Value}
    around: dict[int, Value] = {}
    for x in outputs:
        if x.__class__ is Value and x.id < start:
            _add_around(x, around)
    nodes = []
    for node in reversed(graph.nodes[start:]):
        if node.id in needed:
            nodes.append(node)
            for a in node.args if node.op.arity else ():
                needed.add(a.id)
                if a.id < start:
                    _add_around(a, around)
    constants = [a for a in around.values() if a.op is CONST]
    others = sorted((a for a in around.values() if a.op is not CONST), key=lambda a: a.id)
    return [*constants, *others, *reversed(nodes)]


def _add_around(x: Value, around: dict[int, Value]) -> None:
    """Add a value that a turn uses; of joined conditions those that are joined, too.

    They are joined anew within the turn, so that it knows which of its branches imply others.
    """
    if x.id not in around:
        around[x.id] = x
        if x.op in _JOINED:
            for a in x.args:
                _add_around(a, around)


def _close(graph: Graph, start: int) -> None:
    """Take the nodes from ``start`` on out of a graph; who still has one cannot use it."""
    for node in graph.nodes[start:]:
        graph.table.popitem()
        node.__class__ = ClosedValue  # type: ignore[assignment]
    del graph.nodes[start:], graph.steps[start:]
