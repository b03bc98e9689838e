"""Bodies and the joints between them, of files old and new, as links in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...errors import ModelError
from ...model import Fixed, Link, RigidBody
from ...spatial import Transform, Vec3
from ..names import near, shorten
from ..sdf.values import child, text
from ..urdf.values import describe
from ..xml import Element
from .chains import chain, unused
from .coordinates import Coordinate
from .joints import KINDS, read_axes
from .values import ORIGIN, finite, finite_all, frame, objects, own_name, told, triple

GROUND = "ground"
_MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True)
class Place:
    """A frame on a body; ``X`` leads from the body's coordinates to its."""

    body: str
    X: Transform


@dataclass(frozen=True)
class OsimJoint:
    """A joint and the frames that it connects."""

    element: Element
    parent: Place
    child: Place


class OsimTree:
    """The links of a file, each after its parent, and what its coordinates are."""

    def __init__(self, model: Element):
        self.model: Element = model
        elements = [each for each in objects(model, "BodySet") if each.tag == "Body"]
        self.elements: dict[str, Element] = {}
        for element in elements:
            name = own_name(element)
            if name in self.elements:
                raise element.error(f"duplicate body name '{shorten(name)}'")
            self.elements[name] = element
        self.bodies: list[str] = [name for name in self.elements if name != GROUND]
        if not self.bodies:
            raise model.error(f"{describe(model)} has no bodies")
        self.coordinates: list[Coordinate] = []
        self.links: tuple[Link, ...] = tuple(self._links())

    def place(self, element: Element, path: str, own: dict[str, Element]) -> Place:
        """The frame of a path such as ``/bodyset/pelvis``, or of one of a joint's own frames."""
        X, seen = Transform.identity(), 0
        name = path.rpartition("/")[2]
        while name in own and seen < len(own):
            X = X @ frame(own[name], ("translation",), ("orientation",))
            name, seen = text(own[name], "socket_parent").rpartition("/")[2], seen + 1
        if name != GROUND and name not in self.elements:
            raise element.error(
                f"{describe(element)}: no body '{shorten(name)}'{near(name, self.elements)}"
            )
        return Place(name, X)

    def _links(self) -> Iterator[Link]:
        joints = {joint.child.body: joint for joint in self._joints()}
        if GROUND in joints:
            raise joints[GROUND].element.error("a joint cannot carry the ground")
        for name in self.bodies:
            if name not in joints:
                raise self.elements[name].error(f"the body '{shorten(name)}' has no joint")
        taken = {*self.elements, GROUND}
        for name in self._order(joints):
            yield from self._chain(name, joints[name], taken)

    def _joints(self) -> Iterator[OsimJoint]:
        """Every joint: in the set of joints, or inside the body that it carries."""
        seen = {}
        for element, inside in self._elements():
            joint = self._old(element, inside) if inside else self._new(element)
            name = joint.child.body
            if name in seen:
                raise element.error(
                    f"{describe(element)} closes a loop, which is not read: '{shorten(name)}' has "
                    f"the joint of line {seen[name]}"
                )
            seen[name] = element.line
            yield joint

    def _elements(self) -> Iterator[tuple[Element, str]]:
        for name, element in self.elements.items():
            holder = child(element, "Joint")
            for joint in () if holder is None else holder.children:
                yield joint, name
        for joint in objects(self.model, "JointSet"):
            yield joint, ""

    def _old(self, element: Element, body: str) -> OsimJoint:
        at = frame(element, ("location_in_parent",), ("orientation_in_parent",))
        on_body = frame(element, ("location_in_child", "location"),
                        ("orientation_in_child", "orientation"))  # fmt: skip
        parent = self.place(element, text(element, "parent_body"), {})
        return OsimJoint(element, replace(parent, X=at), Place(body, on_body))

    def _new(self, element: Element) -> OsimJoint:
        if element.tag not in KINDS and child(element, "socket_child_frame") is None:
            raise element.error(
                f"{describe(element)}: this kind of joint is not read{near(element.tag, KINDS)}"
            )
        holder = child(element, "frames")
        own = {own_name(each): each for each in (holder.children if holder is not None else [])}
        ends = (self.place(element, text(element, f"socket_{end}_frame"), own)
                for end in ("parent", "child"))  # fmt: skip
        return OsimJoint(element, *ends)

    def _order(self, joints: dict[str, OsimJoint]) -> list[str]:
        """The bodies in the order of the file, but each after its parent."""
        found: dict[str, None] = {GROUND: None}
        for name in self.bodies:
            path: dict[str, None] = {}
            while name not in found:
                if name in path:
                    raise joints[name].element.error(
                        f"the joints of {shorten(', '.join(path))} lead in a circle"
                    )
                path[name] = None
                name = joints[name].parent.body
            found |= dict.fromkeys(reversed(path))
        return [name for name in found if name != GROUND]

    def _chain(self, name: str, joint: OsimJoint, taken: set[str]) -> Iterator[Link]:
        axes, coordinates = read_axes(joint.element)
        self.coordinates += coordinates
        parent = None if joint.parent.body == GROUND else joint.parent.body
        frames = joint.parent.X, joint.child.X
        body = read_mass(self.elements[name])
        joint_name = joint.element.attributes.get("name") or name
        try:
            yield from chain(name, parent, body, joint_name, axes, coordinates, frames, taken)
        except ModelError as error:
            raise told(joint.element, error) from None


def read_mass(body: Element) -> RigidBody:
    """Mass, centre of mass, and inertia about it."""
    mass = finite(body, "mass", 0.0)
    if mass < 0.0:
        raise body.error(f"{describe(body)} has a negative mass: {mass:g} kg")
    together = child(body, "inertia")
    if together is None:
        moments = tuple(finite(body, f"inertia_{key}", 0.0) for key in _MOMENTS)
    else:
        moments = finite_all(together)
    if len(moments) != len(_MOMENTS):
        raise body.error(f"{describe(body)}: expected 6 moments of inertia, found {len(moments)}")
    xx, yy, zz, xy, xz, yz = moments
    com = triple(body, ORIGIN, "mass_center")
    return RigidBody(mass, com, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def marker_links(tree: OsimTree, taken: Sequence[str]) -> Iterator[Link]:
    """Markers as fixed links without mass."""
    names = {*taken, GROUND}
    for element in objects(tree.model, "MarkerSet"):
        if element.tag != "Marker":
            continue
        paths = [text(element, tag) for tag in ("socket_parent_frame", "body", "parent_frame")
                 if child(element, tag) is not None]  # fmt: skip
        if not paths:
            raise element.error(f"{describe(element)} has no <socket_parent_frame> or <body>")
        place = tree.place(element, paths[0], {})
        name = own_name(element)
        at = Transform.translation(*Vec3(*triple(element, ORIGIN, "location"))) @ place.X
        carrier = None if place.body == GROUND else place.body
        name = name if name not in names else f"{name} marker"
        yield Link(unused(name, names), carrier, Fixed(), at)
