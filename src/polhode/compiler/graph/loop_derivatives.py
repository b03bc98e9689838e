"""Derivatives of loops, which are loops: of all turns, or of the solution at a fixed point.

At a fixed point ``x = f(x, p)`` the implicit function theorem holds.  The change of ``x`` is
``dx = f_x dx + f_p dp``.  A weight ``w`` of ``x`` becomes the weight ``f_p^T l`` of ``p``, where
``l = f_x^T l + w``.  Both equations are fixed points too, which as many turns seek.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from ...errors import TraceError
from .derive import Row, carried_bits, needed, plain
from .graph import Graph
from .loop import Loop, part
from .ops import ABS, LT, MAX
from .replay import constructor, replay
from .value import Value

Pattern = list[tuple[int, int]]  # a number, and a direction or sum in which it has an entry
Forward = Callable[..., list[Row]]


def changes_of(node: Value, changes: Sequence[Row], forward: Forward) -> list[Row]:
    """The changes of what a loop carries, from those of its operands."""
    loop, (goes, *operands) = _loop_of(node), map(plain, node.args)
    n, is_solution = loop.n_carried, loop.tolerance is not None
    first = [{} for _ in range(n)] if is_solution else changes[:n]
    pattern = _pattern(loop, [*first, *changes[n:]])
    graph, more = _inputs(loop)
    x = more(0 if is_solution else n)
    dx = more(len(pattern))
    x = more(n) if is_solution else x
    captured = more(len(operands) - n)
    rows = [dict(zip(row, more(len(row)), strict=True)) for row in changes[n:]]
    *y, again = replay(loop.graph, loop.outputs, [*x, *captured])
    seeds: dict[int, Row] = {a.id: row for a, row in zip(captured, rows, strict=True)}
    seeds |= {a.id: row for a, row in zip(x, _rows(pattern, dx, n), strict=True)}
    found = forward(graph, y, seeds)
    dy = [found[j].get(k, 0.0) for j, k in pattern]
    known = [*operands[n:], *(change for row in changes[n:] for change in row.values())]
    if is_solution:
        solver = Loop(graph, [*dy, _changes(dx, dy, loop)], loop.most, loop.tolerance)
        results = solver.results(1.0, [*(0.0 for _ in dx), *_solution(node), *known])
    else:
        start = [changes[j].get(k, 0.0) for j, k in pattern]
        turns = Loop(graph, [*y, *dy, again], loop.most)
        results = turns.results(goes, [*operands[:n], *start, *known])[n:]
    return _rows(pattern, results, n)


def weights_of(node: Value, weights: Sequence[Row], reverse: Forward) -> list[Row]:
    """The weights of a loop's operands, from those of what it carries.

    Raises
    ------
    TraceError
        If the loop does not seek a fixed point: its turns are not kept to go back through.
    """
    loop, (_, *operands) = _loop_of(node), map(plain, node.args)
    if loop.tolerance is None:
        raise TraceError(
            "repeat until a condition holds has no derivative in reverse; take jvp or jacobian; "
            "if it seeks a fixed point, give a tolerance as until"
        )
    n = loop.n_carried
    pattern = _reverse_pattern(loop, weights)
    graph, more = _inputs(loop)
    sums, x, captured = more(len(pattern)), more(n), more(len(operands) - n)
    y = replay(loop.graph, loop.outputs, [*x, *captured])[:n]
    found = reverse(graph, y, _rows(pattern, sums, n), [*x, *captured])
    entries = [(j, s) for j, row in enumerate(weights) for s in row]
    given = dict(zip(entries, more(len(entries)), strict=True))
    new = [found[j].get(s, 0.0) + given.get((j, s), 0.0) for j, s in pattern]
    solver = Loop(graph, [*new, _changes(sums, new, loop)], loop.most, loop.tolerance)
    known = [*_solution(node), *operands[n:]]
    known += [weights[j][s] for j, s in entries]
    solved = solver.results(1.0, [*(0.0 for _ in sums), *known])
    rows = found[n:]
    values = iter(replay(graph, [a for row in rows for a in row.values()], [*solved, *known]))
    return [{}] * n + [{s: next(values) for s in row} for row in rows]


def _loop_of(node: Value) -> Loop:
    assert node.op.loop is not None
    return node.op.loop


def _inputs(loop: Loop) -> tuple[Graph, Callable[[int], list[Value]]]:
    """A new graph, and what makes its next inputs."""
    graph, numbers = Graph(keeps_signs=loop.graph.keeps_signs), count()
    return graph, lambda n: [graph.input(next(numbers)) for _ in range(n)]


def _solution(node: Value) -> list[Any]:
    return [constructor(part(j))(node) for j in range(_loop_of(node).n_carried)]


def _rows(pattern: Pattern, entries: Sequence[Any], n: int) -> list[Row]:
    """Sparse rows of entries."""
    rows: list[Row] = [{} for _ in range(n)]
    for (j, k), x in zip(pattern, entries, strict=True):
        rows[j][k] = x
    return rows


def _changes(old: Sequence[Any], new: Sequence[Any], loop: Loop) -> Any:
    """Whether a number changes by more than the tolerance, which is relative above 1."""
    absolute, maximum, is_less = map(constructor, (ABS, MAX, LT))
    again: Any = False
    for a, b in zip(old, new, strict=True):
        least = loop.tolerance * maximum(absolute(b), 1.0)
        again = is_less(least, absolute(b - a)) | again
    return again.where(1.0, 0.0) if again.__class__ is Value else float(again)


def _pattern(loop: Loop, rows: Sequence[Row]) -> Pattern:
    """Which carried numbers vary along which directions, in some turn."""
    directions = sorted({k for row in rows for k in row})
    place = {k: 1 << n for n, k in enumerate(directions)}
    bits = [sum(place[k] for k in row) for row in rows]
    nodes = needed(loop.graph, loop.outputs)
    while True:
        seeds = {loop.graph.input(k).id: b for k, b in enumerate(bits) if b}
        known = carried_bits(nodes, seeds)[0]
        results = [known.get(y.id, 0) if isinstance(y, Value) else 0 for y in loop.outputs[:-1]]
        more = [a | b for a, b in zip(bits, results, strict=False)]
        if more == bits[: len(more)]:
            return [(j, k) for j, b in enumerate(more) for k in directions if b & place[k]]
        bits[: len(more)] = more


def _reverse_pattern(loop: Loop, weights: Sequence[Row]) -> Pattern:
    """Which sums the carried numbers enter, in some turn."""
    n = loop.n_carried
    seeds = {loop.graph.input(k).id: 1 << k for k in range(n)}
    known = carried_bits(needed(loop.graph, loop.outputs), seeds)[0]
    uses = [known.get(y.id, 0) if isinstance(y, Value) else 0 for y in loop.outputs[:n]]
    sums = [set(row) for row in weights]
    is_done = False
    while not is_done:
        before = [len(s) for s in sums]
        for i, bits in enumerate(uses):
            for j in range(n):
                if bits >> j & 1:
                    sums[j] |= sums[i]
        is_done = before == [len(s) for s in sums]
    return [(j, s) for j, own in enumerate(sums) for s in sorted(own)]
