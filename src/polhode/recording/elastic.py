"""Elastic energy of the springs of a scene or model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..api.actuation import tendon_lengths
from ..api.manifold import difference, integrate, neutral
from ..model import Model
from ..scene import Scene, Spring
from ..scene.couplings import BodyOf
from ..spatial import Transform
from .machines import machine_states, scene_poses

if TYPE_CHECKING:
    from .recording import Recording


def elastic_energy(subject: Scene | Model, q: np.ndarray) -> np.ndarray:
    """Elastic energy of springs, bushings, springs in joints and in tendons [J], shape (...).

    That of a table is zero at its first length.
    """
    if isinstance(subject, Model) and not subject.links:
        return np.zeros(q.shape[:-1])
    scene = subject if isinstance(subject, Scene) else Scene.of(subject)
    total = _in_joints(scene, q) + _in_tendons(scene.model, q)
    if not scene.springs:
        return total
    poses = scene_poses(scene, q)
    for spring in scene.springs:
        if isinstance(spring, Spring):
            ends = Transform.translation(*spring.point_a), Transform.translation(*spring.point_b)
        else:
            ends = spring.frame_a, spring.frame_b
        owners = (spring.a, spring.b)
        A, B = (_frame(scene, poses, x, y) for x, y in zip(owners, ends, strict=True))
        way = B[..., :3, 3] - A[..., :3, 3]
        if isinstance(spring, Spring):
            total = total + _of_line(spring, np.linalg.norm(way, axis=-1))
            continue
        turn = _rotation_vector(np.swapaxes(A[..., :3, :3], -1, -2) @ B[..., :3, :3])
        slide = np.einsum("...ji,...j->...i", A[..., :3, :3], way)
        deflection = np.concatenate((turn, slide), axis=-1)
        total = total + 0.5 * (np.array(spring.stiffness) * deflection**2).sum(axis=-1)
    return total


def contact_energy(recording: Recording) -> np.ndarray | float:
    """Elastic energy of compliant contacts [J], shape (T,); zero without the scene."""
    scene, pairs = recording.scene, recording.contact_pair
    if scene is None or not len(pairs):
        return 0.0
    first, last = recording.contact_start[0], recording.contact_start[-1]
    pairs, gaps = pairs[first:last], np.minimum(recording.contact_gap[first:last], 0.0)
    of_pair = {}
    for i, j in {tuple(pair) for pair in pairs.tolist()}:
        a, b = scene.geometries[i], scene.geometries[j]
        rule = scene.contact_parameters(a, b)
        of_pair[i, j] = rule.spring(a.is_compliant or b.is_compliant)[0]
    stiffness = np.array([of_pair[tuple(pair)] for pair in pairs.tolist()])
    record = np.repeat(np.arange(len(recording.times)), np.diff(recording.contact_start))
    return np.bincount(record, 0.5 * stiffness * gaps**2, len(recording.times))


def _in_joints(scene: Scene, q: np.ndarray) -> np.ndarray:
    states = machine_states(scene, q, np.zeros((*q.shape[:-1], scene.model.nv)))
    total = np.zeros(q.shape[:-1])
    for machine in scene.simulated:
        model = machine.model
        stiffness, rest = np.zeros(model.nv), np.zeros(model.nv)
        for joint in model.joints:
            dynamics = machine.dynamics(joint)
            stiffness[joint.v], rest[joint.v] = dynamics.stiffness, dynamics.rest
        if stiffness.any():
            at_rest = integrate(model, neutral(model), rest)
            stretch = difference(model, at_rest, states[machine.name][0])
            total = total + 0.5 * (stretch**2 @ stiffness)
    return total


def _in_tendons(model: Model, q: np.ndarray) -> np.ndarray | float:
    stiffness = np.array([tendon.stiffness for tendon in model.tendons])
    if not stiffness.any():
        return 0.0
    shortest, longest = np.array([tendon.rest for tendon in model.tendons]).T
    length = tendon_lengths(model, q)
    stretch = np.maximum(length - longest, 0.0) + np.minimum(length - shortest, 0.0)
    return 0.5 * stretch**2 @ stiffness


def _frame(scene: Scene, poses: np.ndarray, owner: BodyOf | None, frame: Transform) -> np.ndarray:
    """World poses of a frame on a body, or of one in the world."""
    own = np.eye(4)
    if owner is not None:
        body = scene.model.body("/".join(owner))
        frame = frame @ body.frame
        if body.moving:
            own = poses[..., int(body.moving) - 1, :, :]
    local = np.eye(4)
    local[:3, :3] = [[float(x) for x in row] for row in frame.E.T.rows()]
    local[:3, 3] = [float(x) for x in frame.r]
    return own @ local


def _of_line(spring: Spring, length: np.ndarray) -> np.ndarray:
    if not spring.table:
        return 0.5 * spring.stiffness * (length - spring.rest_length) ** 2
    lengths, forces = (np.array(x) for x in zip(*spring.table, strict=True))
    slopes, steps = np.diff(forces) / np.diff(lengths), np.diff(lengths)
    at_rows = np.concatenate(([0.0], np.cumsum(0.5 * steps * (forces[1:] + forces[:-1]))))
    i = np.clip(np.searchsorted(lengths, length) - 1, 0, len(slopes) - 1)
    past = length - lengths[i]
    return at_rows[i] + past * (forces[i] + 0.5 * slopes[i] * past)


def _rotation_vector(R: np.ndarray) -> np.ndarray:
    """Of rotations by less than half a turn, shape (..., 3)."""
    v = 0.5 * np.stack(
        (R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]), -1
    )
    sine = np.linalg.norm(v, axis=-1)
    angle = np.arctan2(sine, 0.5 * (np.trace(R, axis1=-2, axis2=-1) - 1.0))
    return np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 1.0)[..., None] * v
