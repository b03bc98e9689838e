"""A `Model` as a URDF.

Written: links with inertial, visuals and collision shapes, joints with axis, limits and mimic
relation.  Joints with several axes become chains of massless links.  Meshes are files beside it.
Not in the format: gravity, spherical and helical joints, constraint sets, armature and springs of
joints.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.sax.saxutils import quoteattr

from ...errors import ModelError
from ...files.writing import write_atomically
from ...model import (
    Box,
    Capsule,
    Cylinder,
    Fixed,
    FloatingBase,
    JointDynamics,
    Link,
    Mesh,
    Model,
    Planar,
    Polyhedron,
    Prismatic,
    Revolute,
    RigidBody,
    Shape,
    Sphere,
    TriangleMesh,
    Visual,
)
from ...spatial import Transform
from ..axes_in_series import axes_in_series
from ..lost import Lost, warn_of_lost_dynamics
from ..mesh_files import MeshFiles
from .reader import GRAVITY

ROUND = 1e-9


Touching = tuple[str, Shape | None, Transform]


def write(model: Model, path: str | os.PathLike[str], touching: Sequence[Touching] = ()) -> None:
    """Write a model to a URDF file, with its meshes in files beside it; see `dumps`."""
    meshes = MeshFiles(Path(path).with_suffix(""))
    text = _text_of(model, touching, meshes)
    meshes.write()
    write_atomically(path, text.encode("utf-8"))


def dumps(model: Model, touching: Sequence[Touching] = ()) -> str:
    """The URDF text of a model; reading it gives an equal model.

    Parameters
    ----------
    model : Model
    touching : sequence of (link, shape, frame)
        Its collision shapes, as `read_collisions` returns them.

    Raises
    ------
    ModelError
        For a joint that the format does not have, or a body whose inertia is not symmetric.

    Warns
    -----
    ModelWarning
        Of all else that is not in the format.
    """
    return _text_of(model, touching, MeshFiles(None))


def _text_of(model: Model, touching: Sequence[Touching], meshes: MeshFiles) -> str:
    shapes = _Shapes(meshes, Lost("URDF"))
    for link, shape, frame in touching:
        shapes.touching.setdefault(link, []).append((shape, frame))
    _note_lost(model, shapes.lost)
    warn_of_lost_dynamics(model, "URDF", ("damping", "friction"))
    links = [part for link in model.links for part in _single_axes(link, model)]
    lines = ['<?xml version="1.0"?>', f"<robot name={_text(model.name)}>"]
    root = None
    if not _is_root(links):
        root = _free_name(model.base, {link.name for link in links})
        lines.append(f"  <link name={_text(root)}/>")
    for link in links:
        lines += _link(link, model, shapes)
    for link in links:
        parent = root if link.parent is None else link.parent
        if parent is not None:
            lines += _joint(link, parent, model)
    shapes.lost.warn(f"model '{model.name}'")
    return "\n".join([*lines, "</robot>", ""])


def _note_lost(model: Model, lost: Lost) -> None:
    if tuple(model.gravity.lin) != GRAVITY:
        lost.add("gravity", " ".join(f"{float(x):g}" for x in model.gravity.lin))
    for name in model.constraint_sets:
        lost.add("constraint sets", name)
    for link in model.links:
        if link.gravity_compensation:
            lost.add("gravity compensation", link.name)


def _is_root(links: list[Link]) -> bool:
    """Whether the first link is what a URDF's root is read as."""
    on_base = [link for link in links if link.parent is None]
    if len(on_base) != 1:
        return False
    return not on_base[0].joint.nv and on_base[0].frame == Transform.identity()


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _single_axes(link: Link, model: Model) -> Iterator[Link]:
    """``link`` on joints that the format has, with massless links between them."""
    parts = axes_in_series(link.joint, Planar)
    parent, frame = link.parent, link.frame
    rows = (link.dynamics or JointDynamics()).for_each(link.joint.nv)
    dynamics = [JointDynamics(*row) for row in zip(*rows, strict=True)]
    for k, part in enumerate(parts[:-1]):
        name, own = f"{link.name}/{k}", dynamics[k]
        yield Link(name, parent, part, frame, joint_name=f"{link.joint_name}/{k}", dynamics=own)
        parent, frame = name, Transform.identity()
    last = parts[-1]
    if isinstance(last, (Revolute, Prismatic)) and abs(math.hypot(*last.axis) - 1.0) > ROUND:
        raise ModelError(
            f"the axis of joint '{link.joint_name}' is not of unit length, which a URDF cannot "
            f"express (model '{model.name}')"
        )
    own = dynamics[-1] if len(parts) > 1 else link.dynamics
    yield replace(link, parent=parent, frame=frame, joint=last, dynamics=own)


def _link(link: Link, model: Model, shapes: _Shapes) -> list[str]:
    inside = [*_inertial(link.name, link.body, model)]
    for visual in link.visuals:
        inside += shapes.visual(visual, link.name)
    for shape, frame in shapes.touching.get(link.name, ()):
        inside += shapes.collision(shape, frame, link.name)
    if not inside:
        return [f"  <link name={_text(link.name)}/>"]
    return [f"  <link name={_text(link.name)}>", *inside, "  </link>"]


def _inertial(name: str, body: RigidBody, model: Model) -> Iterator[str]:
    if body.is_massless:
        return
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = body.inertia
    size = max(abs(x) for row in body.inertia for x in row)
    if max(abs(xy - yx), abs(xz - zx), abs(yz - zy)) > ROUND * size:
        raise ModelError(
            f"the inertia of link '{name}' is not symmetric, which a URDF cannot express "
            f"(model '{model.name}')"
        )
    yield "    <inertial>"
    yield f'      <origin xyz="{_numbers(body.com)}" rpy="0 0 0"/>'
    yield f'      <mass value="{body.mass!r}"/>'
    yield (
        f'      <inertia ixx="{xx!r}" ixy="{yx!r}" ixz="{zx!r}" '
        f'iyy="{yy!r}" iyz="{zy!r}" izz="{zz!r}"/>'
    )
    yield "    </inertial>"


@dataclass
class _Shapes:
    """What links are drawn as and touch with, as elements."""

    meshes: MeshFiles
    lost: Lost
    touching: dict[str, list[tuple[Shape | None, Transform]]] = field(default_factory=dict)

    def visual(self, visual: Visual, link: str) -> Iterator[str]:
        geometry = self._geometry(visual.shape, link)
        if geometry is None:
            self.lost.add("visuals", link)
            return
        name = f" name={_text(visual.name)}" if visual.name else ""
        yield f"    <visual{name}>"
        yield f"      {_origin(visual.frame)}"
        yield f"      <geometry>{geometry}</geometry>"
        if visual.color is not None:
            yield f'      <material name=""><color rgba="{_numbers(visual.color)}"/></material>'
        yield "    </visual>"

    def collision(self, shape: Shape | None, frame: Transform, link: str) -> Iterator[str]:
        geometry = self._geometry(shape, link)
        if geometry is None:
            self.lost.add("collision shapes", link)
            return
        yield "    <collision>"
        yield f"      {_origin(frame)}"
        yield f"      <geometry>{geometry}</geometry>"
        yield "    </collision>"

    def _geometry(self, shape: Shape | None, link: str) -> str | None:
        """The element inside ``<geometry>``; None for a shape that the format does not have."""
        match shape:
            case Box(size):
                return f'<box size="{_numbers(size)}"/>'
            case Sphere(radius):
                return f'<sphere radius="{radius!r}"/>'
            case Cylinder(radius, length):
                return f'<cylinder radius="{radius!r}" length="{length!r}"/>'
            case Capsule(radius, length):
                return f'<capsule radius="{radius!r}" length="{length!r}"/>'
            case Mesh() | Polyhedron() | TriangleMesh():
                return self._mesh(shape, link)
        return None

    def _mesh(self, shape: Mesh | Polyhedron | TriangleMesh, link: str) -> str | None:
        file = self.meshes.name(shape, link)
        if file is None:
            return None
        scale = f' scale="{_numbers(shape.scale)}"' if isinstance(shape, Mesh) else ""
        return f"<mesh filename={_text(file)}{scale}/>"


def _joint(link: Link, parent: str, model: Model) -> list[str]:
    kind = link.joint
    limits = link.limits
    turns_free = limits is None or (math.isinf(limits.lower) and math.isinf(limits.upper))
    match kind:
        case Fixed():
            name, axis = "fixed", None
        case FloatingBase():
            name, axis = "floating", None
        case Planar():
            name, axis = "planar", (0.0, 0.0, 1.0)
        case Revolute():
            name, axis = ("continuous" if turns_free else "revolute"), kind.axis
        case Prismatic():
            name, axis = "prismatic", kind.axis
        case _:
            raise ModelError(
                f"joint '{link.joint_name}' of kind '{kind.name}' cannot be written as URDF "
                f"(model '{model.name}')"
            )
    lines = [f'  <joint name={_text(link.joint_name)} type="{name}">', f"    {_origin(link.frame)}"]
    lines += [f"    <parent link={_text(parent)}/>", f"    <child link={_text(link.name)}/>"]
    if axis is not None:
        lines.append(f'    <axis xyz="{_numbers(axis)}"/>')
    lines += _limit(link, name)
    lines += _dynamics(link, name)
    if link.mimic is not None:
        m = link.mimic
        lines.append(
            f'    <mimic joint={_text(m.joint)} multiplier="{m.multiplier!r}" '
            f'offset="{m.offset!r}"/>'
        )
    return [*lines, "  </joint>"]


def _dynamics(link: Link, kind: str) -> Iterator[str]:
    if link.dynamics is None or kind not in ("revolute", "continuous", "prismatic"):
        return
    (damping,), (friction,), *_ = link.dynamics.for_each(1)
    if damping or friction:
        yield f'    <dynamics damping="{damping!r}" friction="{friction!r}"/>'


def _limit(link: Link, kind: str) -> list[str]:
    """The limits; a prismatic joint must have some."""
    limits = link.limits
    if limits is None:
        if kind != "prismatic":
            return []
        return ['    <limit lower="-inf" upper="inf" velocity="inf" effort="inf"/>']
    ends = f'lower="{limits.lower!r}" upper="{limits.upper!r}" ' if kind != "continuous" else ""
    return [f'    <limit {ends}velocity="{limits.velocity!r}" effort="{limits.effort!r}"/>']


def _origin(X: Transform) -> str:
    return f'<origin xyz="{_numbers(X.r)}" rpy="{_numbers(angles(X))}"/>'


def angles(X: Transform) -> tuple[float, float, float]:
    """Roll, pitch and yaw of the child's axes in the parent's."""
    (r11, _, _), (r21, r22, r23), (r31, r32, r33) = X.E.T.rows()
    pitch = math.atan2(-r31, math.hypot(r11, r21))
    if math.hypot(r11, r21) > ROUND:
        return math.atan2(r32, r33), pitch, math.atan2(r21, r11)
    return math.atan2(-r23, r22), pitch, 0.0  # yaw and roll turn about one line


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in values)


def _text(text: str) -> str:
    return quoteattr(text)
