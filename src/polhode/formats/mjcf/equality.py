"""``<equality>``: joints that close loops, and joints that follow others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...model import FloatingBase, Spherical
from ...scene import Gear, Loop
from ...spatial import Quaternion, Transform, Vec3
from ..reading import Notes
from ..xml import Element
from .contacts import found_by_name
from .joints import MjcfJoint, places_of
from .source import Attachment
from .tree import MjcfBody, MjcfTree, Part, unused
from .values import describe, errors_at, flag, numbers, required, text, vector

Frames = tuple[Transform, Transform]


@dataclass
class Equalities:
    """The loops and gears of a file."""

    tree: MjcfTree
    joints: Mapping[MjcfBody, list[MjcfJoint]]
    owner: Mapping[MjcfBody, str]
    notes: Notes
    are_off: bool
    loops: list[Loop] = field(default_factory=list)
    gears: list[Gear] = field(default_factory=list)
    _names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.places: dict[MjcfBody, Transform] = places_of(self.tree.bodies)
        for source in self.tree.sources:
            for equality in source.document.root.all("equality"):
                for element in () if self.are_off else equality.children:
                    merged = source.document.classes.apply(element, None)
                    with errors_at(merged):
                        self._read(source, merged)

    def _read(self, source: Attachment, element: Element) -> None:
        if not flag(element, "active", True):
            self.notes.add("hint", f"{describe(element)} is not active", element.line)
            return
        match element.tag:
            case "connect" | "weld":
                self._close(source, element)
            case "joint":
                self._couple(source, element)
            case tag:
                text = f"<{tag}> of <equality> is not read"
                self.notes.add("ignored", text, element.line, f"<{tag}>", "<equality>")

    def _name(self, element: Element, fallback: str) -> str:
        return unused(element.attributes.get("name") or fallback, self._names)

    # -- loops --

    def _close(self, source: Attachment, element: Element) -> None:
        kind = "spherical" if element.tag == "connect" else "fixed"
        for a, b, frames in self._ends(source, element):
            ends = self._link(a), self._link(b)
            name = self._name(element, f"{element.tag} {a.name} {b.name}")
            self.loops.append(Loop(name, kind, *ends, *frames))  # type: ignore[arg-type]

    def _link(self, body: MjcfBody) -> tuple[str, str] | None:
        """Names of the model and link of a body; None for the world."""
        return None if body.parent is None else (self.owner[body], body.name)

    def _ends(
        self, source: Attachment, element: Element
    ) -> list[tuple[MjcfBody, MjcfBody, Frames]]:
        if "site1" in element.attributes or "site2" in element.attributes:
            keys = [("site", required(element, key)) for key in ("site1", "site2")]
            return [
                (a, b, (first.pose, second.pose))
                for (a, first), (b, second) in found_by_name(source, element, keys)
            ]
        keys = [("body", required(element, "body1"))]
        if text(element, "body2"):
            keys.append(("body", required(element, "body2")))
        read = self._anchor if element.tag == "connect" else self._relative
        world = self.tree.bodies[0]
        pairs = [[*found, world][:2] for found in found_by_name(source, element, keys)]
        return [(a, b, read(element, a, b)) for a, b in pairs]

    def _anchor(self, element: Element, a: MjcfBody, b: MjcfBody) -> Frames:
        """A point of body a, and the point of b that lies there in the pose of the file."""
        required(element, "anchor")
        at = Transform.translation(*vector(element, "anchor", (0.0, 0.0, 0.0)))
        return at, at @ self.places[a] @ self.places[b].inverse()

    def _relative(self, element: Element, a: MjcfBody, b: MjcfBody) -> Frames:
        """The frame at the anchor on body b, and that frame as it is to stand on a."""
        anchor = Transform.translation(*vector(element, "anchor", (0.0, 0.0, 0.0)))
        *r, w, x, y, z = numbers(element, "relpose", 7) or (0.0,) * 7
        if not any((w, x, y, z)):
            return anchor @ self.places[b] @ self.places[a].inverse(), anchor
        E = Quaternion(w, x, y, z).normalized().matrix()
        return Transform(E, Vec3(*r)), anchor

    # -- joints --

    @property
    def coupled(self) -> set[str]:
        """Names of the joints whose start is given by those of others."""
        in_gears = {joint for gear in self.gears for _, joint in (gear.a, gear.b)}
        closed = {end[0] for loop in self.loops for end in (loop.a, loop.b) if end is not None}
        in_loops = {joint.name for body, own in self.joints.items() for joint in own
                    if self.owner[body] in closed}  # fmt: skip
        return in_gears | in_loops

    def _couple(self, source: Attachment, element: Element) -> None:
        if not text(element, "joint2"):
            self._unread(element, "a joint that is held is not read")
            return
        a0, a1, *higher = (numbers(element, "polycoef", 1, 5) + (0.0,) * 5)[:5]
        if "polycoef" not in element.attributes:
            a0, a1, higher = 0.0, 1.0, []
        if a0 or any(higher):
            self._unread(element, "only a ratio is read, no other polynomial")
            return
        keys = [("joint", required(element, key)) for key in ("joint1", "joint2")]
        for first, second in found_by_name(source, element, keys):
            a, b = self._joint(element, *first), self._joint(element, *second)
            name = self._name(element, f"{a[1]} with {b[1]}")
            self.gears.append(Gear(name, a, b, a1))

    def _joint(self, element: Element, body: MjcfBody, part: Part) -> tuple[str, str]:
        joint = next(each for each in self.joints[body] if each.part is part)
        if isinstance(joint.kind, (FloatingBase, Spherical)):
            raise element.error(f"{describe(element)}: expected joints of one axis")
        return self.owner[body], joint.name

    def _unread(self, element: Element, why: str) -> None:
        text = f"{describe(element)}: {why}"
        self.notes.add("ignored", text, element.line, "<joint>", "<equality>")
