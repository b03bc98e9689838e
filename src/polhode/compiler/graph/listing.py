"""Straight-line code as text to read: blocks that may be skipped, and loops, are indented."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from .code import Code
from .ops import CONST, INPUT, Op

_INDENT = "    "


def listing(code: Code, scope: str = "") -> Iterator[str]:
    """The lines of some code, in order.

    Parameters
    ----------
    code : Code
    scope : str
        What names of values begin with: the name of the loop of whose turn this is the code.
    """
    depth = 0
    above: tuple[int, ...] = ()
    for k, (op, args, branches) in enumerate(zip(code.ops, code.args, code.branches, strict=True)):
        if op is INPUT or op is CONST:
            continue
        if branches != above:
            depth = _shared(above, branches)
            for condition in branches[depth:]:
                yield _INDENT * depth + f"when {_name(code, condition, scope)}:"
                depth += 1
            above = branches
        operands = ", ".join(_name(code, a, scope) for a in args)
        yield _INDENT * depth + f"{_name(code, k, scope)} = {op.name}({operands})"
        if op.loop is not None:
            yield from (_INDENT * (depth + 1) + line for line in _turn(op, f"{scope}v{k}."))
    yield "return " + ", ".join(_name(code, k, scope) for k in code.outputs)


def _turn(op: Op, scope: str) -> Iterator[str]:
    """A turn of a loop, whose inputs are the operands after the first, and what it returns."""
    assert op.loop is not None
    yield f"at most {op.loop.most} turns, the last result says whether to go on:"
    yield from listing(op.loop.code, scope)


def _shared(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """How many branches two paths begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def _name(code: Code, k: int, scope: str) -> str:
    op = code.ops[k]
    if op is CONST:
        return repr(code.args[k][0])
    return f"{scope}{'in' if op is INPUT else 'v'}{code.args[k][0] if op is INPUT else k}"
