"""Between the coordinates of models and those of the compiled loops."""

from __future__ import annotations

import numpy as np

from ..cross_product import cross
from .lowering import SceneLayout


def inward(plan: SceneLayout, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From coordinates of the models that move, one after the other, to those of compiled loops.

    Both have leading axes in common; a free body's become those of its centre of mass.
    """
    position, velocity = np.array(q, float), np.array(qd, float)
    free = plan.free_bodies
    if len(free.com):
        R = rotations(position[..., free.turn])
        spin = _turned(R, velocity[..., free.w])
        arm = _turned(R, free.com)
        position[..., free.x] += arm
        velocity[..., free.v] += cross(spin, arm)
        velocity[..., free.w] = spin
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
        arm = _turned(R, free.com)
        q[..., free.x] -= arm
        qd[..., free.v] -= cross(spin, arm)
        qd[..., free.w] = _turned_back(R, spin)
    return q, qd


def from_model(plan: SceneLayout, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of compiled loops from those of one model of all that moves."""
    parts, head, tail = [], 0, plan.nv
    for node in plan.nodes:
        nv, more = node.model.nv, node.model.nq - node.model.nv
        parts += [q[head : head + nv], q[tail : tail + more]]
        head, tail = head + nv, tail + more
    return inward(plan, np.concatenate([*parts, []]), qd)


def to_model(
    plan: SceneLayout, position: np.ndarray, velocity: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The inverse of `from_model`."""
    q, qd = outward(plan, position, velocity)
    heads = [q[n.place : n.place + n.model.nv] for n in plan.nodes]
    tails = [q[n.place + n.model.nv : n.place + n.model.nq] for n in plan.nodes]
    return np.concatenate([*heads, *tails, []]), qd


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
    x, y, z, w = (xyzw[..., k] for k in range(4))
    entries = (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w),
        2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w),
        2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip
    R = np.empty((*xyzw.shape[:-1], 3, 3))
    for k, entry in enumerate(entries):
        R[..., k // 3, k % 3] = entry
    return R
