"""Named frames of a model: its links, its joints and its ``<frame>`` elements."""

from __future__ import annotations

from ...spatial import Transform
from ..names import near, shorten
from ..reading import Notes
from ..xml import Element
from .pose import raw_pose
from .values import child, describe, name_of, text

MODEL = "__model__"  # what a file calls the model's own frame


class Frames:
    """Where the frames of a model are, from the model's frame."""

    def __init__(self, model: Element, snap: bool | str, notes: Notes):
        self.model: Element = model
        self.snap: bool | str = snap
        self.notes: Notes = notes
        self._links: dict[str, Element] = {name_of(link): link for link in model.all("link")}
        self._named: dict[str, list[Element]] = {}
        self._places: dict[Element, Transform] = {}
        for tag in ("link", "joint", "frame"):
            for element in model.all(tag):
                self._named.setdefault(name_of(element), []).append(element)

    def named(self, name: str, user: Element) -> Transform:
        """From the model's frame to that of a name, which ``user`` refers to."""
        found = self._find(name, user)
        return Transform.identity() if found is None else self.place(found)

    def place(self, element: Element) -> Transform:
        """From the model's frame to that of a link, joint or frame."""
        chain: dict[Element, None] = {}
        at: Element | None = element
        while at is not None and at not in self._places:
            if at in chain:
                raise element.error(f"the pose of {describe(element)} refers to itself")
            chain[at] = None
            at = self._base(at)
        place = Transform.identity() if at is None else self._places[at]
        for each in reversed(chain):
            place = self._places[each] = raw_pose(each, self.snap, self.notes) @ place
        return place

    def inside(self, link: Element, part: Element) -> Transform:
        """From a link's frame to that of a shape of the link."""
        own = raw_pose(part, self.snap, self.notes)
        pose = child(part, "pose")
        name = "" if pose is None else pose.attributes.get("relative_to", "")
        if pose is None or not name:
            return own
        return own @ self.named(name, pose) @ self.place(link).inverse()

    def link_of(self, joint: Element, role: str) -> Element:
        """The link that a joint has as its parent or child, or the link that such a frame is on."""
        at = self._end(joint, role)
        passed: set[Element] = set()
        while at is None or at.tag != "link":
            if at is None:
                return self.canonical()
            if at in passed:
                raise at.error(f"{describe(at)} is attached to itself")
            passed.add(at)
            at = self._end(at, "child") if at.tag == "joint" else self._attached(at)
        return at

    def _end(self, joint: Element, role: str) -> Element | None:
        """What a joint names as its parent or child; None for the model's frame."""
        name = text(joint, role)
        if name in self._links:
            return self._links[name]
        if name != MODEL and name not in self._named:
            raise joint.error(
                f"{describe(joint)} has an unknown {role} link '{shorten(name)}'"
                f"{near(name, self._named)}"
            )
        return self._find(name, joint)

    def _attached(self, frame: Element) -> Element | None:
        """What a ``<frame>`` is attached to; None for the model's frame."""
        name = frame.attributes.get("attached_to", "")
        return self._find(name, frame) if name else None

    def canonical(self) -> Element:
        """The link that the model's frame is on."""
        if not self._links:
            raise self.model.error(f"{describe(self.model)} has no links")
        name = self.model.attributes.get("canonical_link", "") or next(iter(self._links))
        if name not in self._links:
            hint = near(name, self._links)
            raise self.model.error(f"{describe(self.model)} has no link '{shorten(name)}'{hint}")
        return self._links[name]

    def _base(self, element: Element) -> Element | None:
        """The element whose frame a pose is given in; None for the model's."""
        pose = child(element, "pose")
        if pose is not None and (name := pose.attributes.get("relative_to", "")):
            return self._find(name, pose)
        if element.tag == "joint":
            return self._end(element, "child")
        return self._attached(element)

    def _find(self, name: str, user: Element) -> Element | None:
        """The element of a name; None for the model."""
        if name == MODEL:
            return None
        found = self._named.get(name, [])
        if not found:
            hint = near(name, (MODEL, *self._named))
            raise user.error(f"{describe(self.model)} has no frame '{shorten(name)}'{hint}")
        if len(found) > 1:
            tags = " and ".join(f"<{each.tag}>" for each in found[:2])
            raise user.error(f"the frame '{shorten(name)}' is not clear: {tags} have that name")
        return found[0]
