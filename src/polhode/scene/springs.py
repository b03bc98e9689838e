"""Springs, dampers and bushings between two bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ..errors import ModelError, suggests_fields
from ..model.checks import entries, name, number, numbers, transform
from ..spatial import Transform
from .couplings import BodyOf, body_of

Three = tuple[float, float, float]
Six = tuple[float, float, float, float, float, float]


@suggests_fields
@dataclass(frozen=True)
class Spring:
    """A spring and damper along the line between a point of one body and a point of another.

    It pulls its ends together with ``stiffness (length - rest_length) + damping rate``.

    Attributes
    ----------
    name : str
    a, b : (machine, body) or None
        None is the world.
    point_a, point_b : three numbers
        In the coordinates of body a (b) [m].
    stiffness : float
        [N/m].
    rest_length : float
        [m].
    damping : float
        [N s/m].
    table : tuple of (length, force)
        Instead of a stiffness: the force [N] with which it pulls at some lengths [m], in rising
        order.  It is linear in between, and beyond them as in the first and last piece.
    """

    name: str
    a: BodyOf | None
    b: BodyOf | None
    point_a: Three = (0.0, 0.0, 0.0)
    point_b: Three = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    rest_length: float = 0.0
    damping: float = 0.0
    table: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        where = f"spring '{name(self.name, 'spring')}'"
        _set_bodies(self, where)
        for key in ("point_a", "point_b"):
            object.__setattr__(self, key, numbers(getattr(self, key), 3, key, where))
        for key in ("stiffness", "rest_length", "damping"):
            value = number(getattr(self, key), key, where, least=0.0)
            object.__setattr__(self, key, value)
        object.__setattr__(self, "table", _table(self.table, where))
        if self.table and (self.stiffness or self.rest_length):
            raise ModelError(f"expected a table or a stiffness, got both ({where})")


@suggests_fields
@dataclass(frozen=True)
class Bushing:
    """Six linear springs and dampers between a frame of one body and a frame of another.

    About and along the axes of frame a.  The rotation is that of frame b against frame a as a
    rotation vector, below half a turn.

    Attributes
    ----------
    name : str
    a, b : (machine, body) or None
        None is the world.
    frame_a, frame_b : Transform, or array_like of shape (4, 4)
        From the coordinates of body a (b) to the frame on it.  Where the frames coincide there is
        no force.
    stiffness : six numbers
        About the axes [N m/rad], then along them [N/m].
    damping : six numbers
        [N m s/rad], then [N s/m].
    """

    name: str
    a: BodyOf | None
    b: BodyOf | None
    frame_a: Transform = field(default_factory=Transform.identity)
    frame_b: Transform = field(default_factory=Transform.identity)
    stiffness: Six = (0.0,) * 6  # type: ignore[assignment]
    damping: Six = (0.0,) * 6  # type: ignore[assignment]

    def __post_init__(self) -> None:
        where = f"bushing '{name(self.name, 'bushing')}'"
        _set_bodies(self, where)
        for key in ("frame_a", "frame_b"):
            object.__setattr__(self, key, transform(getattr(self, key), key, where))
        for key in ("stiffness", "damping"):
            values = numbers(getattr(self, key), 6, key, where)
            if min(values) < 0.0:
                raise ModelError(f"expected {key} of at least 0, got {min(values):g} ({where})")
            object.__setattr__(self, key, values)


SpringElement = Spring | Bushing


def _set_bodies(spring: SpringElement, where: str) -> None:
    for key in ("a", "b"):
        object.__setattr__(spring, key, body_of(getattr(spring, key), key, where))
    if spring.a == spring.b:
        raise ModelError(f"expected two different bodies, got {spring.a} twice ({where})")


def _table(table: Sequence[object], where: str) -> tuple[tuple[float, float], ...]:
    rows = entries(table, "pairs (length, force) as table", where)
    pairs = tuple(numbers(row, 2, "row of the table", where) for row in rows)
    if len(pairs) == 1:
        raise ModelError(f"expected two rows or more of the table, got one ({where})")
    for (low, _), (high, _) in pairwise(pairs):
        if low >= high:
            raise ModelError(
                f"expected rising lengths in the table, got {high:g} after {low:g} ({where})"
            )
    return pairs  # type: ignore[return-value]
