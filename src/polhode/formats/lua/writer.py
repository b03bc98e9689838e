"""A `Model` as an RBDL Lua model.

Written: gravity, links with body, joint and joint frame, simple visuals, constraint sets.  Not
in the format, told in a warning and named in comments: names of joints, limits, mimic relations,
meshes and turned shapes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from ...errors import ModelError, ModelWarning, warn_caller
from ...files.writing import write_atomically
from ...model import (
    Axes,
    Box,
    Capsule,
    Cylinder,
    Euler,
    Fixed,
    FloatingBase,
    Helical,
    JointKind,
    Link,
    Model,
    Prismatic,
    Revolute,
    Sphere,
    Spherical,
    TranslationXYZ,
    Visual,
)
from ...model.joints.several import Serial
from ...spatial import Mat3, Transform
from ..lost import Lost, warn_of_lost_dynamics

ROOT = "ROOT"
SHAPES = (Box, Sphere, Capsule, Cylinder)
_ESCAPES = {ord("\\"): "\\\\", ord('"'): '\\"', ord("\n"): "\\n", ord("\r"): "\\r", 0: "\\0"}


def write(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a Lua file; see `dumps`."""
    write_atomically(path, dumps(model).encode("utf-8"))


def dumps(model: Model) -> str:
    """The Lua text of a model; reading it gives an equal model.

    Raises
    ------
    ModelError
        For a joint that the format does not have.

    Warns
    -----
    ModelWarning
        Of all that is not in the format.
    """
    warn_of_lost_dynamics(model, "Lua")
    _note_lost(model)
    if model.is_coupled:
        warn_caller(
            f"a Lua file has no coupled joints: '{model.followers[0].name}' gets a coordinate of "
            f"its own (model '{model.name}')", ModelWarning,
        )  # fmt: skip
    if any(link.name == ROOT for link in model.links):
        raise ModelError(f"a link of model '{model.name}' is named 'ROOT', which is Lua's base")
    lines = [f"-- {_one_line(model.name)}", "return {", f"  gravity = {_row(model.gravity.lin)},"]
    frames = [line for link in model.links for line in _frame(link, model)]
    lines += ["  frames = {", *frames, "  },"]
    if model.constraint_sets:
        lines += ["  constraint_sets = {", *_sets(model), "  },"]
    return "\n".join([*lines, "}", ""])


def _note_lost(model: Model) -> None:
    """Tell what the file has in comments alone, or not at all."""
    lost = Lost("Lua")
    for link in model.links:
        if _is_named(link):
            lost.add("names of joints", link.joint_name)
        if link.limits is not None:
            lost.add("limits of joints", link.joint_name)
        if link.mimic is not None and not link.mimic.coupled:
            lost.add("mimic relations of joints", link.joint_name)
        if link.gravity_compensation:
            lost.add("gravity compensation", link.name)
        if not all(map(_is_written, link.visuals)):
            lost.add("visuals that are turned, or meshes", link.name)
    lost.warn(f"model '{model.name}'")


def _is_named(link: Link) -> bool:
    """Whether its joint moves, and has a name of its own."""
    return link.joint_name != link.name and bool(link.joint.nv)


def _is_written(visual: Visual) -> bool:
    """Whether its shape is one of the format's, and not turned."""
    return isinstance(visual.shape, SHAPES) and Mat3.identity() == visual.frame.E


def _frame(link: Link, model: Model) -> list[str]:
    parent = ROOT if link.parent is None else link.parent
    lines = ["    {", *_remarks(link), f"      name = {_text(link.name)},"]
    lines.append(f"      parent = {_text(parent)},")
    if not link.body.is_massless:
        rows = ", ".join(_row(row) for row in link.body.inertia)
        lines.append(
            f"      body = {{ mass = {link.body.mass!r}, com = {_row(link.body.com)}, "
            f"inertia = {{ {rows} }} }},"
        )
    lines.append(f"      joint = {_joint(link, model)},")
    if link.frame != Transform.identity():
        lines.append(f"      joint_frame = {_place(link.frame.r, link.frame.E)},")
    visuals = [text for visual in link.visuals for text in _visual(visual)]
    if visuals:
        lines += ["      visuals = {", *visuals, "      },"]
    return [*lines, "    },"]


def _remarks(link: Link) -> Iterable[str]:
    """Properties of a link that the format cannot express."""
    if _is_named(link):
        yield f"      -- joint {_one_line(link.joint_name)}"
    if link.limits is not None:
        yield f"      -- {link.limits}"
    if link.mimic is not None:
        yield f"      -- {_one_line(str(link.mimic))}"


def _joint(link: Link, model: Model) -> str:
    kind: JointKind = link.joint
    match kind:
        case Fixed():
            return "{}"
        case Revolute() | Prismatic() | Helical():
            return f"{{ {_row(kind.row)} }}"
        case Axes():
            return f"{{ {', '.join(_row(row) for row in kind.rows)} }}"
        case Euler():
            return f'{{ "JointTypeEuler{kind.order}" }}'
        case Serial():
            return f"{{ {', '.join(_row(part.row) for part in kind.parts)} }}"
        case Spherical():
            return '{ "JointTypeSpherical" }'
        case TranslationXYZ():
            return '{ "JointTypeTranslationXYZ" }'
        case FloatingBase():
            return '{ "JointTypeFloatingBase" }'
    raise ModelError(
        f"joint '{link.joint_name}' of kind '{kind.name}' cannot be written as Lua "
        f"(model '{model.name}')"
    )


def _visual(visual: Visual) -> list[str]:
    shape = visual.shape
    match shape:
        case Box(size):
            geometry = f"box = {{ dimensions = {_row(size)} }}"
        case Sphere(radius):
            geometry = f"sphere = {{ radius = {radius!r} }}"
        case Capsule(radius, length):
            geometry = f"capsule = {{ radius = {radius!r}, length = {length!r} }}"
        case Cylinder(radius, length):
            geometry = f"cylinder = {{ radius = {radius!r}, length = {length!r} }}"
        case _:
            return [f"        -- {_one_line(str(shape))}"]
    if Mat3.identity() != visual.frame.E:
        return [f"        -- turned: {_one_line(str(shape))}"]
    fields = [f"name = {_text(visual.name)}", f"geometry = {{ {geometry} }}"]
    fields.append(f"mesh_center = {_row(visual.frame.r)}")
    if visual.color is not None:
        fields.append(f"color = {_row(visual.color[:3])}")
    return [f"        {{ {', '.join(fields)} }},"]


def _sets(model: Model) -> list[str]:
    lines = []
    for name, records in model.constraint_sets.items():
        lines += [f"    [{_text(name)}] = {{"]
        lines += [f"      {{ {', '.join(_constraint(record, model))} }}," for record in records]
        lines += ["    },"]
    return lines


def _constraint(record: Any, model: Model) -> list[str]:
    fields = [f"name = {_text(record.name)}"]
    if record.id is not None:
        fields.append(f"id = {record.id}")
    if hasattr(record, "normal"):
        fields += ['constraint_type = "contact"', f"body = {_body(record.body, model)}"]
        fields += [f"point = {_row(record.point)}", f"normal = {_row(record.normal)}"]
        if record.normal_acceleration:
            fields.append(f"normal_acceleration = {record.normal_acceleration!r}")
        return fields
    fields.append('constraint_type = "loop"')
    for end in ("predecessor", "successor"):
        X = getattr(record, f"{end}_frame")
        fields.append(f"{end}_body = {_body(getattr(record, end), model)}")
        fields.append(f"{end}_transform = {_place(X.r, X.E.T)}")
    fields.append(f"axis = {_row(record.axis)}")
    if record.stabilization is not None:
        fields += ["enable_stabilization = true"]
        fields += [f"stabilization_parameter = {record.stabilization!r}"]
    return fields


def _body(name: str, model: Model) -> str:
    return _text(ROOT if name == model.base else name)


def _place(r: Iterable[float], E: Mat3) -> str:
    return f"{{ r = {_row(r)}, E = {{ {', '.join(_row(row) for row in E.rows())} }} }}"


def _row(values: Iterable[float] | Sequence[float]) -> str:
    return f"{{ {', '.join(repr(float(x)) for x in values)} }}"


def _text(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _one_line(text: str) -> str:
    return " ".join(text.split())
