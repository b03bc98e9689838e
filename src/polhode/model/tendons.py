"""Tendons: paths over bodies, or sums of joint positions, and their own forces."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ..errors import ModelError, shown
from ..scalar import Scalar, maximum, minimum
from ..spatial import Transform
from .checks import entries, flag, name, number, numbers, of_kind, records, transform
from .shapes import Triple

Range = tuple[float, float]
UNLIMITED: Range = (-math.inf, math.inf)
Rename = Callable[[str], str]


@dataclass(frozen=True)
class Anchor:
    """A point of a body that a tendon passes through.

    Attributes
    ----------
    body : str or None
        None is the base.
    point : three numbers
        In the coordinates of the body [m].
    """

    body: str | None
    point: Triple = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        check_body(self.body, "an anchor")
        object.__setattr__(self, "point", numbers(self.point, 3, "point of an anchor"))

    def renamed(self, body: Rename) -> Anchor:
        """The same with another name of its body."""
        return replace(self, body=self.body and body(self.body))


@dataclass(frozen=True)
class Pulley:
    """Where a tendon begins a new branch; lengths of the branch are divided by ``divisor``.

    Attributes
    ----------
    divisor : float
    """

    divisor: float = 1.0

    def __post_init__(self) -> None:
        value = number(self.divisor, "divisor of a pulley")
        if value <= 0.0:
            raise ModelError(f"expected a divisor above 0, got {value:g}")
        object.__setattr__(self, "divisor", value)

    def renamed(self, body: Rename) -> Pulley:
        """The same: it has no body."""
        return self


@dataclass(frozen=True)
class Wrapping:
    """A sphere or cylinder that a tendon runs around where it is in its way.

    Attributes
    ----------
    body : str or None
        None is the base.
    radius : float
        [m].
    frame : Transform
        From body coordinates to its own: the origin is its centre, z the axis of a cylinder.
    is_cylinder : bool
        Of any length; otherwise it is a sphere.
    side : Anchor or None
        A point on the side where the tendon passes; without one it takes the shorter way.
    """

    body: str | None
    radius: float
    frame: Transform = field(default_factory=Transform.identity)
    is_cylinder: bool = False
    side: Anchor | None = None

    def __post_init__(self) -> None:
        check_body(self.body, "a wrapping")
        value = number(self.radius, "radius of a wrapping")
        if value <= 0.0:
            raise ModelError(f"expected a radius above 0, got {value:g}")
        object.__setattr__(self, "radius", value)
        object.__setattr__(self, "frame", transform(self.frame, "frame of a wrapping"))
        flag(self.is_cylinder, "is_cylinder", "wrapping")
        if self.side is not None:
            of_kind(self.side, Anchor, "side of a wrapping")

    def renamed(self, body: Rename) -> Wrapping:
        """The same with other names of its bodies."""
        side = self.side and self.side.renamed(body)
        return replace(self, body=self.body and body(self.body), side=side)


PathPart = Anchor | Pulley | Wrapping


@dataclass(frozen=True)
class Tendon:
    """A length that depends on the joints, and the forces along it.

    It is either the sum of ``factor * position`` over joints of one axis, or the length of a path
    over bodies.  A spring pulls or pushes where the length is outside of ``rest``.

    Attributes
    ----------
    name : str
    path : tuple of Anchor, Pulley, Wrapping
    joints : tuple of (joint, factor)
    stiffness, damping : float
        [N/m] and [N s/m].
    rest : two numbers
        The lengths between which the spring has no force [m].
    armature : float
        Inertia of what moves with its length, part of the joint-space inertia [kg].
    friction : float
        Largest dry friction [N].
    limits : two numbers
        Shortest and longest length [m].
    force_range : two numbers
        Of the sum of the actuators on it [N].
    """

    name: str
    path: tuple[PathPart, ...] = ()
    joints: tuple[tuple[str, float], ...] = ()
    stiffness: float = 0.0
    damping: float = 0.0
    rest: Range = (0.0, 0.0)
    armature: float = 0.0
    friction: float = 0.0
    limits: Range = UNLIMITED
    force_range: Range = UNLIMITED

    def __post_init__(self) -> None:
        where = f"tendon '{name(self.name, 'tendon')}'"
        path, joints = _checked_path(self.path, where), _checked_sum(self.joints, where)
        if bool(path) == bool(joints):
            raise ModelError(f"expected a path or joints, got "
                             f"{'both' if path else 'none'} ({where})")  # fmt: skip
        object.__setattr__(self, "path", path)
        object.__setattr__(self, "joints", joints)
        for key in ("stiffness", "damping", "armature", "friction"):
            value = number(getattr(self, key), key, where, least=0.0)
            object.__setattr__(self, key, value)
        for key in ("rest", "limits", "force_range"):
            object.__setattr__(self, key, rising(getattr(self, key), key, where))
        if self.armature and any(isinstance(part, Wrapping) for part in self.path):
            raise ModelError(f"expected no armature where a tendon wraps, got {self.armature:g} "
                             f"({where})")  # fmt: skip

    @property
    def acts(self) -> bool:
        """Whether it has a spring or damping."""
        return self.stiffness > 0.0 or self.damping > 0.0

    def renamed(self, own: Rename, body: Rename, joint: Rename) -> Tendon:
        """The same with other names of itself, of bodies and of joints."""
        joints = tuple((joint(each), factor) for each, factor in self.joints)
        path = tuple(part.renamed(body) for part in self.path)
        return replace(self, name=own(self.name), path=path, joints=joints)


def clamp(x: Scalar, bounds: Range) -> Scalar:
    """``x`` within a range, at no cost where that is unlimited."""
    low, high = bounds
    x = x if low == -math.inf else maximum(x, low)
    return x if high == math.inf else minimum(x, high)


def check_body(body: object, what: str) -> None:
    """Raise a ModelError unless ``body`` is a name or None."""
    if body is not None and not isinstance(body, str):
        raise ModelError(f"expected the name of a body of {what}, got {shown(body)}")


def rising(values: object, what: str, where: str) -> Range:
    """Two numbers, the second not below the first."""
    low, high = numbers(values, 2, what, where, finite=False)
    if low > high:
        raise ModelError(f"expected {what} from lower to upper, got {low:g} to {high:g} ({where})")
    return low, high


def _checked_sum(joints: object, where: str) -> tuple[tuple[str, float], ...]:
    expected = "pairs (joint, factor) as joints"
    pairs = [entries(pair, expected, where) for pair in entries(joints, expected, where)]
    wrong = next((pair for pair in pairs if len(pair) != 2), None)
    if wrong is not None:
        raise ModelError(f"expected {expected}, got {shown(wrong)} ({where})")
    return tuple(
        (name(joint, "joint"), number(factor, "factor of a joint", where))
        for joint, factor in pairs
    )


def _checked_path(path: object, where: str) -> tuple[PathPart, ...]:
    parts = records(path, (Anchor, Pulley, Wrapping), "path", where)
    kinds = [Pulley, *map(type, parts), Pulley]
    for before, kind, after in zip(kinds, kinds[1:], kinds[2:], strict=False):
        if kind is Wrapping and not before is after is Anchor:
            raise ModelError(f"expected a wrapping between two anchors ({where})")
        if kind is Anchor and before is after is Pulley:
            raise ModelError(f"expected at least two anchors in each branch, got one ({where})")
        if kind is Pulley and after is Pulley:
            raise ModelError(f"expected two anchors behind each pulley, got none ({where})")
    return parts
