"""Elements that name others, such as tendons: one copy for each copy of what they name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..names import near, shorten
from ..xml import Element
from .source import Attachment
from .tree import MjcfTree
from .values import describe

Keys = list[tuple[str, str]]


@dataclass(frozen=True)
class Copy:
    """An element with the attributes of its class, what it names, and what copies it."""

    source: Attachment
    suffix: str
    element: Element
    found: list[Any]
    replicate: int

    @property
    def name(self) -> str | None:
        """Its name in the model."""
        return self.source.name(self.element, self.suffix)


def copies_of(
    tree: MjcfTree, section: str, named: Callable[[Element], Keys], place: Callable[[Any], int]
) -> list[Copy]:
    """The elements of a section in MuJoCo's order.

    First those of the file itself, then those of each replica and each attached model, in the order
    of the bodies.  ``named`` are kinds and names that an element refers to, ``place`` is the number
    of the body that something named belongs to.  What stands in the world itself has no place.
    """
    groups: dict[tuple[int, str, int], list[Copy]] = {}
    for number, source in enumerate(tree.sources):
        for whole in source.document.root.all(section):
            for element in whole.children:
                for copy in _copies(source, element, named):
                    groups.setdefault((number, copy.suffix, copy.replicate), []).append(copy)
    first = groups.pop((0, "", 0), [])
    rest = sorted(groups.values(), key=lambda group: first_place(_found(group), place))
    return [*first, *(copy for group in rest for copy in group)]


def _copies(
    source: Attachment, element: Element, named: Callable[[Element], Keys]
) -> Iterator[Copy]:
    keys = named(element)
    for kind, name in keys:
        if (kind, name) not in source.copies:
            if not source.is_whole:
                return
            known = [own for other, own in source.copies if other == kind]
            raise element.error(f"{describe(element)}: no {kind} '{shorten(name)}'"
                                f"{near(name, known)}")  # fmt: skip
    replicate = source.replicate_of(keys)
    for suffix, found in source.references(keys):
        yield Copy(source, suffix, element, found, replicate)


def _found(group: list[Copy]) -> list[Any]:
    return [each for copy in group for each in copy.found]


def first_place(found: list[Any], place: Callable[[Any], int]) -> int:
    """The first body that any of these belong to; that of the world only if there is no other."""
    return min(filter(None, map(place, found)), default=0)
