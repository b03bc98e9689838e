"""What constraints require of their fields: expected, got, where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..arguments import as_count, as_number
from ..arrays import as_array
from ..errors import ModelError, shown
from ..model import Model
from ..spatial import Mat3, Transform, Vec3
from .records import Constraint, Contact, Custom, Loop

SKEW = 1e-3  # files round rotations; beyond it a matrix stretches, or is another one


def where_of(model: Model) -> str:
    """The end of a message about a constraint on a model."""
    return f" (model '{model.name}')"


def records(values: Any, model: Model) -> tuple[Constraint, ...]:
    """Constraints in a tuple.

    Raises
    ------
    ModelError
        For anything else.
    """
    is_row = isinstance(values, Iterable) and getattr(values, "ndim", 1)
    if not is_row or isinstance(values, (str, bytes, Mapping)):
        raise ModelError(
            f"expected a sequence of Contact, Loop or Custom as constraints, got {shown(values)}"
            f"{where_of(model)}"
        )
    found = tuple(values)
    for each in found:
        if not isinstance(each, (Contact, Loop, Custom)):
            raise ModelError(
                f"expected only Contact, Loop or Custom in constraints, got {shown(each)}"
                f"{where_of(model)}"
            )
    return found


def check_bodies(constraints: Iterable[Constraint], model: Model) -> None:
    """Check that constraints made by hand are on bodies of a model.

    Raises
    ------
    ModelError
        For a body that it does not have.
    """
    for each in constraints:
        for field in ("body", "predecessor", "successor"):
            if hasattr(each, field):
                model.body(getattr(each, field))


def numbers(name: str, values: Any, length: int, where: str) -> Any:
    """So many finite numbers.

    Raises
    ------
    ModelError
        For another length, and numbers that are not finite.
    ShapeError
        For what holds no real numbers.
    """
    array = as_array(name, tuple(values) if isinstance(values, Vec3) else values, where)
    if array.shape != (length,) or not np.isfinite(array).all():
        got = array.tolist() if array.size <= 10 else f"shape {array.shape}"
        raise ModelError(
            f"expected {length} finite numbers as the {name} of a constraint, got {got}{where}"
        )
    return tuple(array.tolist())


def directions(name: str, values: Any, length: int, where: str, *, may_vanish: bool = False) -> Any:
    """One direction, or several in rows; a tuple of them.

    Raises
    ------
    ModelError
        For another length, none at all, and directions that vanish unless they may.
    ShapeError
        For what holds no real numbers.
    """
    if not isinstance(values, Vec3):
        if isinstance(values, (list, tuple)):
            values = [tuple(x) if isinstance(x, Vec3) else x for x in values]
        array = as_array(name, values, where)
        if array.ndim == 2 and len(array):
            return tuple(
                directions(name, row, length, where, may_vanish=may_vanish)[0] for row in array
            )
        values = array
    direction = numbers(name, values, length, where)
    if not (may_vanish or any(direction)):
        raise ModelError(
            f"expected a {name} of a constraint that is not zero, got {direction}{where}"
        )
    return (direction,)


def frame(name: str, value: Any, where: str) -> Transform:
    """A transform of finite numbers whose matrix is a rotation.

    Raises
    ------
    ModelError
        For anything else.
    """
    if not isinstance(value, Transform):
        raise ModelError(f"expected a Transform as {name}, got {shown(value)}{where}")
    if not isinstance(value.E, Mat3) or not isinstance(value.r, Vec3):
        parts = f"{shown(value.E)} and {shown(value.r)}"
        raise ModelError(f"expected a Transform of Mat3 and Vec3 as {name}, got {parts}{where}")
    E = as_array(f"the rotation of {name}", value.E.rows(), where, shape=(3, 3), finite=True)
    as_array(f"the origin of {name}", tuple(value.r), where, shape=(3,), finite=True)
    skew = float(np.abs(E @ E.T - np.eye(3)).max())
    if skew > SKEW or np.linalg.det(E) < 0.0:
        got = "a reflection" if skew <= SKEW else f"one that is off by {skew:.3g}"
        raise ModelError(
            f"expected a rotation in {name}, whose product with its transpose is the identity, "
            f"got {got}{where}"
        )
    return value


def time_constant(value: Any, name: str, where: str) -> float | None:
    """Baumgarte's time constant, or None.

    Raises
    ------
    ModelError
        Unless it is positive.
    ArgumentError
        If it is no number.
    """
    if value is None:
        return None
    time = as_number("stabilization", value, where, finite=False)
    if not time > 0.0:
        raise ModelError(
            f"expected a positive time constant for constraint '{name}' as stabilization, got "
            f"{time:g}{where}; None means no stabilization"
        )
    return time


def text(name: str, value: Any, where: str) -> str:
    """A text, also an empty one.

    Raises
    ------
    ModelError
        For anything else.
    """
    if not isinstance(value, str):
        raise ModelError(f"expected a text as {name} of a constraint, got {shown(value)}{where}")
    return value


def identifier(value: Any, where: str) -> int | None:
    """The user's whole number, or None.

    Raises
    ------
    ArgumentError
        For anything else.
    """
    if value is None:
        return None
    return as_count("id", value, where, least=-(2**63), most=2**64)
