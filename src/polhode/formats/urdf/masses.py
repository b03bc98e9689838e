"""Masses that are written, or left out, where the dynamics needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...model import Link, RigidBody
from ...model.coupling import is_follower
from ..reading import Notes
from ..xml import Element
from .values import describe


def check_masses(links: Mapping[str, Element], declared: Sequence[Link], notes: Notes) -> None:
    """Refuse a mass of zero that would make the mass matrix singular.

    A link without ``<inertial>`` is a frame. It is suspicious only when it moves with nothing
    beyond it; a mass written as zero in such a place is a mistake.  Coupled joints need none.
    """
    weighs = {link.name: link.body.mass > 0.0 for link in declared}
    for link in reversed(declared):
        if link.joint.nv and not (link.body.is_massless or weighs[link.name]):
            element = links[link.name]
            raise element.all("inertial")[0].error(f"{describe(element)} has inertia, but no mass")
        if link.parent is not None:
            weighs[link.parent] |= weighs[link.name]
    heavy = {link.name: not link.body.is_massless for link in declared}
    zero = {link.name: _written_zero(links[link.name], link.body) for link in declared}
    for link in reversed(declared):
        if link.joint.nv and not is_follower(link) and not heavy[link.name]:
            text = (
                f"{describe(links[link.name])} moves (joint '{link.joint_name}') but neither it "
                "nor anything beyond it has mass: the mass matrix is singular"
            )
            written = zero[link.name]
            if written is not None:
                raise written.error(text)
            notes.add("doubtful", text, links[link.name].line)
        if link.parent is not None:
            heavy[link.parent] |= heavy[link.name]
            zero[link.parent] = zero[link.parent] or zero[link.name]


def _written_zero(link: Element, body: RigidBody) -> Element | None:
    """The element that gives a link a mass of zero."""
    inertials = link.all("inertial")
    return inertials[0].all("mass")[0] if inertials and body.mass == 0.0 else None
