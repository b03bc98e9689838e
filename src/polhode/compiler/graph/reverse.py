"""Reverse differentiation: weights of the outputs, carried back to the inputs as sparse rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .derive import DerivativeSteps, Row, accumulate, factors, needed, varying, without_zeros
from .graph import Graph
from .loop_derivatives import weights_of
from .value import Value


def reverse(
    graph: Graph,
    outputs: Sequence[Value | float],
    weights: Sequence[Row],
    inputs: Sequence[Value],
) -> list[Row]:
    """The derivatives of weighted sums of the outputs by each input.

    Parameters
    ----------
    graph : Graph
        Gets the nodes of the derivatives.
    outputs : sequence of Value or float
    weights : sequence of Row
        Of each output: its weight in each sum.
    inputs : sequence of Value

    Returns
    -------
    rows : list of Row
        Of each input, by sum; what is absent is structurally zero.
    """
    nodes = needed(graph, outputs)
    active = {x.id for x in inputs}
    active.update(active_nodes(nodes, active))
    gathered: dict[int, Row] = {}
    for x, row in zip(outputs, weights, strict=True):
        if isinstance(x, Value) and x.id in active:
            accumulate(gathered.setdefault(x.id, {}), 1.0, row)
    found: dict[int, Row] = {}
    carried: dict[int, dict[int, Row]] = {}  # of loops: the weights of what they carry
    steps = DerivativeSteps(graph)
    for node in reversed(nodes):
        row = without_zeros(gathered.pop(node.id, {}))
        if not row:
            continue
        found[node.id] = row
        if node.op.part >= 0 or node.op.loop is not None:
            steps.follow(node)
            for a, more in _of_loop(node, row, carried):
                if a.id in active:
                    accumulate(gathered.setdefault(a.id, {}), 1.0, more)
            continue
        for a, factor in factors(node, active):
            steps.follow(node)
            if factor.__class__ is Value or factor != 0.0:
                accumulate(gathered.setdefault(a.id, {}), factor, row)
        if node.op.arity:
            del found[node.id]
    return [found.get(x.id, {}) for x in inputs]


def _of_loop(
    node: Value, row: Row, carried: dict[int, dict[int, Row]]
) -> Iterable[tuple[Value, Row]]:
    """What a part of a loop, or the loop of which all parts were met, gives its operands."""
    loop = node.op.loop
    if loop is None:
        carried.setdefault(node.args[0].id, {})[node.op.part] = row
        return [(node.args[0], row)]  # not the weight of the loop, but a sign that it has some
    own = carried.pop(node.id)
    rows = [own.get(k, {}) for k in range(loop.n_carried)]
    return zip(node.args[1:], weights_of(node, rows, reverse), strict=True)


def active_nodes(nodes: Sequence[Value], inputs: set[int]) -> set[int]:
    """Numbers of the nodes that vary with the inputs."""
    active = set(inputs)
    for node in nodes:
        if varying(node, active):
            active.add(node.id)
    return active
