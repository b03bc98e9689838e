"""RBDL's spatial and quaternion functions, expressed in `polhode.spatial`.

RBDL's quaternions are x, y, z, w and its six-vectors angular first, as ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.algorithms.tree.sparsity import ltdl
from polhode.model import Euler
from polhode.spatial import (
    Force,
    Inertia,
    Mat3,
    Motion,
    Quaternion,
    Sym3,
    Transform,
    Vec3,
    rotation_about,
    rotation_x,
    rotation_y,
    rotation_z,
)

SET_ASIDE = {
    "LinSolveGaussElimPivot": "a dense linear solver, not a quantity of a mechanism",
    "Lua side tables": "marker and point tables of a Lua file are read by a later version",
}

X_AXIS, Y_AXIS, Z_AXIS = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)


def transform(value: dict) -> Transform:
    return Transform(Mat3.of(value["E"]), Vec3.of(value["r"]))


def matrix(X: Transform) -> np.ndarray:
    """The 6x6 matrix whose columns are what ``X`` makes of the unit motions."""
    return np.array([list(X @ Motion.of(row)) for row in np.eye(6)]).T


def force_matrix(X: Transform) -> np.ndarray:
    return np.array([list(X.to_child(Force.of(row))) for row in np.eye(6)]).T


def transpose_matrix(X: Transform) -> np.ndarray:
    return np.array([list(X.T @ Force.of(row)) for row in np.eye(6)]).T


def inertia(value: dict) -> Inertia:
    xx, yx, yy, zx, zy, zz = value["I"]
    return Inertia(value["m"], Vec3.of(value["h"]), Sym3(xx, yx, zx, yy, zy, zz))


def inertia_record(I: Inertia) -> dict[str, Any]:
    s = I.I
    return {
        "m": I.m,
        "h": list(I.h),
        "I": [s.xx, s.xy, s.yy, s.xz, s.yz, s.zz],
        "matrix": np.array([list(I @ Motion.of(row)) for row in np.eye(6)]).T,
    }


def transform_record(X: Transform) -> dict[str, Any]:
    return {"E": X.E.rows(), "r": list(X.r)}


def quaternion(xyzw: list[float]) -> Quaternion:
    x, y, z, w = xyzw
    return Quaternion(w, x, y, z)


def xyzw(q: Quaternion) -> list[float]:
    return [q.x, q.y, q.z, q.w]


def unit(v: list[float]) -> Vec3:
    length = math.hypot(*v)
    return Vec3(*(x / length for x in v))


def slerp(a: list[float], alpha: float, b: list[float]) -> list[float]:
    start = quaternion(a)
    return xyzw(start * Quaternion.exp((start.conjugate() * quaternion(b)).log() * alpha))


def time_step(q: list[float], omega: list[float], dt: float) -> list[float]:
    """RBDL takes ``omega`` in base axes here, and in body axes in ``omegaToQDot``."""
    return xyzw(Quaternion.exp(Vec3.of(omega) * dt) * quaternion(q))


def turns(*steps: tuple[Vec3, float]) -> list[float]:
    total = Quaternion.identity()
    for axis, angle in steps:
        total = total * Quaternion.about(axis, angle)
    return xyzw(total)


def from_matrix(rows: list) -> list[float]:
    return xyzw(Quaternion.from_matrix(Mat3.of(rows)))


def rotation_vector(rows: list) -> list[float]:
    """RBDL reads its matrix as one that turns vectors, the transpose of a change of axes."""
    return list(Quaternion.from_matrix(Mat3.of(rows).T).log())


def rotation_rate(axis: Vec3, rotation: Callable[[float], Mat3]) -> Callable:
    """dE/dt = -(omega x) E for a frame that turns with ``omega = axis rate``."""
    return lambda angle, rate: ((axis * -rate).skew() @ rotation(angle)).rows()


def euler_velocity(angles: list[float], rates: list[float]) -> Vec3:
    _, _, vJ, _ = Euler("ZYX").jcalc(tuple(angles), tuple(rates))
    return vJ.ang


def euler_velocity_global(angles: list[float], rates: list[float]) -> Vec3:
    XJ, _, vJ, _ = Euler("ZYX").jcalc(tuple(angles), tuple(rates))
    return XJ.E.T @ vJ.ang


def euler_acceleration(angles: list[float], rates: list[float], second: list[float]) -> Vec3:
    _, S, _, cJ = Euler("ZYX").jcalc(tuple(angles), tuple(rates))
    return (S @ second + cJ).ang


def factor_and_solve(lambda_q: list[int], H: list, x: list) -> dict[str, np.ndarray]:
    """RBDL's ``H = L^T L`` from our ``H = L^T D L``."""
    parents = [p - 1 for p in lambda_q[1:]]
    factor, inverse_d, _ = ltdl(H, parents)
    L = np.array(factor) / np.sqrt(np.array(inverse_d))[:, None]
    return {
        "L_lower_triangle": L,
        "SparseSolveLx": np.linalg.solve(L, x),
        "SparseSolveLTx": np.linalg.solve(L.T, x),
    }


def _moved(X: Transform, I: Inertia) -> dict:
    return inertia_record(X.T @ I @ X)


def _cross_motion(v: list, w: list) -> list:
    return list(Motion.of(v).cross(Motion.of(w)))


def _cross_force(v: list, w: list) -> list:
    return list(Motion.of(v).cross(Force.of(w)))


def _columns(function: Callable[[list, list], list]) -> Callable[[list], np.ndarray]:
    return lambda v: np.array([function(v, row) for row in np.eye(6).tolist()]).T


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "rotx": lambda a: rotation_x(a).rows(),
    "roty": lambda a: rotation_y(a).rows(),
    "rotz": lambda a: rotation_z(a).rows(),
    "rotxdot": rotation_rate(X_AXIS, rotation_x),
    "rotydot": rotation_rate(Y_AXIS, rotation_y),
    "rotzdot": rotation_rate(Z_AXIS, rotation_z),
    "Xrotx": lambda a: transform_record(Transform.rotation(rotation_x(a))),
    "Xroty": lambda a: transform_record(Transform.rotation(rotation_y(a))),
    "Xrotz": lambda a: transform_record(Transform.rotation(rotation_z(a))),
    "Xrot": lambda a, axis: transform_record(Transform.rotation(rotation_about(Vec3.of(axis), a))),
    "Xtrans": lambda r: transform_record(Transform.translation(*r)),
    "Xrotx_mat": lambda a: matrix(Transform.rotation(rotation_x(a))),
    "Xroty_mat": lambda a: matrix(Transform.rotation(rotation_y(a))),
    "Xrotz_mat": lambda a: matrix(Transform.rotation(rotation_z(a))),
    "Xtrans_mat": lambda r: matrix(Transform.translation(*r)),
    "XtransRotZYXEuler": lambda r, a: matrix(
        Transform.rotation(rotation_z(a[0]) @ rotation_y(a[1]) @ rotation_x(a[2]))
        @ Transform.translation(*r)
    ),
    "SpatialTransform.toMatrix": lambda X: matrix(transform(X)),
    "SpatialTransform.toMatrixAdjoint": lambda X: force_matrix(transform(X)),
    "SpatialTransform.toMatrixTranspose": lambda X: transpose_matrix(transform(X)),
    "SpatialTransform.inverse": lambda X: transform_record(transform(X).inverse()),
    "SpatialTransform*SpatialTransform": lambda X, Y: transform_record(transform(X) @ transform(Y)),
    "SpatialTransform.apply": lambda X, v: list(transform(X) @ Motion.of(v)),
    "SpatialTransform.applyTranspose": lambda X, f: list(transform(X).T @ Force.of(f)),
    "SpatialTransform.applyAdjoint": lambda X, f: list(transform(X).to_child(Force.of(f))),
    "SpatialTransform.apply(inertia)": lambda X, I: _moved(transform(X).inverse(), inertia(I)),
    "SpatialTransform.applyTranspose(inertia)": lambda X, I: _moved(transform(X), inertia(I)),
    "SpatialRigidBodyInertia.createFromMassComInertiaC": lambda m, c, I: inertia_record(
        Inertia.about_com(m, Vec3.of(c), Sym3.lower(Mat3.of(I)))
    ),
    "SpatialRigidBodyInertia*vector": lambda I, v: list(inertia(I) @ Motion.of(v)),
    "SpatialRigidBodyInertia+SpatialRigidBodyInertia": lambda I, J: inertia_record(
        inertia(I) + inertia(J)
    ),
    "parallel_axis": lambda I, m, c: (
        Inertia.about_com(m, Vec3.of(c), Sym3.lower(Mat3.of(I))).I.full().rows()
    ),
    "crossm(v,w)": _cross_motion,
    "crossf(v,w)": _cross_force,
    "crossm(v)": _columns(_cross_motion),
    "crossf(v)": _columns(_cross_force),
    "VectorCrossMatrix": lambda v: Vec3.of(v).skew().rows(),
    "angular_velocity_from_angle_rates": lambda a, r: list(euler_velocity(a, r)),
    "global_angular_velocity_from_rates": lambda a, r: list(euler_velocity_global(a, r)),
    "angular_acceleration_from_angle_rates": lambda a, r, s: list(euler_acceleration(a, r, s)),
    "Quaternion.toMatrix": lambda q: quaternion(q).matrix().rows(),
    "Quaternion.conjugate": lambda q: xyzw(quaternion(q).conjugate()),
    "Quaternion*Quaternion": lambda p, q: xyzw(quaternion(p) * quaternion(q)),
    "Quaternion.slerp": slerp,
    "Quaternion.rotate": lambda q, v: list(quaternion(q).matrix() @ Vec3.of(v)),
    "Quaternion.omegaToQDot": lambda q, w: xyzw(quaternion(q).rate(Vec3.of(w))),
    "Quaternion.timeStep": time_step,
    "Quaternion.fromAxisAngle": lambda v, a: turns((unit(v), a)),
    "Quaternion.fromZYXAngles": lambda a: turns((Z_AXIS, a[0]), (Y_AXIS, a[1]), (X_AXIS, a[2])),
    "Quaternion.fromYXZAngles": lambda a: turns((Y_AXIS, a[0]), (X_AXIS, a[1]), (Z_AXIS, a[2])),
    "Quaternion.fromXYZAngles": lambda a: turns((Z_AXIS, a[2]), (Y_AXIS, a[1]), (X_AXIS, a[0])),
    "Quaternion.fromMatrix": from_matrix,
    "Quaternion.fromGLRotate": lambda a, *v: turns((unit(list(v)), math.radians(a))),
    "CalcAngularVelocityfromMatrix": rotation_vector,
    "SparseFactorizeLTL/SparseSolve": factor_and_solve,
}
