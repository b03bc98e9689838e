"""What can be skipped: the nodes that only one side of a ``where`` on a branch needs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from .ops import AND, BRANCH, OR, WHERE
from .value import Value

Path = tuple[Value, ...]  # branches in order of creation: an inner one is made after the outer


def branches_of(nodes: Sequence[Value], outputs: Sequence[Value | float]) -> dict[int, Path]:
    """The branches without which a node is not needed; nothing if there are no branches.

    Parameters
    ----------
    nodes : sequence of Value
        What the outputs depend on, in order of evaluation.
    outputs : sequence of Value or float

    Returns
    -------
    branches : dict
        By number of the node.  What was computed before a condition is not skipped for it.
    """
    if not any(node.op is BRANCH for node in nodes):
        return {}
    implied = _implied(nodes)
    found: dict[int, Path] = {x.id: () for x in outputs if isinstance(x, Value)}
    for node in reversed(nodes):
        path = found[node.id]
        if path and path[-1].id >= node.id:
            path = found[node.id] = tuple(takewhile(lambda c, node=node: c.id < node.id, path))
        if node.op is WHERE or node.op is AND:
            for a, condition in _uses(node):
                use = path if condition is None else _joined(path, implied.get(condition.id, ()))
                known = found.get(a.id)
                found[a.id] = use if known is None else _shared(known, use)
        elif node.op.arity:
            for a in node.args:
                known = found.get(a.id)
                if known is None:
                    found[a.id] = path
                elif known and known is not path:
                    found[a.id] = _shared(known, path)
    return found


def _implied(nodes: Sequence[Value]) -> dict[int, Path]:
    """The branches that hold where a condition does, of the conditions that have any."""
    implied: dict[int, Path] = {}
    for node in nodes:
        if node.op is BRANCH:
            implied[node.id] = _joined((node,), implied.get(node.args[0].id, ()))
        elif node.op is AND or node.op is OR:
            first, second = (implied.get(a.id, ()) for a in node.args)
            both = _joined(first, second) if node.op is AND else _shared(first, second)
            if both:
                implied[node.id] = both
    return implied


def _uses(node: Value) -> list[tuple[Value, Value | None]]:
    """The operands of a choice or a conjunction, and the conditions under which it needs them."""
    if node.op is WHERE:
        condition, a, b = node.args
        return [(condition, None), (a, condition), (b, None)]
    a, b = node.args
    return [(a, b), (b, a)]


def _joined(a: Path, b: Path) -> Path:
    return tuple(sorted({c.id: c for c in (*a, *b)}.values(), key=lambda c: c.id)) if b else a


def _shared(a: Path, b: Path) -> Path:
    if a is b or not a or not b:
        return a if a is b else ()
    known = {c.id for c in b}
    found = tuple(c for c in a if c.id in known)
    return a if len(found) == len(a) else b if len(found) == len(b) else found
