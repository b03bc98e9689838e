"""The axes of a joint to links in series, each on a joint of as few coordinates as can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...model import (
    Fixed,
    FunctionAxis,
    FunctionBased,
    JointKind,
    Link,
    RigidBody,
    axis_joint,
)
from ...spatial import Transform
from .coordinates import Coordinate
from .joints import OsimAxis


@dataclass(frozen=True)
class JointPart:
    """Some axes in series that share no coordinate with others."""

    axes: tuple[OsimAxis, ...]

    @property
    def places(self) -> tuple[int, ...]:
        """The coordinates that they follow."""
        return tuple(sorted({axis.coordinate for axis in self.axes if axis.coordinate is not None}))


def parts_of(axes: Sequence[OsimAxis]) -> list[JointPart]:
    """The axes of a joint, cut wherever no coordinate is followed on both sides.

    Constants stand alone, unless they are among axes of one coordinate.
    """
    parts: list[JointPart] = []
    last = {axis.coordinate: k for k, axis in enumerate(axes) if axis.coordinate is not None}
    group: list[OsimAxis] = []
    until = -1
    for k, axis in enumerate(axes):
        group.append(axis)
        until = max(until, k if axis.coordinate is None else last[axis.coordinate])
        if k == until:
            parts.append(JointPart(tuple(group)))
            group = []
    return parts


def joint_of(part: JointPart, coordinates: Sequence[Coordinate]) -> tuple[Transform, JointKind]:
    """The joint of some axes, and what comes before it."""
    first = part.axes[0]
    if len(part.axes) > 1 or not first.function.is_linear:
        names = tuple(coordinates[k].name for k in part.places)
        renumbered = {k: i for i, k in enumerate(part.places)}
        axes = [FunctionAxis(axis.row, axis.function, renumbered[axis.coordinate])
                if axis.coordinate is not None else FunctionAxis(axis.row, axis.function)
                for axis in part.axes]  # fmt: skip
        return Transform.identity(), FunctionBased(tuple(axes), names)
    offset, slope, *_ = *first.function.pieces[0], 0.0
    before = axis_joint(first.row).jcalc((offset,)).XJ
    if slope == 0.0:
        return before, Fixed()
    return before, axis_joint(tuple(slope * x for x in first.row))


def chain(
    name: str, parent: str | None, body: RigidBody, joint_name: str, axes: Sequence[OsimAxis],
    coordinates: Sequence[Coordinate], frames: tuple[Transform, Transform], taken: set[str],
) -> Iterator[Link]:  # fmt: skip
    """The links of a body: one for each part of its joint, without mass but for the last.

    ``frames`` lead from the parent and from the body to the joint's frames on them.
    """
    at, on_body = frames
    kinds = []
    for part in parts_of(axes):
        before, kind = joint_of(part, coordinates)
        at = before @ at
        if kind.nv:
            kinds.append((part, at, kind))
            at = Transform.identity()
    end = on_body.inverse() @ at
    is_apart = not kinds or end != Transform.identity()
    for k, (part, frame, kind) in enumerate(kinds):
        is_body = k == len(kinds) - 1 and not is_apart
        link = name if is_body else unused(f"{name}/{k}", taken)
        first = coordinates[part.places[0]]
        yield Link(
            link, parent, kind, frame, body if is_body else RigidBody(),
            first.name if kind.nv == 1 else unused(joint_name, taken),
            limits=first.limits if kind.nv == 1 else None,
        )  # fmt: skip
        parent = link
    if is_apart:
        yield Link(name, parent, Fixed(), end, body)


def unused(name: str, taken: set[str]) -> str:
    """A name like this one that nothing has yet; it is taken from now on."""
    while name in taken:
        name += "'"
    taken.add(name)
    return name
