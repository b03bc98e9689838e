"""Joints whose axes follow functions of few coordinates, such as a knee that rolls and slides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...errors import ModelError, shown
from ...spatial import Motion, Subspace
from ..checks import distinct, entries, number, records
from .base import Coordinates, JointKind, JointMotion, axis_tuple, compose
from .piecewise import PiecewisePolynomial
from .single import axis_joint


@dataclass(frozen=True)
class FunctionAxis:
    """An axis along or about which a joint moves by a function of one of its coordinates.

    Attributes
    ----------
    row : six numbers
        The axis ``(ang, lin)``.
    function : PiecewisePolynomial
        How far, for each position of the coordinate [rad or m].
    coordinate : int
        Its place among the joint's coordinates.
    """

    row: tuple[float, ...]
    function: PiecewisePolynomial
    coordinate: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "row", axis_tuple(self.row, 6, "function-based", "row"))
        if not isinstance(self.function, PiecewisePolynomial):
            raise ModelError(
                f"expected a PiecewisePolynomial as function, got {shown(self.function)}"
            )
        place = number(self.coordinate, "coordinate", least=0.0)
        if place != int(place):
            raise ModelError(f"expected a whole number as coordinate, got {shown(self.coordinate)}")
        object.__setattr__(self, "coordinate", int(place))


@dataclass(frozen=True)
class FunctionBased(JointKind):
    """Axes in series, parent side first, which follow functions of the joint's coordinates.

    Several axes may follow one coordinate: a knee's rotation and the path of its centre.

    Attributes
    ----------
    axes : sequence of FunctionAxis
    coordinates : sequence of str
        The names of the coordinates, one to six.

    Notes
    -----
    With the axes' own subspace ``S_k`` and functions ``f_k`` of coordinate ``j``, column ``j`` is
    ``sum S_k f_k'(q_j)``.  The bias has ``sum S_k f_k''(q_j) qd_j^2`` beside that of the axes, as
    in a function-based mobilizer (Seth, Sherman, Eastman and Delp 2010).
    """

    axes: tuple[FunctionAxis, ...]
    coordinates: tuple[str, ...] = ("q",)

    has_constant_axes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", records(self.axes, FunctionAxis, "axes"))
        names = entries(self.coordinates, "the names of coordinates")
        if not 1 <= len(names) <= 6 or not all(isinstance(name, str) for name in names):
            raise ModelError(f"expected one to six names as coordinates, got {shown(names)}")
        distinct(names, "coordinate", "a function-based joint")
        object.__setattr__(self, "coordinates", names)
        followed = {axis.coordinate for axis in self.axes}
        if followed != set(range(len(names))):
            raise ModelError(
                f"expected axes that follow each of the {len(names)} coordinates, got places "
                f"{sorted(followed)}"
            )

    @property
    def nq(self) -> int:  # type: ignore[override]
        """Number of positions."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:  # type: ignore[override]
        """Number of velocities."""
        return len(self.coordinates)

    @property
    def name(self) -> str:
        return "function-based"

    @property
    def dof_names(self) -> tuple[str, ...]:
        return self.coordinates

    def neutral(self) -> tuple[float, ...]:
        """Zeros, where the frames need not coincide: functions may have any value there."""
        return (0.0,) * self.nq

    def jcalc(self, q: Coordinates, qd: Coordinates | None = None) -> JointMotion:
        rates, at = self.rates(qd), [axis.function.derivatives(q[axis.coordinate])
                                     for axis in self.axes]  # fmt: skip
        turned = [
            axis_joint(axis.row).jcalc((f.value,), (f.first * rates[axis.coordinate],))
            for axis, f in zip(self.axes, at, strict=True)
        ]
        XJ, own, vJ, cJ = compose(turned)
        columns = [Motion.zero()] * self.nv
        for axis, f, s in zip(self.axes, at, own.columns, strict=True):
            j = axis.coordinate
            columns[j] = columns[j] + s * f.first
            cJ = cJ + s * (f.second * (rates[j] * rates[j]))
        return JointMotion(XJ, Subspace(tuple(columns)), vJ, cJ)
