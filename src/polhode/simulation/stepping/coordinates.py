"""Between the coordinates of models and those of the compiled loops."""

from __future__ import annotations

import numpy as np

from ..cross_product import cross
from .lowering import SceneLayout

# Entries of a rotation matrix, row by row: ``unit + factor (p[first] + sign p[second])``, where
# ``p[4 i + j]`` is the product of the numbers i and j of a quaternion (x, y, z, w).
_FIRST = np.array([5, 1, 2, 1, 0, 6, 2, 6, 0])
_SECOND = np.array([10, 11, 7, 11, 10, 3, 7, 3, 5])
_SIGN = np.array([1.0, -1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0])
_UNIT, _FACTOR = np.eye(3).ravel(), 2.0 - 4.0 * np.eye(3).ravel()


def inward(plan: SceneLayout, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From coordinates of the models that move, one after the other, to those of compiled loops.

    Both have leading axes in common; a free body's become those of its centre of mass.
    """
    position, velocity = np.array(q, float), np.array(qd, float)
    free = plan.free_bodies
    if len(free.com):
        R = rotations(position[..., free.turn])
        velocity[..., free.w] = spin = _turned(R, velocity[..., free.w])
        if free.is_offset:
            arm = _turned(R, free.com)
            position[..., free.x] += arm
            velocity[..., free.v] += cross(spin, arm)
    return position, velocity


def outward(
    plan: SceneLayout, position: np.ndarray, velocity: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The inverse of `inward`."""
    q, qd = np.array(position, float), np.array(velocity, float)
    free = plan.free_bodies
    if len(free.com):
        R = rotations(q[..., free.turn])
        spin = qd[..., free.w]
        qd[..., free.w] = _turned_back(R, spin)
        if free.is_offset:
            arm = _turned(R, free.com)
            q[..., free.x] -= arm
            qd[..., free.v] -= cross(spin, arm)
    return q, qd


def from_model(plan: SceneLayout, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of compiled loops from those of one model of all that moves."""
    return inward(plan, q.take(plan.order_of_model), qd)


def to_model(
    plan: SceneLayout, position: np.ndarray, velocity: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The inverse of `from_model`."""
    own, qd = outward(plan, position, velocity)
    q = np.empty_like(own)
    q[plan.order_of_model] = own
    return q, qd


def outward_force(plan: SceneLayout, position: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Joint forces of the models, from forces along the loops' velocities at ``position``."""
    tau, free = np.array(force, float), plan.free_bodies
    if len(free.com):
        R = rotations(position[..., free.turn])
        moment = tau[..., free.w] + cross(_turned(R, free.com), tau[..., free.v])
        tau[..., free.w] = _turned_back(R, moment)
    return tau


def inward_force(plan: SceneLayout, position: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """The inverse of `outward_force`."""
    force, free = np.array(tau, float), plan.free_bodies
    if len(free.com):
        R = rotations(position[..., free.turn])
        moment = _turned(R, force[..., free.w])
        force[..., free.w] = moment - cross(_turned(R, free.com), force[..., free.v])
    return force


def _turned(R: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Vectors in world axes, from those of bodies."""
    return np.einsum("...ij,...j->...i", R, x)


def _turned_back(R: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Vectors in axes of bodies, from those of the world."""
    return np.einsum("...ji,...j->...i", R, x)


def rotations(xyzw: np.ndarray) -> np.ndarray:
    """Matrices of unit quaternions (x, y, z, w), from body to world axes."""
    heads = xyzw.shape[:-1]
    products = (xyzw[..., :, None] * xyzw[..., None, :]).reshape(*heads, 16)
    entries = products.take(_FIRST, -1) + _SIGN * products.take(_SECOND, -1)
    return (_UNIT + _FACTOR * entries).reshape(*heads, 3, 3)
