"""Operators on numbers, with Python's meaning but for overflow and division by zero."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .block_writer import TypedValue
from .methods import operator_of
from .types import BOOL, FLOAT, INT, Number, Tuple

if TYPE_CHECKING:
    from .expressions import Expressions

_FLOAT = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_INT = {
    ast.Add: "add nsw", ast.Sub: "sub nsw", ast.Mult: "mul nsw", ast.BitAnd: "and",
    ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "ashr",
}  # fmt: skip
_COMPARE = {
    ast.Eq: ("oeq", "eq"), ast.NotEq: ("une", "ne"), ast.Lt: ("olt", "slt"),
    ast.LtE: ("ole", "sle"), ast.Gt: ("ogt", "sgt"), ast.GtE: ("oge", "sge"),
}  # fmt: skip


def operate(
    e: Expressions, op: ast.operator, a: TypedValue, b: TypedValue, node: ast.AST
) -> TypedValue:
    """``a op b``."""
    if isinstance(a.type, Tuple) or isinstance(b.type, Tuple):
        return _of_records(e, op, a, b, node)
    if not isinstance(a.type, Number) or not isinstance(b.type, Number):
        raise e.error(node, f"expected two numbers, got {a.type} and {b.type}")
    kind = type(op)
    if a.type == BOOL and b.type == BOOL and kind in (ast.BitAnd, ast.BitOr, ast.BitXor):
        return TypedValue(BOOL, (e.op(f"{_INT[kind]} i1 {a.parts[0]}, {b.parts[0]}"),))
    is_float = FLOAT in (a.type, b.type) or kind is ast.Div
    what = FLOAT if is_float else INT
    x, y = e.coerced(a, what).parts[0], e.coerced(b, what).parts[0]
    if is_float and kind in _FLOAT:
        return TypedValue(FLOAT, (e.op(f"{_FLOAT[kind]} double {x}, {y}"),))
    if not is_float and kind in _INT:
        return TypedValue(INT, (e.op(f"{_INT[kind]} i64 {x}, {y}"),))
    if not is_float and kind in (ast.FloorDiv, ast.Mod):
        return TypedValue(INT, (_divided(e, x, y, kind is ast.Mod),))
    raise e.error(node, f"compiled code has no {kind.__name__} of {a.type} and {b.type}")


def _of_records(
    e: Expressions, op: ast.operator, a: TypedValue, b: TypedValue, node: ast.AST
) -> TypedValue:
    """``a op b`` where one at least is a record: by its class's method."""
    for first, second, is_right in ((a, b, False), (b, a, True)):
        if isinstance(first.type, Tuple) and first.type.cls is not None:
            function = operator_of(first.type.cls, op, is_right)
            if function is not None:
                return e.call(node, function, [first, second])
    raise e.error(node, f"compiled code has no {type(op).__name__} of {a.type} and {b.type}")


def _divided(e: Expressions, x: str, y: str, is_rest: bool) -> str:
    """Quotient or rest of integers, rounded down."""
    rest = e.op(f"srem i64 {x}, {y}")
    some = e.op(f"icmp ne i64 {rest}, 0")
    other = e.op(f"icmp slt i64 {e.op(f'xor i64 {rest}, {y}')}, 0")
    wrong = e.op(f"and i1 {some}, {other}")
    if is_rest:
        return e.op(f"select i1 {wrong}, i64 {e.op(f'add i64 {rest}, {y}')}, i64 {rest}")
    quotient = e.op(f"sdiv i64 {x}, {y}")
    return e.op(f"select i1 {wrong}, i64 {e.op(f'sub i64 {quotient}, 1')}, i64 {quotient}")


def compare(
    e: Expressions, op: ast.cmpop, a: TypedValue, b: TypedValue, node: ast.AST
) -> TypedValue:
    """``a op b`` of numbers, or of a number and a tuple it may be in."""
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(b.type, Tuple):
        total = "false"
        for k in range(len(b.type.items)):
            equal = compare(e, ast.Eq(), a, b.item(k), node).parts[0]
            total = e.op(f"or i1 {total}, {equal}")
        if isinstance(op, ast.NotIn):
            total = e.op(f"xor i1 {total}, true")
        return TypedValue(BOOL, (total,))
    numbers = isinstance(a.type, Number) and isinstance(b.type, Number)
    if not numbers or type(op) not in _COMPARE:
        raise e.error(node, f"compiled code has no {type(op).__name__} of {a.type} and {b.type}")
    what = FLOAT if FLOAT in (a.type, b.type) else INT
    x, y = e.coerced(a, what).parts[0], e.coerced(b, what).parts[0]
    of_floats, of_integers = _COMPARE[type(op)]
    text = f"fcmp {of_floats} double" if what == FLOAT else f"icmp {of_integers} i64"
    return TypedValue(BOOL, (e.op(f"{text} {x}, {y}"),))


def truth(e: Expressions, value: TypedValue, node: ast.AST) -> str:
    """Whether a number is not zero."""
    if value.type == BOOL:
        return value.parts[0]
    if value.type == INT:
        return e.op(f"icmp ne i64 {value.parts[0]}, 0")
    if value.type == FLOAT:
        return e.op(f"fcmp une double {value.parts[0]}, 0.0")
    raise e.error(node, f"expected a number, got {value.type}")
