"""A joint kind: one ``jcalc`` and its configuration manifold (RBDA section 4.4)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, ClassVar, NamedTuple

from ...errors import ModelError, ModelWarning, warn_caller
from ...scalar import Scalar
from ...spatial import Motion, Subspace, Transform
from ..checks import numbers

Coordinates = Sequence[Scalar]
UNIT_TOLERANCE = 1e-3  # an axis typed with three digits, as (0.577, 0.577, 0.577), is within it


class JointMotion(NamedTuple):
    """The results of ``jcalc``: transform across the joint, subspace, velocity, bias."""

    XJ: Transform
    S: Subspace
    vJ: Motion
    cJ: Motion


class JointKind(ABC):
    """A kind of joint, as an immutable value.

    ``nq`` position and ``nv`` velocity scalars.  Kinds that are realised as a chain of bodies,
    such as a list of axes, list their joints in `elementary`.  All others are their own only
    element.
    """

    nq: ClassVar[int] | int
    nv: ClassVar[int] | int
    has_constant_axes: ClassVar[bool] = True
    """Whether `series_axes` tell how ``S`` depends on ``q``; without, it may in any way."""

    @property
    def name(self) -> str:
        """The kind's name, in lower-case words."""
        return type(self).__name__.lower()

    @property
    @abstractmethod
    def dof_names(self) -> tuple[str, ...]:
        """A short name for each velocity scalar, such as ``RZ``."""

    @abstractmethod
    def jcalc(self, q: Coordinates, qd: Coordinates | None = None) -> JointMotion:
        """The joint's transform, motion subspace, velocity and bias acceleration.

        ``XJ`` maps predecessor to successor coordinates; ``vJ = S qd``; ``cJ`` is the
        apparent derivative of ``S``, in successor coordinates, times ``qd``.
        """

    def elementary(self) -> tuple[JointKind, ...]:
        """The joints, from parent to child, that realise this one."""
        return (self,)

    @property
    def series_axes(self) -> tuple[tuple[tuple[float, ...], int], ...]:
        """The one-axis joints in series that equal this one, if its ``S`` depends on ``q``.

        Pairs of an axis ``(ang, lin)`` and the coordinate it follows; empty if ``S`` is
        constant in the moving body.
        """
        return ()

    def neutral(self) -> tuple[float, ...]:
        """The position at which the joint's two frames coincide."""
        return (0.0,) * self.nq

    def integrate(self, q: Coordinates, step: Coordinates) -> tuple[Scalar, ...]:
        """The position reached from ``q`` by the tangent ``step`` (velocity times time)."""
        return tuple(x + dx for x, dx in zip(q, step, strict=True))

    def difference(self, start: Coordinates, end: Coordinates) -> tuple[Scalar, ...]:
        """The tangent step that leads from ``start`` to ``end``."""
        return tuple(b - a for a, b in zip(start, end, strict=True))

    def rates(self, qd: Coordinates | None) -> Coordinates:
        """The given rates, or zeros."""
        return (0.0,) * self.nv if qd is None else qd

    def __str__(self) -> str:
        values = [getattr(self, f.name) for f in fields(self)]  # type: ignore[arg-type]
        return f"{self.name}({', '.join(map(str, values))})" if values else self.name


def compose(parts: Sequence[JointMotion]) -> JointMotion:
    """Joints in series, without bodies between them, as one."""
    X, S, v, c = parts[0]
    for XJ, Sj, vj, cj in parts[1:]:
        X, S, v = XJ @ X, Subspace((XJ @ S).columns + Sj.columns), XJ @ v
        c = XJ @ c + cj + v.cross(vj)
        v = v + vj
    return JointMotion(X, S, v, c)


def axis_tuple(axis: Any, length: int, kind: str, name: str = "axis") -> tuple[float, ...]:
    """``axis`` as floats, or a ModelError that says what was expected."""
    what = f"the {name} of a {kind} joint"
    if isinstance(axis, str) and axis in ("x", "y", "z") and length == 3:
        raise ModelError(f"expected three numbers as {what}, got '{axis}'; "
                         f"{kind.capitalize()}.{axis}() makes one")  # fmt: skip
    values = numbers(axis, length, what)
    if not any(values):
        raise ModelError(f"expected {length} finite numbers, not all zero, as {what}, got {values}")
    return values


def warn_of_length(axis: tuple[float, ...], kind: str, unit: str) -> None:
    """Warn of a direction that is not of unit length, but for the rounding of three digits."""
    length = math.hypot(*axis)
    if abs(length - 1.0) > UNIT_TOLERANCE:
        warn_caller(
            f"the axis {axis} of a {kind} joint has length {length:.6g}: "
            f"the joint moves by {length:.6g} {unit} where q is 1; give a unit axis",
            ModelWarning,
        )
