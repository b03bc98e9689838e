"""``frames`` of a Lua model to links."""

from __future__ import annotations

import math

import numpy as np

from ...model import (
    Euler,
    Fixed,
    FloatingBase,
    JointKind,
    Link,
    RigidBody,
    Spherical,
    TranslationXYZ,
)
from ...model.joints import axes_joint
from ...model.records import Matrix
from ...spatial import Mat3, Transform, Vec3
from ..names import near, shorten
from .fields import TableFields
from .process import Table
from .visuals import read_visuals

ROOT = "ROOT"
IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NAMED_JOINTS: dict[str, JointKind] = {
    "JointTypeSpherical": Spherical(),
    "JointTypeEulerZYX": Euler("ZYX"),
    "JointTypeEulerXYZ": Euler("XYZ"),
    "JointTypeEulerYXZ": Euler("YXZ"),
    "JointTypeEulerZXY": Euler("ZXY"),
    "JointTypeTranslationXYZ": TranslationXYZ(),
    "JointTypeFloatingBase": FloatingBase(),
}
FRAME_KEYS = ("name", "parent", "body", "joint", "joint_frame", "visuals", "markers")
MAX_FRAMES = 10_000
EXACT = 1e-6  # a rotation or axis written with six decimals is taken to be meant as one


def read_frames(model: TableFields) -> tuple[Link, ...]:
    """The links of a model, in the order of the file."""
    if not model.has("frames"):
        raise model.error("frames", f"missing{near('frames', model.table.keys)}")
    frames = [frame.named("frame") for frame in model.entries("frames")]
    if len(frames) > MAX_FRAMES:
        raise model.error("frames", f"expected at most {MAX_FRAMES}, found {len(frames)}")
    names = [frame.text("name") for frame in frames]
    links: dict[str, Link] = {}
    for frame, name in zip(frames, names, strict=True):
        _check_name(frame, name, links)
        parent = _parent(frame, links, names)
        links[name] = _link(frame, name, parent)
    _note_massless_tips(frames, tuple(links.values()))
    return tuple(links.values())


def _check_name(frame: TableFields, name: str, links: dict[str, Link]) -> None:
    if not name.strip():
        raise frame.error("name", "expected a name, found an empty text")
    if name == ROOT:
        raise frame.error("name", "'ROOT' is the base itself, no frame can have its name")
    if name in links:
        position = list(links).index(name) + 1
        raise frame.error("name", f"duplicate name, also of frames[{position}]")


def _parent(frame: TableFields, links: dict[str, Link], names: list[str]) -> str | None:
    parent = frame.text("parent")
    if parent == ROOT:
        return None
    if parent in links:
        return parent
    if parent in names:
        raise frame.error(
            "parent",
            f"'{shorten(parent)}' must come before this frame, "
            f"it is frames[{names.index(parent) + 1}]",
        )
    raise frame.error(
        "parent", f"no earlier frame '{shorten(parent)}'{near(parent, [ROOT, *links])}"
    )


def _link(frame: TableFields, name: str, parent: str | None) -> Link:
    frame.note_unknown(FRAME_KEYS)
    return Link(
        name,
        parent,
        joint=_joint(frame),
        frame=_joint_frame(frame),
        body=_body(frame),
        visuals=read_visuals(frame),
    )


def _body(frame: TableFields) -> RigidBody:
    """The body as written; a frame without one has no mass."""
    body = frame.fields("body")
    if body is None:
        return RigidBody()
    body.note_unknown(("mass", "com", "inertia"))
    mass = body.number("mass", 1.0)
    if mass < 0.0:
        raise body.error("mass", f"expected a mass that is not negative, found {mass:g}")
    com = body.triple("com", (0.0, 0.0, 0.0))
    inertia = body.square("inertia", IDENTITY)
    _note_inertia(body, mass, np.array(inertia))
    return RigidBody(mass, com, inertia)


def _note_inertia(body: TableFields, mass: float, inertia: np.ndarray) -> None:
    """Note an inertia that no distribution of mass has."""
    if not inertia.any():
        return
    if mass == 0.0:
        body.note("doubtful", "inertia", "has inertia, but no mass")
    size = np.abs(inertia).max()
    if np.abs(inertia - inertia.T).max() > EXACT * size:
        body.note("doubtful", "inertia", "not symmetric; dynamics uses its lower triangle")
        return
    low, middle, high = np.linalg.eigvalsh(inertia)
    if low < -EXACT * size:
        body.note("doubtful", "inertia", "not positive definite")
    elif low + middle < high - EXACT * size:
        body.note(
            "doubtful",
            "inertia",
            f"principal moments {low:.3g}, {middle:.3g}, {high:.3g} "
            "violate the triangle inequality",
        )


def _joint(frame: TableFields) -> JointKind:
    joint = frame.fields("joint")
    if joint is None or joint.table == Table([], {}, []):
        return Fixed()
    rows = joint.table.array
    if len(rows) == 1 and isinstance(rows[0], str):
        kind = NAMED_JOINTS.get(rows[0])
        if kind is None:
            raise frame.error(
                "joint", f"unknown joint '{shorten(rows[0])}'{near(rows[0], NAMED_JOINTS)}"
            )
        return kind
    if len(rows) > 6:
        raise frame.error("joint", f"expected at most 6 rows, found {len(rows)}")
    axes = frame.matrix("joint", None, 6)
    for k, row in enumerate(axes, 1):
        _check_axis(frame, f"joint[{k}]", row)
    return axes_joint(axes)


def _check_axis(frame: TableFields, key: str, row: tuple[float, ...]) -> None:
    if not any(row):
        raise frame.error(key, "expected an axis, found six zeros")
    length = math.hypot(*(row[:3] if any(row[:3]) else row[3:]))
    if abs(length - 1.0) > EXACT:
        frame.note("doubtful", key, f"the axis has length {length:.6g}, kept as written")


def _joint_frame(frame: TableFields) -> Transform:
    """From parent to joint coordinates, exactly as written."""
    place = frame.fields("joint_frame")
    if place is None:
        return Transform.identity()
    place.note_unknown(("r", "E"))
    r = place.triple("r", (0.0, 0.0, 0.0))
    E = place.square("E", IDENTITY)
    note_rotation(place, "E", E)
    return Transform(Mat3.of(E), Vec3(*r))


def note_rotation(place: TableFields, key: str, E: Matrix) -> None:
    """Note a matrix that is not a rotation; it is kept."""
    matrix = np.array(E)
    with np.errstate(all="ignore"):  # what overflows is wrong
        wrong = not np.abs(matrix @ matrix.T - np.eye(3)).max() <= EXACT
    if wrong or np.linalg.det(matrix) < 0.0:
        place.note("doubtful", key, "not a rotation, kept as written")


def _note_massless_tips(frames: list[TableFields], links: tuple[Link, ...]) -> None:
    """Note moving frames that have no mass in or beyond them."""
    heavy = {link.name: not link.body.is_massless for link in links}
    for frame, link in zip(reversed(frames), reversed(links), strict=True):
        if link.joint.nv and not heavy[link.name]:
            frame.note("doubtful", "", "moves without any mass: the mass matrix is singular")
        if link.parent is not None:
            heavy[link.parent] |= heavy[link.name]
