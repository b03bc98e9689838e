"""The elements of a file by kind and by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...errors import ParseError
from ..names import near, shorten
from ..xml import Element
from .values import describe
from .vocabulary import JOINTS, PRIMITIVES, tag_of

KINDS: dict[str, tuple[str, ...]] = {
    "primitive": tuple(PRIMITIVES),
    "force": ("GravityForce", "StokesDragForce", "DampingForce"),
    "dissipation": ("Dissipation",),
    "body": ("RigidBody",),
    "joint": tuple(JOINTS),
    "articulated body": ("RCArticulatedBody", "MCArticulatedBody"),
    "plug-in": ("CollisionDetectionPlugin",),
    "simulator": ("Simulator", "TimeSteppingSimulator"),
    "SDF": ("SDF",),
    "pseudo-rigid body": ("PseudoRigidBody",),
    "old simulator": ("EventDrivenSimulator",),
}
_KIND = {tag.lower(): kind for kind, tags in KINDS.items() for tag in tags}


def kind_of(element: Element) -> str | None:
    return _KIND.get(element.tag.lower())


@dataclass
class Objects:
    """Elements of one kind by id, in the order of the file."""

    kind: str
    elements: dict[str, Element] = field(default_factory=dict)

    def find(self, name: str, user: Element) -> Element:
        """The element of an id, which ``user`` names."""
        if name not in self.elements:
            hint = near(name, self.elements) or (
                f" (there are: {', '.join(map(shorten, list(self.elements)[:5]))})"
                if self.elements and len(self.elements) <= 5
                else ""
            )
            raise user.error(f"{describe(user)}: no {self.kind} '{shorten(name)}'{hint}")
        return self.elements[name]

    def items(self) -> Iterable[tuple[str, Element]]:
        return self.elements.items()


def collect(moby: Element) -> dict[str, Objects]:
    """All objects inside an element, at any depth.

    Raises
    ------
    ParseError
        For an id that two objects of a kind have.
    """
    found = {kind: Objects(kind) for kind in KINDS}
    for element in walk(moby):
        kind = kind_of(element)
        if kind is None:
            continue
        objects = found[kind].elements
        name = element.attributes.get("id", "").strip() or _free(element, objects)
        if name in objects:
            raise element.error(
                f"duplicate {kind} id '{shorten(name)}', first in line {objects[name].line}"
            )
        objects[name] = element
    _check_across(found)
    return found


def _free(element: Element, taken: dict[str, Element]) -> str:
    """A name for an object without id."""
    name = f"{tag_of(element)}-{element.line}"
    while name in taken:
        name += "'"
    return name


def _check_across(found: dict[str, Objects]) -> None:
    """A body and an articulated body must not share an id: contacts name either."""
    for name, element in found["articulated body"].items():
        other = found["body"].elements.get(name)
        if other is not None:
            first, second = sorted((element, other), key=lambda e: e.line)
            raise ParseError(
                f"duplicate id '{shorten(name)}' of {describe(second)}, first in line {first.line}",
                second.file,
                second.line,
            )


def walk(element: Element) -> Iterator[Element]:
    """An element and all inside it, in the order of the file."""
    stack = [element]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.children))


def children(element: Element, *tags: str) -> list[Element]:
    """The elements directly inside another whose tag, in any case, is one of these."""
    wanted = {tag.lower() for tag in tags}
    return [child for child in element.children if child.tag.lower() in wanted]
