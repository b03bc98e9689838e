"""What compiled functions know of Python, ``math`` and NumPy."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import scalar
from ..codegen.emitter import IR, Emitter
from .arithmetic import compare, truth
from .block_writer import NOTHING, TypedValue, number
from .memory import bytes_of
from .struct import Struct, size_of
from .types import BOOL, FLOAT, INT, Array, Number, Reference, Tuple, element_of, flat

if TYPE_CHECKING:
    from .calls import Calls

# Functions of numbers, by their names in LLVM (which may ask the C library) or in that.
_FUNCTIONS = {
    math.sqrt: "llvm.sqrt.f64", np.sqrt: "llvm.sqrt.f64", math.sin: "llvm.sin.f64",
    math.cos: "llvm.cos.f64", math.copysign: "llvm.copysign.f64", math.exp: "llvm.exp.f64",
    math.hypot: "length", math.atan2: "atan2", math.acos: "acos", math.asin: "asin",
    scalar.sqrt: "llvm.sqrt.f64", scalar.sin: "llvm.sin.f64", scalar.cos: "llvm.cos.f64",
    scalar.exp: "llvm.exp.f64", scalar.atan2: "atan2", scalar.acos: "acos", scalar.asin: "asin",
    scalar.floor: "llvm.floor.f64", scalar.rint: "llvm.rint.f64", np.floor: "llvm.floor.f64",
    np.ceil: "llvm.ceil.f64", np.rint: "llvm.rint.f64",
}  # fmt: skip
_TWO = {"llvm.copysign.f64", "hypot", "length", "atan2"}
# Squares between these neither overflow nor lose digits.
_LEAST_SQUARE, _MOST_SQUARE = 1e-280, 1e280
_LEAST = 5e-324  # the least number above zero
_ASKED = ("hypot", "llvm.fabs.f64", "llvm.floor.f64", "llvm.ceil.f64")  # by other names
DECLARATIONS = "\n".join(
    [f"declare double @{name}({'double, double' if name in _TWO else 'double'})"
     for name in sorted({*_FUNCTIONS.values(), *_ASKED} - {"length"})]
    + ["declare i64 @llvm.fptosi.sat.i64.f64(double)",
       "declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)",
       "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
       "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)"]
)  # fmt: skip


def length() -> str:
    """``length(x, y)``: `math.hypot`, for which the C library takes ten times as long."""
    e = Emitter()
    x, y = IR(e, "double", "%x"), IR(e, "double", "%y")
    square = x * x + y * y
    with e.when((square > _LEAST_SQUARE) & (square < _MOST_SQUARE)):
        e.leave(str(e.call("double", "@llvm.sqrt.f64", square)))
    either = e.call("double", "@llvm.fabs.f64", x) + e.call("double", "@llvm.fabs.f64", y)
    with e.when(either < _LEAST):  # open contacts have impulses of zero
        e.leave(str(either))
    e.leave(str(e.call("double", "@hypot", x, y)))
    return e.function("internal double @length(double %x, double %y)", "alwaysinline nounwind")


def _numbers(e: Calls, node: ast.Call) -> list[TypedValue]:
    values = e.arguments(node)
    for argument, value in zip(node.args, values, strict=True):
        if not isinstance(value.type, Number):
            raise e.error(argument, f"expected a number, got {value.type}")
    return values


def _call(e: Calls, name: str, *arguments: TypedValue) -> TypedValue:
    text = ", ".join(f"double {e.coerced(a, FLOAT).parts[0]}" for a in arguments)
    return TypedValue(FLOAT, (e.op(f"call double @{name}({text})"),))


def _function(name: str) -> Callable[[Calls, ast.Call], TypedValue]:
    def write(e: Calls, node: ast.Call) -> TypedValue:
        values = _numbers(e, node)
        if len(values) != (2 if name in _TWO else 1):
            raise e.error(node, "expected another number of arguments")
        return _call(e, name, *values)

    return write


def _whole(e: Calls, x: str) -> str:
    """The whole part of a float; the nearest integer there is, and 0 for what is no number."""
    return e.op(f"call i64 @llvm.fptosi.sat.i64.f64(double {x})")


def _rounded(name: str) -> Callable[[Calls, ast.Call], TypedValue]:
    def write(e: Calls, node: ast.Call) -> TypedValue:
        whole = _call(e, name, *_numbers(e, node)).parts[0]
        return TypedValue(INT, (_whole(e, whole),))

    return write


def _extreme(op: ast.cmpop) -> Callable[[Calls, ast.Call], TypedValue]:
    """The first of the greatest or least, as Python has it where one is not a number."""

    def write(e: Calls, node: ast.Call) -> TypedValue:
        best, *others = _numbers(e, node)
        for other in others:
            best, other = _alike(e, best, other)
            best = _chosen(e, compare(e, op, other, best, node).parts[0], other, best)
        return best

    return write


def _extreme_scalar(op: ast.cmpop) -> Callable[[Calls, ast.Call], TypedValue]:
    """The greater or less of two, not a number if one is none."""

    def write(e: Calls, node: ast.Call) -> TypedValue:
        a, b = _alike(e, *_numbers(e, node))
        better = compare(e, op, a, b, node).parts[0]
        is_none = compare(e, ast.NotEq(), a, a, node).parts[0]
        return _chosen(e, e.op(f"or i1 {better}, {is_none}"), a, b)

    return write


def _alike(e: Calls, a: TypedValue, b: TypedValue) -> tuple[TypedValue, TypedValue]:
    """Two numbers as numbers of one type."""
    what = a.type if a.type.rank > b.type.rank else b.type  # type: ignore[union-attr]
    return e.coerced(a, what), e.coerced(b, what)


def _chosen(e: Calls, test: str, a: TypedValue, b: TypedValue) -> TypedValue:
    """One of two numbers of one type."""
    ir = a.type.ir  # type: ignore[union-attr]
    return TypedValue(a.type, (e.op(f"select i1 {test}, {ir} {a.parts[0]}, {ir} {b.parts[0]}"),))


def _where(e: Calls, node: ast.Call) -> TypedValue:
    condition, a, b = e.arguments(node)
    kind = e.joined(node, a.type, b.type)
    a, b = e.coerced(a, kind), e.coerced(b, kind)
    test = truth(e, condition, node)
    parts = [
        e.op(f"select i1 {test}, {ir} {x}, {ir} {y}")
        for ir, x, y in zip(flat(kind), a.parts, b.parts, strict=True)
    ]
    return TypedValue(kind, tuple(parts))


def _abs(e: Calls, node: ast.Call) -> TypedValue:
    (value,) = _numbers(e, node)
    if value.type == FLOAT:
        return _call(e, "llvm.fabs.f64", value)
    x = e.coerced(value, INT).parts[0]
    negative = e.op(f"icmp slt i64 {x}, 0")
    return TypedValue(INT, (e.op(f"select i1 {negative}, i64 {e.op(f'sub i64 0, {x}')}, i64 {x}"),))


def _int(e: Calls, node: ast.Call) -> TypedValue:
    (value,) = _numbers(e, node)
    if value.type == FLOAT:
        return TypedValue(INT, (_whole(e, value.parts[0]),))
    return e.coerced(value, INT)


def _float(e: Calls, node: ast.Call) -> TypedValue:
    return e.coerced(_numbers(e, node)[0], FLOAT)


def _bool(e: Calls, node: ast.Call) -> TypedValue:
    return TypedValue(BOOL, (truth(e, _numbers(e, node)[0], node),))


def _len(e: Calls, node: ast.Call) -> TypedValue:
    (value,) = e.arguments(node)
    if isinstance(value.type, Tuple):
        return number(len(value.type.items))
    if not isinstance(value.type, Array) or not value.type.ndim:
        raise e.error(node, f"expected an array, got {value.type}")
    return TypedValue(INT, (value.parts[1],))


def _isfinite(e: Calls, node: ast.Call) -> TypedValue:
    size = _call(e, "llvm.fabs.f64", *_numbers(e, node))
    return compare(e, ast.Lt(), size, number(math.inf), node)


def _lengths(e: Calls, node: ast.expr) -> list[str]:
    shape = e.value(node)
    if isinstance(shape.type, Tuple):
        return [e.coerced(shape.item(k), INT).parts[0] for k in range(len(shape.type.items))]
    return [e.coerced(shape, INT).parts[0]]


def _element(e: Calls, node: ast.Call, place: int) -> Any:
    given = node.args[place] if len(node.args) > place else None
    for keyword in node.keywords:
        given = keyword.value if keyword.arg == "dtype" else given
    return element_of(np.float64 if given is None else e.source.static(given))


def new_array(e: Calls, kind: Array, lengths: list[str]) -> TypedValue:
    """A new array, not filled."""
    e.takes = True
    return TypedValue(kind, (e.taken(bytes_of(e, kind.element.size, lengths)), *lengths))


def _empty(e: Calls, node: ast.Call) -> TypedValue:
    lengths = _lengths(e, node.args[0])
    return new_array(e, Array(_element(e, node, 1), len(lengths)), lengths)


def _zeros(e: Calls, node: ast.Call) -> TypedValue:
    array = _empty(e, node)
    e.clear(array.parts[0], e.bytes_in(array))
    return array


def _full(e: Calls, node: ast.Call) -> TypedValue:
    lengths, value = _lengths(e, node.args[0]), e.value(node.args[1])
    default = element_of(np.int64 if value.type == INT else np.float64)
    typed = len(node.args) > 2 or node.keywords
    element = _element(e, node, 2) if typed else default
    array = new_array(e, Array(element, len(lengths)), lengths)
    e.fill(node, array, value)
    return array


def _arange(e: Calls, node: ast.Call) -> TypedValue:
    array = new_array(e, Array(element_of(np.int64), 1), _lengths(e, node.args[0]))
    with e.counted(array.parts[1]) as i:
        e.put(f"store i64 {i}, ptr {e.address(array, i)}")
    return array


def _outside_loops(e: Calls, node: ast.AST) -> None:
    """Memory of a loop's pass is given back at its end, and structs are not moved."""
    if e.loops:
        raise e.error(node, "expected a struct to be made outside of loops")


def new_struct(e: Calls, node: ast.Call, cls: type[Struct]) -> TypedValue:
    """A struct of numbers, all zero."""
    _outside_loops(e, node)
    if node.args or node.keywords or not _has_numbers_only(cls):
        raise e.error(node, f"expected {cls.__name__} to have numbers only, and no arguments")
    e.takes = True
    struct = TypedValue(Reference(cls), (e.taken(str(size_of(cls))),))
    e.clear(struct.parts[0], size_of(cls))
    return struct


def _copy(e: Calls, node: ast.Call, array: TypedValue) -> TypedValue:
    if isinstance(array.type, Reference):
        _outside_loops(e, node)
        size, new = size_of(array.type.cls), e.taken(str(size_of(array.type.cls)))
        e.takes = True
        e.move(new, array.parts[0], size)
        return TypedValue(array.type, (new,))
    if not isinstance(array.type, Array):
        raise e.error(node, f"expected an array to copy, got {array.type}")
    new = new_array(e, array.type, list(array.parts[1:]))
    e.move(new.parts[0], array.parts[0], e.bytes_in(array))
    return new


def _clear(e: Calls, node: ast.Call, struct: TypedValue) -> TypedValue:
    if not isinstance(struct.type, Reference) or not _has_numbers_only(struct.type.cls):
        raise e.error(node, f"expected a struct of numbers to clear, got {struct.type}")
    e.clear(struct.parts[0], size_of(struct.type.cls))
    return NOTHING


def _has_numbers_only(cls: type[Struct]) -> bool:
    return all(isinstance(kind, Number) for _, kind in cls.FIELDS.values())


BUILTINS: dict[Any, Callable[[Calls, ast.Call], TypedValue]] = {
    **{f: _function(name) for f, name in _FUNCTIONS.items()},
    math.floor: _rounded("llvm.floor.f64"), math.ceil: _rounded("llvm.ceil.f64"),
    max: _extreme(ast.Gt()), min: _extreme(ast.Lt()), abs: _abs, math.fabs: _abs,
    int: _int, np.int64: _int, float: _float, np.float64: _float, bool: _bool,
    len: _len, np.isfinite: _isfinite, math.isfinite: _isfinite,
    scalar.absolute: _abs, scalar.where: _where,
    scalar.minimum: _extreme_scalar(ast.Lt()), scalar.maximum: _extreme_scalar(ast.Gt()),
    np.empty: _empty, np.zeros: _zeros, np.full: _full, np.arange: _arange,
}  # fmt: skip
METHODS: dict[str, Callable[[Calls, ast.Call, TypedValue], TypedValue]] = {
    "copy": _copy,
    "clear": _clear,
}
