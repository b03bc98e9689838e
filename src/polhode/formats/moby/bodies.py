"""``<RigidBody>``: pose, mass properties, collision geometries and visuals."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from ...errors import ParseError
from ...model import Mesh, RigidBody, Shape, Visual
from ...scene import Geometry
from ...spatial import Quaternion, Transform, Vec3
from ..names import shorten
from ..reading import Notes
from ..urdf.visual import MeshFolders
from ..xml import Element
from .objects import children
from .poses import Options, orientation, pose, unit_quaternion
from .primitives import Primitives
from .values import boolean, conflict, describe, matrix, number, required, triple, vector

Color = tuple[float, float, float, float]
SYMMETRY = 1e-9
AT_REST = Vec3.zero()


@dataclass(frozen=True, eq=False)
class MobyBody:
    """A body as the file has it.

    ``place`` leads from world to body coordinates; ``touching`` are (name, shape, frame).
    Velocities are of the frame's origin, in world axes.
    """

    name: str
    element: Element
    place: Transform
    body: RigidBody
    touching: tuple[tuple[str, Shape | None, Transform], ...] = ()
    visuals: tuple[Visual, ...] = ()
    is_enabled: bool = True
    is_compliant: bool = False
    velocity: Vec3 = AT_REST
    spin: Vec3 = AT_REST
    turn: Quaternion | None = None

    def geometries(self, machine: str, link: str) -> list[Geometry]:
        """Its collision geometries, as part of a model."""
        return [
            Geometry(name, machine, link, shape, frame, self.is_compliant)
            for name, shape, frame in self.touching
        ]


@dataclass
class BodyReader:
    """Reads bodies with the primitives of a file."""

    primitives: Primitives
    folders: MeshFolders
    options: Options
    notes: Notes

    def read(self, name: str, element: Element) -> MobyBody:
        """All of a body but what other objects say about it."""
        place = pose(element, self.options, self.notes)
        return MobyBody(
            name,
            element,
            place,
            self._finite_mass(element),
            self._touching(name, element),
            self._visuals(element),
            boolean(element, "enabled", True),
            boolean(element, "compliant", False),
            Vec3(*triple(element, "linear-velocity")),
            Vec3(*triple(element, "angular-velocity")),
            unit_quaternion(element, place),
        )

    # -- mass --

    def _finite_mass(self, element: Element) -> RigidBody:
        try:
            return self._mass(element)
        except ParseError:
            raise
        except (ValueError, OverflowError) as error:  # numbers whose products are none
            raise element.error(f"{describe(element)}: {error}") from None

    def _mass(self, element: Element) -> RigidBody:
        parts = children(element, "InertiaFromPrimitive")
        for key in ("mass", "inertia"):
            if key in element.attributes and parts:
                if self.options.strict:
                    raise element.error(conflict(element, key, "InertiaFromPrimitive"))
                text = f"{describe(element)}: '{key}' is not used beside InertiaFromPrimitive"
                self.notes.add("doubtful", text, element.line)
        if "mass" in element.attributes and "density" in element.attributes:
            raise element.error(conflict(element, "mass", "density"))
        if parts:
            body = RigidBody()
            for part in parts:
                body = body.joined(*self._part(part))
            return self._placed_inertia(element, body)
        return self._placed_inertia(element, self._own_mass(element))

    def _own_mass(self, element: Element) -> RigidBody:
        mass = number(element, "mass", 0.0, least=0.0)
        inertia = matrix(element, "inertia") or ((0.0,) * 3,) * 3
        scale = max(abs(x) for row in inertia for x in row)
        for i in range(3):
            if inertia[i][i] < 0.0:
                raise element.error(
                    f"expected moments of inertia of at least 0 in {describe(element)}, found "
                    f"{inertia[i][i]:g}"
                )
            for j in range(i):
                if abs(inertia[i][j] - inertia[j][i]) > SYMMETRY * scale:
                    raise element.error(
                        f"expected a symmetric 'inertia' of {describe(element)}, found "
                        f"{inertia[i][j]:g} and {inertia[j][i]:g}"
                    )
        return RigidBody(mass, (0.0, 0.0, 0.0), inertia)  # type: ignore[arg-type]

    def _placed_inertia(self, element: Element, body: RigidBody) -> RigidBody:
        """A body's mass where ``inertial-relative-*`` puts it."""
        if not _has_inertial(element):
            return body
        com = Vec3(*triple(element, "inertial-relative-com"))
        E = orientation(element, self.options, self.notes, prefix="inertial-relative-")
        moved = RigidBody().joined(body, Transform(E, com))
        return moved if any(body.com) else replace(moved, com=tuple(com))  # as it was written

    def _part(self, part: Element) -> tuple[RigidBody, Transform]:
        """The mass of a primitive, and where it is: the primitive's place, then its own."""
        primitive = self.primitives.get(required(part, "primitive-id"), part)
        own = pose(part, self.options, self.notes, prefix="relative-", origin="relative-origin",
                   order=("rpy", "aangle", "quat"))  # fmt: skip
        return primitive.body, own @ primitive.place

    # -- shapes --

    def _touching(self, name: str, element: Element) -> tuple:
        found = []
        for k, part in enumerate(children(element, "CollisionGeometry")):
            geometry = part.attributes.get("id", "").strip() or f"{name}#{k}"
            shape, frame = None, Transform.identity()
            if "primitive-id" in part.attributes:
                primitive = self.primitives.get(required(part, "primitive-id"), part)
                own = pose(part, self.options, self.notes, prefix="relative-",
                           origin="relative-origin", order=("quat", "rpy", "aangle"))  # fmt: skip
                shape, frame = primitive.shape, primitive.frame @ own
            found.append((geometry, shape, frame))
        return tuple(found)

    def _visuals(self, element: Element) -> tuple[Visual, ...]:
        parts = children(element, "Visualization")
        if any(key in element.attributes for key in ("visualization-id", "visualization-filename")):
            if parts:
                raise parts[0].error(
                    f"{describe(element)} has both a visualization attribute and <Visualization>; "
                    "keep one of them"
                )
            parts = [element]
        body_color = _color(element)
        visuals = []
        for part in parts:
            visual = self._visual(part, _color(part) or body_color)
            if visual is not None:
                visuals.append(visual)
        return tuple(visuals)

    def _visual(self, part: Element, color: Color | None) -> Visual | None:
        name = part.attributes.get("id", "") if part.tag.lower() == "visualization" else ""
        own = pose(part, self.options, self.notes, prefix="visualization-rel-",
                   origin="visualization-rel-origin", order=("quat", "rpy"))  # fmt: skip
        keys = [k for k in ("visualization-id", "visualization-filename") if k in part.attributes]
        if len(keys) == 2:
            raise part.error(conflict(part, *keys))
        if not keys:
            text = f"{describe(part)} has neither visualization-id nor visualization-filename"
            self.notes.add("ignored", text, part.line)
            return None
        if keys[0] == "visualization-id":
            primitive = self.primitives.get(required(part, keys[0]), part)
            return Visual(primitive.shape, primitive.frame @ own, color, name)
        return self._mesh(part, own, color, name)

    def _mesh(self, part: Element, own: Transform, color: Color | None, name: str) -> Visual | None:
        file = required(part, "visualization-filename")
        path = self.folders.find(file)
        if path is None:
            text = f"{describe(part)}: '{shorten(file)}' lies outside the folders given"
            text += self.folders.allowing(file)
            self.notes.add("ignored", text, part.line)
            return None
        if not os.path.isfile(path):
            self.notes.add("mesh", f"{describe(part)}: no mesh file '{shorten(path)}'", part.line)
        scale = triple(part, "visualization-scale", (1.0, 1.0, 1.0))
        return Visual(Mesh(path, scale), own, color, name)


def _has_inertial(element: Element) -> bool:
    return any(key.startswith("inertial-relative-") for key in element.attributes)


def _color(element: Element) -> Color | None:
    """A colour.  The fourth number is 0 in most of Moby's examples, whose bodies are seen."""
    rgba = vector(element, "color", None)
    if rgba is None:
        return None
    if len(rgba) not in (3, 4) or not all(0.0 <= x <= 1.0 for x in rgba):
        raise element.error(
            f"expected three or four numbers from 0 to 1 in 'color' of {describe(element)}, "
            f"found '{shorten(element.attributes['color'])}'"
        )
    red, green, blue = rgba[:3]
    alpha = rgba[3] if len(rgba) == 4 and rgba[3] > 0.0 else 1.0
    return red, green, blue, alpha
