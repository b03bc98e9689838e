"""Calls: of other loops, of what loops know, and of classes of named tuples."""

from __future__ import annotations

import ast
from typing import Any

from .assignments import Assignments
from .builtins import BUILTINS, METHODS
from .code import Value, tuple_of
from .source import UNKNOWN


class Calls(Assignments):
    """A function that calls others."""

    def _Call(self, node: ast.Call) -> Value:
        target = self.source.static(node.func)
        if target is UNKNOWN:
            if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
                return METHODS[node.func.attr](self, node, self.value(node.func.value))
            raise self.error(node, "expected a function that is known before the loop runs")
        write = getattr(target, "write_call", None)
        if write is not None:
            return write(self, node, self.arguments(node))
        if isinstance(target, type) and issubclass(target, tuple) and hasattr(target, "_fields"):
            return self._named(node, target)
        try:
            write = BUILTINS.get(target)
        except TypeError:
            write = None
        if write is None:
            raise self.error(node, f"loops cannot call {getattr(target, '__name__', target)}")
        return write(self, node)

    def arguments(self, node: ast.Call) -> list[Value]:
        """The values of the arguments of a call without names."""
        if node.keywords:
            raise self.error(node, "expected arguments without names")
        return [self._handed_over(a) for a in node.args]

    def _handed_over(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Name) and node.id in self.variables:
            variable = self.variables[node.id]
            if variable.home is not None:
                return Value(variable.type, (), variable.home)
        return self.value(node)

    def _named(self, node: ast.Call, cls: Any) -> Value:
        given = dict(zip(cls._fields, node.args, strict=False))
        given.update({k.arg: k.value for k in node.keywords})  # type: ignore[misc]
        if set(given) != set(cls._fields):
            raise self.error(node, f"expected {', '.join(cls._fields)} of {cls.__name__}")
        values = {name: self.value(argument) for name, argument in given.items()}
        return tuple_of([values[name] for name in cls._fields], cls)
