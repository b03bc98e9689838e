"""``<geom>`` to shapes, with the mass they give their body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...errors import ModelError, ParseError
from ...model import (
    Box,
    Capsule,
    Cylinder,
    Heightmap,
    Plane,
    Polyhedron,
    RigidBody,
    Shape,
    Sphere,
    Torus,
    Visual,
)
from ...spatial import Transform, Vec3
from ..names import near, shorten
from ..reading import Notes
from .assets import MeshAsset
from .axes import as_kept
from .distance_fields import torus_of
from .fitting import PRIMITIVES, fitted
from .frames import rounded, towards, unit
from .softness import Softness
from .solids import primitive
from .tree import MjcfBody, Part
from .values import choice, describe, errors_at, flag, integer, number, numbers, text

SIZES = {"plane": 3, "hfield": 0, "sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2,
         "box": 3, "mesh": 0, "sdf": 0}  # fmt: skip
LONG = ("capsule", "cylinder", "ellipsoid", "box")
WEIGHTLESS = ("plane", "hfield")
MESHES = ("mesh", "sdf")
HIDDEN = 3  # geoms of this group and above are not drawn
Friction = tuple[float, float, float]  # sliding, torsional [m], rolling [m]
FRICTION: Friction = (1.0, 0.005, 0.0001)
_ROUND = 12  # meridians of the polyhedron for an ellipsoid


@dataclass(eq=False)
class Geom:
    """A geom in the coordinates of its body."""

    part: Part
    body: MjcfBody
    type: str
    frame: Transform
    size: tuple[float, ...]
    mesh: MeshAsset | None = None

    @cached_property
    def group(self) -> int:
        return integer(self.part.element, "group", 0)

    @cached_property
    def masks(self) -> tuple[int, int]:
        """What it touches others by: ``contype`` and ``conaffinity``."""
        element = self.part.element
        return integer(element, "contype", 1), integer(element, "conaffinity", 1)

    @cached_property
    def friction(self) -> Friction:
        """Sliding, torsional and rolling friction."""
        given = numbers(self.part.element, "friction", 1, 3)
        if min(given, default=0.0) < 0.0:
            raise self.part.element.error(f"{describe(self.part.element)}: expected friction of "
                                          "at least 0")  # fmt: skip
        sliding, torsional, rolling = given + FRICTION[len(given) :]
        return sliding, torsional, rolling

    @cached_property
    def condim(self) -> int:
        value = integer(self.part.element, "condim", 3)
        if value not in (1, 3, 4, 6):
            raise self.part.element.error(f"expected condim = 1, 3, 4 or 6, found {value}")
        return value

    @cached_property
    def softness(self) -> Softness:
        return Softness.of(self.part.element, Softness())

    @cached_property
    def priority(self) -> int:
        return integer(self.part.element, "priority", 0)

    @cached_property
    def mass(self) -> RigidBody:
        """In the geom's own coordinates."""
        element = self.part.element
        density = number(element, "density", 1000.0)
        mass = number(element, "mass", math.nan)
        if self.type in WEIGHTLESS or mass == 0.0 or (math.isnan(mass) and density == 0.0):
            return RigidBody()
        if mass < 0.0 or density < 0.0:
            raise element.error(f"{describe(element)}: expected a mass or density of at least 0")
        if self.torus is not None:
            return self._mass_of_torus()
        if self.mesh is not None:
            solid = self.mesh.solid
        else:
            shell = flag(element, "shellinertia", False)
            with errors_at(element), np.errstate(all="ignore"):  # not finite: refused as that
                solid = primitive(self.type, self.size, shell=shell)
        with errors_at(element):
            return solid.body(density * solid.measure if math.isnan(mass) else mass)

    def shape(self) -> Shape:
        """For contact: meshes and ellipsoids as convex polyhedra."""
        if self.type == "plane":
            return Plane()
        if self.type == "hfield":
            return self.heightmap
        return self.torus or primitive_shape(self.type, self.size) or self._hull()

    @property
    def own_frame(self) -> Transform:
        """Its frame in MuJoCo, which keeps a mesh about its centre of mass, along its axes."""
        if self.type not in MESHES or self.mesh is None or self.mesh.torus is not None:
            return self.frame
        X = self.mesh.frame @ self.frame
        return Transform(as_kept(X.E), X.r)

    @property
    def torus(self) -> Torus | None:
        """Its shape, if that is given by a signed distance."""
        return None if self.mesh is None else self.mesh.torus

    def _mass_of_torus(self) -> RigidBody:
        """None where nothing moves: what MuJoCo takes is that of a mesh it makes of the torus."""
        if self.body.can_move:
            element = self.part.element
            raise element.error(f"{describe(element)}: the mass of a signed distance field is not "
                                "read; give its body an <inertial>")  # fmt: skip
        return RigidBody()

    @property
    def is_known(self) -> bool:
        """Whether its shape can be read."""
        return self.mesh is None or self.mesh.is_known

    @cached_property
    def heightmap(self) -> Heightmap:
        """The height field it names."""
        return self.part.source.document.assets.heightmap(self.part.element)

    def _hull(self) -> Shape:
        assert self.mesh is not None  # only geoms of type mesh come here
        try:
            return Polyhedron(self.mesh.triangles[0])  # type: ignore[arg-type]
        except ModelError as error:
            element = self.part.element
            raise element.error(f"{describe(element)}: {error}") from None

    def visual(self, notes: Notes) -> Visual | None:
        """For drawing; None if its file is missing."""
        element = self.part.element
        color = self.part.source.document.assets.color(element)
        try:
            shape = self.torus or (self.shape() if self.mesh is None else self.mesh.visual)
        except (ParseError, OSError) as error:
            if self.mesh is None:
                raise
            notes.add("mesh", str(error), element.line)
            return None
        return Visual(shape, self.frame, color, self.part.name or "")


def primitive_shape(word: str, size: tuple[float, ...]) -> Shape | None:
    """The shape of a type and its sizes; None of others than the primitives."""
    match word:
        case "sphere":
            return Sphere(size[0])
        case "capsule":
            return Capsule(size[0], 2.0 * size[1])
        case "cylinder":
            return Cylinder(size[0], 2.0 * size[1])
        case "box":
            return Box((2.0 * size[0], 2.0 * size[1], 2.0 * size[2]))
        case "ellipsoid":
            return Sphere(size[0]) if len({*size}) == 1 else Polyhedron(_ellipsoid(size))  # type: ignore[arg-type]
    return None


def _ellipsoid(size: tuple[float, ...]) -> np.ndarray:
    """Corners on an ellipsoid, as dense along it as across."""
    polar = np.linspace(0.0, math.pi, _ROUND // 2 + 1)[1:-1]
    around = np.linspace(0.0, 2.0 * math.pi, _ROUND, endpoint=False)
    x = np.outer(np.sin(polar), np.cos(around)).ravel()
    y = np.outer(np.sin(polar), np.sin(around)).ravel()
    z = np.repeat(np.cos(polar), _ROUND)
    points = np.column_stack([x, y, z])
    return np.vstack([points, (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]) * np.array(size)


def read_geom(body: MjcfBody, part: Part) -> Geom:
    """A geom with its type, frame and sizes."""
    element = part.element
    assets = part.source.document.assets
    mesh = assets.mesh(element) if text(element, "mesh") else None
    word = choice(element, "type", tuple(SIZES), "sphere")
    torus = torus_of(element, assets.tori)
    if (mesh and mesh.torus) != torus or (torus and word != "sdf"):
        raise element.error(f"{describe(element)}: expected a geom of type sdf with the plug-in of "
                            "its mesh")  # fmt: skip
    if mesh is None and word in MESHES:
        raise element.error(f"{describe(element)} has no attribute 'mesh'")
    if mesh is not None and word in PRIMITIVES:
        is_bounding = part.source.document.compiler.fitaabb
        own, size = fitted(mesh, word, is_bounding=is_bounding)
        scale = number(element, "fitscale", 1.0)
        return Geom(part, body, word, own @ part.pose, tuple(scale * x for x in size))
    frame, size = frame_and_size(part, word)
    if word not in (*WEIGHTLESS, *MESHES) and min(size) <= 0.0:
        raise element.error(f"{describe(element)}: expected sizes above 0, found "
                            f"'{shorten(element.attributes.get('size', ''))}'")  # fmt: skip
    return Geom(part, body, word, frame, size, mesh)


def frame_and_size(part: Part, word: str) -> tuple[Transform, tuple[float, ...]]:
    """Where a geom or site is, and its sizes, also where they are given from end to end."""
    element = part.element
    size = numbers(element, "size", 0, 3)
    ends = numbers(element, "fromto", 6)
    if not ends:
        if len(size) < SIZES[word] and word != "plane":
            raise element.error(f"{describe(element)}: expected {SIZES[word]} sizes of a {word}, "
                                f"found {len(size)}")  # fmt: skip
        return part.pose, size[: SIZES[word]]
    if word not in LONG:
        raise element.error(f"{describe(element)}: 'fromto' is for {', '.join(LONG)}, not for a "
                            f"{word}{near(word, LONG)}")  # fmt: skip
    if not size:
        raise element.error(f"{describe(element)}: expected a size beside 'fromto', found none")
    a, b = Vec3(*ends[:3]), Vec3(*ends[3:])
    axis = a - b
    own = Transform(towards(unit(element, "fromto", axis)), (a + b) * 0.5)
    half = math.hypot(*axis) / 2.0
    across = (size[0],) if SIZES[word] == 2 else (size[0], size[0])
    turned = own @ part.frame
    return Transform(rounded(turned.E), turned.r), (*across, half)
