"""Elements to be written, and numbers as text that reads back exactly."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import quoteattr

from ..spatial import Mat3, Quaternion, Transform


@dataclass
class MarkupElement:
    """An element to be written."""

    tag: str
    attributes: dict[str, str]
    children: list[MarkupElement] = field(default_factory=list)


def document(root: MarkupElement) -> str:
    """The text of an element with all that is in it, however deep."""
    lines: list[str] = []
    stack: list[tuple[int, MarkupElement | str]] = [(0, root)]
    while stack:
        depth, node = stack.pop()
        pad = "  " * depth
        if isinstance(node, str):
            lines.append(f"{pad}</{node}>")
            continue
        attributes = "".join(f" {key}={quoteattr(x)}" for key, x in node.attributes.items())
        lines.append(f"{pad}<{node.tag}{attributes}{'' if node.children else '/'}>")
        if node.children:
            stack.append((depth, node.tag))
            stack += [(depth + 1, child) for child in reversed(node.children)]
    return "\n".join([*lines, ""])


def number(value: Any) -> str:
    """The shortest text that reads back as the same number."""
    return repr(float(value))


def numbers(values: Iterable[Any]) -> str:
    """Several numbers, with blanks between."""
    return " ".join(map(number, values))


def quaternion(E: Mat3) -> str:
    """A coordinate rotation as ``w x y z``."""
    q = Quaternion.from_matrix(E)
    return numbers((q.w, q.x, q.y, q.z))


def is_straight(frame: Transform) -> bool:
    """Whether a frame is not turned."""
    return frame.E.rows() == Mat3.identity().rows()


def placed(frame: Transform, origin: str, quat: str) -> dict[str, str]:
    """The attributes of a pose, without those that say nothing.

    Quarter turns are written as roll, pitch and yaw, which read back exactly.
    """
    found = {}
    if any(frame.r):
        found[origin] = numbers(frame.r)
    if is_straight(frame):
        return found
    if frame.E.is_monomial:
        return {**found, quat.replace("quat", "rpy"): numbers(_angles(frame.E))}
    return {**found, quat: quaternion(frame.E)}


def _angles(E: Mat3) -> tuple[float, float, float]:
    """Roll, pitch and yaw of quarter turns."""
    (a, b, c), (d, e, f), (_, _, i) = E.rows()
    if abs(c) == 1.0:
        return 0.0, math.copysign(math.pi / 2, -c), math.atan2(-d, e) + 0.0
    return math.atan2(f, i) + 0.0, 0.0, math.atan2(b, a) + 0.0
