"""What a compiled function became: its Python with types, beside LLVM's text or assembly."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from typing import Any

from ..codegen.machine import IN_ONE_PIECE, assembly_of
from .function_writer import RETURNED, FunctionWriter
from .module import Module
from .types import NONE, Array, Tuple, Type


def dumped(function: Callable[..., Any], kinds: tuple[Type, ...], form: str) -> str:
    """A function for arguments of these types, and all functions that it calls."""
    if form == "llvm":
        return Module(_annotated).text(function, kinds)[0]
    listings: list[str] = []

    def note(writer: FunctionWriter) -> list[str]:
        listings.append("".join(f"# {line}\n" for line in _listing(writer)))
        return []

    texts, _ = Module(note).texts(function, kinds, may_cut=IN_ONE_PIECE)
    return "\n".join([*listings, *(assembly_of(text, speed=1) for text in texts)])


def _annotated(writer: FunctionWriter) -> list[str]:
    """Put each statement, as a comment, before its instructions; the head of the function."""
    for block, line, node in reversed(writer.begins):
        comments = [f"; {text}" for text in _statement(writer, node)]
        writer.blocks[block][line:line] = comments
    return _head(writer)


def _listing(writer: FunctionWriter) -> list[str]:
    """The head of a function and its statements in the order of the source."""
    nodes = sorted((node for _, _, node in writer.begins), key=lambda node: node.lineno)
    return [*_head(writer), *(text for node in nodes for text in _statement(writer, node))]


def _head(writer: FunctionWriter) -> list[str]:
    source = writer.source
    pairs = zip(source.parameters, writer.kinds, strict=True)
    typed = ", ".join(f"{name}: {_in_words(kind)}" for name, kind in pairs)
    returns = _in_words(writer.wider.get(RETURNED, NONE))
    return [f"{source.file}:{source.tree.lineno}", f"{source.name}({typed}) -> {returns}"]


def _statement(writer: FunctionWriter, node: ast.stmt) -> list[str]:
    """The lines of a statement, without statements in it, with the types of its variables."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return []  # a docstring
    inside = getattr(node, "body", None)
    last = inside[0].lineno - 1 if inside else node.end_lineno or node.lineno
    lines = [
        f"{n}: {linecache.getline(writer.source.file, n).rstrip()}"
        for n in range(node.lineno, max(last, node.lineno) + 1)
    ]
    known = writer.variables
    names = dict.fromkeys(name for name in _names(node) if name in known)
    if names:
        lines[-1] += f"  # {', '.join(f'{x}: {_in_words(known[x].type)}' for x in names)}"
    return lines


def _names(node: ast.stmt) -> list[str]:
    """The names in a statement, in order, but for statements inside."""
    parts = [x for x in ast.iter_child_nodes(node) if not isinstance(x, ast.stmt)]
    names = [n for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)]
    return [n.id for n in sorted(names, key=lambda n: (n.lineno, n.col_offset))]


def _in_words(kind: Type) -> str:
    if isinstance(kind, Array):
        return f"{kind.element.dtype}[{', '.join(':' * kind.ndim)}]"
    if not isinstance(kind, Tuple):
        return str(kind)
    items = f"({', '.join(map(_in_words, kind.items))})" if kind.items else "None"
    return items if kind.cls is None else kind.cls.__name__
