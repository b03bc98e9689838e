"""Forward differentiation: changes of the inputs, carried to the outputs as sparse rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .derive import DerivativeSteps, Row, accumulate, factors, needed, without_zeros
from .graph import Graph
from .loop_derivatives import changes_of
from .ops import GATHER
from .value import Value


def forward(graph: Graph, outputs: Sequence[Value | float], seeds: Mapping[int, Row]) -> list[Row]:
    """The change of each output along each direction.

    Parameters
    ----------
    graph : Graph
        Gets the nodes of the derivatives.
    outputs : sequence of Value or float
    seeds : mapping of int to Row
        By node number of an input: its change along each direction.

    Returns
    -------
    rows : list of Row
        By direction; what is absent is structurally zero.
    """
    changes: dict[int, Row] = {k: row for k, row in seeds.items() if row}
    steps = DerivativeSteps(graph)
    carried: dict[int, list[Row]] = {}  # of loops: the changes of what they carry
    for node in needed(graph, outputs):
        if node.op.loop is not None:
            rows = [changes.get(a.id, {}) for a in node.args[1:]]
            if any(rows):
                steps.follow(node)
                found = changes_of(node, rows, forward)
                carried[node.id] = [without_zeros(row) for row in found]
            continue
        if node.op.part >= 0:
            rows = carried.get(node.args[0].id)
            if rows and rows[node.op.part]:
                changes[node.id] = rows[node.op.part]
            continue
        pairs = factors(node, changes)
        if pairs:
            steps.follow(node)
            row = _change(node, pairs, changes)
            if row:
                changes[node.id] = row
    return [changes.get(x.id, {}) if isinstance(x, Value) else {} for x in outputs]


def _change(node: Value, pairs: list[tuple[Value, Any]], changes: Mapping[int, Row]) -> Row:
    return _looked_up(node, pairs, changes) if node.op is GATHER else _combined(pairs, changes)


def _combined(pairs: list[tuple[Value, Any]], changes: Mapping[int, Row]) -> Row:
    if len(pairs) == 2 and _are_alternatives(pairs[0][1], pairs[1][1]):
        first, second = (changes[a.id] for a, _ in pairs)
        chosen = pairs[0][1].where
        return {k: chosen(first.get(k, 0.0), second.get(k, 0.0)) for k in {**first, **second}}
    row: Row = {}
    for a, factor in pairs:
        accumulate(row, factor, changes[a.id])
    return without_zeros(row)


def _looked_up(node: Value, pairs: list[tuple[Value, Any]], changes: Mapping[int, Row]) -> Row:
    """The change of a table's entry: looked up among the changes, where several entries change."""
    place, *entries = node.args
    uses = Counter(k for a, _ in pairs for k in changes[a.id])
    row: Row = {}
    for a, factor in pairs:
        accumulate(row, factor, {k: x for k, x in changes[a.id].items() if uses[k] == 1})
    for k in (k for k, n in uses.items() if n > 1):
        row[k] = place.gather([changes.get(a.id, {}).get(k, 0.0) for a in entries])
    return without_zeros(row)


def _are_alternatives(a: Any, b: Any) -> bool:
    return a.__class__ is Value and a.op.is_condition and ~a is b
