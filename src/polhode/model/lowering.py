"""From declared links to the numbered bodies that algorithms run over.

Links on fixed joints are merged into the body that carries them. Joints that are chains of
elementary joints get virtual bodies without mass, as in RBDL.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, fields

from ..errors import ModelError, shown, suggestion
from ..spatial import Transform, Vec3
from .coupling import Coupling, coupled_links, couplings
from .joints import JointKind
from .records import JointDynamics, JointEntries, Link, RigidBody


@dataclass(frozen=True)
class FixedFrame:
    """A link merged into body ``body``; ``X`` maps that body's coordinates to the link's."""

    link: Link
    body: int
    X: Transform


@dataclass
class Lowering:
    """Numbered bodies, entry 0 for the base, and where each link has come to be."""

    parent: list[int] = field(default_factory=lambda: [-1])
    X_tree: list[Transform] = field(default_factory=lambda: [Transform.identity()])
    joint: list[JointKind | None] = field(default_factory=lambda: [None])
    body: list[RigidBody] = field(default_factory=lambda: [RigidBody()])
    dynamics: list[JointEntries] = field(default_factory=lambda: [JointDynamics().for_each(0)])
    floated: list[tuple[float, Vec3]] = field(default_factory=lambda: [(0.0, Vec3.zero())])
    is_actuated: list[bool] = field(default_factory=lambda: [False])  # `actuated_compensation`
    link: list[Link | None] = field(default_factory=lambda: [None])  # None: base or virtual
    fixed: list[FixedFrame] = field(default_factory=list)
    chain: dict[str, tuple[int, ...]] = field(default_factory=dict)  # bodies of a link's joint
    where: dict[str | None, tuple[int, Transform]] = field(
        default_factory=lambda: {None: (0, Transform.identity())}
    )
    joint_names: set[str] = field(default_factory=set)
    couplings: dict[str, Coupling] = field(default_factory=dict)  # by the follower's joint

    def copy(self) -> Lowering:
        return Lowering(*(copy(getattr(self, f.name)) for f in fields(self)))

    def add(self, link: Link) -> None:
        """Number ``link``, whose parent must have been added."""
        carrier, offset = self.where[link.parent]
        self.where[link.name] = self._number(link, carrier, link.frame @ offset)
        if link.joint.nv:
            self.joint_names.add(link.joint_name)

    @property
    def leaders(self) -> dict[int, int]:
        """The body of the leader of each body whose joint follows another."""
        if not self.couplings:
            return {}
        of_joint = {link.joint_name: i for i, link in enumerate(self.link) if link}
        return {of_joint[name]: of_joint[coupling.leader]
                for name, coupling in self.couplings.items() if name in of_joint}  # fmt: skip

    def relation(self, joint: str) -> Coupling:
        """The relation of a joint's position to a coordinate: its leader's, or its own."""
        return self.couplings.get(joint) or Coupling(joint)

    def _number(self, link: Link, carrier: int, X: Transform) -> tuple[int, Transform]:
        joints = [kind for kind in link.joint.elementary() if kind.nv]
        if not joints:
            self.body[carrier] = _joined(self.body[carrier], link, X)
            self._float(link, carrier, X)
            self.fixed.append(FixedFrame(link, carrier, X))
            return carrier, X
        first, start = len(self.parent), 0
        dynamics = (link.dynamics or JointDynamics()).for_each(link.joint.nv)
        for kind in joints:
            self.dynamics.append(_part(dynamics, start, kind.nv))
            start += kind.nv
            self.parent.append(carrier)
            self.X_tree.append(X)
            self.joint.append(kind)
            self.body.append(RigidBody())
            self.floated.append((0.0, Vec3.zero()))
            self.is_actuated.append(link.actuated_compensation)
            self.link.append(None)
            carrier, X = len(self.parent) - 1, Transform.identity()
        self.body[carrier], self.link[carrier] = link.body, link
        self._float(link, carrier, X)
        self.chain[link.name] = tuple(range(first, carrier + 1))
        return carrier, X

    def _float(self, link: Link, carrier: int, X: Transform) -> None:
        """Add the part of a link's mass that gravity compensation carries."""
        if link.gravity_compensation:
            mass, moment = self.floated[carrier]
            own = link.gravity_compensation * link.body.mass
            com = X.point(Vec3.of(link.body.com))
            self.floated[carrier] = (mass + own, moment + com * own)


def _part(dynamics: JointEntries, start: int, nv: int) -> JointEntries:
    """The entries of one of a chain's bodies."""
    return JointEntries(*(row[start : start + nv] for row in dynamics))


def _joined(carrier: RigidBody, link: Link, X: Transform) -> RigidBody:
    try:
        return carrier.joined(link.body, X)
    except ModelError as error:  # the numbers of both are finite, their sums are not
        raise ModelError(
            f"the body of the fixed link '{link.name}' is too large: {error}"
        ) from None


def lower(links: Sequence[Link], base: str, model: str) -> Lowering:
    """Number the bodies of ``links``, which must come after their parents.

    Raises
    ------
    ModelError
        For an unknown or later parent, for names given twice, and for a negative mass.
    """
    lowering = Lowering()
    for link in links:
        check_link(link, lowering, base, model, links)
        lowering.add(link)
    lowering.couplings = couplings(links, model)
    if not lowering.couplings:
        return lowering
    coupled = Lowering(couplings=lowering.couplings)
    for link in coupled_links(links, lowering.couplings):
        coupled.add(link)
    return coupled


def check_link(
    link: Link, lowering: Lowering, base: str, model: str, links: Sequence[Link] = ()
) -> None:
    """Raise a ModelError unless ``link`` can be added."""
    if not link.name or link.name in lowering.where or link.name == base:
        raise ModelError(
            f"expected a new name for each link, got '{link.name}' again (model '{model}')"
        )
    if link.parent is not None and not isinstance(link.parent, str):
        raise ModelError(
            f"expected the name of a link as parent of '{link.name}', got {shown(link.parent)} "
            f"(model '{model}')"
        )
    if link.parent not in lowering.where:
        known = [name for name in lowering.where if name]
        hint = (
            "; a parent is added before its children"
            if any(other.name == link.parent for other in links)
            else suggestion(str(link.parent), known)
        )
        raise ModelError(
            f"link '{link.name}' has the unknown parent '{link.parent}'{hint} (model '{model}')"
        )
    if not isinstance(link.joint, JointKind):
        kind = link.joint
        what = f"the class {kind.__name__} itself" if isinstance(kind, type) else shown(kind)
        raise ModelError(
            f"expected a joint such as Revolute.y() for link '{link.name}', got {what} "
            f"(model '{model}')"
        )
    if link.joint.nv and link.joint_name in lowering.joint_names:
        raise ModelError(
            f"expected a new name for each joint, got '{link.joint_name}' again (model '{model}')"
        )
    if link.dynamics is not None and link.joint.nv:
        try:
            link.dynamics.for_each(link.joint.nv)
        except ModelError as error:
            raise ModelError(f"{error} of joint '{link.joint_name}' (model '{model}')") from None
    if link.body.mass < 0:
        raise ModelError(
            f"expected a mass of at least 0 for link '{link.name}', got {link.body.mass} "
            f"(model '{model}')"
        )
