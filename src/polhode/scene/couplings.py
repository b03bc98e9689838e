"""Joints that close loops, and gears."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from ..errors import ModelError, shown, suggestion, suggests_fields
from ..model.checks import name, number, transform
from ..spatial import Transform
from .machine import JointSettings

BodyOf = tuple[str, str]
"""The name of a `Machine` and that of a link of its model."""


class LoopKind(StrEnum):
    """What a loop joint leaves free, frame a against frame b.

    - ``fixed``: nothing.
    - ``revolute``: rotation about z.
    - ``prismatic``: translation along z.
    - ``spherical``: all rotations.
    - ``universal``: rotation about x of frame a and y of frame b.
    - ``planar``: translation along x and y, and rotation about z.
    - ``screw``: rotation about z with translation by ``pitch`` a radian along it.
    """

    FIXED = "fixed"
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    SPHERICAL = "spherical"
    UNIVERSAL = "universal"
    PLANAR = "planar"
    SCREW = "screw"

    @property
    def freedoms(self) -> int:
        """Number of degrees of freedom that are left."""
        return _FREEDOMS[self.value]


_FREEDOMS = {
    "fixed": 0, "revolute": 1, "prismatic": 1, "spherical": 3, "universal": 2, "planar": 3,
    "screw": 1,
}  # fmt: skip


@suggests_fields
@dataclass(frozen=True)
class Loop:
    """A joint between two bodies that is kept by forces, not by coordinates.

    Attributes
    ----------
    name : str
    kind : LoopKind or str
    a, b : (machine, body) or None
        None is the world.
    frame_a, frame_b : Transform, or array_like of shape (4, 4)
        From the coordinates of body a (b) to the joint's frame on it.  The frames coincide where
        the joint is at zero.
    pitch : float
        Of a screw [m/rad].
    settings : JointSettings, optional
        Limits and friction, for revolute, prismatic and screw joints.
    """

    name: str
    kind: LoopKind
    a: BodyOf | None
    b: BodyOf | None
    frame_a: Transform = field(default_factory=Transform.identity)
    frame_b: Transform = field(default_factory=Transform.identity)
    pitch: float = 0.0
    settings: JointSettings | None = None

    def __post_init__(self) -> None:
        where = f"loop '{name(self.name, 'loop')}'"
        kinds = [kind.value for kind in LoopKind]
        if self.kind not in kinds:
            hint = suggestion(str(self.kind), kinds)
            raise ModelError(
                f"expected a kind out of {', '.join(kinds)}, got {self.kind!r}{hint} ({where})"
            )
        object.__setattr__(self, "kind", LoopKind(self.kind))
        for key in ("a", "b"):
            object.__setattr__(self, key, body_of(getattr(self, key), key, where))
        if self.a == self.b:
            raise ModelError(f"expected two different bodies, got {self.a} twice ({where})")
        for key in ("frame_a", "frame_b"):
            object.__setattr__(self, key, transform(getattr(self, key), key, where))
        object.__setattr__(self, "pitch", number(self.pitch, "pitch", where))
        if self.settings is not None:
            if self.kind.freedoms != 1:
                raise ModelError(
                    f"limits and friction are for loops of one degree of freedom, not for a "
                    f"{self.kind.value} joint ({where})"
                )
            if self.settings.stiffness:
                raise ModelError(f"springs are for joints of a tree; Scene.add_bushing ({where})")
            for key in ("coulomb_friction", "viscous_friction"):
                if isinstance(value := getattr(self.settings, key), tuple):
                    raise ModelError(
                        f"expected one number as {key} of a loop, got {len(value)} ({where})"
                    )
            object.__setattr__(self, "settings", replace(self.settings, joint=self.name))


@suggests_fields
@dataclass(frozen=True)
class Gear:
    """Two one-axis joints that move together: ``q_a = ratio q_b + constant``.

    The constant makes this true at the start.  ``a`` and ``b`` are ``(machine, joint)``.
    """

    name: str
    a: BodyOf
    b: BodyOf
    ratio: float = 1.0

    def __post_init__(self) -> None:
        where = f"gear '{name(self.name, 'gear')}'"
        for key in ("a", "b"):
            pair = body_of(getattr(self, key), key, where)
            if pair is None:
                raise ModelError(f"expected (model, joint) as {key}, got None ({where})")
            object.__setattr__(self, key, pair)
        if self.a == self.b:
            raise ModelError(f"expected two different joints, got {self.a} twice ({where})")
        object.__setattr__(self, "ratio", number(self.ratio, "ratio", where))


def body_of(value: object, key: str, where: str) -> BodyOf | None:
    """A pair of names, or None for the world."""
    if value is None:
        return None
    pair = tuple(value) if isinstance(value, (tuple, list)) else ()
    if len(pair) != 2 or not all(isinstance(part, str) and part for part in pair):
        raise ModelError(
            f"expected a pair of names (model, part) as {key}, got {shown(value)} ({where})"
        )
    return pair  # type: ignore[return-value]
