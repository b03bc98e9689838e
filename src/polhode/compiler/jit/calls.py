"""Calls: of other compiled functions, of built-in ones, of records and their methods."""

from __future__ import annotations

import ast
import types

from .assignments import Assignments
from .block_writer import TypedValue, tuple_of
from .builtins import BUILTINS, METHODS, new_struct
from .methods import method_of
from .source import UNKNOWN
from .struct import Struct
from .types import Tuple, field_defaults, field_names, record_type


class Calls(Assignments):
    """A function that calls others."""

    def _Call(self, node: ast.Call) -> TypedValue:
        target = self.source.static(node.func)
        if target is UNKNOWN:
            return self._method(node)
        write = getattr(target, "write_call", None)
        if write is not None:
            return write(self, node, self.arguments(node))
        if isinstance(target, type) and field_names(target) is not None:
            return self._record(node, target)
        if isinstance(target, type) and issubclass(target, Struct):
            return new_struct(self, node, target)
        if isinstance(target, types.MethodType) and isinstance(target.__self__, type):
            return self.call(node, target.__func__, self.arguments(node), target.__self__)
        try:
            write = BUILTINS.get(target)
        except TypeError:
            write = None
        if write is None:
            raise self.error(
                node, f"compiled code cannot call {getattr(target, '__name__', target)}"
            )
        return write(self, node)

    def _method(self, node: ast.Call) -> TypedValue:
        """A call of a method of a value."""
        if not isinstance(node.func, ast.Attribute):
            raise self.error(node, "expected a function that is known before it is compiled")
        name, owner = node.func.attr, self._handed_over(node.func.value)
        if isinstance(owner.type, Tuple) and owner.type.cls is not None:
            method = method_of(owner.type.cls, name)
            if method is None:
                raise self.error(node, f"expected a method of {owner.type}, got '{name}'")
            return self.call(node, method, [owner, *self.arguments(node)])
        if name not in METHODS:
            raise self.error(node, f"compiled code has no method '{name}' of {owner.type}")
        return METHODS[name](self, node, owner)

    def arguments(self, node: ast.Call) -> list[TypedValue]:
        """The values of the arguments of a call without names."""
        if node.keywords:
            raise self.error(node, "expected arguments without names")
        return [self._handed_over(a) for a in node.args]

    def _handed_over(self, node: ast.expr) -> TypedValue:
        if isinstance(node, ast.Name) and node.id in self.variables:
            variable = self.variables[node.id]
            if variable.home is not None:
                return TypedValue(variable.type, (), variable.home)
        return self.value(node)

    def _record(self, node: ast.Call, cls: type) -> TypedValue:
        """A call of a class of records."""
        names = field_names(cls)
        assert names is not None
        given = dict(zip(names, node.args, strict=False))
        given.update({k.arg: k.value for k in node.keywords})  # type: ignore[misc]
        defaults = field_defaults(cls)
        is_known = set(given) <= set(names) and len(node.args) + len(node.keywords) == len(given)
        if not is_known or not set(names) <= {*given, *defaults}:
            raise self.error(node, f"expected {', '.join(names)} of {cls.__name__}")
        values = [
            self.value(given[n]) if n in given else self._constant(node, defaults[n]) for n in names
        ]
        kind = record_type(cls, [v.type for v in values])
        return self.coerced(tuple_of(values, cls), kind)
