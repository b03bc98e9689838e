"""Coordinates, poses and energies of a scene's models, by the programs of each.

Models that are alike share their programs, so that a heap of boxes compiles one.
"""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakValueDictionary

import numpy as np

from ..api.actuation import tendon_jacobian
from ..api.energetics import energy
from ..api.kinematics import body_poses
from ..model import Model
from ..scene import Scene

_models: WeakValueDictionary[str, Model] = WeakValueDictionary()


def machine_states(
    scene: Scene, q: np.ndarray, qd: np.ndarray
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """``q`` and ``qd`` of each model of a scene, taken from those of `Scene.model`."""
    found, at, tail = {}, 0, scene.model.nv
    for machine in scene.machines:
        nv, more = machine.model.nv, machine.model.nq - machine.model.nv
        parts = (q[..., at : at + nv], q[..., tail : tail + more])
        found[machine.name] = (np.concatenate(parts, -1), qd[..., at : at + nv])
        at, tail = at + nv, tail + more
    return found


def states_by_name(
    model: Model, q: np.ndarray, qd: np.ndarray
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The same of a recording without its scene, whose joints are named ``"machine/joint"``.

    Joints without a slash are those of the model itself.
    """
    of_q: dict[str, list[int]] = {}
    of_v: dict[str, list[int]] = {}
    for link in model.links:
        name = _machine(link.name, model)
        of_q.setdefault(name, [])
        of_v.setdefault(name, [])
    for joint in model.joints:
        name = _machine(joint.name, model)
        of_q[name] += np.arange(model.nq)[joint.q].tolist()
        of_v[name] += np.arange(model.nv)[joint.v].tolist()
    # The w of quaternions stand behind all velocities' entries, in each model as in the whole.
    return {name: (q[..., sorted(of_q[name])], qd[..., sorted(of_v[name])]) for name in of_q}


def _machine(name: str, model: Model) -> str:
    machine, slash, _ = name.partition("/")
    return machine if slash else model.name


def scene_poses(scene: Scene, q: np.ndarray) -> np.ndarray:
    """Poses of all bodies, shape (..., n_bodies, 4, 4)."""
    states = machine_states(scene, q, np.zeros((*q.shape[:-1], scene.model.nv)))
    blocks = [np.zeros((*q.shape[:-1], 0, 4, 4))]
    for machine in scene.machines:
        if machine.model.n_bodies:
            blocks.append(body_poses(_shared(machine.model), states[machine.name][0]))
    return np.concatenate(blocks, axis=-3)


def scene_energies(scene: Scene, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic and potential energy of all models [J], shape (...)."""
    states = machine_states(scene, q, qd)
    kinetic, potential = np.zeros(q.shape[:-1]), np.zeros(q.shape[:-1])
    moving = [machine for machine in scene.machines if machine.model.nv]
    models = [
        _shared(replace(machine.model, gravity=scene.gravity))  # type: ignore[arg-type]
        for machine in moving
    ]
    for machine, model in zip(moving, models, strict=True):
        k, p = energy(model, *states[machine.name])
        kinetic, potential = kinetic + k, potential + p
    return kinetic + _tendon_energy(scene, q, qd), potential


def _tendon_energy(scene: Scene, q: np.ndarray, qd: np.ndarray) -> np.ndarray | float:
    """Kinetic energy of the armature of tendons [J], shape (...)."""
    armature = np.array([tendon.armature for tendon in scene.tendons])
    if not armature.any():
        return 0.0
    rates = np.einsum("...ij,...j->...i", tendon_jacobian(scene.model, q), qd)
    return 0.5 * np.square(rates) @ armature


def _shared(model: Model) -> Model:
    """One model for all that are alike."""
    return _models.setdefault(model.fingerprint, model)
