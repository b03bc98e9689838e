"""What can touch: shapes on bodies, and pairs that never do."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import ModelError, suggests_fields
from ..model import Shape
from ..model.checks import flag, name, numbers, of_kind, transform
from ..spatial import Transform

Six = tuple[float, float, float, float, float, float]
AT_REST: Six = (0.0,) * 6  # type: ignore[assignment]


@suggests_fields
@dataclass(frozen=True)
class Geometry:
    """A shape that touches others.

    Attributes
    ----------
    name : str
        No other geometry of the scene has it.
    machine, body : str
        Names of a `Machine`, and of a link of its model.
    shape : Shape or None
        None only where a plug-in finds the contacts.
    frame : Transform, or array_like of shape (4, 4)
        From the link's coordinates to the shape's.
    is_compliant : bool
        Whether it is compliant like a spring and damper (``penalty_kp``, ``penalty_kv`` of its
        contact parameters) instead of being rigid.
    surface_velocity : six numbers
        Angular, then linear velocity of the surface against its body, as of a track or a belt.  In
        the shape's axes, at its origin.
    """

    name: str
    machine: str
    body: str
    shape: Shape | None
    frame: Transform = field(default_factory=Transform.identity)
    is_compliant: bool = False
    surface_velocity: Six = AT_REST

    def __post_init__(self) -> None:
        where = f"geometry '{name(self.name, 'geometry')}'"
        name(self.machine, f"machine of {where}")
        name(self.body, f"body of {where}")
        if self.shape is not None and not isinstance(self.shape, Shape):
            raise ModelError(f"expected a shape, got {type(self.shape).__name__} ({where})")
        object.__setattr__(self, "frame", transform(self.frame, "frame", where))
        object.__setattr__(self, "is_compliant", flag(self.is_compliant, "is_compliant", where))
        surface = numbers(self.surface_velocity, 6, "surface_velocity", where)
        object.__setattr__(self, "surface_velocity", surface)


@dataclass(frozen=True)
class DisabledPair:
    """Two things that never touch: names of geometries, bodies or models.

    The same name twice: no geometry of it touches another of it.
    """

    a: str
    b: str

    def __post_init__(self) -> None:
        for key in ("a", "b"):
            of_kind(getattr(self, key), str, key, "disabled pair")
            name(getattr(self, key), f"disabled pair, as {key}")
