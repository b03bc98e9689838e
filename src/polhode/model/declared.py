"""Constraints as a model's file declares them, by the names of bodies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ..errors import ModelError, shown
from ..reprs import short_repr
from ..spatial import Transform
from .records import Triple

Six = tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class ContactConstraint:
    """A point of a body that cannot accelerate along a normal.

    Attributes
    ----------
    body : str
    point : three numbers
        In body coordinates [m].
    normal : three numbers
        In base coordinates, as written: not made a unit vector.
    name : str
    normal_acceleration : float
        Wanted along the normal [m/s^2].
    id : int or None
        The user's number; rows of different numbers belong to different groups.
    """

    body: str
    point: Triple
    normal: Triple
    name: str = ""
    normal_acceleration: float = 0.0
    id: int | None = None

    __repr__ = short_repr


@dataclass(frozen=True)
class LoopConstraint:
    """Two frames, one on each body, that cannot accelerate against each other along an axis.

    Attributes
    ----------
    predecessor, successor : str
        Bodies.
    predecessor_frame, successor_frame : Transform
        From body to constraint-frame coordinates.  (In the file ``E`` is the other way round,
        unlike the ``E`` of a joint frame.)
    axis : six numbers
        Angular, then linear, in the predecessor's constraint frame.
    name : str
    stabilization : float or None
        Baumgarte's time constant [s], or None where stabilization is not enabled.
    id : int or None
        The user's number, as of a contact.
    """

    predecessor: str
    successor: str
    predecessor_frame: Transform
    successor_frame: Transform
    axis: Six
    name: str = ""
    stabilization: float | None = None
    id: int | None = None

    __repr__ = short_repr


Constraint = ContactConstraint | LoopConstraint
DeclaredSets = Mapping[str, Iterable[Constraint]] | Iterable[tuple[str, Iterable[Constraint]]]


def declared_sets(sets: Any, where: str) -> Mapping[str, tuple[Constraint, ...]]:
    """Sets by their names, as an immutable mapping.

    Raises
    ------
    ModelError
        If they are neither a mapping nor pairs, or two have one name.
    """
    try:
        pairs = [*(sets.items() if isinstance(sets, Mapping) else sets)]
        found = {name: tuple(rows) for name, rows in pairs}
    except (TypeError, ValueError):
        raise ModelError(
            f"expected a mapping of names to constraints as constraint_sets, got {shown(sets)} "
            f"({where})"
        ) from None
    if len(found) < len(pairs):
        raise ModelError(f"expected constraint sets of different names, got one twice ({where})")
    return MappingProxyType(found)
