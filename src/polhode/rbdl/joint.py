"""RBDL's joint types and joints."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from ..model import (
    Axes,
    Euler,
    Fixed,
    FloatingBase,
    Helical,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    TranslationXYZ,
    Universal,
)
from .errors import RBDLError, RBDLInvalidParameterError


class JointType(IntEnum):
    """RBDL's joint types, also exported one by one under these names."""

    JointTypeUndefined = 0
    JointTypeRevolute = 1
    JointTypePrismatic = 2
    JointTypeRevoluteX = 3
    JointTypeRevoluteY = 4
    JointTypeRevoluteZ = 5
    JointTypeSpherical = 6
    JointTypeEulerZYX = 7
    JointTypeEulerXYZ = 8
    JointTypeEulerYXZ = 9
    JointTypeEulerZXY = 10
    JointTypeTranslationXYZ = 11
    JointTypeFloatingBase = 12
    JointTypeFixed = 13
    JointTypeHelical = 14
    JointType1DoF = 15
    JointType2DoF = 16
    JointType3DoF = 17
    JointType4DoF = 18
    JointType5DoF = 19
    JointType6DoF = 20
    JointTypeCustom = 21


T = JointType
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


class Joint:
    """How a body moves against its parent.

    ``Joint()``, ``Joint(JointTypeSpherical)``, ``Joint(JointTypeRevolute, axis)``, or
    ``Joint(row, ...)`` with one to six rows ``(rx, ry, rz, tx, ty, tz)``.

    Attributes
    ----------
    mJointType : JointType
    mDoFCount : int
    mJointAxes : list of ndarray
    q_index : int
        Where its coordinates begin; -1 until it is in a model.
    custom_joint_index : int
        Its place in ``mCustomJoints``, or -1.
    """

    def __init__(self, *arguments: Any):
        self.q_index = 0
        self.custom_joint_index = -1
        if not arguments:
            self._set(T.JointTypeUndefined, [])
        elif np.ndim(arguments[0]) == 0:
            self._of_type(_joint_type(arguments[0]), arguments[1:])
        else:
            rows = [[float(x) for x in row] for row in arguments]
            self._set(_type_of_rows(rows), rows)

    def _set(self, kind: JointType, rows: Sequence[Any]) -> None:
        self.mJointType: JointType = kind
        self.mJointAxes: list[np.ndarray] = [np.array(row, dtype=float) for row in rows]
        self.mDoFCount: int = len(rows)

    def _of_type(self, kind: JointType, rest: tuple[Any, ...]) -> None:
        if kind in (T.JointTypeRevolute, T.JointTypePrismatic) and len(rest) == 1:
            axis = [float(x) for x in rest[0]]
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
                "(rx, ry, rz, tx, ty, tz) instead, or an axis to a revolute or prismatic joint"
            )

    @classmethod
    def fromJointType(cls, joint_type: Any) -> Joint:
        """The joint of a type, or of its name.

        Parameters
        ----------
        joint_type : JointType
            The type.
        """
        return cls(joint_type)

    @classmethod
    def fromJointAxes(cls, axes: Any) -> Joint:
        """The joint of a list of axes.

        Parameters
        ----------
        axes : sequence of array_like, shape (6,)
            One row for each freedom.
        """
        return cls(*axes)

    @classmethod
    def of(cls, kind: JointKind) -> Joint:
        """The joint of a kind that polhode knows.

        Parameters
        ----------
        kind : polhode.model.JointKind
            The kind.
        """
        match kind:
            case Fixed():
                return cls(T.JointTypeFixed)
            case FloatingBase():
                return cls(T.JointTypeFloatingBase)
            case Revolute() | Prismatic() | Helical():
                return cls(kind.row)
            case Universal() | Planar():
                return cls(*(part.row for part in kind.parts))
            case Axes():
                return cls(*kind.rows)
        for joint_type, known in _KIND_OF.items():
            if known == kind:
                return cls(joint_type)
        raise RBDLError(f"a joint of kind '{kind.name}' has no counterpart among RBDL's types")

    def parts(self) -> list[Joint]:
        """The joints, with bodies between them, that this one becomes in a model.

        Returns
        -------
        joints : list of Joint
            In the order of the tree.
        """
        if self.mJointType is T.JointTypeFloatingBase:
            return [Joint(T.JointTypeTranslationXYZ), Joint(T.JointTypeSpherical)]
        if T.JointType1DoF <= self.mJointType <= T.JointType6DoF:
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
        return JointType[name] if isinstance(name, str) else JointType(name)
    except (KeyError, ValueError):
        raise RBDLInvalidParameterError(f"no joint type {name!r}") from None


def _type_of_rows(rows: list[list[float]]) -> JointType:
    if not 1 <= len(rows) <= 6:
        raise RBDLError(f"expected one to six axes, got {len(rows)}: invalid number of DOFs")
    for row in rows:
        if len(row) != 6 or not any(row):
            raise RBDLInvalidParameterError(
                f"expected axes of six numbers (rx, ry, rz, tx, ty, tz), not all zero, got {row}"
            )
    if len(rows) > 1:
        return JointType(T.JointType1DoF + len(rows) - 1)
    (row,) = rows
    if not any(row[:3]):
        return T.JointTypePrismatic
    return _TURNS.get(tuple(row), T.JointTypeHelical)
