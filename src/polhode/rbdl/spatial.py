"""RBDL's spatial algebra: records with its field and method names around `polhode.spatial`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from ..arrays import Numbers
from ..model import Euler
from ..spatial import Force, Inertia, Mat3, Motion, Sym3, Transform, Vec3, rotation_about
from .addresses import Pointerless, refuse_address
from .linear import VectorCrossMatrix, rotx, roty, rotz
from .spelling import spelled
from .vectors import matrix
from .vocabulary import described

_UNIT_MOTIONS = [Motion.of(row) for row in np.eye(6).tolist()]
_UNIT_FORCES = [Force.of(row) for row in np.eye(6).tolist()]


class SpatialTransform(Pointerless):
    """Coordinate transform: ``E`` rotates into the new frame, whose origin is at ``r``.

    ``E`` is a 3x3 array, ``r`` has three entries; both may be replaced.  ``(E, r)``, or 0 or
    nothing for the identity.
    """

    def __init__(self, address: Any = 0, r: Any = None, *, E: Any = None):
        if np.ndim(address):
            E = address
        else:
            refuse_address(address, "SpatialTransform")
        self.E: np.ndarray = np.eye(3) if E is None else matrix(E)
        self.r: np.ndarray = np.zeros(3) if r is None else matrix(r)

    @classmethod
    @described("transform", X=("polhode.spatial.Transform", "The transform."))
    def of(cls, X: Transform) -> SpatialTransform:
        """From a transform of `polhode.spatial`."""
        return cls(E=X.E.rows(), r=list(X.r))

    @property
    def transform(self) -> Transform:
        """The same as a `polhode.spatial.Transform`."""
        return Transform(Mat3.of(np.asarray(self.E).tolist()), Vec3.of(np.asarray(self.r).tolist()))

    @overload
    def apply(self, v: SpatialRigidBodyInertia) -> SpatialRigidBodyInertia: ...
    @overload
    def apply(self, v: Numbers) -> np.ndarray: ...
    @described("image", v=("array_like or SpatialRigidBodyInertia", "What is transformed."))
    def apply(self, v):
        """``X v`` for a motion; ``X* I X^-1`` for an inertia."""
        if isinstance(v, SpatialRigidBodyInertia):
            return self.inverse().applyTranspose(v)
        return matrix(list(self.transform @ Motion.of(list(v))))

    @overload
    def applyTranspose(self, f: SpatialRigidBodyInertia) -> SpatialRigidBodyInertia: ...
    @overload
    def applyTranspose(self, f: Numbers) -> np.ndarray: ...
    @described("image", f=("array_like or SpatialRigidBodyInertia", "What is transformed."))
    def applyTranspose(self, f):
        """``X^T f`` for a force; ``X^T I X`` for an inertia."""
        X = self.transform
        if isinstance(f, SpatialRigidBodyInertia):
            return SpatialRigidBodyInertia.of(X.T @ f.inertia @ X)
        return matrix(list(X.T @ Force.of(list(f))))

    @described("image")
    def applyAdjoint(self, f: Numbers) -> np.ndarray:
        """``X* f``: a force in the new frame."""
        return matrix(list(self.transform.to_child(Force.of(list(f)))))

    @described("transform")
    def inverse(self) -> SpatialTransform:
        """The transform back."""
        return SpatialTransform.of(self.transform.inverse())

    @described("matrix")
    def toMatrix(self) -> np.ndarray:
        """The 6x6 matrix for motions."""
        X = self.transform
        return matrix([list(X @ unit) for unit in _UNIT_MOTIONS]).T

    @described("adjoint")
    def toMatrixAdjoint(self) -> np.ndarray:
        """The 6x6 matrix for forces."""
        X = self.transform
        return matrix([list(X.to_child(unit)) for unit in _UNIT_FORCES]).T

    @described("transpose")
    def toMatrixTranspose(self) -> np.ndarray:
        """The transpose of the 6x6 matrix for motions."""
        X = self.transform
        return matrix([list(X.T @ unit) for unit in _UNIT_FORCES]).T

    def __mul__(self, other: SpatialTransform) -> SpatialTransform:
        if not isinstance(other, SpatialTransform):
            return NotImplemented
        return SpatialTransform.of(self.transform @ other.transform)

    __matmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SpatialTransform):
            return NotImplemented
        return np.array_equal(self.E, other.E) and np.array_equal(self.r, other.r)

    def __repr__(self) -> str:
        return f"SpatialTransform(E={self.E.tolist()}, r={self.r.tolist()})"


class SpatialRigidBodyInertia(Pointerless):
    """Mass ``m``, first moment ``h``, and six entries of the inertia about the origin.

    ``(m, h, I)``, where ``I`` is a 3x3 matrix, or its lower triangle ``Ixx, Iyx, Iyy, Izx, Izy,
    Izz``; or 0 or nothing for zeros.
    """

    Ixx: float
    Iyx: float
    Iyy: float
    Izx: float
    Izy: float
    Izz: float

    def __init__(self, address: Any = 0, h: Any = None, *I: Any, m: float | None = None):
        mass = address if m is None else m
        if m is None and h is None and isinstance(mass, int):
            refuse_address(mass, "SpatialRigidBodyInertia")
        if len(I) == 1:
            (x, _, _), (yx, yy, _), (zx, zy, zz) = np.asarray(I[0], dtype=float).tolist()
            I = (x, yx, yy, zx, zy, zz)
        self.m: float = mass or 0.0
        self.h: np.ndarray = np.zeros(3) if h is None else np.array(h, dtype=float)
        self.Ixx, self.Iyx, self.Iyy, self.Izx, self.Izy, self.Izz = I or (0.0,) * 6

    @classmethod
    @described("spatial_inertia", inertia=("polhode.spatial.Inertia", "The inertia."))
    def of(cls, inertia: Inertia) -> SpatialRigidBodyInertia:
        """From an inertia of `polhode.spatial`."""
        I = inertia.I
        return cls(inertia.m, list(inertia.h), I.xx, I.xy, I.yy, I.xz, I.yz, I.zz)

    @classmethod
    @described("spatial_inertia")
    def createFromMassComInertiaC(
        cls, mass: float, com: Any, inertia_C: Any
    ) -> SpatialRigidBodyInertia:
        """From the inertia about the centre of mass."""
        rows = np.asarray(inertia_C, dtype=float).tolist()
        return cls.of(Inertia.about_com(mass, Vec3.of(list(com)), Sym3.lower(Mat3.of(rows))))

    @classmethod
    @described("spatial_inertia")
    def createFromMatrix(cls, I: Any) -> SpatialRigidBodyInertia:
        """From the 6x6 matrix."""
        I = np.asarray(I, dtype=float)
        return cls(I[3, 3], (-I[1, 5], I[0, 5], -I[0, 4]), I[:3, :3])

    @property
    def inertia(self) -> Inertia:
        """The same as a `polhode.spatial.Inertia`."""
        s = Sym3(self.Ixx, self.Iyx, self.Izx, self.Iyy, self.Izy, self.Izz)
        return Inertia(self.m, Vec3.of(np.asarray(self.h).tolist()), s)

    @described("I")
    def toMatrix(self) -> np.ndarray:
        """The 6x6 matrix."""
        I = self.inertia
        return np.array([list(I @ unit) for unit in _UNIT_MOTIONS]).T

    def __mul__(self, v: Numbers) -> np.ndarray:
        return np.array(list(self.inertia @ Motion.of(list(v))))

    __matmul__ = __mul__

    def __add__(self, other: SpatialRigidBodyInertia) -> SpatialRigidBodyInertia:
        return SpatialRigidBodyInertia.of(self.inertia + other.inertia)

    def __repr__(self) -> str:
        I = (self.Ixx, self.Iyx, self.Iyy, self.Izx, self.Izy, self.Izz)
        return f"SpatialRigidBodyInertia({self.m}, {self.h.tolist()}, {', '.join(map(str, I))})"


@spelled("transform")
def Xrotx(angle: Any) -> SpatialTransform:
    """A turn about x."""
    return SpatialTransform(rotx(angle))


@spelled("transform")
def Xroty(angle: Any) -> SpatialTransform:
    """A turn about y."""
    return SpatialTransform(roty(angle))


@spelled("transform")
def Xrotz(angle: Any) -> SpatialTransform:
    """A turn about z."""
    return SpatialTransform(rotz(angle))


@described("transform", axis=("(3,)", "Unit vector."))
def Xrot(angle: Any, axis: Sequence[Any] | np.ndarray) -> SpatialTransform:
    """A turn about a unit axis."""
    return SpatialTransform(rotation_about(Vec3.of(list(axis)), angle).rows())


@spelled("transform")
def Xtrans(r: Sequence[Any] | np.ndarray) -> SpatialTransform:
    """A shift to the origin ``r``."""
    return SpatialTransform(None, list(r))


@spelled("matrix")
def Xrotx_mat(angle: float) -> np.ndarray:
    """The 6x6 matrix of a turn about x."""
    return Xrotx(angle).toMatrix()


@spelled("matrix")
def Xroty_mat(angle: float) -> np.ndarray:
    """The 6x6 matrix of a turn about y."""
    return Xroty(angle).toMatrix()


@spelled("matrix")
def Xrotz_mat(angle: float) -> np.ndarray:
    """The 6x6 matrix of a turn about z."""
    return Xrotz(angle).toMatrix()


@spelled("matrix")
def Xtrans_mat(displacement: Numbers) -> np.ndarray:
    """The 6x6 matrix of a shift."""
    return Xtrans(displacement).toMatrix()


@spelled("matrix")
def XtransRotZYXEuler(displacement: Numbers, zyx_euler: Numbers) -> np.ndarray:
    """The 6x6 matrix of a shift followed by turns about x, then y, then z, as in RBDL."""
    z, y, x = zyx_euler
    return (Xrotz(z) * Xroty(y) * Xrotx(x) * Xtrans(displacement)).toMatrix()


@spelled("product")
def crossm(v: Numbers, w: Numbers | None = None) -> np.ndarray:
    """``v x w`` of two motions, or the 6x6 matrix of ``v``."""
    m = Motion.of(list(v))
    if w is None:
        return np.array([list(m.cross(unit)) for unit in _UNIT_MOTIONS]).T
    return np.array(list(m.cross(Motion.of(list(w)))))


@spelled("product")
def crossf(v: Numbers, f: Numbers | None = None) -> np.ndarray:
    """``v x* f`` of a motion and a force, or the 6x6 matrix of ``v``."""
    m = Motion.of(list(v))
    if f is None:
        return np.array([list(m.cross(unit)) for unit in _UNIT_FORCES]).T
    return np.array(list(m.cross(Force.of(list(f)))))


@spelled("inertia")
def parallel_axis(inertia: Any, mass: float, com: Numbers) -> np.ndarray:
    """``inertia`` about the centre of mass ``com``, taken about the origin."""
    skew = VectorCrossMatrix(com)
    return np.asarray(inertia, dtype=float) + mass * skew @ skew.T


@spelled("omega")
def angular_velocity_from_angle_rates(zyx_angles: Any, zyx_rates: Any) -> np.ndarray:
    """Angular velocity, in the turned frame, of ZYX Euler angles."""
    return np.array(list(Euler("ZYX").jcalc(tuple(zyx_angles), tuple(zyx_rates)).vJ.ang))


@spelled("omega")
def global_angular_velocity_from_rates(zyx_angles: Any, zyx_rates: Any) -> np.ndarray:
    """Angular velocity, in base axes, of ZYX Euler angles."""
    motion = Euler("ZYX").jcalc(tuple(zyx_angles), tuple(zyx_rates))
    return np.array(list(motion.XJ.E.T @ motion.vJ.ang))


@spelled("angular_acceleration")
def angular_acceleration_from_angle_rates(
    zyx_angles: Any, zyx_rates: Any, zyx_rates_dot: Any
) -> np.ndarray:
    """Angular acceleration, in the turned frame, of ZYX Euler angles."""
    _, S, _, cJ = Euler("ZYX").jcalc(tuple(zyx_angles), tuple(zyx_rates))
    return np.array(list((S @ tuple(zyx_rates_dot) + cJ).ang))
