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
    @spelled()
    def fromPythonArray(cls, python_values: Any) -> Self:
        """From four numbers ``x, y, z, w``.

        Parameters
        ----------
        python_values : array_like, shape (4,)
            The numbers.

        Returns
        -------
        turn : Quaternion
            The orientation.
        """
        array = np.array(python_values, dtype=float)
        if array.shape != (4,):
            raise RBDLSizeMismatchError(f"expected x, y, z and w, got shape {array.shape}")
        return array.view(cls)

    @classmethod
    def fromPythonMatrix(cls, python_matrix_values: Any) -> Self:
        """The orientation of a coordinate rotation; see `fromMatrix`.

        Parameters
        ----------
        python_matrix_values : array_like, shape (3, 3)
            A coordinate rotation.

        Returns
        -------
        turn : Quaternion
            The orientation.
        """
        return cls.fromMatrix(python_matrix_values)

    @classmethod
    def of(cls, turn: Turn) -> Self:
        """From a quaternion of `polhode.spatial`.

        Parameters
        ----------
        turn : polhode.spatial.Quaternion
            The orientation.

        Returns
        -------
        turn : Quaternion
            The orientation.
        """
        return cls(turn.x, turn.y, turn.z, turn.w)

    @property
    def turn(self) -> Turn:
        """The same as a `polhode.spatial.Quaternion`."""
        x, y, z, w = self.tolist()
        return Turn(w, x, y, z)

    @classmethod
    def fromAxisAngle(cls, axis: Any, angle_rad: float) -> Quaternion:
        """A turn about ``axis``, of any length but zero.

        Parameters
        ----------
        axis : array_like, shape (3,)
            Unit vector.
        angle_rad : float
            Angle [rad].
        """
        length = math.hypot(*axis)
        if not length:
            raise RBDLInvalidParameterError("expected an axis that is not zero")
        return cls.of(Turn.about(Vec3(*(float(x) / length for x in axis)), float(angle_rad)))

    @classmethod
    def fromGLRotate(cls, angle: float, x: float, y: float, z: float) -> Quaternion:
        """A turn by ``angle`` in degrees about ``(x, y, z)``.

        Parameters
        ----------
        angle : float
            Angle [deg].
        x, y, z : float
            Of the axis.
        """
        return cls.fromAxisAngle((x, y, z), math.radians(angle))

    @classmethod
    def fromMatrix(cls, E: Any) -> Self:
        """The orientation of a coordinate rotation; right for half turns too, ``w >= 0``.

        Parameters
        ----------
        E : array_like, shape (3, 3)
            A coordinate rotation.
        """
        return cls.of(Turn.from_matrix(Mat3.of(np.asarray(E, dtype=float).tolist())))

    @classmethod
    def fromZYXAngles(cls, zyx_angles: Any) -> Quaternion:
        """Turns by ``zyx_angles`` about z, then y, then x.

        Parameters
        ----------
        zyx_angles : array_like, shape (3,)
            Angles about z, y, x [rad].
        """
        z, y, x = zyx_angles
        return cls._turned((_Z, z), (_Y, y), (_X, x))

    @classmethod
    def fromYXZAngles(cls, yxz_angles: Any) -> Quaternion:
        """Turns by ``yxz_angles`` about y, then x, then z.

        Parameters
        ----------
        yxz_angles : array_like, shape (3,)
            Angles about y, x, z [rad].
        """
        y, x, z = yxz_angles
        return cls._turned((_Y, y), (_X, x), (_Z, z))

    @classmethod
    def fromXYZAngles(cls, xyz_angles: Any) -> Quaternion:
        """Turns about z, then y, then x by ``xyz_angles`` in the order x, y, z, as in RBDL.

        Parameters
        ----------
        xyz_angles : array_like, shape (3,)
            Angles about x, y, z [rad].
        """
        x, y, z = xyz_angles
        return cls._turned((_Z, z), (_Y, y), (_X, x))

    @classmethod
    def _turned(cls, *steps: tuple[Vec3, float]) -> Quaternion:
        total = Turn.identity()
        for axis, angle in steps:
            total = total * Turn.about(axis, float(angle))
        return cls.of(total)

    def toMatrix(self) -> np.ndarray:
        """The coordinate rotation into the turned frame.

        Returns
        -------
        matrix : ndarray
            The matrix.
        """
        return np.array(self.turn.matrix().rows())

    def conjugate(self) -> Quaternion:  # type: ignore[override]
        """The inverse turn.

        Returns
        -------
        turn : Quaternion
            The orientation.
        """
        return Quaternion.of(self.turn.conjugate())

    def slerp(self, alpha: float, other: Any) -> Quaternion:
        """The orientation a part ``alpha`` of the shortest way to ``other``.

        Parameters
        ----------
        alpha : float
            Between 0 and 1.
        other : Body
            The other body.

        Returns
        -------
        turn : Quaternion
            The orientation.
        """
        start, end = self.turn, Quaternion(other).turn
        return Quaternion.of(start * Turn.exp((start.conjugate() * end).log() * float(alpha)))

    def rotate(self, vector: Any) -> np.ndarray:
        """``vector`` in the turned frame.

        Parameters
        ----------
        vector : array_like, shape (3,)
            A vector.

        Returns
        -------
        turned : ndarray, shape (3,)
            The vector.
        """
        return self.toMatrix() @ np.asarray(vector, dtype=float)

    def omegaToQDot(self, omega: Any) -> np.ndarray:
        """The rates of ``x, y, z, w`` under the angular velocity ``omega`` of the turned frame.

        Parameters
        ----------
        omega : array_like, shape (3,)
            Angular velocity [rad/s].

        Returns
        -------
        numbers : ndarray, shape (4,)
            ``x, y, z, w``, or their rates.
        """
        return np.asarray(Quaternion.of(self.turn.rate(Vec3.of([float(w) for w in omega]))))

    def timeStep(self, omega: Any, dt: float) -> Quaternion:
        """After a time ``dt`` under ``omega`` in base axes; at rest the same orientation.

        Parameters
        ----------
        omega : array_like, shape (3,)
            Angular velocity [rad/s].
        dt : float
            Time [s].

        Returns
        -------
        turn : Quaternion
            The orientation.
        """
        turned = Turn.exp(Vec3.of([float(w) for w in omega]) * float(dt))
        return Quaternion.of(turned * self.turn)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Quaternion):
            return Quaternion.of(self.turn * other.turn)
        return np.array(self) * other
