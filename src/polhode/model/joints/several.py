"""Joints with several degrees of freedom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import ClassVar

from ...arguments import check_callable
from ...errors import ModelError, shown
from ...once import cached_property
from ...scalar import Scalar
from ...spatial import Mat3, Motion, Quaternion, Subspace, Transform, Vec3
from ..checks import entries
from .base import Coordinates, JointKind, JointMotion, axis_tuple, compose, warn_of_length
from .single import Helical, Prismatic, Revolute, axis_joint

_NONE = (0.0, 0.0, 0.0)
OneAxis = Revolute | Prismatic | Helical
_AXES = {"X": Revolute.x(), "Y": Revolute.y(), "Z": Revolute.z()}
_LINEAR = Subspace(
    tuple(Motion(Vec3.zero(), e) for e in Mat3.identity())  # rows of 1 are the unit vectors
)
_ANGULAR = Subspace(tuple(Motion(e, Vec3.zero()) for e in Mat3.identity()))


@dataclass(frozen=True)
class Fixed(JointKind):
    """No degrees of freedom: the child is merged into its parent."""

    nq: ClassVar[int] = 0
    nv: ClassVar[int] = 0

    @property
    def dof_names(self) -> tuple[str, ...]:
        return ()

    def jcalc(self, q: Coordinates = (), qd: Coordinates | None = None) -> JointMotion:
        return JointMotion(Transform.identity(), Subspace(()), Motion.zero(), Motion.zero())


class Serial(JointKind):
    """Several one-axis joints in series without bodies between them."""

    parts: Sequence[OneAxis]

    @property
    def dof_names(self) -> tuple[str, ...]:
        return tuple(name for part in self.parts for name in part.dof_names)

    @property
    def series_axes(self) -> tuple[tuple[tuple[float, ...], int], ...]:
        rows = []
        for k, part in enumerate(self.parts):
            rows += [(row, k) for row, _ in part.series_axes] or [(part.row, k)]
        return tuple(rows)

    def jcalc(self, q: Coordinates, qd: Coordinates | None = None) -> JointMotion:
        rates = self.rates(qd)
        return compose([part.jcalc((q[k],), (rates[k],)) for k, part in enumerate(self.parts)])


@dataclass(frozen=True)
class Euler(Serial):
    """Three rotations about body axes; ``order`` names them from parent to child."""

    order: str

    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3

    def __post_init__(self) -> None:
        if not isinstance(self.order, str) or self.order not in ("ZYX", "XYZ", "YXZ", "ZXY"):
            raise ModelError(f"expected an order of ZYX, XYZ, YXZ or ZXY, got {shown(self.order)}")

    @property
    def name(self) -> str:
        return f"euler {self.order.lower()}"

    @cached_property
    def parts(self) -> tuple[OneAxis, ...]:
        """The three revolute joints, from parent to child."""
        return tuple(_AXES[letter] for letter in self.order)


@dataclass(frozen=True)
class Universal(Serial):
    """Two rotations: about ``first``, fixed in the parent, then ``second``, fixed in the child."""

    first: tuple[float, float, float] = (1.0, 0.0, 0.0)
    second: tuple[float, float, float] = (0.0, 1.0, 0.0)

    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2

    def __post_init__(self) -> None:
        for key in ("first", "second"):
            axis = axis_tuple(getattr(self, key), 3, "universal", f"{key} axis")
            warn_of_length(axis, "universal", "rad")
            object.__setattr__(self, key, axis)

    @cached_property
    def parts(self) -> tuple[OneAxis, ...]:
        """The two revolute joints."""
        return axis_joint(self.first + _NONE), axis_joint(self.second + _NONE)


@dataclass(frozen=True)
class Planar(Serial):
    """Translation along x and y of the parent, then rotation about z."""

    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3
    parts: ClassVar[Sequence[OneAxis]] = (
        Prismatic.x(),
        Prismatic.y(),
        Revolute.z(),
    )


@dataclass(frozen=True)
class TranslationXYZ(JointKind):
    """Translation in all three directions."""

    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3

    @property
    def name(self) -> str:
        return "translation xyz"

    @property
    def dof_names(self) -> tuple[str, ...]:
        return "TX", "TY", "TZ"

    def jcalc(self, q: Coordinates, qd: Coordinates | None = None) -> JointMotion:
        return JointMotion(
            Transform(Mat3.identity(), Vec3.of(q)),
            _LINEAR,
            Motion(Vec3.zero(), Vec3.of(self.rates(qd))),
            Motion.zero(),
        )


@dataclass(frozen=True)
class Spherical(JointKind):
    """All rotations; ``q = (x, y, z, w)`` is a unit quaternion, ``qd`` is in body axes."""

    nq: ClassVar[int] = 4
    nv: ClassVar[int] = 3

    @property
    def dof_names(self) -> tuple[str, ...]:
        return "RX", "RY", "RZ"

    def jcalc(self, q: Coordinates, qd: Coordinates | None = None) -> JointMotion:
        return JointMotion(
            Transform.rotation(quaternion(q).matrix()),
            _ANGULAR,
            Motion(Vec3.of(self.rates(qd)), Vec3.zero()),
            Motion.zero(),
        )

    def neutral(self) -> tuple[float, ...]:
        return 0.0, 0.0, 0.0, 1.0

    def integrate(self, q: Coordinates, step: Coordinates) -> tuple[Scalar, ...]:
        turned = (quaternion(q) * Quaternion.exp(Vec3.of(step))).normalized()
        return turned.x, turned.y, turned.z, turned.w

    def difference(self, start: Coordinates, end: Coordinates) -> tuple[Scalar, ...]:
        return tuple((quaternion(start).conjugate() * quaternion(end)).log())


@dataclass(frozen=True)
class FloatingBase(JointKind):
    """Six degrees of freedom: translation, then spherical, with a virtual body between."""

    nq: ClassVar[int] = 7
    nv: ClassVar[int] = 6

    @property
    def name(self) -> str:
        return "floating base"

    @property
    def dof_names(self) -> tuple[str, ...]:
        return "TX", "TY", "TZ", "RX", "RY", "RZ"

    def elementary(self) -> tuple[JointKind, ...]:
        return TranslationXYZ(), Spherical()

    def jcalc(self, q: Coordinates, qd: Coordinates | None = None) -> JointMotion:
        rates = self.rates(qd)
        return compose(
            [TranslationXYZ().jcalc(q[:3], rates[:3]), Spherical().jcalc(q[3:], rates[3:])]
        )

    def neutral(self) -> tuple[float, ...]:
        return 0.0, 0.0, 0.0, *Spherical().neutral()


@dataclass(frozen=True)
class Axes(Serial):
    """One to six one-axis joints in series, given as rows ``(ang, lin)``, parent side first.

    As in RBDL each row but the last moves a virtual body without mass.
    """

    rows: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        every = entries(self.rows, "six numbers in each of the rows")
        rows = tuple(axis_tuple(row, 6, "several-axes", "axis in rows") for row in every)
        if not 1 <= len(rows) <= 6:
            raise ModelError(f"expected one to six axes as rows, got {len(rows)}")
        for row in rows:
            warn_of_length(*((row[:3], "turning", "rad") if any(row[:3]) else
                             (row[3:], "sliding", "m")))  # fmt: skip
        object.__setattr__(self, "rows", rows)

    @property
    def nq(self) -> int:  # type: ignore[override]
        """Number of positions."""
        return len(self.rows)

    @property
    def nv(self) -> int:  # type: ignore[override]
        """Number of velocities."""
        return len(self.rows)

    @cached_property
    def parts(self) -> tuple[OneAxis, ...]:
        """One joint of one axis for each row."""
        return tuple(axis_joint(row) for row in self.rows)

    def elementary(self) -> tuple[JointKind, ...]:
        return self.parts

    @property
    def series_axes(self) -> tuple[tuple[tuple[float, ...], int], ...]:
        is_constant = not any(part.series_axes for part in self.parts)
        return () if is_constant else super().series_axes


def axes_joint(rows: Sequence[Coordinates]) -> OneAxis | Axes:
    """The joint of motion axes ``(ang, lin)`` in series.

    Their lengths are kept as they are, without a warning.
    """
    if len(rows) == 1:
        return axis_joint(rows[0])
    joint = object.__new__(Axes)
    object.__setattr__(joint, "rows", tuple(axis_tuple(row, 6, "several-axes") for row in rows))
    return joint


@dataclass(frozen=True)
class Custom(JointKind):
    """A joint given by the user.

    Parameters
    ----------
    nv : int
        Degrees of freedom, 1 to 6; also the number of position scalars.
    function : callable
        ``function(q, qd) -> (XJ, S, vJ, cJ)`` in terms of `polhode.spatial` records and
        `polhode.scalar` functions.  Define it at the top of a module if the model is to
        be pickled.
    label : str
        The kind's name in listings.
    """

    nv: int  # type: ignore[misc]
    function: Callable[[Coordinates, Coordinates], tuple] = field(repr=False)
    label: str = "custom"

    has_constant_axes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.nv, Integral) or not 1 <= self.nv <= 6:
            raise ModelError(f"expected one to six degrees of freedom, got {shown(self.nv)}")
        check_callable("function", self.function, f" (joint '{self.label}')")

    @property
    def nq(self) -> int:  # type: ignore[override]
        """Number of positions."""
        return self.nv

    @property
    def name(self) -> str:
        return self.label

    @property
    def dof_names(self) -> tuple[str, ...]:
        return tuple(f"{self.label}{k}" for k in range(self.nv))

    def jcalc(self, q: Coordinates, qd: Coordinates | None = None) -> JointMotion:
        motion = self.function(q, self.rates(qd))
        where = f"from the function of joint '{self.label}'"
        if not isinstance(motion, (tuple, list)) or len(motion) != len(JointMotion._fields):
            raise ModelError(f"expected (XJ, S, vJ, cJ) {where}, got {shown(motion)}")
        kinds = (Transform, Subspace, Motion, Motion)
        for name, part, kind in zip(JointMotion._fields, motion, kinds, strict=True):
            if not isinstance(part, kind):
                raise ModelError(f"expected a {kind.__name__} as {name} {where}, got {shown(part)}")
        columns = len(motion[1].columns)
        if columns != self.nv:
            raise ModelError(f"expected nv = {self.nv} columns of S {where}, got {columns}")
        return JointMotion(*motion)


def quaternion(q: Coordinates) -> Quaternion:
    """The quaternion of a spherical joint's coordinates ``(x, y, z, w)``."""
    x, y, z, w = q
    return Quaternion(w, x, y, z)
