"""Joints of an articulated body: those of its trees, and those that close loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from ..names import near, shorten
from ..xml import Element
from .bodies import MobyBody
from .joints import MobyJoint
from .values import describe

Outgoing = Mapping[str, Sequence[MobyJoint]]


@dataclass(frozen=True, eq=False)
class Tree:
    """Links in an order in which parents come first; ``inner`` is each link's explicit joint.

    Links without one are the ``bases``; there are several if the trees are disjoint.
    """

    bases: tuple[str, ...]
    order: tuple[str, ...]
    inner: Mapping[str, MobyJoint]
    loops: tuple[MobyJoint, ...]

    @property
    def base(self) -> str:
        """The first base."""
        return self.bases[0]


def make_tree(owner: Element, links: Mapping[str, MobyBody], joints: Sequence[MobyJoint]) -> Tree:
    """Sort the joints of an articulated body of one base.

    Links are taken in the order of the file.  A joint that is the first to reach its outboard link
    is explicit, or the first with a spring; any other one closes a loop.  Where no link is left as
    the base, the first is.

    Raises
    ------
    ParseError
        Unless exactly one link has no explicit joint towards the base, and all hang on it.
    """
    outgoing = _outgoing(owner, links, joints)
    inner, loops = _explicit(links, outgoing)
    first = next(iter(links), None)
    if first in inner and len(inner) == len(links):
        loops.append(inner.pop(first))
    base = _base(owner, links, inner)
    order = _parents_first([base], links, outgoing, inner)
    reached = set(order)
    left = [name for name in links if name not in reached]
    if left:
        raise inner[left[0]].element.error(
            f"the joints of {describe(owner)} form a cycle that does not hang on its base "
            f"'{shorten(base)}': {', '.join(repr(shorten(name)) for name in left[:5])}"
        )
    return Tree((base,), tuple(order), inner, tuple(loops))


def make_forest(owner: Element, links: Mapping[str, MobyBody], joints: Sequence[MobyJoint]) -> Tree:
    """Sort the joints of a model of one tree or several, as `make_tree` does.

    The first link of a cycle that hangs on no base becomes one.

    Raises
    ------
    ParseError
        For joints of unknown links, or of one link only.
    """
    outgoing = _outgoing(owner, links, joints)
    inner, loops = _explicit(links, outgoing)
    bases = [name for name in links if name not in inner]
    order = _parents_first(bases, links, outgoing, inner)
    while len(order) < len(links):
        base = _first_of_cycle(links, inner, set(order))
        loops.append(inner.pop(base))
        bases.append(base)
        order = _parents_first(bases, links, outgoing, inner)
    bases.sort(key=order.index)
    return Tree(tuple(bases), tuple(order), inner, tuple(loops))


def _outgoing(
    owner: Element, links: Mapping[str, MobyBody], joints: Sequence[MobyJoint]
) -> dict[str, list[MobyJoint]]:
    """The joints of which each link is the inboard one."""
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
    return outgoing


def _explicit(
    links: Mapping[str, MobyBody], outgoing: Outgoing
) -> tuple[dict[str, MobyJoint], list[MobyJoint]]:
    """The explicit joint of each link that has one, and all others."""
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
    return inner, loops


def _first_of_cycle(
    links: Mapping[str, MobyBody], inner: Mapping[str, MobyJoint], reached: set[str]
) -> str:
    """The first link, in the order of the file, of a cycle that no base leads to."""
    at = next(name for name in links if name not in reached)
    passed: set[str] = set()
    while at not in passed:
        passed.add(at)
        at = inner[at].inboard
    cycle = {at}
    while inner[at].inboard not in cycle:
        at = inner[at].inboard
        cycle.add(at)
    return next(name for name in links if name in cycle)


def _parents_first(
    bases: Sequence[str],
    links: Mapping[str, MobyBody],
    outgoing: Outgoing,
    inner: Mapping[str, MobyJoint],
) -> list[str]:
    """The links that hang on the bases, in the order of the file as far as parents allow."""
    place = {name: k for k, name in enumerate(links)}
    names = list(links)
    order, waiting = [], [place[base] for base in bases]
    heapify(waiting)
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
