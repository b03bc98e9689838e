"""What to write instead of Python that cannot be traced: by the construct at fault."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

WHERE = (
    "use polhode.scalar.where(condition, a, b): both are computed, and one is taken for each state"
)
_SAME = ("sin", "cos", "tan", "sqrt", "exp", "log", "floor", "rint", "absolute", "asin", "acos",
         "atan2", "minimum", "maximum", "where", "sinc")  # fmt: skip
_SCALAR = {name: name for name in _SAME} | {
    "fabs": "absolute",
    "abs": "absolute",
    "round": "rint",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan2": "atan2",
    "fmin": "minimum",
    "fmax": "maximum",
    "min": "minimum",
    "max": "maximum",
    "float": "",
    "int": "",
    "complex": "",
}
_INSTEAD = {
    "hypot": "sqrt(x * x + y * y)",
    "norm": "sqrt(sum(x * x for x in values))",
    "pow": "x * x, or exp(y * log(x))",
    "power": "x * x, or exp(y * log(x))",
    "atan": "atan2(x, 1.0)",
    "arctan": "atan2(x, 1.0)",
    "square": "x * x",
    "clip": "minimum(maximum(x, low), high)",
    "sign": "where(x < 0.0, -1.0, 1.0)",
    "copysign": "where(y < 0.0, -absolute(x), absolute(x))",
    "fmod": "x - y * floor(x / y)",
    "mod": "x - y * floor(x / y)",
    "ceil": "-floor(-x)",
    "trunc": "where(x < 0.0, -floor(-x), floor(x))",
    "tanh": "1.0 - 2.0 / (exp(2.0 * x) + 1.0)",
    "sinh": "0.5 * (exp(x) - exp(-x))",
    "cosh": "0.5 * (exp(x) + exp(-x))",
    "dist": "sqrt of a sum of squares",
}
_OPERATORS = {
    ast.Mod: "write a % b as a - b * floor(a / b), with floor of polhode.scalar",
    ast.FloorDiv: "write a // b as floor(a / b), with floor of polhode.scalar",
    ast.Pow: "write a ** b as exp(b * log(a)), with exp and log of polhode.scalar",
    ast.MatMult: "a traced value is one number: use *, or sums of products over lists",
}


_ONE_NUMBER = (
    "a traced value is one number; what algorithms take is a tuple of scalars for each body, "
    "as model.split_q(values) and model.split_v(values) make it"
)
_OF_MESSAGE = {
    "'OfBodies'": (
        "q, qd, qdd, tau hold a tuple of scalars for each body, q[i][0]: go entry by entry"
    ),
    "subscriptable": _ONE_NUMBER,
    "iterable": _ONE_NUMBER,
    "len()": _ONE_NUMBER,
    "got ndarray": "arrays and traced values do not mix: write it over lists of scalars",
    "expected a condition": "compare to make a condition: where(x > 0.0, a, b)",
    "attribute": "a traced value has arithmetic, comparisons, and the functions of polhode.scalar",
}


class TraceFault(NamedTuple):
    """Where tracing failed: a line, the part of it at fault, and the names known there."""

    file: str
    line: int
    function: str
    text: str
    span: tuple[int, int] | None
    position: tuple[int | None, ...]
    names: Mapping[str, object]


def advice(fault: TraceFault, message: str) -> str:
    """One line that says what to do; empty if nothing better is known than the message."""
    around = list(_around(fault))
    said = _of_call(around[0][0], fault.names) if around else ""
    for node, parent in around:
        said = said or _of_choice(node, parent) or _of_rest(node)
        if said or isinstance(node, ast.stmt):
            break
    if said or not around:
        return said
    return next((text for key, text in _OF_MESSAGE.items() if key in message), "")


def _around(fault: TraceFault) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """The nodes around the fault, from the innermost outwards, each with its parent."""
    line, end_line, start, end = fault.position
    tree = _parsed(fault.file)
    if tree is None or line is None or end_line is None or start is None or end is None:
        return
    path: list[ast.AST] = []
    node: ast.AST | None = tree
    while node is not None:
        path.append(node)
        node = next((c for c in _children(node) if _covers(c, line, start, end_line, end)), None)
    yield from zip(reversed(path), [*reversed(path[:-1]), None], strict=True)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Child nodes; those without a place of their own stand for their children."""
    for child in ast.iter_child_nodes(node):
        if hasattr(child, "lineno"):
            yield child
        else:
            yield from _children(child)


def _covers(node: Any, line: int, start: int, end_line: int, end: int) -> bool:
    return (node.lineno, node.col_offset) <= (line, start) and (end_line, end) <= (
        node.end_lineno,
        node.end_col_offset,
    )


@lru_cache(8)
def _parsed(file: str) -> ast.AST | None:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return None


def _of_call(node: ast.AST, names: Mapping[str, object]) -> str:
    """Advice on a function of numbers that was given a traced value."""
    if not isinstance(node, ast.Call):
        return ""
    name, module = _origin(node.func, names)
    if module not in ("math", "numpy", "builtins", "cmath", "numpy.linalg"):
        return ""
    if name == "range":
        return f"the number of turns must be known while tracing; for a choice {WHERE}"
    if name in ("sorted", "any", "all", "bool", "argmax", "argmin"):
        return f"{name} decides by values that are not known yet; {WHERE}"
    if name in ("len", "zip", "enumerate", "list", "tuple", "iter", "map", "sum", "dict", "set"):
        return ""
    if name in _INSTEAD:
        return f"instead of {_shown(module)}{name} write {_INSTEAD[name]} with polhode.scalar"
    known = _SCALAR.get(name)
    if known:
        return f"use polhode.scalar.{known} instead of {_shown(module)}{name}"
    if known == "":
        return "leave it a traced value: arithmetic and polhode.scalar take it as it is"
    shown = _shown(module) + name
    return f"use the functions of polhode.scalar, and lists of scalars, instead of {shown}"


def _shown(module: str) -> str:
    return "" if module == "builtins" else module + "."


def _origin(function: ast.expr, names: Mapping[str, object]) -> tuple[str, str]:
    """Name and module of what is called; empty if it is not known."""
    path: list[str] = []
    while isinstance(function, ast.Attribute):
        path.append(function.attr)
        function = function.value
    if not isinstance(function, ast.Name):
        return "", ""
    thing: Any = names.get(function.id)
    for attribute in reversed(path):
        thing = getattr(thing, attribute, None)
    module = getattr(thing, "__module__", None) or ("numpy" if "numpy" in repr(type(thing)) else "")
    return getattr(thing, "__name__", ""), str(module)


def _of_choice(node: ast.AST, parent: ast.AST | None) -> str:
    """Advice on what Python decides by a truth value."""
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return "write a < b < c as (a < b) & (b < c)"
    if isinstance(parent, ast.BoolOp) or isinstance(node, ast.BoolOp):
        return "join conditions with & and | instead of and and or, each in parentheses"
    if any(isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Not) for n in (node, parent)):
        return f"negate a condition with ~ instead of not; for the choice {WHERE}"
    if isinstance(parent, (ast.If, ast.IfExp)) and parent.test is node:
        return WHERE
    if isinstance(parent, ast.While):
        return "use polhode.scalar.repeat(f, x, until, most), or loop a fixed number of times"
    if isinstance(parent, ast.Assert):
        return "check arguments before the program is called: nothing can be raised inside it"
    if any(node in part.ifs for part in getattr(parent, "generators", ())):
        return f"nothing can be left out by its value; {WHERE}, with 0.0 for what does not count"
    return ""


def _of_rest(node: ast.AST) -> str:
    """Advice on subscripts, operators and text."""
    if isinstance(node, ast.Subscript):
        if isinstance(node.ctx, ast.Store):
            return "arrays hold numbers and tuples cannot be changed: put traced values in a list"
        return (
            "an index must be known while tracing: use polhode.scalar.gather(table, index)"
            if isinstance(node.slice, (ast.Name, ast.Attribute, ast.BinOp, ast.Call, ast.Subscript))
            else ""
        )
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return _OPERATORS.get(type(node.op), "")
    if isinstance(node, (ast.JoinedStr, ast.FormattedValue)):
        return "a traced value has no digits yet; print(value) shows what it is made of"
    return ""
