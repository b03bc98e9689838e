"""``visuals`` of a frame, as far as they are simple shapes.

The format leaves them to viewers: unknown elements are noted, never an error.
"""

from __future__ import annotations

from ...errors import ModelError, ParseError
from ...model import Box, Capsule, Cylinder, Shape, Sphere, Visual
from ...spatial import Transform
from .fields import TableFields

ROUND = 1e-9
UNIT_MESHES = {"unit_cube": "box", "unit_sphere": "sphere", "unit_cylinder": "cylinder"}
KEYS = {"name", "src", "dimensions", "mesh_center", "color", "geometry", "translate"}


def read_visuals(frame: TableFields) -> tuple[Visual, ...]:
    """The shapes of a frame that can be drawn without a mesh file."""
    try:
        read = [_visual(entry) for entry in frame.entries("visuals")]
    except (ParseError, ModelError) as error:
        text = error.message if isinstance(error, ParseError) else str(error)
        frame.note("visual", "visuals", f"not drawn: {text}")
        return ()
    return tuple(visual for visual in read if visual is not None)


def _visual(entry: TableFields) -> Visual | None:
    shape = None
    if not entry.table.keys.keys() - KEYS:
        shape = _geometry(entry) if entry.has("geometry") else _unit_mesh(entry)
    if shape is None:
        entry.note("visual", "", "not drawn: neither a simple shape nor a unit mesh")
        return None
    center = entry.triple("mesh_center", entry.triple("translate", (0.0, 0.0, 0.0)))
    color = (*entry.triple("color"), 1.0) if entry.has("color") else None
    return Visual(shape, Transform.translation(*center), color, entry.text("name", ""))


def _geometry(entry: TableFields) -> Shape | None:
    """``geometry = { capsule = { radius = .., length = .. } }`` and the like."""
    geometry = entry.fields("geometry")
    if geometry is None or len(geometry.table.keys) != 1:
        return None
    (kind,) = geometry.table.keys
    size = geometry.fields(kind)
    if size is None:
        return None
    match kind:
        case "box":
            return Box(size.triple("dimensions"))
        case "sphere":
            return Sphere(size.number("radius", 0.0))
        case "capsule":
            return Capsule(size.number("radius", 0.0), size.number("length", 0.0))
        case "cylinder":
            return Cylinder(size.number("radius", 0.0), size.number("length", 0.0))
    return None


def _unit_mesh(entry: TableFields) -> Shape | None:
    """A mesh of unit size, stretched to ``dimensions``, if that is a simple shape again."""
    source = entry.text("src", "").rsplit("/", 1)[-1]
    kind = next((kind for name, kind in UNIT_MESHES.items() if source.startswith(name)), None)
    if kind is None or not entry.has("dimensions"):
        return None
    x, y, z = entry.triple("dimensions")
    if kind == "box":
        return Box((x, y, z))
    if kind == "sphere" and max(abs(x - y), abs(y - z)) < ROUND:
        return Sphere(0.5 * x)
    if kind == "cylinder" and abs(x - y) < ROUND and "_z" in source:
        return Cylinder(0.5 * x, z)
    return None
