"""What actuators act on: joints, tendons, sites, slider-cranks, and bodies in contact."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..errors import ModelError
from ..spatial import Transform
from .checks import flag, name, number, of_kind, transform
from .tendons import Anchor, Rename, check_body


@dataclass(frozen=True)
class JointTransmission:
    """To a joint: its length is the joint's position times the gear.

    Attributes
    ----------
    joint : str
    in_parent : bool
        Whether the axis of rotation of a spherical or free joint, ``gear``, is in the coordinates
        of the parent rather than of the moving body.
    """

    joint: str
    in_parent: bool = False

    def __post_init__(self) -> None:
        name(self.joint, "joint")
        flag(self.in_parent, "in_parent", f"joint '{self.joint}'")

    def renamed(self, tendon: Rename, body: Rename, joint: Rename) -> JointTransmission:
        """The same with another name of its joint."""
        return replace(self, joint=joint(self.joint))


@dataclass(frozen=True)
class TendonTransmission:
    """To a tendon: its length is the tendon's times the gear.

    Attributes
    ----------
    tendon : str
    """

    tendon: str

    def __post_init__(self) -> None:
        name(self.tendon, "tendon")

    def renamed(self, tendon: Rename, body: Rename, joint: Rename) -> TendonTransmission:
        """The same with another name of its tendon."""
        return replace(self, tendon=tendon(self.tendon))


@dataclass(frozen=True)
class SiteFrame:
    """A frame fixed in a body.

    Attributes
    ----------
    body : str or None
        None is the base.
    frame : Transform
        From body coordinates to its own.
    """

    body: str | None
    frame: Transform = field(default_factory=Transform.identity)

    def __post_init__(self) -> None:
        check_body(self.body, "a frame")
        object.__setattr__(self, "frame", transform(self.frame, "frame"))

    def renamed(self, body: Rename) -> SiteFrame:
        """The same with another name of its body."""
        return replace(self, body=self.body and body(self.body))


@dataclass(frozen=True)
class SiteTransmission:
    """A force and a moment at a site; ``gear`` is the force, then the moment, in its axes.

    Without a reference its length is zero.

    Attributes
    ----------
    site : SiteFrame
    reference : SiteFrame or None
        A site against which the other's pose is measured.  The length is ``gear`` times position
        and rotation vector, in its axes.  The force is then in these axes, too.
    """

    site: SiteFrame
    reference: SiteFrame | None = None

    def __post_init__(self) -> None:
        of_kind(self.site, SiteFrame, "site")
        if self.reference is not None:
            of_kind(self.reference, SiteFrame, "reference")

    def renamed(self, tendon: Rename, body: Rename, joint: Rename) -> SiteTransmission:
        """The same with other names of its bodies."""
        reference = self.reference and self.reference.renamed(body)
        return replace(self, site=self.site.renamed(body), reference=reference)


@dataclass(frozen=True)
class SliderCrankTransmission:
    """A slider that a rod joins to a crank; its length is the place of the slider on its axis.

    Attributes
    ----------
    crank : Anchor
        The pin between crank and rod.
    slider : SiteFrame
        The slider moves along the z axis.
    rod : float
        Length of the rod [m].
    """

    crank: Anchor
    slider: SiteFrame
    rod: float

    def __post_init__(self) -> None:
        of_kind(self.crank, Anchor, "crank")
        of_kind(self.slider, SiteFrame, "slider")
        rod = number(self.rod, "rod", "slider-crank")
        if rod <= 0.0:
            raise ModelError(f"expected a rod longer than 0, got {rod:g} (slider-crank)")
        object.__setattr__(self, "rod", rod)

    def renamed(self, tendon: Rename, body: Rename, joint: Rename) -> SliderCrankTransmission:
        """The same with other names of its bodies."""
        return replace(self, crank=self.crank.renamed(body), slider=self.slider.renamed(body))


@dataclass(frozen=True)
class AdhesionTransmission:
    """To the contacts of a body: its force, in equal parts, presses together what touches.

    Attributes
    ----------
    body : str
    """

    body: str

    def __post_init__(self) -> None:
        name(self.body, "body of adhesion")

    def renamed(self, tendon: Rename, body: Rename, joint: Rename) -> AdhesionTransmission:
        """The same with another name of its body."""
        return replace(self, body=body(self.body))


Transmission = (
    JointTransmission
    | TendonTransmission
    | SiteTransmission
    | SliderCrankTransmission
    | AdhesionTransmission
)
