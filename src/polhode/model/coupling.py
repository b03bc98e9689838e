"""Coupled joints: those that follow others, and have no coordinate of their own.

A follower's position is ``multiplier * q + offset`` of its leader's coordinate ``q``.  It is
lowered to a joint whose axis is ``multiplier`` times as long, in a frame that stands at ``offset``.
They share an entry of ``qd``.  What it does by itself, and its limits, act on its leader.
A function-based joint of one coordinate follows with that of its leader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ModelError, suggestion
from ..scalar import Scalar
from .joints import (
    Fixed,
    FunctionBased,
    Helical,
    JointKind,
    Prismatic,
    Revolute,
    axis_joint,
)
from .records import JointDynamics, Limits, Link

if TYPE_CHECKING:
    from .model import Model


class Coupling(NamedTuple):
    """A joint's position ``multiplier x + offset`` of the coordinate ``x`` of its leader."""

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0

    def position(self, x: Scalar) -> Scalar:
        """The position of the joint; ``x`` itself if it is the leader's own."""
        if (self.multiplier, self.offset) == (1.0, 0.0):
            return x
        return x * self.multiplier + self.offset


def couplings(links: Sequence[Link], model: str) -> dict[str, Coupling]:
    """The coupling of each follower, by its joint's name; those of chains are composed.

    Raises
    ------
    ModelError
        For an unknown leader, joints that follow each other, and joints of other than one axis.
    """
    joints = {link.joint_name: link for link in links if link.joint.nv}
    found: dict[str, Coupling] = {}
    for name, link in joints.items():
        if is_follower(link) and name not in found:
            _resolve(link, joints, found, model)
    return found


def is_follower(link: Link) -> bool:
    """Whether a link's joint has no coordinate of its own."""
    return link.mimic is not None and link.mimic.coupled and link.joint.nv > 0


def coupled_links(links: Sequence[Link], couplings: Mapping[str, Coupling]) -> list[Link]:
    """Links with what followers have by themselves moved to their leaders."""
    if not couplings:
        return [*links]
    followers: dict[str, list[tuple[Link, Coupling]]] = {}
    for link in links:
        coupling = couplings.get(link.joint_name) if link.joint.nv else None
        if coupling is not None:
            followers.setdefault(coupling.leader, []).append((link, coupling))
    return [
        _following(link, couplings[link.joint_name])
        if link.joint.nv and link.joint_name in couplings
        else _leading(link, followers[link.joint_name])
        if link.joint.nv and link.joint_name in followers
        else link
        for link in links
    ]


def check_not_coupled(model: Model) -> None:
    """Raise a ModelError for a model whose joints share coordinates."""
    if model.is_coupled:
        raise ModelError(
            f"expected joints with coordinates of their own for articulated bodies, got the "
            f"coupled joint '{model.followers[0].name}' (model '{model.name}'); "
            "polhode.forward_dynamics solves with the mass matrix"
        )


def refuse_follower(joint: str, model: Model, where: str) -> None:
    """Raise a ModelError for a coupled joint, which has no coordinate to be named."""
    for follower in model.followers:
        if follower.name == joint:
            assert follower.mimic is not None
            raise ModelError(
                f"joint '{joint}' is coupled to '{follower.mimic.joint}' and has no coordinate of "
                f"its own; name that joint, or load with mimic='independent' ({where})"
            )


def _resolve(
    link: Link, joints: Mapping[str, Link], found: dict[str, Coupling], model: str
) -> None:
    """Find the coupling of a follower, and first those of the followers that it follows."""
    passed: dict[str, Link] = {}
    while is_follower(link) and link.joint_name not in found:
        assert link.mimic is not None
        leader = link.mimic.joint
        if link.joint_name in passed:
            loop = " -> ".join([*passed, link.joint_name])
            raise ModelError(f"expected coupled joints that do not follow each other, got {loop} "
                             f"(model '{model}')")  # fmt: skip
        if leader not in joints:
            raise ModelError(f"joint '{link.joint_name}' follows the unknown joint '{leader}'"
                             f"{suggestion(leader, joints)} (model '{model}')")  # fmt: skip
        _check_axes(link.joint, link.joint_name, model)
        passed[link.joint_name] = link
        link = joints[leader]
    _check_axes(link.joint, link.joint_name, model)
    leader, multiplier, offset = found.get(link.joint_name) or Coupling(link.joint_name)
    for name, follower in reversed(passed.items()):
        assert follower.mimic is not None
        offset = follower.mimic.multiplier * offset + follower.mimic.offset
        multiplier = follower.mimic.multiplier * multiplier
        if isinstance(follower.joint, FunctionBased) and (multiplier, offset) != (1.0, 0.0):
            raise ModelError(
                f"expected the coordinate of its leader for the function-based joint '{name}', got "
                f"{multiplier:g} times that plus {offset:g} (model '{model}')"
            )
        found[name] = Coupling(leader, multiplier, offset)


def _check_axes(kind: JointKind, name: str, model: str) -> None:
    if isinstance(kind, FunctionBased) and kind.nv == 1:
        return
    if not isinstance(kind, (Revolute, Prismatic, Helical)) or kind.series_axes:
        raise ModelError(
            f"expected coupled joints of one fixed axis, got the {kind.name} joint '{name}' "
            f"(model '{model}'); mimic='independent' gives each a coordinate of its own"
        )


def _following(link: Link, coupling: Coupling) -> Link:
    """The link of a follower on a joint along its leader's coordinate."""
    kind, (_, multiplier, offset) = link.joint, coupling
    if isinstance(kind, FunctionBased):
        return replace(link, limits=None, dynamics=None)
    assert isinstance(kind, (Revolute, Prismatic, Helical))
    axis = tuple(multiplier * x for x in kind.row)
    joint = axis_joint(axis) if any(axis) else Fixed()
    frame = kind.jcalc((offset,)).XJ @ link.frame if offset else link.frame
    return replace(link, joint=joint, frame=frame, limits=None, dynamics=None)


def _leading(link: Link, followers: Sequence[tuple[Link, Coupling]]) -> Link:
    """The link of a leader, on whose joint acts what its followers do by themselves."""
    return replace(link, limits=_limits(link, followers), dynamics=_dynamics(link, followers))


def _limits(link: Link, followers: Sequence[tuple[Link, Coupling]]) -> Limits | None:
    """The tighter of a leader's own limits and of its followers'; an effort is its own.

    Raises
    ------
    ModelError
        If they leave no position.
    """
    limits = link.limits
    for follower, (_, multiplier, offset) in followers:
        if follower.limits is None or not multiplier:
            continue
        low, high, velocity, *_ = astuple(follower.limits)
        low, high = sorted(((low - offset) / multiplier, (high - offset) / multiplier))
        own = limits or Limits()
        limits = replace(own, lower=max(own.lower, low), upper=min(own.upper, high),
                         velocity=min(own.velocity, velocity / abs(multiplier)))  # fmt: skip
        if limits.lower > limits.upper:
            raise ModelError(
                f"the limits of joint '{link.joint_name}' and of joint '{follower.joint_name}', "
                f"coupled to it, leave no position: {limits.lower:g} to {limits.upper:g}; "
                "widen them, or leave the joints independent"
            )
    return limits


def _dynamics(link: Link, followers: Sequence[tuple[Link, Coupling]]) -> JointDynamics | None:
    """All that acts along a leader's coordinate: what followers do by themselves is added.

    Energies are quadratic, so inertia, damping and stiffness act with the square of the
    multiplier, and the rest is where both springs balance.  Dry friction acts with its magnitude.
    """
    total = link.dynamics
    for follower, (_, multiplier, offset) in followers:
        if follower.dynamics is None or not multiplier:
            continue
        own = (total or JointDynamics()).for_each(1)
        other, square = follower.dynamics.for_each(1), multiplier * multiplier
        stiffness = own.stiffness[0] + square * other.stiffness[0]
        pull = own.stiffness[0] * own.rest[0]
        pull += multiplier * other.stiffness[0] * (other.rest[0] - offset)
        total = JointDynamics(
            damping=own.damping[0] + square * other.damping[0],
            friction=own.friction[0] + abs(multiplier) * other.friction[0],
            armature=own.armature[0] + square * other.armature[0],
            stiffness=stiffness,
            rest=pull / stiffness if other.stiffness[0] else own.rest[0],
        )
    return total
