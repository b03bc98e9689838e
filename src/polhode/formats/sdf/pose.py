"""``<pose>`` to a transform: a position, then angles or a quaternion."""

from __future__ import annotations

from decimal import Decimal

from ...spatial import Mat3, Quaternion, Transform, Vec3
from ..names import near, shorten
from ..quaternions import rotation
from ..reading import Notes
from ..urdf.rotation import HALF_PI, turned
from ..xml import Element
from .values import boolean_attribute, child, describe, numbers

ANGLES, QUATERNION = "euler_rpy", "quat_xyzw"


def pose(element: Element, snap: bool | str, notes: Notes) -> Transform:
    """The ``<pose>`` of an element that has only its outer element's frame to refer to."""
    found = child(element, "pose")
    if found is not None and found.attributes.get("relative_to"):
        raise found.error(f"{describe(element)}: a pose with 'relative_to' is not read here")
    return raw_pose(element, snap, notes)


def raw_pose(element: Element, snap: bool | str, notes: Notes) -> Transform:
    """The ``<pose>`` directly inside an element, from the frame that it refers to."""
    found = child(element, "pose")
    if found is None:
        return Transform.identity()
    if found.attributes.get("frame"):
        raise found.error(f"{describe(element)}: poses with 'frame' are not read")
    kind = found.attributes.get("rotation_format", ANGLES)
    if kind not in (ANGLES, QUATERNION):
        raise found.error(
            f"expected rotation_format = {ANGLES} or {QUATERNION} in <pose>, found "
            f"'{shorten(kind)}'{near(kind, (ANGLES, QUATERNION))}"
        )
    in_degrees = boolean_attribute(found, "degrees")
    if in_degrees and kind == QUATERNION:
        raise found.error("a <pose> with a quaternion has no angles in degrees")
    if not found.text:
        return Transform.identity()
    x, y, z, *turn = numbers(found, 6 if kind == ANGLES else 7)
    if kind == QUATERNION:
        i, j, k, w = turn
        E = rotation(Quaternion(w, i, j, k), found, "the quaternion of <pose>", notes)
        return Transform(E, Vec3(x, y, z))
    words = found.text.split()[3:]
    if in_degrees:
        words = [_radians(word) for word in words]
        turn = [float(word) for word in words]
    R = turned(words, turn, snap, notes, found.line)
    return Transform(Mat3.of(R).T, Vec3(x, y, z))


def _radians(degrees: str) -> str:
    """An angle as it would be written in radians, with more digits than a float has."""
    return str(Decimal(degrees) * HALF_PI / 90) if float(degrees) else "0"
