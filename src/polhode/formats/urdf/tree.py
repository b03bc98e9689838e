"""The order of the links: from the root, depth first, children by joint name.

That is the order of urdfdom, hence of Pinocchio and of RBDL's reader, so that joint vectors can be
exchanged with them.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..names import near, shorten
from ..xml import Element
from .joint import UrdfJoint


def ordered(
    links: Mapping[str, Element], joints: Mapping[str, UrdfJoint]
) -> tuple[str, list[UrdfJoint]]:
    """The root link, and the joints so that each comes after the joint of its parent link.

    Raises
    ------
    ParseError
        Unless the joints make one tree of all links.
    """
    inboard: dict[str, UrdfJoint] = {}
    outboard: dict[str, list[UrdfJoint]] = {name: [] for name in links}
    for joint in joints.values():
        _check_ends(joint, links)
        if joint.child in inboard:
            raise joint.element.error(
                f"link '{joint.child}' has two parent joints: '{inboard[joint.child].name}' "
                f"and '{joint.name}'"
            )
        inboard[joint.child] = joint
        outboard[joint.parent].append(joint)

    roots = [name for name in links if name not in inboard]
    if len(roots) > 1:
        names = " and ".join(f"'{shorten(name)}'" for name in roots[:5])
        raise links[roots[1]].error(
            f"expected one root link, found {len(roots)}: {names}"
            + (" and more" if len(roots) > 5 else "")
        )
    if not roots:
        raise _cycle_error(next(iter(links)), inboard)

    order, stack = [], [roots[0]]
    while stack:
        name = stack.pop()
        if name in inboard:
            order.append(inboard[name])
        children = sorted(outboard[name], key=lambda joint: joint.name.encode(), reverse=True)
        stack.extend(joint.child for joint in children)
    if len(order) + 1 < len(links):
        reached = {roots[0], *(joint.child for joint in order)}
        raise _cycle_error(next(name for name in links if name not in reached), inboard)
    return roots[0], order


def _check_ends(joint: UrdfJoint, links: Mapping[str, Element]) -> None:
    for role, name in (("parent", joint.parent), ("child", joint.child)):
        if name not in links:
            hint = near(name, links)
            if name == "world" and not hint:
                hint = '; a URDF that stands on it has <link name="world"/>'
            raise joint.element.error(
                f"joint '{shorten(joint.name)}' has an unknown {role} link '{shorten(name)}'{hint}"
            )


def _cycle_error(start: str, inboard: Mapping[str, UrdfJoint]) -> Exception:
    """The error for a link whose chain of parents never ends."""
    seen: dict[str, None] = {}
    name = start
    while name not in seen:
        seen[name] = None
        name = inboard[name].parent
    path = list(seen)
    loop = [*path[path.index(name) :], name]
    names = " <- ".join(f"'{shorten(part)}'" for part in loop[:6])
    more = " <- ..." if len(loop) > 6 else ""
    return inboard[name].element.error(f"the joints form a cycle of links: {names}{more}")
