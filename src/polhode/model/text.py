"""A model's tree and degrees of freedom as text."""

from __future__ import annotations

from collections.abc import Sequence

from ..notebooks import table
from .records import Link

MOST_LINES, MOST_INDENT = 1000, 60
"""Lines of `str` of a model; levels that are indented, deeper ones show their number."""


def hierarchy(base: str, links: Sequence[Link], most: int | None = None) -> str:
    """Each link on a line, indented under its parent, with its joint's degrees of freedom.

    At most so many lines, and the number of those that are left out.
    """
    children: dict[str | None, list[Link]] = {}
    for link in links:
        children.setdefault(link.parent, []).append(link)
    lines, stack = [base], [(1, link) for link in reversed(children.get(None, []))]
    while stack and (most is None or len(lines) <= most):
        depth, link = stack.pop()
        freedoms = f"[ {', '.join(link.joint.dof_names)}{_relation(link)} ]"
        freedoms = freedoms if link.joint.nv else "[fixed]"
        lines.append(f"{_indent(depth)}{link.name} {freedoms}")
        stack += [(depth + 1, child) for child in reversed(children.get(link.name, []))]
    if len(lines) <= len(links):
        lines.append(f"... and {len(links) + 1 - len(lines)} more links")
    return "\n".join(lines)


def _relation(link: Link) -> str:
    """What a coupled joint follows."""
    mimic = link.mimic
    if mimic is None or not mimic.coupled:
        return ""
    offset = f" {mimic.offset:+g}" if mimic.offset else ""
    return f" = {mimic.multiplier:g} {mimic.joint}{offset}"


def _indent(depth: int) -> str:
    """Two spaces a level; a chain of thousands of links would else take gigabytes."""
    return "  " * depth if depth <= MOST_INDENT else f"{'  ' * MOST_INDENT}({depth}) "


def html_table(title: str, links: Sequence[Link]) -> str:
    """A row for each of the first links: its parent, joint, limits and mass."""
    heads = ("link", "parent", "joint", "limits", "mass [kg]")
    more = len(links) - MOST_LINES
    rest = f"... and {more} more links" if more > 0 else ""
    return table(title, heads, [_cells(link) for link in links[:MOST_LINES]], rest)


def _cells(link: Link) -> tuple[str, ...]:
    limits = f"{link.limits.lower:g} to {link.limits.upper:g}" if link.limits else ""
    joint = f"{link.joint_name} ({link.joint.name})"
    return link.name, link.parent or "", joint, limits, f"{link.body.mass:g}"


def dof_overview(links: Sequence[Link]) -> str:
    """Index in ``qd`` and name of each degree of freedom, a line each."""
    names = [f"{link.name}_{dof}" for link in links for dof in link.joint.dof_names]
    return "\n".join(f"{k:3d}: {name}" for k, name in enumerate(names))
