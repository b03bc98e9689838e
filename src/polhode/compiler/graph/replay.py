"""A graph's operations again, on other operands: how one program becomes part of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from . import ops
from .derive import DerivativeSteps, needed
from .graph import Graph
from .ops import OPS, Op
from .value import Value, add, div, mul, neg, sub

_METHODS = {"abs": "absolute"}  # of ops of one operand whose method has another name


def replay(graph: Graph, outputs: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """The outputs for other inputs, simplified anew.

    Parameters
    ----------
    graph : Graph
        What made ``outputs``; it stays as it is.
    outputs : sequence of Value or float
    inputs : sequence of Value or float
        For each scalar input of ``graph``: a value of another graph, or a number.

    Returns
    -------
    outputs : list of Value or float
    """
    into = next((x.graph for x in inputs if x.__class__ is Value), None)
    steps = None if into is None else DerivativeSteps(into, graph.steps)
    known: dict[int, Any] = {}
    for node in needed(graph, outputs):
        if node.op is ops.INPUT:
            known[node.id] = inputs[node.args[0]]
        elif node.op is ops.CONST:
            known[node.id] = node.args[0]
        else:
            if steps is not None:
                steps.follow(node)
            known[node.id] = constructor(node.op)(*[known[a.id] for a in node.args])
    return [known[x.id] if x.__class__ is Value else x for x in outputs]


def constructor(op: Op) -> Callable[..., Any]:
    """What makes an op of values and floats, simplified; a float if all are floats."""
    return _APPLY.get(op) or partial(_plain, op)


def _plain(op: Op, *operands: Any) -> Any:
    """An op of values and floats that no rule simplifies."""
    graph = next((x.graph for x in operands if x.__class__ is Value), None)
    if graph is None:
        return op.evaluate(*operands)
    return graph.node(op, *[x if x.__class__ is Value else graph.constant(x) for x in operands])


def _one(op: Op) -> Callable[[Any], Any]:
    method = _METHODS.get(op.name, op.name)
    return lambda a: getattr(a, method)() if a.__class__ is Value else op.evaluate(a)


def _two(op: Op) -> Callable[[Any, Any], Any]:
    def apply(a: Any, b: Any) -> Any:
        if a.__class__ is Value or b.__class__ is Value:
            return (a if a.__class__ is Value else b).binary(op, a, b)
        return op.evaluate(a, b)

    return apply


def _extreme(op: Op) -> Callable[[Any, Any], Any]:
    apply = _two(op)
    return lambda a, b: a if a is b else apply(a, b)


def _not(a: Any) -> Any:
    return ~a if a.__class__ is Value else not a


def _where(condition: Any, a: Any, b: Any) -> Any:
    if condition.__class__ is Value:
        return condition.where(a, b)
    return a if condition else b


def _gather(place: Any, *table: Any) -> Any:
    if place.__class__ is Value:
        return place.gather(table)
    return ops.GATHER.evaluate(place, *table)


_APPLY: dict[Op, Callable[..., Any]] = {
    op: _one(op) if op.arity == 1 else _two(op) for op in OPS.values() if op.arity in (1, 2)
} | {
    ops.ADD: add,
    ops.SUB: sub,
    ops.MUL: mul,
    ops.DIV: div,
    ops.NEG: neg,
    ops.MIN: _extreme(ops.MIN),
    ops.MAX: _extreme(ops.MAX),
    ops.AND: lambda a, b: a & b,
    ops.OR: lambda a, b: a | b,
    ops.NOT: _not,
    ops.WHERE: _where,
    ops.GATHER: _gather,
}
