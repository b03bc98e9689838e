"""``<asset>``: meshes, height fields and colours of materials, read when they are first needed."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PureWindowsPath

import numpy as np

from ...errors import ModelError, ParseError
from ...model import Heightmap, Mesh, Torus, TriangleMesh
from ...model.hull import convex_hull
from ...model.shapes import Shape
from ...spatial import Mat3, Transform, Vec3
from ..mesh import read_mesh
from ..names import near, shorten
from ..source import read_bytes
from ..xml import Element
from .axes import sorted_axes
from .compiler import Compiler
from .defaults import Classes
from .distance_fields import tori_of, torus_of
from .files import Files, Folder, stem
from .frames import quaternion
from .icosphere import MOST, icosphere
from .png import first_channel
from .solids import INERTIA_MODES, Solid, mesh_solid
from .values import choice, describe, integer, many, numbers, required, text, vector

MOST_NUMBERS = 2_000_000  # of vertices, faces or heights in one attribute or file
_PRECISION = 1e-7  # relative: products of inertia up to which MuJoCo does not turn a mesh
MOST_TRIANGLES = 1_000_000  # of all meshes of a model
Color = tuple[float, float, float, float]
Triangles = tuple[np.ndarray, np.ndarray]


@dataclass
class MeshAsset:
    """A ``<mesh>``; its vertices are those of the file, moved by refpos and refquat, scaled."""

    element: Element
    assets: Assets
    torus: Torus | None = None
    """Its shape, if that is given by a signed distance."""

    @property
    def is_known(self) -> bool:
        """Whether it can be read: of the meshes that MuJoCo makes itself, spheres can."""
        return text(self.element, "builtin") in (None, "sphere")

    @cached_property
    def path(self) -> str | None:
        """Of its file; None if its vertices are in the element.

        Raises
        ------
        ParseError
            If the file is not there.
        """
        return self.assets.file(self.element) if text(self.element, "file") else None

    @cached_property
    def triangles(self) -> Triangles:
        """Vertices and triangles.

        Raises
        ------
        ParseError
            If there are none.
        """
        if not self.is_known:
            raise self.element.error(
                f"{describe(self.element)}: built-in meshes but spheres are not read"
            )
        path = self.path  # tells by itself what is wrong with it
        try:
            vertices, faces = self._raw(path)
        except (ModelError, ParseError) as error:
            raise self.element.error(f"{describe(self.element)}: {error}") from None
        scale = np.array(numbers(self.element, "scale", 3) or (1.0, 1.0, 1.0))
        with np.errstate(all="ignore"):  # what is too large is refused below
            vertices = self._moved(vertices.astype(np.float32).astype(float)) * scale
        if not np.isfinite(vertices).all():
            raise self.element.error(f"{describe(self.element)}: expected smaller vertices")
        return vertices, faces[:, [0, 2, 1]] if np.prod(scale) < 0.0 else faces

    def _moved(self, vertices: np.ndarray) -> np.ndarray:
        """Vertices, which MuJoCo keeps in single precision, seen from the reference frame."""
        vertices = vertices - np.array([*vector(self.element, "refpos", (0.0, 0.0, 0.0))])
        if "refquat" not in self.element.attributes:
            return vertices
        return vertices @ np.array(quaternion(self.element, "refquat").rows()).T

    def _raw(self, path: str | None) -> Triangles:
        if text(self.element, "builtin"):
            return _sphere(self.element)
        if path is None:
            return _inline(self.element)
        if path.lower().endswith(".msh"):
            return _msh(path)
        meshes = self.assets.files.folders.meshes
        if path not in meshes:
            meshes[path] = read_mesh(path)
            if sum(len(mesh.faces) for mesh in meshes.values()) > MOST_TRIANGLES:
                raise ModelError(f"expected at most {MOST_TRIANGLES} triangles in all meshes")
        mesh = meshes[path]
        return np.array(mesh.vertices), np.array(mesh.faces)

    @cached_property
    def solid(self) -> Solid:
        """Volume or area, and inertia, which MuJoCo keeps without products about its axes."""
        E = np.array(self.frame.E.rows())
        moments = np.einsum("ij,jk,ik->i", E, self._measured.inertia, E)
        return self._measured._replace(inertia=(E.T * moments) @ E)

    @cached_property
    def frame(self) -> Transform:
        """To the frame in which MuJoCo keeps it: its centre of mass and principal axes."""
        E = sorted_axes(Mat3.of(self._measured.inertia.tolist()), _PRECISION)
        return Transform(E, Vec3(*self._measured.com))

    @cached_property
    def _measured(self) -> Solid:
        mode = choice(self.element, "inertia", INERTIA_MODES, "legacy")
        try:
            with np.errstate(all="ignore"):  # what is not finite is refused as that
                return mesh_solid(*self.triangles, mode)
        except ModelError as error:
            raise self.element.error(f"{describe(self.element)}: {error}") from None

    @property
    def visual(self) -> Shape:
        """For drawing: the file, if nothing but its scale is changed."""
        x, y, z = numbers(self.element, "scale", 3) or (1.0, 1.0, 1.0)
        is_plain = not {"refpos", "refquat"} & self.element.attributes.keys()
        if self.path is not None and is_plain and not self.path.lower().endswith(".msh"):
            return Mesh(self.path, (x, y, z))
        return TriangleMesh(*self.triangles)  # type: ignore[arg-type]


def _sphere(element: Element) -> Triangles:
    subdivisions = integer(element, "params", 0)
    if not 0 <= subdivisions <= MOST:
        raise ModelError(f"expected 0 to {MOST} subdivisions of a sphere, found {subdivisions}")
    return icosphere(subdivisions)


def _inline(element: Element) -> Triangles:
    """The vertices of an element, and its faces or those of their convex hull."""
    values = many(element, "vertex", MOST_NUMBERS)
    if len(values) < 12 or len(values) % 3:
        raise ModelError(f"expected 4 vertices of 3 numbers or more, found {len(values)} numbers")
    vertices = np.array(values).reshape(-1, 3)
    corners = many(element, "face", MOST_NUMBERS)
    if not corners:
        return _hull_of(vertices)
    faces = np.array(corners)
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise ModelError(f"expected vertices from 0 to {len(vertices) - 1} in 'face'")
    if len(faces) % 3 or (faces != faces.astype(int)).any():
        raise ModelError("expected 3 whole numbers for each face")
    return vertices, faces.astype(int).reshape(-1, 3)


def _hull_of(vertices: np.ndarray) -> Triangles:
    corners, polygons = convex_hull(vertices)
    fans = [(face[0], face[k], face[k + 1]) for face in polygons for k in range(1, len(face) - 1)]
    return corners, np.array(fans)


def _msh(path: str) -> Triangles:
    """MuJoCo's own binary format: counts, vertices, normals, texture coordinates, faces."""
    data = read_bytes(path, 64 * 2**20)
    n, normals, texcoords, n_faces = counts = np.frombuffer(data[:16].ljust(16, b"\0"), "<i4")
    expected = 16 + 12 * (int(n) + int(normals) + int(n_faces)) + 8 * int(texcoords)
    if min(counts) < 0 or n < 4 or len(data) != expected:
        raise ParseError(f"expected {expected} bytes of a MSH file, found {len(data)}", path)
    vertices = np.frombuffer(data, "<f4", 3 * int(n), 16).astype(float).reshape(-1, 3)
    if not np.isfinite(vertices).all():
        raise ParseError("expected finite numbers as vertices", path)
    if not n_faces:
        return _hull_of(vertices)
    faces = np.frombuffer(data, "<i4", 3 * int(n_faces), expected - 12 * int(n_faces))
    if faces.min() < 0 or faces.max() >= n:
        raise ParseError(f"expected vertices from 0 to {n - 1} in faces", path)
    return vertices, faces.astype(int).reshape(-1, 3)


@dataclass
class Assets:
    """The assets of one file, by name."""

    root: Element
    compiler: Compiler
    classes: Classes
    files: Files
    folder: Folder
    meshes: dict[str, MeshAsset] = field(default_factory=dict)
    heights: dict[str, Element] = field(default_factory=dict)
    colors: dict[str, Color] = field(default_factory=dict)
    models: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tori: dict[str, Torus] = tori_of(self.root)
        for element in [child for asset in self.root.all("asset") for child in asset.children]:
            match element.tag:
                case "mesh":
                    self._add_mesh(self.classes.apply(element, None))
                case "hfield":
                    self._put(self.heights, element, element)
                case "material":
                    merged = self.classes.apply(element, None)
                    if "rgba" in merged.attributes:
                        self.colors[text(element, "name") or ""] = color(merged)
                case "model":
                    self.models.append(element)

    def _put(self, into: dict, element: Element, value: object) -> None:
        name = text(element, "name") or stem(required(element, "file"))
        if name in into:
            raise element.error(f"duplicate <{element.tag}> name '{shorten(name)}'")
        into[name] = value

    def _add_mesh(self, element: Element) -> None:
        self._put(self.meshes, element, MeshAsset(element, self, torus_of(element, self.tori)))

    def file(self, element: Element) -> str:
        """The path of an asset's file: in the folder of meshes, or beside its included file."""
        name = required(element, "file")
        folders = [os.path.join(self.folder, self.compiler.meshdir)]
        beside = self.files.folder_of(element.file)
        if self.compiler.strippath:
            name = PureWindowsPath(name).name
        elif beside != self.folder:
            folders.append(beside)
        return self.files.path(element, name, *folders)

    def mesh(self, user: Element) -> MeshAsset:
        """The mesh that a geom names."""
        return self._find(self.meshes, user, "mesh")

    def heightmap(self, user: Element) -> Heightmap:
        """The height field that a geom names."""
        element = self._find(self.heights, user, "hfield")
        return heightmap(element, self.file(element) if text(element, "file") else None)

    def color(self, user: Element) -> Color | None:
        """The colour of a geom: its own, or its material's."""
        if "rgba" in user.attributes:
            return color(user)
        return self.colors.get(text(user, "material") or "")

    def _find(self, among: dict, user: Element, key: str):
        name = required(user, key)
        if name not in among:
            raise user.error(f"{describe(user)}: no {key} '{shorten(name)}'{near(name, among)}")
        return among[name]


def color(element: Element) -> Color:
    """Red, green, blue and opacity from 0 to 1."""
    red, green, blue, alpha = (min(max(x, 0.0), 1.0) for x in numbers(element, "rgba", 4))
    return red, green, blue, alpha


def heightmap(element: Element, path: str | None) -> Heightmap:
    """Heights above the geom's origin, scaled to its largest; rows go along y, columns along x."""
    size = numbers(element, "size", 4)
    if not size or min(size) <= 0.0:
        raise element.error(f"{describe(element)}: expected four positive numbers as 'size'")
    values = _heights(element) if path is None else _heights_of_file(element, path)
    if min(values.shape) < 2:
        raise element.error(f"{describe(element)}: expected 2 x 2 heights or more")
    low, high = float(values.min()), float(values.max())
    values = (values - low) * (size[2] / (high - low) if high > low else 0.0)
    return Heightmap(values.T.tolist(), (2.0 * size[0], 2.0 * size[1]))


def _heights(element: Element) -> np.ndarray:
    rows, columns = integer(element, "nrow", 0), integer(element, "ncol", 0)
    if min(rows, columns) < 1 or rows * columns > MOST_NUMBERS:
        raise element.error(
            f"{describe(element)}: expected nrow and ncol of 1 or more, and at most {MOST_NUMBERS} "
            f"heights, found {rows} x {columns}"
        )
    values = many(element, "elevation", MOST_NUMBERS)
    if not values:
        return np.zeros((rows, columns))
    if len(values) != rows * columns:
        raise element.error(
            f"{describe(element)}: expected {rows} x {columns} heights, found {len(values)}"
        )
    return np.array(values).reshape(rows, columns)[::-1]


def _heights_of_file(element: Element, path: str) -> np.ndarray:
    data = read_bytes(path)
    if path.lower().endswith(".png"):
        try:
            return first_channel(data, MOST_NUMBERS)[::-1]  # y rises from the last row
        except ValueError as error:
            raise element.error(f"{describe(element)}: '{shorten(path)}': {error}") from None
    rows, columns = map(int, np.frombuffer(data[:8].ljust(8, b"\0"), "<i4"))
    if min(rows, columns) < 1 or len(data) != 8 + 4 * rows * columns:
        raise element.error(f"'{shorten(path)}' is not a height field of MuJoCo's")
    values = np.frombuffer(data, "<f4", rows * columns, 8).astype(float).reshape(rows, columns)
    if not np.isfinite(values).all():
        raise element.error(f"'{shorten(path)}': expected finite heights")
    return values
