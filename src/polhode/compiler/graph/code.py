"""Lowering: from a traced graph to straight-line code with explicit ``fma``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import ops
from .branches import branches_of
from .graph import Graph
from .ops import ADD, BRANCH, CONST, MUL, NEG, SUB, Op
from .value import Value


@dataclass(slots=True)
class Code:
    """Instructions in order of evaluation; operands are numbers of earlier ones.

    Attributes
    ----------
    ops : list of Op
    args : list of tuple
        Operand numbers; of an input its index, of a constant its number.
    steps : list of int
        Step label of each instruction, non-decreasing only within a pass of the algorithm.
    outputs : list of int
        The instruction that computes each scalar output.
    branches : list of tuple of int
        Of each instruction the conditions, outermost first, that must all hold in some state for
        it to be needed.  What was skipped is never selected.
    """

    ops: list[Op]
    args: list[tuple[Any, ...]]
    steps: list[int]
    outputs: list[int]
    branches: list[tuple[int, ...]]

    def __len__(self) -> int:
        return len(self.ops)


def count_ops(code: Code) -> int:
    """Additions, subtractions, products and quotients; an fma counts 2.

    A loop counts as often as it may turn, a block that may be skipped once.
    """
    return sum(op.loop.most * count_ops(op.loop.code) if op.loop else op.cost for op in code.ops)


def lower(graph: Graph, outputs: Sequence[Value | float]) -> Code:
    """Code for ``outputs``: dead nodes dropped, products fused into the sums that use them.

    A product with a single use becomes part of the sum or difference that uses it. A sign is taken
    into the operation below it when that has no other use.
    """
    nodes, uses = _live(graph, outputs)
    fused, negated = _contractions(nodes, uses)
    absorbed = {product.id for product in fused.values()}
    branches = branches_of(nodes, outputs)
    paths: dict[int, tuple[int, ...]] = {}  # nodes of one block share theirs
    code = Code([], [], [], [], [])
    number: dict[int, int] = {}
    constants: dict[float | str, int] = {}
    add_op, add_args, add_step = code.ops.append, code.args.append, code.steps.append
    add_branches = code.branches.append

    def constant(x: float, step: int) -> int:
        key = x if x == x and x != 0.0 else repr(x)
        if key not in constants:
            constants[key] = len(code.ops)
            add_op(CONST)
            add_args((x,))
            add_step(step)
            add_branches(())
        return constants[key]

    def path_of(k: int) -> tuple[int, ...]:
        path = branches[k]
        if id(path) not in paths:
            paths[id(path)] = tuple([number[c.id] for c in path])
        return paths[id(path)]

    for node in nodes:
        k, op, args, step = node.id, node.op, node.args, graph.steps[node.id]
        if k in absorbed:
            continue
        if k in fused:
            op, addend = _fused_form(node, fused[k], k in negated)
            a, b = fused[k].args
            args = (number[a.id], number[b.id], number[addend.id])
        elif k in negated:
            args = _negated_operands(op, args, number, lambda x, step=step: constant(-x, step))
        elif op is CONST:
            number[k] = constant(args[0], step)
            continue
        elif op is BRANCH or (op is NEG and args[0].id in negated):
            number[k] = number[args[0].id]
            continue
        elif op.arity == 2:
            a, b = args
            args = (number[a.id], number[b.id])
        elif op.arity:
            args = tuple([number[a.id] for a in args])
        number[k] = len(code.ops)
        add_op(op)
        add_args(args)
        add_step(step)
        add_branches(path_of(k) if branches else ())
    last = graph.steps[-1] if graph.steps else 0
    for x in outputs:
        code.outputs.append(number[x.id] if isinstance(x, Value) else constant(float(x), last))
    return code


def _negated_operands(
    op: Op, args: tuple[Value, Value], number: dict[int, int], minus: Callable[[float], int]
) -> tuple[int, int]:
    """Operands of a difference, or of a product with a constant, that give the other sign."""
    a, b = args
    if op is SUB:
        return number[b.id], number[a.id]
    if a.op is CONST:
        a, b = b, a
    return number[a.id], minus(b.args[0])


def _live(graph: Graph, outputs: Sequence[Value | float]) -> tuple[list[Value], list[int]]:
    """Nodes that the outputs need, in order, and how often each node is used."""
    uses = [0] * len(graph.nodes)
    for x in outputs:
        if isinstance(x, Value):
            uses[x.id] += 1
    live = []
    for node in reversed(graph.nodes):
        if uses[node.id]:
            live.append(node)
            if node.op.arity:
                for a in node.args:
                    uses[a.id] += 1
    live.reverse()
    return live, uses


def _contractions(nodes: Sequence[Value], uses: Sequence[int]) -> tuple[dict[int, Value], set[int]]:
    """The product that each sum absorbs, and the nodes computed with the other sign."""
    fused: dict[int, Value] = {}
    negated: set[int] = set()
    for node in nodes:
        if node.op is ADD or node.op is SUB:
            products = [a for a in node.args if a.op is MUL and uses[a.id] == 1]
            if products:
                fused[node.id] = max(products, key=lambda p: p.id)
        elif node.op is NEG:
            inner = node.args[0]
            if uses[inner.id] == 1 and (
                inner.op is SUB
                or (inner.op is ADD and inner.id in fused)
                or (inner.op is MUL and any(a.op is CONST for a in inner.args))
            ):
                negated.add(inner.id)
    return fused, negated


def _fused_form(node: Value, product: Value, is_negated: bool) -> tuple[Op, Value]:
    """Which of the four multiply-adds a node is, and its addend."""
    a, b = node.args
    if node.op is ADD:
        addend = b if a is product else a
        return (ops.FNMS if is_negated else ops.FMA), addend
    if a is product:
        return (ops.FNMA if is_negated else ops.FMS), b
    return (ops.FMS if is_negated else ops.FNMA), a


def interpret(code: Code, inputs: Sequence[float]) -> list[float]:
    """The outputs on Python floats, one instruction at a time: what every printer must equal."""
    values: list = []
    for op, args in zip(code.ops, code.args, strict=True):
        if op is ops.INPUT:
            values.append(float(inputs[args[0]]))
        elif op is CONST:
            values.append(args[0])
        else:
            values.append(op.evaluate(*(values[a] for a in args)))
    return [values[k] for k in code.outputs]
