"""Methods, properties and operators of records, as functions to compile."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.MatMult: "matmul",
}  # fmt: skip


def method_of(cls: type, name: str) -> Callable[..., Any] | None:
    """The function behind a method, which takes the record first."""
    found = _found(cls, name)
    return found if isinstance(found, types.FunctionType) else None


def property_of(cls: type, name: str) -> Callable[..., Any] | None:
    """The function behind a property."""
    found = _found(cls, name)
    return found.fget if isinstance(found, property) else None


def operator_of(cls: type, op: ast.operator, is_right: bool = False) -> Callable[..., Any] | None:
    """The function behind an operator, or behind that for a record on its right."""
    name = _OPERATORS.get(type(op))
    return None if name is None else method_of(cls, f"__{'r' if is_right else ''}{name}__")


def _found(cls: type, name: str) -> Any:
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None
