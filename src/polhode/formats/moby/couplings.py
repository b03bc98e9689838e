"""Joints that close loops, and gears."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import ModelError
from ...scene import Gear, Loop, LoopKind
from ...spatial import Mat3, Quaternion, Transform, Vec3
from ..names import near, shorten
from ..reading import Notes
from .joints import LOOPS, MobyJoint, joint_frame
from .values import describe, triple, vector

WORLD = "world"


@dataclass(frozen=True)
class Where:
    """A link: its model, its pose in the file, and the joint that carries it."""

    machine: str
    place: Transform
    inner: str | None


def make_loop(joint: MobyJoint, links: Mapping[str, Where], notes: Notes) -> Loop:
    """The loop joint between two links, wherever they belong."""
    a, b = (_end(joint, role, links) for role in ("inboard", "outboard"))
    if any(joint.moved):
        text = f"{describe(joint.element)} closes a loop: its q and q-tare move nothing"
        notes.add("ignored", text, joint.element.line)
    if any(joint.qd):
        text = f"{describe(joint.element)} closes a loop: its qd moves nothing"
        notes.add("ignored", text, joint.element.line)
    kind = LOOPS[joint.tag]
    settings = None
    if joint.has_settings:
        if kind.freedoms == 1:
            settings = joint.settings
        else:
            text = f"{describe(joint.element)} closes a loop: it has no limits and no friction"
            notes.add("ignored", text, joint.element.line)
    frame_a, frame_b = _frames(joint, a, b)
    try:
        return Loop(
            joint.name, kind, _name(joint.inboard, a), _name(joint.outboard, b), frame_a, frame_b,
            joint.pitch if kind is LoopKind.SCREW else 0.0, settings,
        )  # fmt: skip
    except ModelError as error:
        raise joint.element.error(str(error)) from None


def make_gear(joint: MobyJoint, links: Mapping[str, Where]) -> Gear:
    """The gear between the joints that carry two links."""
    ends = []
    for role in ("inboard", "outboard"):
        link = getattr(joint, role)
        where = _end(joint, role, links)
        if where is None or where.inner is None:
            raise joint.element.error(
                f"{describe(joint.element)}: no joint carries the {role} link '{shorten(link)}'"
            )
        ends.append((where.machine, where.inner))
    try:
        return Gear(joint.name, ends[0], ends[1], joint.ratio)
    except ModelError as error:
        raise joint.element.error(str(error)) from None


def _end(joint: MobyJoint, role: str, links: Mapping[str, Where]) -> Where | None:
    """The link of a side; None for the world."""
    link = getattr(joint, role)
    if link not in links:
        if link == WORLD:
            return None
        raise joint.element.error(
            f"{describe(joint.element)}: no {role} link '{shorten(link)}'{near(link, links)}"
        )
    return links[link]


def _name(link: str, where: Where | None) -> tuple[str, str] | None:
    return None if where is None else (where.machine, link)


def _frames(joint: MobyJoint, a: Where | None, b: Where | None) -> tuple[Transform, Transform]:
    """The joint's frame from both sides' coordinates."""
    written = [_written(joint, side) for side in ("inboard", "outboard")]
    if written[0] is not None and written[1] is not None:
        return written[0], written[1]
    places = [Transform.identity() if end is None else end.place for end in (a, b)]
    at = places[1].r if joint.location is None else joint.location
    frame = joint_frame(joint, at)
    return frame @ places[0].inverse(), frame @ places[1].inverse()


def _written(joint: MobyJoint, side: str) -> Transform | None:
    """A frame that a snapshot has written beside location and axes."""
    quaternion = vector(joint.element, f"{side}-quat", 4)
    if quaternion is None:
        return None
    q = Quaternion(*quaternion)
    norm = q.norm()
    if norm == 0.0:
        raise joint.element.error(f"'{side}-quat' of {describe(joint.element)} is zero")
    E: Mat3 = (q if abs(norm - 1.0) < 1e-15 else q.normalized()).matrix()
    return Transform(E, Vec3(*triple(joint.element, f"{side}-origin")))
