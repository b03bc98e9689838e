"""Between the coordinates of models and those of the compiled loops."""

from __future__ import annotations

import numpy as np

from ..cross_product import cross
from .lowering import MovingMachine, SceneLayout


def inward(plan: SceneLayout, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From coordinates of the models that move, one after the other, to those of compiled loops.

    Both have leading axes in common; a free body's become those of its centre of mass.
    """
    position, velocity = np.array(q, float), np.array(qd, float)
    for node in plan.nodes:
        if node.is_free:
            _free_inward(node, position, velocity)
    return position, velocity


def outward(
    plan: SceneLayout, position: np.ndarray, velocity: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The inverse of `inward`."""
    q, qd = np.array(position, float), np.array(velocity, float)
    for node in plan.nodes:
        if node.is_free:
            _free_outward(node, q, qd)
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
    tau = np.array(force, float)
    for node in plan.nodes:
        if node.is_free:
            _, turn, v, w, com = _parts(node)
            R = rotations(position[..., turn])
            moment = tau[..., w] + cross(R @ com, tau[..., v])
            tau[..., w] = np.einsum("...ji,...j->...i", R, moment)
    return tau


def inward_force(plan: SceneLayout, position: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """The inverse of `outward_force`."""
    force = np.array(tau, float)
    for node in plan.nodes:
        if node.is_free:
            _, turn, v, w, com = _parts(node)
            R = rotations(position[..., turn])
            moment = np.einsum("...ij,...j->...i", R, force[..., w])
            force[..., w] = moment - cross(R @ com, force[..., v])
    return force


def _parts(node: MovingMachine) -> tuple[slice, slice, slice, slice, np.ndarray]:
    p, d = node.place, node.dof
    com = np.array(node.model.links[0].body.com, float)
    return slice(p, p + 3), slice(p + 3, p + 7), slice(d, d + 3), slice(d + 3, d + 6), com


def _free_inward(node: MovingMachine, position: np.ndarray, velocity: np.ndarray) -> None:
    x, turn, v, w, com = _parts(node)
    R = rotations(position[..., turn])
    spin = np.einsum("...ij,...j->...i", R, velocity[..., w])
    arm = R @ com
    position[..., x] += arm
    velocity[..., v] += cross(spin, arm)
    velocity[..., w] = spin


def _free_outward(node: MovingMachine, q: np.ndarray, qd: np.ndarray) -> None:
    x, turn, v, w, com = _parts(node)
    R = rotations(q[..., turn])
    spin = qd[..., w].copy()
    arm = R @ com
    q[..., x] -= arm
    qd[..., v] -= cross(spin, arm)
    qd[..., w] = np.einsum("...ji,...j->...i", R, spin)


def rotations(xyzw: np.ndarray) -> np.ndarray:
    """Matrices of unit quaternions (x, y, z, w), from body to world axes."""
    x, y, z, w = (xyzw[..., k] for k in range(4))
    rows = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)),
        (2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)),
        (2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
