"""Joints of an articulated body: those of its tree, and those that close loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from ..names import near, shorten
from ..xml import Element
from .bodies import MobyBody
from .joints import MobyJoint
from .values import describe


@dataclass(frozen=True, eq=False)
class Tree:
    """Links in an order in which parents come first; ``inner`` is each link's explicit joint."""

    base: str
    order: tuple[str, ...]
    inner: Mapping[str, MobyJoint]
    loops: tuple[MobyJoint, ...]


def make_tree(owner: Element, links: Mapping[str, MobyBody], joints: Sequence[MobyJoint]) -> Tree:
    """Sort the joints of an articulated body.

    Links are taken in the order of the file.  A joint that is the first to reach its outboard link
    is explicit, or the first with a spring; any other one closes a loop.  Where no link is left as
    the base, the first is.

    Raises
    ------
    ParseError
        Unless exactly one link has no explicit joint towards the base, and all hang on it.
    """
    outgoing: dict[str, list[MobyJoint]] = {name: [] for name in links}
    for joint in joints:
        for role, link in (("inboard", joint.inboard), ("outboard", joint.outboard)):
            if link not in links:
                raise joint.element.error(
                    f"{describe(joint.element)}: {describe(owner)} has no {role} link "
                    f"'{shorten(link)}'{near(link, links)}"
                )
        if joint.inboard == joint.outboard:
            raise joint.element.error(f"{describe(joint.element)} joins a link to itself")
        outgoing[joint.inboard].append(joint)
    inner: dict[str, MobyJoint] = {}
    loops = []
    for name in links:
        for joint in outgoing[name]:
            other = inner.get(joint.outboard)
            if other is None:
                inner[joint.outboard] = joint
            elif joint.has_spring and not other.has_spring:
                inner[joint.outboard] = joint
                loops.append(other)
            else:
                loops.append(joint)
    first = next(iter(links), None)
    if first in inner and len(inner) == len(links):
        loops.append(inner.pop(first))
    base = _base(owner, links, inner)
    order = _parents_first(base, links, outgoing, inner)
    reached = set(order)
    left = [name for name in links if name not in reached]
    if left:
        raise inner[left[0]].element.error(
            f"the joints of {describe(owner)} form a cycle that does not hang on its base "
            f"'{shorten(base)}': {', '.join(repr(shorten(name)) for name in left[:5])}"
        )
    return Tree(base, tuple(order), inner, tuple(loops))


def _parents_first(
    base: str,
    links: Mapping[str, MobyBody],
    outgoing: Mapping[str, Sequence[MobyJoint]],
    inner: Mapping[str, MobyJoint],
) -> list[str]:
    """The links that hang on the base, in the order of the file as far as parents allow."""
    place = {name: k for k, name in enumerate(links)}
    names = list(links)
    order, waiting = [], [place[base]]
    while waiting:
        name = names[heappop(waiting)]
        order.append(name)
        for joint in outgoing[name]:
            if inner.get(joint.outboard) is joint:
                heappush(waiting, place[joint.outboard])
    return order


def _base(owner: Element, links: Mapping[str, MobyBody], inner: Mapping[str, MobyJoint]) -> str:
    roots = [name for name in links if name not in inner]
    if not links:
        raise owner.error(f"{describe(owner)} has no links")
    if len(roots) > 1:
        element = links[roots[1]].element
        names = " and ".join(f"'{shorten(name)}'" for name in roots[:4])
        raise element.error(
            f"expected one base link of {describe(owner)}, found {len(roots)} links that no joint "
            f"leads to: {names}; fixed joints hold them together"
        )
    return roots[0]
