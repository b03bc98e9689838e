"""``gearbox`` joints: gears between the hinges of two links on one reference body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...errors import ModelError
from ...scene import Gear
from ...spatial import Vec3
from ..moby.joints import ORTHOGONAL, MobyJoint
from ..names import shorten
from ..xml import Element
from .values import describe

GEARBOX = "gearbox"
REFERENCE = "gearbox_reference_body"


class GearSide(NamedTuple):
    """A link, and the axis in world coordinates about which its angle counts."""

    link: str
    axis: Vec3


@dataclass(frozen=True)
class Gearbox:
    """A relation of two angles: ``theta_2 = -ratio theta_1``.

    Each is the angle of a link from the reference body: ``theta_1`` that of the joint's parent
    about ``<axis>``, ``theta_2`` that of its child about ``<axis2>``.  Source: the specification
    of SDF, https://sdformat.org/spec?elem=joint.
    """

    name: str
    element: Element
    reference: str
    parent: GearSide
    child: GearSide
    ratio: float

    def gear(self, machine: str, joints: Sequence[MobyJoint]) -> Gear:
        """The same relation of the coordinates of two joints of the model's trees.

        Raises
        ------
        ParseError
            If no revolute joint about that axis joins a link to the reference body.
        """
        first, turn_1 = self._hinge(self.parent, joints)
        second, turn_2 = self._hinge(self.child, joints)
        ends = (machine, second.name), (machine, first.name)
        try:
            return Gear(f"{machine}/{self.name}", *ends, -self.ratio * turn_1 * turn_2)
        except ModelError as error:
            raise self.element.error(str(error)) from None

    def _hinge(self, side: GearSide, joints: Sequence[MobyJoint]) -> tuple[MobyJoint, float]:
        """The hinge of a side, and the sign with which its coordinate is the side's angle."""
        ends = {side.link, self.reference}
        found = next((joint for joint in joints if joint.tag == "RevoluteJoint"
                      and {joint.inboard, joint.outboard} == ends), None)  # fmt: skip
        if found is None:
            raise self.element.error(
                f"{describe(self.element)}: expected a revolute joint between the links "
                f"'{shorten(side.link)}' and '{shorten(self.reference)}', the <{REFERENCE}>, that "
                "closes no loop, found none"
            )
        cosine = found.axes[0].dot(side.axis)
        if abs(cosine) < 1.0 - ORTHOGONAL:
            raise self.element.error(
                f"{describe(self.element)}: expected the axis of '{shorten(side.link)}' along that "
                f"of joint '{shorten(found.name)}', which turns it, found an axis across it"
            )
        is_carried = found.outboard == side.link
        return found, (1.0 if cosine > 0.0 else -1.0) * (1.0 if is_carried else -1.0)
