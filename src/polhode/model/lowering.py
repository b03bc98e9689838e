"""From declared links to the numbered bodies that algorithms run over.

Links without freedom are merged into the body that carries them; joints that are
chains of elementary joints get virtual bodies without mass, as in RBDL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import ModelError, suggestion
from ..spatial import Transform
from .joints import JointKind
from .records import Link, RigidBody


@dataclass(frozen=True)
class FixedFrame:
    """A link merged into body ``body``; ``X`` maps that body's coordinates to the link's."""

    link: Link
    body: int
    X: Transform


@dataclass
class Lowering:
    """Numbered bodies, entry 0 for the base."""

    parent: list[int] = field(default_factory=lambda: [-1])
    X_tree: list[Transform] = field(default_factory=lambda: [Transform.identity()])
    joint: list[JointKind | None] = field(default_factory=lambda: [None])
    body: list[RigidBody] = field(default_factory=lambda: [RigidBody()])
    link: list[Link | None] = field(default_factory=lambda: [None])  # None: base or virtual
    fixed: list[FixedFrame] = field(default_factory=list)
    chain: dict[str, tuple[int, ...]] = field(default_factory=dict)  # bodies of a link's joint

    def add(self, link: Link, carrier: int, X: Transform) -> tuple[int, Transform]:
        """Number ``link``, carried by body ``carrier``; return where its frame is."""
        joints = [kind for kind in link.joint.elementary() if kind.nv]
        if not joints:
            self.body[carrier] = self.body[carrier].joined(link.body, X)
            self.fixed.append(FixedFrame(link, carrier, X))
            return carrier, X
        first = len(self.parent)
        for kind in joints:
            self.parent.append(carrier)
            self.X_tree.append(X)
            self.joint.append(kind)
            self.body.append(RigidBody())
            self.link.append(None)
            carrier, X = len(self.parent) - 1, Transform.identity()
        self.body[carrier], self.link[carrier] = link.body, link
        self.chain[link.name] = tuple(range(first, carrier + 1))
        return carrier, X


def lower(links: Sequence[Link], base: str, model: str) -> Lowering:
    """Number the bodies of ``links``, which must come after their parents.

    Raises
    ------
    ModelError
        For an unknown or later parent, and for names given twice.
    """
    lowering = Lowering()
    where: dict[str | None, tuple[int, Transform]] = {None: (0, Transform.identity())}
    joint_names: set[str] = set()
    for link in links:
        if not link.name or link.name in where or link.name == base:
            raise ModelError(
                f"expected a new name for each link, got '{link.name}' again (model '{model}')"
            )
        if link.parent not in where:
            known = [name for name in where if name]
            hint = (
                "; a parent is added before its children"
                if any(other.name == link.parent for other in links)
                else suggestion(str(link.parent), known)
            )
            raise ModelError(
                f"link '{link.name}' has the unknown parent '{link.parent}'{hint} (model '{model}')"
            )
        if link.joint.nv:
            if link.joint_name in joint_names:
                raise ModelError(
                    f"expected a new name for each joint, got '{link.joint_name}' again "
                    f"(model '{model}')"
                )
            joint_names.add(link.joint_name)
        carrier, offset = where[link.parent]
        where[link.name] = lowering.add(link, carrier, link.frame @ offset)
    return lowering
