"""The chain rule at one node: what forward and reverse differentiation share."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from .graph import Graph
from .ops import CONST, WHERE
from .value import Value

Row = dict[int, Any]  # entries of a sparse vector; what is absent is zero


def needed(graph: Graph, outputs: Sequence[Value | float]) -> list[Value]:
    """The nodes that the outputs depend on, in order of evaluation."""
    is_needed = bytearray(len(graph.nodes))
    for x in outputs:
        if isinstance(x, Value):
            is_needed[x.id] = 1
    nodes = []
    for node in reversed(graph.nodes):
        if is_needed[node.id]:
            nodes.append(node)
            if node.op.arity:
                for a in node.args:
                    is_needed[a.id] = 1
    nodes.reverse()
    return nodes


def varying(node: Value, active: Container[int]) -> tuple[Value, ...]:
    """The operands among ``active`` whose change is felt in the node, each once."""
    if node.op.derivative is None and node.op.loop is None:
        return ()
    found = tuple(a for a in node.args if a.id in active)
    return found[:1] if len(found) == 2 and found[0] is found[1] else found


def carried_bits(nodes: Sequence[Value], seeds: Mapping[int, int]) -> tuple[dict[int, int], int]:
    """The bits of inputs carried forward to every node, and how many entries that took."""
    bits, n_entries = dict(seeds), 0
    for node in nodes:
        total = 0
        for a in varying(node, bits):
            total |= bits[a.id]
            n_entries += bits[a.id].bit_count()
        if total:
            bits[node.id] = total
    return bits, n_entries


def factors(node: Value, active: Container[int]) -> list[tuple[Value, Any]]:
    """The operands among ``active``, and by what factor their change enters the node's."""
    rule = node.op.derivative
    if rule is None or not any(a.id in active for a in node.args):
        return []
    args = node.args
    partials = rule(node, *map(plain, args))
    if len(args) == 2 and args[0] is args[1]:
        return [(args[0], partials[0] + partials[1])]
    return [(a, p) for a, p in zip(args, partials, strict=True) if a.id in active]


def times(factor: Any, x: Any) -> Any:
    """``x`` by a factor, or where a condition holds.

    A change that is zero unless a condition holds stays so: in the branch that was not
    chosen the factor may be infinite.
    """
    guard = _guard(x)
    if factor.__class__ is not Value:
        return factor * x if guard is None else guard[0].where(factor * guard[1], 0.0)
    if factor.op.is_condition:
        return factor.where(x, 0.0) if guard is None else (factor & guard[0]).where(guard[1], 0.0)
    return factor * x if guard is None else guard[0].where(factor * guard[1], 0.0)


def plus(x: Any, y: Any) -> Any:
    """``x + y``; if each is zero unless a condition holds, so is the sum unless either does."""
    first, second = _guard(x), _guard(y)
    if first is None or second is None:
        return x + y
    if first[0] is second[0]:
        return first[0].where(first[1] + second[1], 0.0)
    if ~first[0] is second[0]:
        return first[0].where(first[1], second[1])
    return (first[0] | second[0]).where(x + y, 0.0)


def _guard(x: Any) -> tuple[Value, Any] | None:
    """The condition without which ``x`` is zero, and ``x`` under it; None if there is none."""
    if x.__class__ is not Value or x.op is not WHERE:
        return None
    condition, a, b = x.args
    if b.op is CONST and b.args[0] == 0.0:
        return condition, plain(a)
    if a.op is CONST and a.args[0] == 0.0:
        return ~condition, plain(b)
    return None


def plain(x: Value) -> Value | float:
    """A node, or the number of a constant."""
    return x.args[0] if x.op is CONST else x


def accumulate(into: Row, factor: Any, row: Row) -> None:
    """Add a row by a factor to another."""
    for k, x in row.items():
        term = times(factor, x)
        known = into.get(k)
        into[k] = term if known is None else plus(known, term)


def without_zeros(row: Row) -> Row:
    """The entries that are not structurally zero."""
    return {k: x for k, x in row.items() if x.__class__ is Value or x != 0.0}


class DerivativeSteps:
    """Steps of derivatives follow those of what is differentiated: cut alike, they repeat alike."""

    def __init__(self, graph: Graph, labels: Sequence[int] | None = None) -> None:
        self._graph, self._last = graph, -1
        self._labels = list(graph.steps if labels is None else labels)

    def follow(self, node: Value) -> None:
        """Mark a new step if ``node`` belongs to another than the last one did."""
        if self._labels[node.id] != self._last:
            self._last = self._labels[node.id]
            self._graph.mark()
