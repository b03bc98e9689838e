"""Expressions of Python as LLVM's instructions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from .arithmetic import compare, operate, truth
from .block_writer import BlockWriter, TypedValue, Variable, number, tuple_of
from .methods import method_of, property_of
from .source import UNKNOWN, FunctionSource
from .struct import VALUE
from .types import (
    BOOL,
    INT,
    NONE,
    Array,
    Number,
    Reference,
    Tuple,
    Type,
    field_names,
    flat,
    join,
    record_type,
)


class Restart(Exception):
    """A variable, or what is returned, needs a wider type: write the function anew."""


class Expressions(BlockWriter):
    """A function whose expressions can be written."""

    def __init__(self, source: FunctionSource, wider: dict[str, Type]):
        super().__init__()
        self.source: FunctionSource = source
        self.wider: dict[str, Type] = wider
        self.variables: dict[str, Variable] = {}
        self.loops: list[tuple[str, str]] = []  # where to go on and where out
        self.takes = False  # whether memory is taken that lasts beyond the present place

    def error(self, node: ast.AST, message: str) -> Exception:
        return self.source.error(node, message)

    def value(self, node: ast.expr) -> TypedValue:
        """The value of an expression."""
        static = self.source.static(node)
        if static is not UNKNOWN:
            return self._constant(node, static)
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise self.error(node, f"compiled code has no {type(node).__name__}")
        return method(node)

    def _constant(self, node: ast.AST, value: Any) -> TypedValue:
        if isinstance(value, (bool, int, float)):
            return number(value)
        if isinstance(value, np.generic):
            return self._constant(node, value.item())
        names = field_names(type(value))
        if names is not None:
            items = [self._constant(node, getattr(value, name)) for name in names]
            kind = record_type(type(value), [item.type for item in items])
            return self.coerced(tuple_of(items, type(value)), kind)
        if isinstance(value, tuple):
            return tuple_of([self._constant(node, v) for v in value])
        raise self.error(node, f"expected a number, or a tuple or record of them, got {value!r}")

    def call(
        self, node: ast.AST, function: Callable[..., Any], values: list[TypedValue],
        owner: type | None = None,
    ) -> TypedValue:  # fmt: skip
        """A call of a function of Python, which is compiled with this one."""
        raise NotImplementedError

    def taken(self, bytes_: str) -> str:
        """The address of new memory."""
        raise NotImplementedError

    def condition(self, node: ast.expr) -> str:
        """The value of an expression as a truth."""
        return truth(self, self.value(node), node)

    def integer(self, node: ast.expr) -> str:
        """The value of an expression that is an index or a length."""
        value = self.value(node)
        if value.type not in (INT, BOOL):
            raise self.error(node, f"expected an integer, got {value.type}")
        return self.coerced(value, INT).parts[0]

    def _Name(self, node: ast.Name) -> TypedValue:
        return self.load(self._variable(node))

    def _variable(self, node: ast.Name) -> Variable:
        if node.id not in self.variables:
            known = node.id in self.source.stored or node.id in self.source.parameters
            raise self.error(node, f"'{node.id}' {'has no value yet' if known else 'is not known'}")
        return self.variables[node.id]

    def _Tuple(self, node: ast.Tuple) -> TypedValue:
        return tuple_of([self.value(item) for item in node.elts])

    def _UnaryOp(self, node: ast.UnaryOp) -> TypedValue:
        if isinstance(node.op, ast.Not):
            return TypedValue(BOOL, (self.op(f"xor i1 {self.condition(node.operand)}, true"),))
        value = self.value(node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(value.type, Tuple) and value.type.cls is not None:
            negative = method_of(value.type.cls, "__neg__")
            if negative is not None and isinstance(node.op, ast.USub):
                return self.call(node, negative, [value])
        if value.type == BOOL:
            value = self.coerced(value, INT)
        if not isinstance(node.op, ast.USub) or not isinstance(value.type, Number):
            raise self.error(node, f"compiled code has no {type(node.op).__name__} of {value.type}")
        text = "sub i64 0," if value.type == INT else "fneg double"
        return TypedValue(value.type, (self.op(f"{text} {value.parts[0]}"),))

    def _BinOp(self, node: ast.BinOp) -> TypedValue:
        return operate(self, node.op, self.value(node.left), self.value(node.right), node)

    def _Compare(self, node: ast.Compare) -> TypedValue:
        if len(node.ops) == 1:
            right = node.comparators[0]
            return compare(self, node.ops[0], self.value(node.left), self.value(right), node)
        left, values = self.value(node.left), []
        for op, right in zip(node.ops, node.comparators, strict=True):
            middle = self.value(right)
            values.append(compare(self, op, left, middle, node).parts[0])
            left = middle
        total = values[0]
        for v in values[1:]:
            total = self.op(f"and i1 {total}, {v}")
        return TypedValue(BOOL, (total,))

    def _BoolOp(self, node: ast.BoolOp) -> TypedValue:
        is_and = isinstance(node.op, ast.And)
        out, arms = self.block("bool"), []
        for operand in node.values[:-1]:
            condition, more = self.condition(operand), self.block("more")
            arms.append((self.here, number(not is_and)))
            self.branch(condition, *((more, out) if is_and else (out, more)))
            self.enter(more)
        last = TypedValue(BOOL, (self.condition(node.values[-1]),))
        arms.append((self.here, last))
        self.jump(out)
        self.enter(out)
        return self.merged(arms, BOOL)

    def _IfExp(self, node: ast.IfExp) -> TypedValue:
        known = self.known_truth(node.test)
        if known is not None:
            return self.value(node.body if known else node.orelse)
        yes, no, out = self.block("yes"), self.block("no"), self.block("chosen")
        self.branch(self.condition(node.test), yes, no)
        arms = []
        for label, arm in ((yes, node.body), (no, node.orelse)):
            self.enter(label)
            arms.append((self.value(arm), self.here))
        kind = self.joined(node, arms[0][0].type, arms[1][0].type)
        ends = []
        for value, label in arms:
            self.enter(label)
            ends.append((self.coerced(value, kind), self.here))
            self.jump(out)
        self.enter(out)
        return self.merged([(label, value) for value, label in ends], kind)

    def known_truth(self, node: ast.expr) -> bool | None:
        """What types alone say of a condition: ``isinstance`` and ``is None``; else None."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            known = self.known_truth(node.operand)
            return None if known is None else not known
        if isinstance(node, ast.Call) and self.source.static(node.func) is isinstance:
            kind, classes = self.value(node.args[0]).type, self.source.static(node.args[1])
            cls = kind.cls if isinstance(kind, Tuple) else None
            return cls is not None and issubclass(cls, classes)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            is_none = self.value(node.left).type == NONE
            return is_none == isinstance(node.ops[0], ast.Is)
        return None

    def joined(self, node: ast.AST, a: Type, b: Type) -> Type:
        """The type of what may be one or the other."""
        kind = join(a, b)
        if kind is None:
            raise self.error(node, f"expected values of one type, got {a} and {b}")
        return kind

    def _Attribute(self, node: ast.Attribute) -> TypedValue:
        if isinstance(node.value, ast.Name) and node.value.id in self.variables:
            variable = self.variables[node.value.id]
            if isinstance(variable.type, Tuple) and self._is_field(node, variable.type):
                k = self._field(node, variable.type)
                first = sum(len(flat(t)) for t in variable.type.items[:k])
                return self.load(variable, first, variable.type.items[k])
        base = self.value(node.value)
        if isinstance(base.type, Reference):
            return self._struct_field(node, base, base.type)
        if isinstance(base.type, Tuple) and base.type.cls is not None:
            getter = property_of(base.type.cls, node.attr)
            if getter is not None:
                return self.call(node, getter, [base])
            return base.item(self._field(node, base.type))
        if isinstance(base.type, Array):
            if node.attr == "size":
                return TypedValue(INT, (self.size(base),))
            if node.attr == "shape":
                return TypedValue(Tuple((INT,) * base.type.ndim), base.parts[1:])
            if node.attr == "ctypes":
                return base
            if node.attr == "data":
                return TypedValue(INT, (self.op(f"ptrtoint ptr {base.parts[0]} to i64"),))
        raise self.error(node, f"compiled code has no '{node.attr}' of {base.type}")

    @staticmethod
    def _is_field(node: ast.Attribute, kind: Tuple) -> bool:
        return node.attr in (field_names(kind.cls) or ())

    def _field(self, node: ast.Attribute, kind: Tuple) -> int:
        names = field_names(kind.cls)
        assert names is not None
        if node.attr not in names:
            raise self.error(node, f"expected a field of {', '.join(names)}, got '{node.attr}'")
        return names.index(node.attr)

    def _struct_field(self, node: ast.Attribute, base: TypedValue, kind: Reference) -> TypedValue:
        place, what = self.place_of(node, base, kind)
        if isinstance(what, Number):
            raw = self.op(f"load {'i64' if what == BOOL else what.ir}, ptr {place}")
            return TypedValue(what, (self.op(f"icmp ne i64 {raw}, 0") if what == BOOL else raw,))
        parts = []
        for k, ir in enumerate(flat(what)):
            at = self.op(f"getelementptr i8, ptr {place}, i64 {8 * k}") if k else place
            parts.append(self.op(f"load {ir}, ptr {at}"))
        return TypedValue(what, tuple(parts))

    def place_of(self, node: ast.Attribute, base: TypedValue, kind: Reference) -> tuple[str, Type]:
        """The address of a field of a struct, and its type."""
        if node.attr not in kind.cls.FIELDS:
            raise self.error(node, f"expected a field of {kind}, got '{node.attr}'")
        at, what = kind.cls.FIELDS[node.attr]
        first = 8 * (at + VALUE if isinstance(what, Number) else at)
        return self.op(f"getelementptr i8, ptr {base.parts[0]}, i64 {first}"), what

    def _Subscript(self, node: ast.Subscript) -> TypedValue:
        base = self.value(node.value)
        if isinstance(base.type, Tuple):
            return self._item(node, base, base.type)
        if isinstance(base.type, Array):
            return self.got(self.part(node, base))
        raise self.error(node, f"expected an array or a tuple before [], got {base.type}")

    def _item(self, node: ast.Subscript, base: TypedValue, kind: Tuple) -> TypedValue:
        k = self.source.static(node.slice)
        if isinstance(k, int):
            return base.item(k % len(kind.items))
        refusal = "expected a constant index of a tuple that is not of numbers"
        item = self.spilled(node, base, kind, refusal)
        return item(self.integer(node.slice))

    def spilled(
        self, node: ast.AST, base: TypedValue, kind: Tuple, refusal: str
    ) -> Callable[[str], TypedValue]:
        """Write a tuple of numbers to memory; the function that reads one of them by its index."""
        what = kind.items[0]
        for other in kind.items[1:]:
            what = self.joined(node, what, other)
        if not isinstance(what, Number):
            raise self.error(node, refusal)
        array = self.name("spilled")
        self.places.append(f"{array} = alloca [{len(kind.items)} x {what.ir}]")
        for i in range(len(kind.items)):
            item = self.coerced(base.item(i), what)
            to = self.op(f"getelementptr {what.ir}, ptr {array}, i64 {i}")
            self.put(f"store {what.ir} {item.parts[0]}, ptr {to}")

        def item_at(index: str) -> TypedValue:
            at = self.op(f"getelementptr {what.ir}, ptr {array}, i64 {index}")
            return TypedValue(what, (self.op(f"load {what.ir}, ptr {at}"),))

        return item_at

    def part(self, node: ast.Subscript, base: TypedValue) -> TypedValue:
        """The part of an array that indices and a last slice choose, not yet loaded."""
        assert isinstance(base.type, Array)
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        while len(indices) > 1 and _is_whole(indices[-1]):
            indices = indices[:-1]
        lengths, ndim = list(base.parts[1:]), base.type.ndim
        if len(indices) > ndim:
            raise self.error(node, f"expected at most {ndim} indices, got {len(indices)}")
        offset, last = "0", indices[-1]
        for k, index in enumerate(indices):
            if isinstance(index, ast.Slice) and index is not last:
                raise self.error(node, "expected a slice in the last place")
            start = self._start(index, lengths[k]) if not isinstance(index, ast.Slice) else "0"
            if isinstance(index, ast.Slice):
                start, lengths[k] = self._slice(node, index, lengths[k])
            offset = start if k == 0 else self.op(f"add i64 {offset}, {start}")
            if k + 1 < ndim:
                offset = self.op(f"mul nsw i64 {offset}, {base.parts[2 + k]}")
        for k in range(len(indices), ndim - 1):
            offset = self.op(f"mul nsw i64 {offset}, {base.parts[2 + k]}")
        kept = len(indices) - isinstance(last, ast.Slice)
        kind = Array(base.type.element, ndim - kept)
        return TypedValue(kind, (self.address(base, offset), *lengths[kept:]))

    def _start(self, index: ast.expr, length: str) -> str:
        static = self.source.static(index)
        if isinstance(static, int) and static < 0:
            return self.op(f"add i64 {length}, {static}")
        return self.integer(index)

    def _slice(self, node: ast.AST, index: ast.Slice, length: str) -> tuple[str, str]:
        """Start and length of a slice, which must lie in the array."""
        if index.step is not None:
            raise self.error(node, "expected a slice without a step")
        start = "0" if index.lower is None else self._start(index.lower, length)
        stop = length if index.upper is None else self._start(index.upper, length)
        return start, self.op(f"sub i64 {stop}, {start}")

    def got(self, part: TypedValue) -> TypedValue:
        """A part of an array: the number itself where no axis is left."""
        assert isinstance(part.type, Array)
        if part.type.ndim:
            return part
        element = part.type.element
        raw = self.op(f"load {element.ir}, ptr {part.parts[0]}")
        if element.dtype == "b1":
            return TypedValue(BOOL, (self.op(f"icmp ne i8 {raw}, 0"),))
        if element.number == INT and element.ir != "i64":
            way = "zext" if element.dtype == "u1" else "sext"
            raw = self.op(f"{way} {element.ir} {raw} to i64")
        return TypedValue(element.number, (raw,))


def _is_whole(node: ast.expr) -> bool:
    """Whether an index is ``:``."""
    return isinstance(node, ast.Slice) and (node.lower, node.upper, node.step) == (None,) * 3
