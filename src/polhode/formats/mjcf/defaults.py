"""``<default>``: attributes that elements of a class have unless they say otherwise."""

from __future__ import annotations

from collections.abc import Mapping

from ..names import near, shorten
from ..xml import Element
from .frames import ORIENTATIONS
from .values import describe, text, word

MAIN = "main"
BARE = "(none)"  # a class without defaults, of elements that no file has written
SHARED: dict[str, str | None] = {
    "freejoint": None,
    **dict.fromkeys(("connect", "weld", "flex", "flexstrain"), "equality"),
    **dict.fromkeys(("spatial", "fixed"), "tendon"),
}
"""Elements that take the defaults of another tag, or none."""
Attributes = Mapping[str, str]


class Classes:
    """The classes of a file: for each the attributes of each tag.

    ``written`` are the elements of each class in order, after those of the classes around it.
    """

    def __init__(self, root: Element):
        self.of: dict[str, dict[str, Attributes]] = {MAIN: {}, BARE: {}}
        self.written: dict[str, list[list[Element]]] = {MAIN: [[]], BARE: [[]]}
        for element in root.all("default"):
            name = word(element, "class") or MAIN
            if name == MAIN:
                self._fill(element, MAIN, self.of[MAIN])
            else:
                self._add(element, MAIN)

    def _add(self, element: Element, parent: str) -> None:
        name = text(element, "class")
        if name is None:
            raise element.error("a <default> inside another has no attribute 'class'")
        if name in self.of:
            raise element.error(f"duplicate default class '{shorten(name)}'")
        self.of[name] = dict(self.of[parent])
        self.written[name] = [*map(list, self.written[parent]), []]
        self._fill(element, name, self.of[name])

    def _fill(self, element: Element, name: str, own: dict[str, Attributes]) -> None:
        for child in element.children:
            if child.tag != "default":
                own[child.tag] = _merged(own.get(child.tag, {}), child.attributes)
                self.written[name][-1].append(child)
        for child in element.all("default"):
            self._add(child, name)

    def apply(self, element: Element, childclass: str | None, tag: str | None = "") -> Element:
        """An element with the attributes of its class; ``tag`` is what its defaults are under."""
        tag = SHARED.get(element.tag, element.tag) if tag == "" else tag
        name = word(element, "class") or childclass or MAIN
        if name not in self.of:
            raise element.error(
                f"{describe(element)}: no default class '{shorten(name)}'{near(name, self.of)}"
            )
        inherited = self.of[name].get(tag, {}) if tag else {}
        if not inherited:
            return element
        attributes = _merged(inherited, element.attributes)
        return Element(element.tag, attributes, element.file, element.line, element.children)


def _merged(inherited: Attributes, own: Attributes) -> dict[str, str]:
    """Both, where an element's own orientation replaces an inherited one of another kind."""
    if any(key in own for key in ORIENTATIONS):
        inherited = {k: v for k, v in inherited.items() if k not in ORIENTATIONS}
    return {**inherited, **own}
