"""RBDL's joint types and joints."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from ..arrays import as_array
from ..errors import suggestion
from ..model import (
    Axes,
    Euler,
    Fixed,
    FloatingBase,
    Helical,
    JointKind,
    Prismatic,
    Revolute,
    Spherical,
    TranslationXYZ,
)
from ..model.joints.several import Serial
from .addresses import Pointerless, refuse_address
from .errors import RBDLError, RBDLInvalidParameterError, RBDLSizeMismatchError
from .vocabulary import described


class JointType(StrEnum):
    """RBDL's joint types, also exported one by one under these names.

    Each is the string by which RBDL's Python wrapper names it, and ``int`` of it is its number.
    """

    JointTypeUndefined = "JointTypeUndefined"
    JointTypeRevolute = "JointTypeRevolute"
    JointTypePrismatic = "JointTypePrismatic"
    JointTypeRevoluteX = "JointTypeRevoluteX"
    JointTypeRevoluteY = "JointTypeRevoluteY"
    JointTypeRevoluteZ = "JointTypeRevoluteZ"
    JointTypeSpherical = "JointTypeSpherical"
    JointTypeEulerZYX = "JointTypeEulerZYX"
    JointTypeEulerXYZ = "JointTypeEulerXYZ"
    JointTypeEulerYXZ = "JointTypeEulerYXZ"
    JointTypeEulerZXY = "JointTypeEulerZXY"
    JointTypeTranslationXYZ = "JointTypeTranslationXYZ"
    JointTypeFloatingBase = "JointTypeFloatingBase"
    JointTypeFixed = "JointTypeFixed"
    JointTypeHelical = "JointTypeHelical"
    JointType1DoF = "JointType1DoF"
    JointType2DoF = "JointType2DoF"
    JointType3DoF = "JointType3DoF"
    JointType4DoF = "JointType4DoF"
    JointType5DoF = "JointType5DoF"
    JointType6DoF = "JointType6DoF"
    JointTypeCustom = "JointTypeCustom"

    @classmethod
    def _missing_(cls, value: object) -> JointType | None:
        if isinstance(value, bytes):
            return cls._value2member_map_.get(value.decode())  # type: ignore[return-value]
        number = int(value) if isinstance(value, Integral) else -1
        return list(cls)[number] if 0 <= number < len(cls) else None

    def __int__(self) -> int:
        return _NUMBERS[self.value]

    def __eq__(self, other: object) -> bool:
        return int(self) == other if isinstance(other, Integral) else str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


_NUMBERS = {name: number for number, name in enumerate(JointType.__members__)}
T = JointType
_AXIS = "int", "Number of the axis."
_UNIT = np.eye(6).tolist()
RX, RY, RZ, TX, TY, TZ = _UNIT
_AXES_OF: dict[JointType, list[list[float]]] = {
    T.JointTypeRevoluteX: [RX],
    T.JointTypeRevoluteY: [RY],
    T.JointTypeRevoluteZ: [RZ],
    T.JointTypeSpherical: [RZ, RY, RX],  # RBDL's order, although qdot is x, y, z
    T.JointTypeEulerZYX: [RZ, RY, RX],
    T.JointTypeEulerXYZ: [RX, RY, RZ],
    T.JointTypeEulerYXZ: [RY, RX, RZ],
    T.JointTypeEulerZXY: [RZ, RX, RY],
    T.JointTypeTranslationXYZ: [TX, TY, TZ],
    T.JointTypeFixed: [],
    T.JointTypeUndefined: [],
}
_KIND_OF: dict[JointType, JointKind] = {
    T.JointTypeSpherical: Spherical(),
    T.JointTypeEulerZYX: Euler("ZYX"),
    T.JointTypeEulerXYZ: Euler("XYZ"),
    T.JointTypeEulerYXZ: Euler("YXZ"),
    T.JointTypeEulerZXY: Euler("ZXY"),
    T.JointTypeTranslationXYZ: TranslationXYZ(),
}
_TURNS = {
    tuple(RX): T.JointTypeRevoluteX,
    tuple(RY): T.JointTypeRevoluteY,
    tuple(RZ): T.JointTypeRevoluteZ,
}


class Joint(Pointerless):
    """How a body moves against its parent.

    ``Joint()``, ``Joint(0, "JointTypeSpherical")`` or ``Joint(JointTypeSpherical)``,
    ``Joint(JointTypeRevolute, axis)``, or ``Joint(row, ...)`` with one to six rows ``(rx, ry, rz,
    tx, ty, tz)``, which are the ``axes`` of RBDL's wrapper.

    Attributes
    ----------
    joint_type_map : dict
        Numbers of joint types by name, and their names by number.
    mJointType : JointType
        A string that is one of RBDL's names.
    mDoFCount : int
    mJointAxes : list of ndarray
    q_index : int
        Where its coordinates begin; -1 until it is in a model.
    custom_joint_index : int
        Its place in ``mCustomJoints``, or -1.
    """

    joint_type_map: ClassVar[dict[Any, Any]] = _NUMBERS | {k: name for name, k in _NUMBERS.items()}

    def __init__(
        self, address: Any = 0, joint_type: Any = -1, dof: Any = -1, axes: Any = None, *rows: Any
    ):
        self.q_index = 0
        self.custom_joint_index = -1
        if np.ndim(address):
            more = (x for x in (joint_type, dof, axes, *rows) if np.ndim(x))
            self._of_rows([address, *more])
        elif isinstance(address, (str, bytes)):
            self._of_type(_joint_type(address), () if _is_none(joint_type) else (joint_type,))
        else:
            refuse_address(address, "Joint")
            if axes is not None:
                self._of_rows(axes)
            elif _is_none(joint_type):
                self._set(T.JointTypeUndefined, [])
            elif _is_none(dof):
                self._of_type(_joint_type(joint_type), ())
            else:
                self._set(_joint_type(joint_type), np.zeros((int(dof), 6)).tolist())

    def _of_rows(self, rows: Sequence[Any]) -> None:
        numbers = [_axis_of(row) for row in rows]
        self._set(_type_of_rows(numbers), numbers)

    def _set(self, kind: JointType, rows: Sequence[Any]) -> None:
        self.mJointType: JointType = kind
        self.mJointAxes: list[np.ndarray] = [np.array(row, dtype=float) for row in rows]
        self.mDoFCount: int = len(rows)

    def _of_type(self, kind: JointType, rest: tuple[Any, ...]) -> None:
        if kind in (T.JointTypeRevolute, T.JointTypePrismatic) and len(rest) == 1:
            axis = as_array("the axis", rest[0]).tolist()
            if len(axis) != 3 or not any(axis):
                raise RBDLInvalidParameterError(
                    f"expected an axis of three numbers, not all zero, got {axis}"
                )
            still = [0.0] * 3
            self._set(kind, [axis + still if kind is T.JointTypeRevolute else still + axis])
        elif kind is T.JointTypeFloatingBase and not rest:
            self._set(kind, [TX, TY, TZ, RZ, RY, RX])
        elif kind in _AXES_OF and not rest:
            self._set(kind, _AXES_OF[kind])
        else:
            raise RBDLError(
                f"Joint({kind.name}) needs its axes: give one to six rows "
                "(rx, ry, rz, tx, ty, tz), or one axis if it is revolute or prismatic"
            )

    @classmethod
    @described("joint")
    def fromJointType(cls, joint_type: Any) -> Joint:
        """The joint of a type, or of its name."""
        return cls(0, joint_type)

    @classmethod
    @described("joint")
    def forCustomJoint(cls, joint_type: Any, dof: int) -> Joint:
        """The joint of a type, with as many axes of zeros."""
        return cls(0, joint_type, dof)

    def _joint_type_from_str(self, joint_type_str: str) -> int:
        return int(_joint_type(joint_type_str))

    @described("axis", index=_AXIS)
    def getJointAxis(self, index: int) -> np.ndarray:
        """One of the axes."""
        return self._axis(index).copy()

    @described(index=_AXIS, value=("(6,)", "The row ``(rx, ry, rz, tx, ty, tz)``."))
    def setJointAxis(self, index: int, value: Any) -> None:
        """Replace one of the axes."""
        axis = as_array("value", value)
        if axis.shape != (6,):
            raise RBDLSizeMismatchError(f"expected an axis of six numbers, got shape {axis.shape}")
        self._axis(index)[:] = axis

    def _axis(self, index: int) -> np.ndarray:
        if not 0 <= index < len(self.mJointAxes):
            raise RBDLInvalidParameterError(
                f"expected the number of one of {len(self.mJointAxes)} axes, got {index}"
            )
        return self.mJointAxes[index]

    @classmethod
    @described("joint")
    def fromJointAxes(cls, axes: Any) -> Joint:
        """The joint of a list of axes."""
        return cls(*axes)

    @classmethod
    @described("joint", kind=("polhode.model.JointKind", "The kind."))
    def of(cls, kind: JointKind) -> Joint:
        """The joint of a kind that polhode knows."""
        match kind:
            case Fixed():
                return cls(T.JointTypeFixed)
            case FloatingBase():
                return cls(T.JointTypeFloatingBase)
            case Revolute() | Prismatic() | Helical():
                return cls(kind.row)
            case Axes():
                return cls(*kind.rows)
            case Serial() if not isinstance(kind, Euler):
                return cls(*(part.row for part in kind.parts))
        for joint_type, known in _KIND_OF.items():
            if known == kind:
                return cls(joint_type)
        raise RBDLError(f"a joint of kind '{kind.name}' has no counterpart among RBDL's types")

    @described("joints")
    def parts(self) -> list[Joint]:
        """The joints, with bodies between them, that this one becomes in a model."""
        if self.mJointType is T.JointTypeFloatingBase:
            return [Joint(T.JointTypeTranslationXYZ), Joint(T.JointTypeSpherical)]
        if int(T.JointType1DoF) <= int(self.mJointType) <= int(T.JointType6DoF):
            return [Joint(row) for row in self.mJointAxes]
        part = Joint()
        part._set(self.mJointType, self.mJointAxes)
        return [part]

    @property
    def kind(self) -> JointKind:
        """What an undivided joint is in a `polhode.Model`."""
        if self.mJointType in _KIND_OF:
            return _KIND_OF[self.mJointType]
        if self.mJointType is T.JointTypeFixed:
            return Fixed()
        if self.mDoFCount != 1:
            raise RBDLError(f"no body can move by a joint of type {self.mJointType.name}")
        row = self.mJointAxes[0].tolist()
        if not any(row[3:]):
            return Revolute(tuple(row[:3]))
        return Helical(tuple(row)) if any(row[:3]) else Prismatic(tuple(row[3:]))

    def __repr__(self) -> str:
        rows = ", ".join(str(row.tolist()) for row in self.mJointAxes)
        return f"Joint({self.mJointType.name}, axes=[{rows}])"


def _joint_type(value: Any) -> JointType:
    name = value.decode() if isinstance(value, bytes) else value
    try:
        return JointType(name)
    except ValueError:
        hint = suggestion(str(name), _NUMBERS)
        raise RBDLInvalidParameterError(f"no joint type {name!r}{hint}") from None


def _is_none(value: Any) -> bool:
    """Whether a parameter has the -1 by which RBDL's wrapper says that it is left out."""
    return isinstance(value, int) and value == -1


def _axis_of(values: Any) -> list[float]:
    axis = as_array("an axis", values, finite=True)
    if axis.shape != (6,) or not axis.any():
        raise RBDLInvalidParameterError(
            "expected axes of six numbers (rx, ry, rz, tx, ty, tz), not all zero, got "
            f"{axis.tolist()}"
        )
    return axis.tolist()


def _type_of_rows(rows: list[list[float]]) -> JointType:
    if not 1 <= len(rows) <= 6:
        raise RBDLError(f"expected one to six axes, got {len(rows)}: invalid number of DOFs")
    if len(rows) > 1:
        return JointType(int(T.JointType1DoF) + len(rows) - 1)
    (row,) = rows
    if not any(row[:3]):
        return T.JointTypePrismatic
    return _TURNS.get(tuple(row), T.JointTypeHelical)
