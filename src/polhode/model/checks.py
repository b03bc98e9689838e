"""Checks of the fields of models and scenes; errors say expected, got, where."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from ..arguments import as_flag, as_number
from ..errors import ArgumentError, ModelError, shown, suggestion
from ..spatial import Mat3, Transform, Vec3
from ..spatial.transform import check_rotation

Entries = float | tuple[float, ...]
"""A number for each velocity entry of a joint, or one for all."""
Record = TypeVar("Record")
Frame = Transform | Sequence[Sequence[float]] | np.ndarray
"""How a frame is given: the transform to it, or its pose, a 4x4 matrix."""


def number(
    value: Any, what: str, where: str = "", *, least: float = -math.inf, finite: bool = True
) -> float:
    """A float of at least ``least``; infinite only if that is allowed."""
    if type(value) is float and least <= value < math.inf and value > -math.inf:
        return value
    try:
        return as_number(what, value, _in(where), least=least, finite=finite)
    except ArgumentError as error:
        raise ModelError(str(error)) from None


def fraction(value: Any, what: str, where: str) -> float:
    """A float from 0 to 1."""
    x = number(value, what, where)
    if not 0.0 <= x <= 1.0:
        raise ModelError(f"expected {what} from 0 to 1, got {shown(value)}{_in(where)}")
    return x


def numbers(
    values: Any, length: int, what: str, where: str = "", *, finite: bool = True
) -> tuple[float, ...]:
    """So many floats."""
    found = kept_entries(values, f"{length} numbers as {what}", where)
    if len(found) != length:
        raise ModelError(f"expected {length} numbers as {what}, got {len(found)}{_in(where)}")
    return tuple([number(x, what, where, finite=finite) for x in found])


def one_or_more(value: Any, what: str, where: str = "", *, least: float = -math.inf) -> Entries:
    """A float, or a tuple of floats."""
    if isinstance(value, Real) or is_one(value):
        return number(value, what, where, least=least)
    found = entries(value, f"numbers as {what}", where)
    return tuple([number(x, what, where, least=least) for x in found])


def is_one(value: Any) -> bool:
    """Whether it is no sequence but one value, such as a number or an array without axes."""
    return not hasattr(value, "__len__") or getattr(value, "ndim", 1) == 0


def kept_entries(values: Any, what: str, where: str = "") -> tuple[Any, ...]:
    """The entries of a sequence that still has them afterwards, as a tuple."""
    if hasattr(values, "__next__"):
        raise ModelError(f"expected {what}, got {shown(values)}{_in(where)}")
    return entries(values, what, where)


def entries(values: Any, what: str, where: str = "") -> tuple[Any, ...]:
    """The entries of a sequence, as a tuple."""
    if isinstance(values, (tuple, list)):
        return tuple(values)
    try:
        kind = getattr(getattr(values, "dtype", None), "kind", "f")
        if isinstance(values, (str, bytes, dict, set, type)) or kind not in "fiub":
            raise TypeError
        return tuple(values)
    except Exception:  # whatever an object's __iter__ raises
        raise ModelError(f"expected {what}, got {shown(values)}{_in(where)}") from None


def records(
    values: Any, kind: type[Record] | tuple[type, ...], what: str, where: str = ""
) -> tuple[Record, ...]:
    """A sequence of records of one kind, or of some."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    names = " or ".join(each.__name__ for each in kinds)
    found = entries(values, f"a sequence of {names} as {what}", where)
    for each in found:
        if not isinstance(each, kinds):
            raise ModelError(f"expected only {names} in {what}, got {shown(each)}{_in(where)}")
    return found


def of_kind(value: Any, kind: type[Record], what: str, where: str = "") -> Record:
    """A record of one kind."""
    if not isinstance(value, kind):
        raise ModelError(f"expected a {kind.__name__} as {what}, got {shown(value)}{_in(where)}")
    return value


def transform(value: Any, what: str, where: str = "") -> Transform:
    """A transform to a frame, or the frame's pose: a 4x4 matrix to its parent's coordinates."""
    if isinstance(value, Transform):
        return value
    rows = entries(value, f"a Transform or a 4x4 matrix as {what}", where)
    if len(rows) != 4:
        raise ModelError(
            f"expected a Transform or a 4x4 matrix as {what}, got {len(rows)} rows; "
            "Transform.translation, Transform.from_rpy and Transform.from_quaternion make one"
            f"{_in(where)}"
        )
    pose = [numbers(row, 4, f"each row of {what}", where) for row in rows]
    try:
        return Transform.from_pose(pose)
    except ArgumentError as error:
        raise ModelError(f"{what}: {error}{_in(where)}") from None


def rigid(value: Any, what: str, where: str = "") -> Transform:
    """As `transform`, and the matrix of a transform must be a rotation as well."""
    X = transform(value, what, where)
    if not isinstance(X.E, Mat3) or not isinstance(X.r, Vec3):
        parts = f"{shown(X.E)} and {shown(X.r)}"
        raise ModelError(
            f"expected a Transform of Mat3 and Vec3 as {what}, got {parts}{_in(where)}"
        )
    numbers(tuple(X.r), 3, f"origin of {what}", where)
    rows = [numbers(row, 3, f"each row of {what}", where) for row in X.E.rows()]
    try:
        check_rotation(Mat3.of(rows))
    except ArgumentError as error:
        raise ModelError(f"{what}: {error}{_in(where)}") from None
    return X


def name(value: Any, what: str) -> str:
    """A name that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise ModelError(f"expected a name for each {what}, got {shown(value)}")
    return value


def flag(value: Any, what: str, where: str) -> bool:
    """True or False."""
    try:
        return as_flag(what, value, _in(where))
    except ArgumentError as error:
        raise ModelError(str(error)) from None


def known(value: Any, names: Collection[str], what: str, where: str) -> str:
    """A name that must be one of ``names``."""
    if not isinstance(value, str):
        raise ModelError(f"expected the name of a {what}, got {shown(value)}{_in(where)}")
    if value not in names:
        raise ModelError(f"no {what} '{value}'{suggestion(value, names)}{_in(where)}")
    return value


def without(what: str) -> str:
    """The end of a message about a model that has none: its parts went to another one."""
    return f", which has no {what}: Model.add returns a new model"


def distinct(names: Iterable[str], what: str, where: str) -> None:
    """Refuse a name that is given twice."""
    seen: set[str] = set()
    for each in names:
        if each in seen:
            raise ModelError(f"expected a new name for each {what}, got '{each}' again{_in(where)}")
        seen.add(each)


def _in(where: str) -> str:
    return f" ({where})" if where else ""
