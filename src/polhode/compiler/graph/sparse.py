"""Sparse Jacobians: who depends on whom, and the cheaper way to differentiate.

Rows travel through the graph as sparse vectors, so that structural zeros cost nothing.
Colouring would not help: two columns that may share a colour meet in no output, hence in
no node that an output needs.
"""

from __future__ import annotations

from collections.abc import Sequence

from .derive import Row, accumulate, carried_bits, needed, varying, without_zeros
from .forward import forward
from .graph import Graph
from .loop import Loop
from .ops import INPUT
from .reverse import active_nodes, reverse
from .value import Value


def jacobian(
    graph: Graph, outputs: Sequence[Value | float], inputs: Sequence[Value], seeds: Sequence[Row]
) -> list[Row]:
    """The change of each output along each direction, forward or in reverse.

    Parameters
    ----------
    graph : Graph
        Gets the nodes of the derivatives.
    outputs : sequence of Value or float
    inputs : sequence of Value
    seeds : sequence of Row
        Change of each input along each direction.
    """
    n_forward, n_reverse = costs(graph, outputs, inputs, seeds)
    if not is_reversible(graph, outputs, inputs) or n_forward <= n_reverse:
        return forward(graph, outputs, dict(zip((x.id for x in inputs), seeds, strict=True)))
    units: list[Row] = [{k: 1.0} for k in range(len(outputs))]
    rows: list[Row] = [{} for _ in outputs]
    for by_input, seed in zip(reverse(graph, outputs, units, inputs), seeds, strict=True):
        for k, x in by_input.items():
            accumulate(rows[k], x, seed)
    return [without_zeros(row) for row in rows]


def dependence(
    graph: Graph, outputs: Sequence[Value | float], inputs: Sequence[Value]
) -> list[int]:
    """Of each output a bit for each input that it may vary with."""
    bits = carried_bits(needed(graph, outputs), {x.id: 1 << k for k, x in enumerate(inputs)})[0]
    return [bits.get(x.id, 0) if isinstance(x, Value) else 0 for x in outputs]


def costs(
    graph: Graph, outputs: Sequence[Value | float], inputs: Sequence[Value], seeds: Sequence[Row]
) -> tuple[int, int]:
    """Products that the forward and the reverse way take, before any simplification."""
    nodes = needed(graph, outputs)
    directions = {
        x.id: sum(1 << k for k in seed) for x, seed in zip(inputs, seeds, strict=True) if seed
    }
    bits, n_forward = carried_bits(nodes, directions)
    sums: dict[int, int] = {}
    for k, x in enumerate(outputs):
        if isinstance(x, Value) and x.id in bits:
            sums[x.id] = sums.get(x.id, 0) | 1 << k
    n_reverse = 0
    for node in reversed(nodes):
        row = sums.get(node.id, 0)
        if row:
            operands = varying(node, bits)
            n_reverse += row.bit_count() * len(operands)
            for a in operands:
                sums[a.id] = sums.get(a.id, 0) | row
    return n_forward, n_reverse


def is_reversible(graph: Graph, outputs: Sequence[Value | float], inputs: Sequence[Value]) -> bool:
    """Whether derivatives exist in reverse: not through the turns of loops."""
    nodes = needed(graph, outputs)
    turning = {node.id for node in nodes if node.op.loop and not _has_reverse(node.op.loop)}
    return not turning or turning.isdisjoint(active_nodes(nodes, {x.id for x in inputs}))


def _has_reverse(loop: Loop) -> bool:
    """Whether a loop seeks a fixed point, and so do those in its turn."""
    if loop.tolerance is None:
        return False
    inputs = [x for x in loop.graph.nodes if x.op is INPUT]
    return is_reversible(loop.graph, loop.outputs[:-1], inputs)
