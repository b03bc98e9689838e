"""The graph itself: hash-consed nodes in order of creation."""

from __future__ import annotations

import math
from typing import Any

from ...scalar import Anything
from . import ops
from .ops import CONST, Op
from .value import Value


class Graph:
    """Nodes in order of creation, which is an order of evaluation.

    Attributes
    ----------
    nodes : list of Value
        All nodes; operands come before their users.
    steps : list of int
        Step label of each node, see `mark`.
    table : dict
        The node of each op and its operands.
    keeps_signs : bool
        Leave the sign of a constant factor where it is.  Costs a few operations, but the
        structure of a step then does not depend on the signs of its constants.
    """

    __slots__ = ("_step", "keeps_signs", "nodes", "steps", "table")

    def __init__(self, *, keeps_signs: bool = False) -> None:
        self.keeps_signs: bool = keeps_signs
        self.nodes: list[Value] = []
        self.steps: list[int] = []
        self.table: dict[tuple[Any, ...], Value] = {}
        self._step = 0

    def mark(self) -> None:
        """Begin a new step: where a large program may be cut, or found to repeat."""
        self._step += 1

    def input(self, index: int) -> Value:
        """The value of scalar input number ``index``."""
        return self.node(ops.INPUT, index)

    def constant(self, number: float) -> Value:
        """The node of a constant; not for users, who hold plain floats."""
        key = (CONST, number, math.copysign(1.0, number)) if number == number else (CONST, "nan")
        if number.__class__ is Anything:
            key = (CONST, "anything")
        node = self.table.get(key)
        return self.new(key, CONST, (number,)) if node is None else node

    def node(self, op: Op, *args: Any) -> Value:
        """The one node of this op and these operands, made if need be; no rule is applied."""
        key = (op, *args)
        node = self.table.get(key)
        return self.new(key, op, args) if node is None else node

    def new(self, key: tuple[Any, ...], op: Op, args: tuple[Any, ...]) -> Value:
        """A node that is not in the table yet."""
        node = Value()
        node.graph, node.id, node.op, node.args = self, len(self.nodes), op, args
        self.nodes.append(node)
        self.steps.append(self._step)
        self.table[key] = node
        return node

    def copy(self, op: Op, args: tuple[Any, ...]) -> Value:
        """A node like one of another graph, where every node is copied once and none looked for."""
        node = Value()
        node.graph, node.id, node.op, node.args = self, len(self.nodes), op, args
        self.nodes.append(node)
        self.steps.append(self._step)
        return node

    def clear(self) -> None:
        """Forget all nodes: each refers to the graph, so that only a search would free them."""
        self.table.clear()
        self.steps.clear()
        self.nodes.clear()
