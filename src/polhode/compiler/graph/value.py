"""Traced values: hash-consed expression nodes that simplify as they are built.

Every rule is exact in real arithmetic.  It is so in floating point too, except for the sign of
zeros and for a structural ``x * 0.0``, which is 0.0 whatever ``x``.  Signs move outward, so that
``a - b`` and ``b - a`` share one node.  Constants never leave the graph as nodes: an expression
that folds is a Python float again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...errors import TraceError
from ...scalar import Anything
from . import ops
from .ops import ADD, CONST, DIV, MUL, NEG, SUB, Op

if TYPE_CHECKING:
    from .graph import Graph
    from .loop import Step, TracedGraph


def _holds(condition: Any) -> bool:
    """A condition that is known while tracing; what is none cannot take part in a trace."""
    if isinstance(condition, (bool, np.bool_)):
        return bool(condition)
    raise TraceError(
        f"expected a condition on both sides of & and |, got {condition!r}; where c is True or "
        "False, ~c is a number, and polhode.scalar.logical_not(c) a condition"
    )


def _number(x: Any) -> float:
    """A host number as a float; anything else cannot take part in a trace."""
    if x.__class__ is float or x.__class__ is Anything:  # before the abstract class, which is slow
        return x
    if isinstance(x, Real):
        return float(x)
    if getattr(x, "shape", None) == ():
        return float(x)
    if x.__class__ is ClosedValue:
        raise TraceError("a value of a turn of repeat is used outside; return it from the function")
    raise TraceError(f"expected a traced value or a number, got {type(x).__name__}")


def as_scalar(x: Any) -> Any:
    """A value or a float; a condition as 1 or 0."""
    if x.__class__ is not Value:
        return _number(x)
    return x.where(1.0, 0.0) if x.op.is_condition else x


def _node(graph: Graph, x: Value | float) -> Value:
    return x if x.__class__ is Value else graph.constant(x)  # type: ignore[return-value, arg-type]


def _pair(graph: Graph, op: Op, a: Value, b: Value) -> Value:
    key = (op, a, b)
    node = graph.table.get(key)
    return graph.new(key, op, (a, b)) if node is None else node


def add(a: Any, b: Any) -> Any:
    """``a + b`` of values and floats."""
    if b.__class__ is not Value:
        b = _number(b)
        if a.__class__ is not Value:
            return a + b
        if b == 0.0:
            return a
        if a.op is NEG:
            return sub(b, a.args[0])
        return _pair(a.graph, ADD, a, a.graph.constant(b))
    if a.__class__ is not Value:
        return add(b, a)
    if b.op is NEG:
        if a.op is NEG:
            return neg(add(a.args[0], b.args[0]))
        return sub(a, b.args[0])
    if a.op is NEG:
        return sub(b, a.args[0])
    return _pair(a.graph, ADD, b, a) if a.id > b.id else _pair(a.graph, ADD, a, b)


def sub(a: Any, b: Any) -> Any:
    """``a - b`` of values and floats."""
    if b.__class__ is not Value:
        return add(a, -_number(b))
    if a.__class__ is not Value:
        a = _number(a)
        if b.op is NEG:
            return add(b.args[0], a)
        return neg(b) if a == 0.0 else _pair(b.graph, SUB, b.graph.constant(a), b)
    if a is b:
        return 0.0
    if b.op is NEG:
        return add(a, b.args[0])
    if a.op is NEG:
        return neg(add(a.args[0], b))
    return neg(_pair(a.graph, SUB, b, a)) if a.id > b.id else _pair(a.graph, SUB, a, b)


def neg(a: Any) -> Any:
    """``-a`` of a value or a float."""
    if a.__class__ is not Value:
        return -_number(a)
    if a.op is NEG:
        return a.args[0]
    if a.op is SUB and a.args[0].op is CONST:
        return add(a.args[1], -a.args[0].args[0])
    return a.graph.node(NEG, a)


def mul(a: Any, b: Any) -> Any:
    """``a * b`` of values and floats."""
    if b.__class__ is not Value:
        b = _number(b)
        if a.__class__ is not Value:
            return a * b
        if b == 0.0:
            return 0.0
        if b == 1.0:
            return a
        if b == -1.0:
            return neg(a)
        is_negative = b < 0.0 and not a.graph.keeps_signs
        b = -b if is_negative else b
        if a.op is NEG:
            a, is_negative = a.args[0], not is_negative
        product = _pair(a.graph, MUL, a, a.graph.constant(b))
        return neg(product) if is_negative else product
    if a.__class__ is not Value:
        return mul(b, a)
    is_negative = False
    if a.op is NEG:
        a, is_negative = a.args[0], True
    if b.op is NEG:
        b, is_negative = b.args[0], not is_negative
    product = _pair(a.graph, MUL, b, a) if a.id > b.id else _pair(a.graph, MUL, a, b)
    return neg(product) if is_negative else product


def div(a: Any, b: Any) -> Any:
    """``a / b`` of values and floats; by a power of two it is a product."""
    if b.__class__ is not Value:
        b = _number(b)
        if a.__class__ is not Value:
            return ops.DIV.evaluate(_number(a), b)
        if b != 0.0 and abs(math.frexp(b)[0]) == 0.5 and 2.0**-1000 < abs(b) < 2.0**1000:
            return mul(a, 1.0 / b)
        if a.op is NEG:
            return neg(div(a.args[0], b))
        if b < 0.0 and not a.graph.keeps_signs:
            return neg(div(a, -b))
        return _pair(a.graph, DIV, a, a.graph.constant(b))
    if b.op is NEG:
        return neg(div(a, b.args[0]))
    if a.__class__ is not Value:
        a = _number(a)
        if a == 0.0:
            return 0.0
        return neg(div(-a, b)) if a < 0 else _pair(b.graph, DIV, b.graph.constant(a), b)
    if a is b:
        return 1.0
    return neg(div(a.args[0], b)) if a.op is NEG else _pair(a.graph, DIV, a, b)


class Value:
    """A number not known yet: a node of a `Graph`, with the arithmetic of a float."""

    __slots__ = ("args", "graph", "id", "op")
    __array_ufunc__ = None  # NumPy scalars and arrays leave the operation to us

    graph: Graph
    id: int
    op: Op
    args: tuple[Any, ...]

    __add__ = add
    __radd__ = add
    __sub__ = sub
    __mul__ = mul
    __rmul__ = mul
    __truediv__ = div
    __neg__ = neg

    def __rsub__(self, other: Any) -> Any:
        return sub(other, self)

    def __rtruediv__(self, other: Any) -> Any:
        return div(other, self)

    def __pos__(self) -> Value:
        return self

    def __pow__(self, exponent: int) -> Any:
        if not isinstance(exponent, Real):
            raise TraceError("expected a number as the exponent; write a ** b as exp(b * log(a))")
        if exponent == 0.5:
            return self.sqrt()
        if exponent != int(exponent):
            raise TraceError(f"expected a whole or 0.5 exponent, got {exponent!r}; use exp and log")
        result, square, n = 1.0, self, abs(int(exponent))
        while n:
            result = result * square if n & 1 else result
            n >>= 1
            square = square * square if n else square
        return result if exponent >= 0 else 1.0 / result

    def __abs__(self) -> Value:
        return self.absolute()

    def absolute(self) -> Value:
        """The magnitude."""
        inner = self.args[0] if self.op is NEG else self
        return inner if inner.op is ops.ABS else self.graph.node(ops.ABS, inner)

    def sin(self) -> Any:
        """The sine."""
        return -self.args[0].sin() if self.op is NEG else self.graph.node(ops.SIN, self)

    def cos(self) -> Value:
        """The cosine."""
        return self.args[0].cos() if self.op is NEG else self.graph.node(ops.COS, self)

    def sqrt(self) -> Value:
        """The square root; NaN of a negative."""
        return self.graph.node(ops.SQRT, self)

    def exp(self) -> Value:
        """The exponential."""
        return self.graph.node(ops.EXP, self)

    def log(self) -> Value:
        """The natural logarithm; NaN of a negative."""
        return self.graph.node(ops.LOG, self)

    def floor(self) -> Value:
        """The greatest whole number not above."""
        return self.graph.node(ops.FLOOR, self)

    def rint(self) -> Value:
        """The nearest whole number, ties to even."""
        return self.graph.node(ops.RINT, self)

    def atan2(self, x: Any) -> Value:
        """The angle of the point ``(x, self)``."""
        return self.binary(ops.ATAN2, self, x)

    def ratan2(self, y: Any) -> Value:
        """The angle of the point ``(self, y)``."""
        return self.binary(ops.ATAN2, y, self)

    def minimum(self, other: Any) -> Value:
        """The smaller of the two; NaN if either is."""
        return self if other is self else self.binary(ops.MIN, self, other)

    def rminimum(self, other: Any) -> Value:
        """`minimum` with the operands exchanged."""
        return self.binary(ops.MIN, other, self)

    def maximum(self, other: Any) -> Value:
        """The larger of the two; NaN if either is."""
        return self if other is self else self.binary(ops.MAX, self, other)

    def rmaximum(self, other: Any) -> Value:
        """`maximum` with the operands exchanged."""
        return self.binary(ops.MAX, other, self)

    def __lt__(self, other: Any) -> Value:
        return self.binary(ops.LT, self, other)

    def __le__(self, other: Any) -> Value:
        return self.binary(ops.LE, self, other)

    def __gt__(self, other: Any) -> Value:
        return self.binary(ops.LT, other, self)

    def __ge__(self, other: Any) -> Value:
        return self.binary(ops.LE, other, self)

    def equal(self, other: Any) -> Value:
        """Whether the two are equal: a condition, as ``==`` is too."""
        return self.binary(ops.EQ, self, other)

    def __eq__(self, other: Any) -> Any:
        return self.equal(other)

    def __ne__(self, other: Any) -> Any:
        return ~self.equal(other)

    # The table of a graph finds nodes by identity.
    __hash__: Callable[[Value], int] = object.__hash__  # type: ignore[assignment]

    def __and__(self, other: Any) -> Any:
        if isinstance(other, Value):
            return self if other is self else self.graph.node(ops.AND, self, other)
        return self if _holds(other) else False

    def __or__(self, other: Any) -> Any:
        if isinstance(other, Value):
            return self if other is self else self.graph.node(ops.OR, self, other)
        return True if _holds(other) else self

    __rand__ = __and__
    __ror__ = __or__

    def __invert__(self) -> Value:
        return self.args[0] if self.op is ops.NOT else self.graph.node(ops.NOT, self)

    def where(self, a: Any, b: Any) -> Any:
        """``a`` where this condition holds, else ``b``."""
        if not self.op.is_condition:
            raise TraceError("expected a condition before where, got a number")
        if self.op is ops.NOT:
            return self.args[0].where(b, a)
        a = a if a.__class__ is Value else _number(a)
        b = b if b.__class__ is Value else _number(b)
        if a is b or (a.__class__ is float and isinstance(b, float) and a == b):
            return a
        return self.graph.node(ops.WHERE, self, _node(self.graph, a), _node(self.graph, b))

    def branch(self) -> Value:
        """This condition; what only a ``where`` on it needs is skipped if no state wants it."""
        if not self.op.is_condition:
            raise TraceError("expected a condition before when, got a number")
        return self if self.op is ops.BRANCH else self.graph.node(ops.BRANCH, self)

    def gather(self, table: Sequence[Any]) -> Value:
        """The entry of a table at this number, rounded down."""
        place = self if self.op in (ops.FLOOR, ops.RINT) else self.floor()
        entries = [as_scalar(x) for x in table]
        return self.graph.node(ops.GATHER, place, *[_node(self.graph, x) for x in entries])

    def loop(self, turn: Step, x: Sequence[Any], *settings: Any) -> list[Any]:
        """The numbers ``x`` after a loop in this graph, see `loop.TracedGraph.repeat`."""
        return cast("TracedGraph", self.graph).repeat(turn, x, *settings)

    def binary(self, op: Op, a: Any, b: Any) -> Value:
        """An op of two operands in this graph, no rule applied."""
        a = a if a.__class__ is Value else _number(a)
        b = b if b.__class__ is Value else _number(b)
        return self.graph.node(op, _node(self.graph, a), _node(self.graph, b))

    def __bool__(self) -> bool:
        raise TraceError("a traced value has no truth value yet; use where(condition, a, b)")

    def __float__(self) -> float:
        raise TraceError("a traced value is no number yet; use the functions of polhode.scalar")

    __int__ = __float__
    __index__ = __float__

    def __repr__(self) -> str:
        names = (f"v{a.id}" if a.__class__ is Value else repr(a) for a in self.args)
        return f"v{self.id} = {self.op.name}({', '.join(names)})"


class ClosedValue:
    """What a value of a loop's turn becomes when the turn is traced: nothing can use it."""

    __slots__ = Value.__slots__
