"""A model's tree and degrees of freedom as text."""

from __future__ import annotations

from collections.abc import Sequence

from .records import Link


def hierarchy(base: str, links: Sequence[Link]) -> str:
    """Each link on a line, indented under its parent, with the freedoms of its joint."""
    children: dict[str | None, list[Link]] = {}
    for link in links:
        children.setdefault(link.parent, []).append(link)
    lines, stack = [base], [(1, link) for link in reversed(children.get(None, []))]
    while stack:
        depth, link = stack.pop()
        freedoms = f"[ {', '.join(link.joint.dof_names)} ]" if link.joint.nv else "[fixed]"
        lines.append(f"{'  ' * depth}{link.name} {freedoms}")
        stack += [(depth + 1, child) for child in reversed(children.get(link.name, []))]
    return "\n".join(lines)


def dof_overview(links: Sequence[Link]) -> str:
    """Index in ``qd`` and name of each degree of freedom, a line each."""
    names = [f"{link.name}_{dof}" for link in links for dof in link.joint.dof_names]
    return "\n".join(f"{k:3d}: {name}" for k, name in enumerate(names))
