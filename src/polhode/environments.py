"""Vector environments for learning: your own, and robots as Gymnasium defines them.

The definitions are those of Gymnasium's MuJoCo environments, version 5: observations, rewards,
terminations and starts.  The physics are ours, with rigid contact.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .api.energetics import center_of_mass
from .batch.vector_env import VectorEnv
from .errors import ArgumentError, suggests_options
from .formats import load
from .model import FloatingBase, JointKind, Prismatic, Revolute
from .namespaces import says_where
from .scene import Scene

_PLANAR = (Prismatic.x(), Prismatic.z(), Revolute.y())
_FREE = (FloatingBase(),)

__all__ = ["VectorEnv", "ant", "half_cheetah", "hopper", "humanoid", "walker2d"]


@suggests_options
def half_cheetah(
    n: int, path: str | Path | None = None, *, seed: int | None = None, max_steps: int | None = 1000
) -> VectorEnv:
    """Make half cheetahs that are to run, as ``HalfCheetah-v5``.

    Parameters
    ----------
    n : int
        Number of worlds.
    path : path-like, optional
        The MJCF file; that of the gymnasium package if omitted.
    seed : int, optional
        Of the starts.
    max_steps : int, optional
        Actions of an episode.

    Returns
    -------
    env : VectorEnv

    Notes
    -----
    Reward: ``dx/dt - 0.1 |action|^2``.  Observation: ``q`` without x, ``qd``.
    """
    scene = _scene("half_cheetah.xml", path, _PLANAR)

    def start(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        q0, qd0 = _starts(scene, count)
        return q0 + rng.uniform(-0.1, 0.1, q0.shape), qd0 + 0.1 * rng.normal(size=qd0.shape)

    return VectorEnv(
        scene, n, seed=seed, max_steps=max_steps, steps_per_action=5, dt=0.01, reset=start,
        observe=lambda q, qd: np.concatenate([q[:, 1:], qd], axis=1),
        reward=lambda q0, qd0, controls, q1, qd1: _forward(q0, controls, q1, 0.05, 0.1),
    )  # fmt: skip


@suggests_options
def hopper(
    n: int, path: str | Path | None = None, *, seed: int | None = None, max_steps: int | None = 1000
) -> VectorEnv:
    """Make hoppers on one leg, as ``Hopper-v5``.

    Parameters
    ----------
    n : int
        Number of worlds.
    path : path-like, optional
        The MJCF file; that of the gymnasium package if omitted.
    seed : int, optional
        Of the starts.
    max_steps : int, optional
        Actions of an episode.

    Returns
    -------
    env : VectorEnv

    Notes
    -----
    Reward: ``dx/dt - 0.001 |action|^2``, and 1 while it is healthy: its height is at least 0.7 m,
    its angle at most 0.2 rad, the rest of its state at most 100.  Observation: ``q`` without x,
    ``qd`` clipped to 10.
    """

    def is_healthy(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        rest = np.abs(np.concatenate([q[:, 2:], qd], axis=1)).max(axis=1)
        return (q[:, 1] >= 0.7) & (np.abs(q[:, 2]) <= 0.2) & (rest <= 100.0)

    return _upright(_scene("hopper.xml", path, _PLANAR), n, is_healthy, seed, max_steps)


@suggests_options
def walker2d(
    n: int, path: str | Path | None = None, *, seed: int | None = None, max_steps: int | None = 1000
) -> VectorEnv:
    """Make planar walkers on two legs, as ``Walker2d-v5``.

    Parameters
    ----------
    n : int
        Number of worlds.
    path : path-like, optional
        The MJCF file; that of the gymnasium package if omitted.
    seed : int, optional
        Of the starts.
    max_steps : int, optional
        Actions of an episode.

    Returns
    -------
    env : VectorEnv

    Notes
    -----
    Reward: ``dx/dt - 0.001 |action|^2``, and 1 while it is healthy: its height is 0.8 to 2 m, its
    angle at most 1 rad.  Observation: ``q`` without x, ``qd`` clipped to 10.
    """

    def is_healthy(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return (q[:, 1] >= 0.8) & (q[:, 1] <= 2.0) & (np.abs(q[:, 2]) <= 1.0)

    return _upright(_scene("walker2d_v5.xml", path, _PLANAR), n, is_healthy, seed, max_steps)


@suggests_options
def ant(
    n: int, path: str | Path | None = None, *, seed: int | None = None, max_steps: int | None = 1000
) -> VectorEnv:
    """Make ants on four legs, as ``Ant-v5`` without forces of contact.

    Parameters
    ----------
    n : int
        Number of worlds.
    path : path-like, optional
        The MJCF file; that of the gymnasium package if omitted.
    seed : int, optional
        Of the starts.
    max_steps : int, optional
        Actions of an episode.

    Returns
    -------
    env : VectorEnv

    Notes
    -----
    Reward: ``dx/dt - 0.5 |action|^2``, and 1 while it is healthy: its height is 0.2 to 1 m.
    Observation: ``q`` without x and y, the quaternion with its w first; ``qd``.  Gymnasium has this
    with ``include_cfrc_ext_in_observation=False, contact_cost_weight=0``.
    """
    scene = _scene("ant.xml", path, _FREE)

    def is_healthy(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return (q[:, 2] >= 0.2) & (q[:, 2] <= 1.0)

    def start(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        q0, qd0 = _starts(scene, count)
        q = _with_unit_quaternions(q0 + rng.uniform(-0.1, 0.1, q0.shape))
        return q, qd0 + 0.1 * rng.normal(size=qd0.shape)

    return VectorEnv(
        scene, n, seed=seed, max_steps=max_steps, steps_per_action=5, dt=0.01, reset=start,
        observe=_without_place,
        reward=lambda q0, qd0, controls, q1, qd1: (
            _forward(q0, controls, q1, 0.05, 0.5) + is_healthy(q1, qd1)
        ),
        done=lambda q, qd: ~is_healthy(q, qd),
    )  # fmt: skip


@suggests_options
def humanoid(
    n: int, path: str | Path | None = None, *, seed: int | None = None, max_steps: int | None = 1000
) -> VectorEnv:
    """Make humanoids that are to walk, as ``Humanoid-v5`` without forces and inertias of bodies.

    Parameters
    ----------
    n : int
        Number of worlds.
    path : path-like, optional
        The MJCF file; that of the gymnasium package if omitted.
    seed : int, optional
        Of the starts.
    max_steps : int, optional
        Actions of an episode.

    Returns
    -------
    env : VectorEnv

    Notes
    -----
    Reward: ``1.25 dx/dt - 0.1 |action|^2``, where x is of the centre of mass, and 5 while it is
    healthy: its height is between 1 and 2 m.  Observation: ``q`` without x and y, the quaternion
    with its w first; ``qd``.  Gymnasium has this with ``contact_cost_weight=0``, and without
    ``cinert``, ``cvel``, ``qfrc_actuator`` and ``cfrc_ext`` in the observation.
    """
    scene = _scene("humanoid.xml", path, _FREE)

    def is_healthy(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return (q[:, 2] > 1.0) & (q[:, 2] < 2.0)

    def start(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        q0, qd0 = _starts(scene, count)
        q = _with_unit_quaternions(q0 + rng.uniform(-0.01, 0.01, q0.shape))
        return q, qd0 + rng.uniform(-0.01, 0.01, qd0.shape)

    def reward(q0, qd0, controls, q1, qd1) -> np.ndarray:
        before, after = (center_of_mass(scene.model, q)[:, 0] for q in (q0, q1))
        cost = 0.1 * (controls**2).sum(axis=1)
        return 1.25 * (after - before) / 0.015 + 5.0 * is_healthy(q1, qd1) - cost

    return VectorEnv(
        scene, n, seed=seed, max_steps=max_steps, steps_per_action=5, dt=0.003, reset=start,
        observe=_without_place, reward=reward, done=lambda q, qd: ~is_healthy(q, qd),
    )  # fmt: skip


def _without_place(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """What a free robot sees of itself: its height and turn, its joints, all velocities."""
    return np.concatenate([q[:, 2:3], q[:, -1:], q[:, 3:-1], qd], axis=1)


def _with_unit_quaternions(q: np.ndarray) -> np.ndarray:
    """Positions whose free joint has a quaternion of length one again."""
    quaternion = [3, 4, 5, -1]
    q[:, quaternion] /= np.linalg.norm(q[:, quaternion], axis=1, keepdims=True)
    return q


def _upright(
    scene: Scene, n: int, is_healthy: Any, seed: int | None, max_steps: int | None
) -> VectorEnv:
    """What hopper and walker have in common."""

    def reward(q0, qd0, controls, q1, qd1) -> np.ndarray:
        return _forward(q0, controls, q1, 0.008, 1e-3) + is_healthy(q1, qd1)

    return VectorEnv(
        scene, n, seed=seed, max_steps=max_steps, steps_per_action=4, dt=0.002, reset_noise=5e-3,
        observe=lambda q, qd: np.concatenate([q[:, 1:], np.clip(qd, -10.0, 10.0)], axis=1),
        reward=reward, done=lambda q, qd: ~is_healthy(q, qd),
    )  # fmt: skip


def _forward(
    q0: np.ndarray, controls: np.ndarray, q1: np.ndarray, dt: float, cost: float
) -> np.ndarray:
    """The velocity along x, less the cost of the controls."""
    return (q1[:, 0] - q0[:, 0]) / dt - cost * (controls**2).sum(axis=1)


def _starts(scene: Scene, count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.tile(scene.q0, (count, 1)), np.tile(scene.qd0, (count, 1))


def _scene(name: str, path: str | Path | None, root: tuple[JointKind, ...]) -> Scene:
    """The scene of a file, or of that of the gymnasium package; ``root`` are its first joints."""
    if path is None:
        package = find_spec("gymnasium")
        if package is None or package.origin is None:
            raise ImportError(
                f"expected the path of {name}, or gymnasium, which has it: "
                "pip install 'polhode[gymnasium]'"
            )
        path = Path(package.origin).parent / "envs" / "mujoco" / "assets" / name
    scene = load(path)
    if not isinstance(scene, Scene):
        raise ArgumentError(f"expected an MJCF file as path, got {path}")
    kinds = [joint.kind for joint in scene.model.joints]
    if kinds[: len(root)] != [*root] or any(kind.nq > kind.nv for kind in kinds[len(root) :]):
        wanted, got = (", ".join(map(repr, each)) or "none" for each in (root, kinds[:3]))
        raise ArgumentError(
            f"expected a robot in path whose joints are {wanted}, and then others without "
            f"quaternions, got {got} ({path})"
        )
    return scene


if not TYPE_CHECKING:  # type checkers would take any name
    __getattr__ = says_where(__name__)
