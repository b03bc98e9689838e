"""The source of a function as a syntax tree, and what its names stand for."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...errors import TraceError
from ...once import once

UNKNOWN = object()


class FunctionSource:
    """A function's syntax tree and names."""

    def __init__(self, function: Callable[..., Any], owner: type | None = None):
        code = function.__code__
        self.function: Callable[..., Any] = function
        self.name: str = function.__name__
        self.file: str = code.co_filename
        self.globals: dict[str, Any] = function.__globals__
        known = _definitions(self.file) if self.file.endswith(".py") else {}
        self.tree: ast.FunctionDef = known.get((self.name, code.co_firstlineno)) or _alone(function)
        self.parameters: list[str] = [a.arg for a in self.tree.args.args]
        self.owner: tuple[str, type] | None = None  # the first parameter of a class method
        if owner is not None:
            self.owner = self.parameters.pop(0), owner
        self.stored: set[str] = {
            n.id for n in ast.walk(self.tree)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }  # fmt: skip

    def error(self, node: ast.AST, message: str) -> TraceError:
        """What is wrong, with the place."""
        line = getattr(node, "lineno", self.tree.lineno)
        return TraceError(f"{self.file}:{line}: {message}, in {self.name}")

    def static(self, node: ast.AST) -> Any:
        """What an expression stands for before anything runs, or `UNKNOWN`."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            if self.owner is not None and node.id == self.owner[0]:
                return self.owner[1]
            if node.id in self.stored or node.id in self.parameters:
                return UNKNOWN
            return self.globals.get(node.id, getattr(builtins, node.id, UNKNOWN))
        if isinstance(node, ast.Attribute):
            owner = self.static(node.value)
            if isinstance(owner, (types.ModuleType, type)):
                return getattr(owner, node.attr, UNKNOWN)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self.static(node.operand)
            return -value if isinstance(value, (int, float)) else UNKNOWN
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            a, b = self.static(node.left), self.static(node.right)
            if isinstance(a, (int, float)) and isinstance(b, (int, float)):
                return _OPERATIONS[type(node.op)](a, b)
        return UNKNOWN

    def loaded_outside(self, name: str, loop: ast.AST) -> bool:
        """Whether a name is read anywhere but in a loop."""
        inside = {id(n) for n in ast.walk(loop)}
        return any(
            isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
            and id(n) not in inside for n in ast.walk(self.tree)
        )  # fmt: skip


_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.LShift: lambda a, b: a << b,
}


def _alone(function: Callable[..., Any]) -> ast.FunctionDef:
    """The tree of a function of a notebook, or of anything else that keeps its lines."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise TraceError(
            f"expected a function with a source, got {function.__name__}; write it in a file"
        ) from None
    tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise TraceError(f"expected a function, got {function.__name__}")
    return ast.increment_lineno(tree, first - 1)


@once
def _definitions(file: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """Functions of a file by name and first line, decorators included."""
    try:
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    except OSError:
        return {}
    found = {}
    for node in _functions(tree.body):
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        found[node.name, first] = node
    return found


def _functions(statements: Sequence[ast.AST]) -> Iterator[ast.FunctionDef]:
    """The functions among statements, and in these; expressions have none."""
    for node in statements:
        if isinstance(node, ast.FunctionDef):
            yield node
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from _functions(getattr(node, part, ()))
