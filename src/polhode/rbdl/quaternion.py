"""RBDL's quaternion: an array ``x, y, z, w``."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from ..spatial import Mat3, Vec3
from ..spatial import Quaternion as Turn
from .addresses import refuse_address
from .errors import RBDLInvalidParameterError, RBDLSizeMismatchError
from .spelling import spelled
from .vectors import ArrayOfRBDL
from .vocabulary import described

_OF_AXIS = "float", "Of the axis."
_X, _Y, _Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)


class Quaternion(ArrayOfRBDL):
    """Four numbers ``x, y, z, w``; ``p * q`` is their product as quaternions.

    ``(0, values)`` or ``(0, None, matrix)`` as in RBDL's wrapper, the four numbers one by one,
    one sequence of them, or nothing for the identity.
    """

    def __new__(
        cls, address: Any = 0, pyvalues: Any = None, pymatvalues: Any = None, *entries: Any
    ) -> Self:
        if np.ndim(address):
            return cls.fromPythonArray(address)
        if entries or (pyvalues is not None and not np.ndim(pyvalues)):
            return cls.fromPythonArray((address, pyvalues, pymatvalues, *entries))
        refuse_address(address, cls.__name__)
        if pymatvalues is not None:
            return cls.fromMatrix(pymatvalues)
        return cls.fromPythonArray((0.0, 0.0, 0.0, 1.0) if pyvalues is None else pyvalues)

    @classmethod
    @spelled("turn")
    def fromPythonArray(cls, python_values: Any) -> Self:
        """From four numbers ``x, y, z, w``."""
        array = np.array(python_values, dtype=float)
        if array.shape != (4,):
            raise RBDLSizeMismatchError(f"expected x, y, z and w, got shape {array.shape}")
        return array.view(cls)

    @classmethod
    @described("turn")
    def fromPythonMatrix(cls, python_matrix_values: Any) -> Self:
        """The orientation of a coordinate rotation; see `fromMatrix`."""
        return cls.fromMatrix(python_matrix_values)

    @classmethod
    @described("turn", turn=("polhode.spatial.Quaternion", "The orientation."))
    def of(cls, turn: Turn) -> Self:
        """From a quaternion of `polhode.spatial`."""
        return cls(turn.x, turn.y, turn.z, turn.w)

    @property
    def turn(self) -> Turn:
        """The same as a `polhode.spatial.Quaternion`."""
        x, y, z, w = self.tolist()
        return Turn(w, x, y, z)

    @classmethod
    @described("turn", axis=("(3,)", "Of any length but zero."))
    def fromAxisAngle(cls, axis: Any, angle_rad: float) -> Quaternion:
        """A turn about ``axis``, of any length but zero."""
        length = math.hypot(*axis)
        if not length:
            raise RBDLInvalidParameterError("expected an axis that is not zero")
        return cls.of(Turn.about(Vec3(*(float(x) / length for x in axis)), float(angle_rad)))

    @classmethod
    @described("turn", angle=("float", "Angle [deg]."), x=_OF_AXIS, y=_OF_AXIS, z=_OF_AXIS)
    def fromGLRotate(cls, angle: float, x: float, y: float, z: float) -> Quaternion:
        """A turn by ``angle`` in degrees about ``(x, y, z)``."""
        return cls.fromAxisAngle((x, y, z), math.radians(angle))

    @classmethod
    @described("turn")
    def fromMatrix(cls, E: Any) -> Self:
        """The orientation of a coordinate rotation; right for half turns too, ``w >= 0``."""
        return cls.of(Turn.from_matrix(Mat3.of(np.asarray(E, dtype=float).tolist())))

    @classmethod
    @described("turn")
    def fromZYXAngles(cls, zyx_angles: Any) -> Quaternion:
        """Turns by ``zyx_angles`` about z, then y, then x."""
        z, y, x = zyx_angles
        return cls._turned((_Z, z), (_Y, y), (_X, x))

    @classmethod
    @described("turn")
    def fromYXZAngles(cls, yxz_angles: Any) -> Quaternion:
        """Turns by ``yxz_angles`` about y, then x, then z."""
        y, x, z = yxz_angles
        return cls._turned((_Y, y), (_X, x), (_Z, z))

    @classmethod
    @described("turn")
    def fromXYZAngles(cls, xyz_angles: Any) -> Quaternion:
        """Turns about z, then y, then x by ``xyz_angles`` in the order x, y, z, as in RBDL."""
        x, y, z = xyz_angles
        return cls._turned((_Z, z), (_Y, y), (_X, x))

    @classmethod
    def _turned(cls, *steps: tuple[Vec3, float]) -> Quaternion:
        total = Turn.identity()
        for axis, angle in steps:
            total = total * Turn.about(axis, float(angle))
        return cls.of(total)

    @described("rotation")
    def toMatrix(self) -> np.ndarray:
        """The coordinate rotation into the turned frame."""
        return np.array(self.turn.matrix().rows())

    @described("turn")
    def conjugate(self) -> Quaternion:  # type: ignore[override]
        """The inverse turn."""
        return Quaternion.of(self.turn.conjugate())

    @described("turn", other=("Quaternion", "The orientation at 1."))
    def slerp(self, alpha: float, other: Any) -> Quaternion:
        """The orientation a part ``alpha`` of the shortest way to ``other``."""
        start, end = self.turn, Quaternion(other).turn
        return Quaternion.of(start * Turn.exp((start.conjugate() * end).log() * float(alpha)))

    @described("turned")
    def rotate(self, vector: Any) -> np.ndarray:
        """``vector`` in the turned frame."""
        return self.toMatrix() @ np.asarray(vector, dtype=float)

    @described("rates")
    def omegaToQDot(self, omega: Any) -> np.ndarray:
        """The rates of ``x, y, z, w`` under the angular velocity ``omega`` of the turned frame."""
        return np.asarray(Quaternion.of(self.turn.rate(Vec3.of([float(w) for w in omega]))))

    @described("turn")
    def timeStep(self, omega: Any, dt: float) -> Quaternion:
        """After a time ``dt`` under ``omega`` in base axes; at rest the same orientation."""
        turned = Turn.exp(Vec3.of([float(w) for w in omega]) * float(dt))
        return Quaternion.of(turned * self.turn)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Quaternion):
            return Quaternion.of(self.turn * other.turn)
        return np.array(self) * other
