"""Frames on links as sites of an MJCF file: those that are there, or new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...spatial import Transform, Vec3
from ..markup import MarkupElement
from .body_writer import BodyWriter, Key
from .geom_writer import Attributes, posed
from .tree import unused


@dataclass
class SiteWriter:
    """Names sites, and writes those that no link of the scene is."""

    bodies: BodyWriter
    taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        links = self.bodies.names.links
        self.taken |= set(links.values())
        self._names: dict[tuple[Key | None, Transform], str] = {}
        self._points: dict[tuple[Key | None, Vec3], str] = {}
        for site, (body, frame) in self.bodies.sites.items():
            self._keep(*self.on_body(body, frame), links[site])

    def at(self, link: Key | None, frame: Transform, name: str) -> str:
        """The site at a frame of a link; a new one gets a name like this one."""
        place = self.on_body(link, frame)
        return self._names.get(place) or self._add(*place, name, {})

    def at_point(self, link: Key | None, point: Sequence[float], name: str) -> str:
        """A site at a point of a link, turned as may be; a new one gets a name like this one."""
        link, frame = self.on_body(link, Transform.translation(*point))
        return self._points.get((link, frame.r)) or self.at(link, frame, name)

    def with_shape(
        self, link: Key | None, frame: Transform, name: str, values: Attributes
    ) -> str:  # fmt: skip
        """A site of a shape: the one at this frame gets it, unless it has another."""
        link, frame = self.on_body(link, frame)
        own = self.at(link, frame, name)
        sites = (each for each in self.bodies.element(link).children if each.tag == "site")
        element = next(each for each in sites if each.attributes["name"] == own)
        if not element.attributes.keys() & {"type", "size"}:
            element.attributes |= values
        if element.attributes.items() >= values.items():
            return own
        return self._add(link, frame, name, values)

    def _add(self, link: Key | None, frame: Transform, name: str, values: Attributes) -> str:
        own = unused(name, self.taken)
        element = MarkupElement("site", {"name": own, **values, **posed(frame)})
        self.bodies.element(link).children.append(element)
        self._keep(link, frame, own)
        return own

    def _keep(self, link: Key | None, frame: Transform, name: str) -> None:
        self._names.setdefault((link, frame), name)
        self._points.setdefault((link, frame.r), name)

    def on_body(self, link: Key | None, frame: Transform) -> tuple[Key | None, Transform]:
        """The same frame seen from a body, where the link is a site itself."""
        if link in self.bodies.sites:
            link, place = self.bodies.sites[link]
            frame = frame @ place
        is_world = self.bodies.element(link) is self.bodies.world
        return None if is_world else link, frame
