"""The tree of bodies in a file, with frames, replicas and attached models resolved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ...spatial import Transform
from ..names import near, shorten
from ..xml import Element
from .compiler import Compiler
from .frames import euler
from .source import Attachment, Document
from .values import describe, integer, required, vector, word

WORLD = "world"
MOST_PARTS = 30_000  # bodies, joints, geoms and sites
MOST_ATTACHED = 32  # models attached inside one another
REFUSED = {"composite": "composites", "flexcomp": "flexible bodies", "plugin": "plug-ins"}
PASSIVE = ("light",)
SCALES = ("scale", "massscale", "scaling")


@dataclass(frozen=True)
class Part:
    """A joint, geom, site or inertial: the element with its defaults, and its frame.

    ``frame`` leads from the body's coordinates to those in which the element is written.
    """

    element: Element
    source: Attachment
    frame: Transform
    name: str | None

    @property
    def pose(self) -> Transform:
        """From the body's coordinates to the element's own."""
        return self.source.document.pose(self.element) @ self.frame


@dataclass(eq=False)
class MjcfBody:
    """A body with what stands in it; ``place`` leads from the parent body's coordinates to its."""

    name: str
    element: Element
    source: Attachment
    parent: MjcfBody | None
    place: Transform
    inertial: Part | None = None
    joints: list[Part] = field(default_factory=list)
    geoms: list[Part] = field(default_factory=list)
    sites: list[Part] = field(default_factory=list)

    @property
    def is_root(self) -> bool:
        """Whether it stands in the world itself."""
        return self.parent is not None and self.parent.parent is None

    @property
    def can_move(self) -> bool:
        """Whether there are joints between it and the world."""
        body: MjcfBody | None = self
        while body is not None and not body.joints:
            body = body.parent
        return body is not None


@dataclass(frozen=True)
class _Place:
    """Where an element stands: in a body, in frames, in a class, in replicas."""

    source: Attachment
    body: MjcfBody
    frame: Transform
    childclass: str | None = None
    suffix: str = ""
    copies: int = 1
    replicate: int = 0

    def inside(self, element: Element, frame: Transform) -> _Place:
        """Inside an element with a frame, which may have a class for what is in it."""
        return replace(self, frame=frame, childclass=word(element, "childclass") or self.childclass)


class MjcfTree:
    """All bodies, the world first, each before its children."""

    def __init__(self, document: Document):
        self.main: Attachment = Attachment(document)
        self.sources: list[Attachment] = [self.main]
        world = Element("worldbody", {"name": WORLD}, document.root.file, document.root.line)
        self.bodies: list[MjcfBody] = [
            MjcfBody(WORLD, world, self.main, None, Transform.identity())
        ]
        self.count: int = 0
        self._names: dict[str, set[str]] = {"body": {WORLD}}
        self._merged: dict[tuple[int, str | None], Element] = {}
        self._frames: dict[int, list[Transform]] = {}
        self.main.put("body", world, "", self.bodies[0])
        self._fill(_Place(self.main, self.bodies[0], Transform.identity()), document.contents)
        self._name_the_unnamed()

    def _fill(self, place: _Place, contents: list[Element]) -> None:
        stack = [(element, place) for element in reversed(contents)]
        while stack:
            element, place = stack.pop()
            inner = list(self._read(element, place))
            stack += reversed(inner)

    def _read(self, element: Element, place: _Place) -> Iterator[tuple[Element, _Place]]:
        """Take one element; what is inside it, and where, is still to be read."""
        self.count += 1
        if self.count > MOST_PARTS:
            raise element.error(
                f"expected at most {MOST_PARTS} bodies, joints, geoms and sites, with replicas and "
                "attached models"
            )
        match element.tag:
            case "body":
                return self._body(element, place)
            case "frame":
                return self._frame(element, place)
            case "replicate":
                return self._replicas(element, place)
            case "attach":
                return self._attached(element, place)
            case "geom" | "site" | "camera" | "joint" | "freejoint" | "inertial":
                self._part(element, place)
            case tag if tag in REFUSED:
                raise element.error(f"{describe(element)}: {REFUSED[tag]} are not read")
            case tag if tag not in PASSIVE:
                known = ("body", "frame", "replicate", "attach", "geom", "site", "joint")
                raise element.error(f"unknown element <{shorten(tag)}> in a body{near(tag, known)}")
        return iter(())

    # -- elements with others inside --

    def _body(self, element: Element, place: _Place) -> Iterator[tuple[Element, _Place]]:
        source = place.source
        body = MjcfBody(
            self._name("body", element, place) or "",
            element,
            source,
            place.body,
            source.document.pose(element) @ place.frame,
        )
        self.bodies.append(body)
        self._put("body", element, place, body)
        inner = replace(place.inside(element, Transform.identity()), body=body)
        for child in element.children:
            yield child, inner

    def _frame(self, element: Element, place: _Place) -> Iterator[tuple[Element, _Place]]:
        for key in SCALES:
            if key in element.attributes:
                raise element.error(f"{describe(element)}: frames that scale are not read")
        frame = place.source.document.pose(element) @ place.frame
        for child in element.children:
            yield child, place.inside(element, frame)

    def _replicas(self, element: Element, place: _Place) -> Iterator[tuple[Element, _Place]]:
        """Copies, each moved against the one before; copy k is turned by k times the angles."""
        required(element, "count")
        count = integer(element, "count", 1)
        copies = place.copies * count
        if count < 0 or copies * max(1, len(element.children)) > MOST_PARTS:
            raise element.error(f"expected 0 to {MOST_PARTS} replicas, found {copies}")
        if not count:
            text = "<replicate> of count 0: nothing of it is in the model"
            place.source.document.notes.add("hint", text, element.line)
        separator, digits = element.attributes.get("sep", ""), len(str(count))
        for child in element.children:
            if child.tag in ("joint", "freejoint", "inertial"):
                raise child.error(f"a <{child.tag}> cannot be replicated without its body")
        for k, frame in enumerate(self._steps(element, count, place.source.document.compiler)):
            suffix = f"{separator}{k:0{digits}}{place.suffix}"
            inner = replace(
                place,
                frame=frame @ place.frame,
                suffix=suffix,
                copies=copies,
                replicate=id(element),
            )
            for child in element.children:
                yield child, inner

    def _steps(self, element: Element, count: int, compiler: Compiler) -> list[Transform]:
        """The frames of all copies, computed once however often they are copied themselves."""
        if id(element) not in self._frames:
            offset = vector(element, "offset", (0.0, 0.0, 0.0))
            angles = compiler.angles(element, "euler", 3, 3)
            frames = [Transform.identity()]
            for k in range(1, count):
                last = frames[-1]
                E = euler([k * angle for angle in angles], compiler.eulerseq) if angles else last.E
                frames.append(Transform(E, last.r + last.E.T @ offset))
            self._frames[id(element)] = frames[:count]
        return self._frames[id(element)]

    def _attached(self, element: Element, place: _Place) -> Iterator[tuple[Element, _Place]]:
        document = place.source.document.model(element)
        prefix = place.source.prefix + required(element, "prefix")
        depth = place.source.depth + 1
        if depth > MOST_ATTACHED:
            raise element.error(f"expected at most {MOST_ATTACHED} models attached in one another")
        asked = [(tag, element.attributes[tag]) for tag in ("body", "frame")
                 if tag in element.attributes]  # fmt: skip
        if len(asked) > 1:
            raise element.error(f"{describe(element)}: expected a body or a frame, found both")
        source = Attachment(document, prefix, place.suffix, depth, not asked)
        self.sources.append(source)
        source.put("body", self.bodies[0].element, "", place.body)
        childclass, contents = None, document.contents
        if asked:
            childclass, found = _named(document, element, *asked[0])
            contents = [found]
        inner = replace(place, source=source, childclass=childclass)
        for child in contents:
            yield child, inner

    # -- elements with nothing inside --

    def _part(self, element: Element, place: _Place) -> None:
        key = (id(element), place.childclass)
        if key not in self._merged:
            classes = place.source.document.classes
            self._merged[key] = classes.apply(element, place.childclass)
        merged, kind = self._merged[key], _KINDS[element.tag]
        part = Part(merged, place.source, place.frame, self._name(kind, element, place))
        self._put(kind, element, place, (place.body, part))
        body = place.body
        match kind:
            case "geom":
                body.geoms.append(part)
            case "site":
                body.sites.append(part)
            case "camera":
                pass  # only sensors name it
            case _ if body.parent is None:
                raise element.error(f"a <{element.tag}> cannot stand in the world itself")
            case "joint":
                body.joints.append(part)
            case _ if body.inertial is not None:
                raise element.error(f"{describe(body.element)} has more than one <inertial>")
            case _:
                body.inertial = part

    # -- names --

    def _put(self, kind: str, element: Element, place: _Place, value: Any) -> None:
        """Keep an element for references: by its name in its file, and by that in the model."""
        place.source.put(kind, element, place.suffix, value, place.replicate)
        own, full = element.attributes.get("name"), place.source.name(element, place.suffix)
        if full and full != own:
            self.main.copies.setdefault((kind, full), {})[""] = value

    def _name(self, kind: str, element: Element, place: _Place) -> str | None:
        name = place.source.name(element, place.suffix)
        taken = self._names.setdefault(kind, set())
        if name in taken:
            raise element.error(f"duplicate {kind} name '{shorten(name)}'")
        if name:
            taken.add(name)
        return name

    def _name_the_unnamed(self) -> None:
        """Names of bodies that have none: their numbers in the file."""
        taken = self._names["body"]
        for number, body in enumerate(self.bodies):
            if not body.name:
                body.name = unused(f"body{number}", taken)


_KINDS = {"joint": "joint", "freejoint": "joint", "geom": "geom", "site": "site",
          "camera": "camera", "inertial": "inertial"}  # fmt: skip


def unused(name: str, taken: set[str]) -> str:
    """A name like this one that nothing has yet; it is taken from now on."""
    free = name
    if name in taken:
        low, high = 0, 1
        while _variant(name, high) in taken:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            is_taken = _variant(name, middle) in taken
            low, high = (middle, high) if is_taken else (low, middle)
        free = _variant(name, high)
    taken.add(free)
    return free


def _variant(name: str, k: int) -> str:
    """The ``k``-th name like this one: ``name'``, ``name'2``, ``name'3``."""
    return f"{name}'{k}" if k > 1 else f"{name}'"


def _named(document: Document, attach: Element, tag: str, name: str) -> tuple[str | None, Element]:
    """A body or frame of a document, and the class for what is in it."""
    stack: list[tuple[str | None, Element]] = [(None, e) for e in reversed(document.contents)]
    names = []
    while stack:
        childclass, element = stack.pop()
        if element.tag == tag:
            names.append(element.attributes.get("name", ""))
            if names[-1] == name:
                return childclass, element
        inner = word(element, "childclass") or childclass
        stack += [(inner, child) for child in reversed(element.children)]
    raise attach.error(f"{describe(attach)}: no {tag} '{shorten(name)}'{near(name, names)}")
