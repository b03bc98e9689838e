"""MJCF files, and what MuJoCo computes from them at given states.

A folder has an index of its files and the numbers of some of them.  The files that Gymnasium and
dm_control bring count as well, where these and MuJoCo are installed.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode import algorithms
from polhode.binding.plain import run_plain
from polhode.formats import read
from polhode.spatial import Transform
from validation import mjcf_faults, mjcf_packages
from validation.scores import Apart, Case, Score

TOLERANCE = 1e-10  # of the largest entry, or of one, as the data's README asks for
OF_PACKAGES = 1e-9  # of files whose numbers MuJoCo computes here
LEAST_FAULT = 1e-13  # of axes: less is rounding
Numbers = Mapping[str, np.ndarray]


class State(NamedTuple):
    """A model, states of it in its own order, and where MuJoCo's velocities are among ours."""

    model: ph.Model
    q: np.ndarray
    qd: np.ndarray
    order: list[int]

    def run(self, function: Callable[..., Any], *arrays: np.ndarray) -> np.ndarray:
        """A function of the model at all states; each file is read once and not compiled."""
        return np.asarray(run_plain(function, self.model, arrays))


def cases(folder: Path) -> Iterator[Case]:
    """Every file of the index, with numbers or to be but read, and every file of the packages."""
    index = json.loads((folder / "index.json").read_text())
    for name, entry in index.items():
        kept = partial(listed, folder, name) if entry.get("expected") else None
        yield Case(name, partial(scores, folder / name, folder, kept))
    for name, path in mjcf_packages.files():
        kept = partial(mjcf_packages.computed, path)
        yield Case(name, partial(scores, path, path.parent, kept, OF_PACKAGES))


def listed(folder: Path, name: str) -> Numbers:
    """The numbers that a folder has for a file."""
    with np.load(folder / "expected.npz") as kept:
        keys = [key for key in kept.files if key.rpartition("|")[0] == name]
        return {key.rpartition("|")[2]: kept[key] for key in keys}


def scores(
    path: Path,
    folder: Path,
    numbers: Callable[[], Numbers] | None = None,
    tolerance: float = TOLERANCE,
) -> Iterator[Score]:
    """Inertia, forces, accelerations, frames and lengths; a file may be refused with its place."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = read(path, package_roots=[folder]).model.model
    except ph.ParseError as error:
        told = str(error).rpartition("/")[2]
        yield Score("all", float("inf"), 0.0, f"`{told}`", Apart.REFUSED)
        return
    if numbers is None:
        yield Score("read", 0.0, 0.0)
        return
    expected = numbers()
    if "qpos" not in expected:
        yield Score("nothing moves", float(model.nv), 0.0)
        return
    at = states(model, expected["qpos"], expected["qvel"])
    for quantity in (name for name in QUANTITIES if name in expected):
        ours = QUANTITIES[quantity](at)
        score = Score(quantity, distance(ours, expected[quantity]), tolerance)
        yield beside_faults(score, ours, expected, path)
    yield Score("kinetic energy", distance(kinetic(at), expected["energy"][:, 1]), tolerance)
    yield Score("frames", frames_off(at, expected), tolerance)


def beside_faults(score: Score, ours: np.ndarray, expected: Numbers, path: Path) -> Score:
    """A score as it is; where the error is too large, with MuJoCo's own fault, if it has one."""
    quantity = score.quantity
    if score.passes or quantity not in FAULTS or not mjcf_packages.has_mujoco():
        return score
    return FAULTS[quantity](score, ours, expected, path)


def without_sleeping(score: Score, ours: np.ndarray, expected: Numbers, path: Path) -> Score:
    """The lengths of tendons between bodies of which one is awake: MuJoCo has no others."""
    theirs = expected[score.quantity]
    asleep = mjcf_faults.sleeping_tendons(path, expected["qpos"], expected["qvel"])
    if not asleep.any():
        return score
    told = f"MuJoCo has no length of tendons between sleeping bodies, {asleep.sum()} here"
    if asleep.all():
        return score._replace(reason=told, apart=Apart.NOT_COMPARABLE)
    error = distance(ours[~asleep], theirs[~asleep])
    return score._replace(error=error, reason=told)


def with_turned_axes(score: Score, ours: np.ndarray, expected: Numbers, path: Path) -> Score:
    """Accelerations may be off by what the axes of a mesh's inertia are, in MuJoCo's own file."""
    fault = mjcf_faults.of_mesh_axes(path)
    if fault < LEAST_FAULT:
        return score
    told = f"MuJoCo's principal axes of a mesh leave accelerations off by up to {fault:.1e}"
    return score._replace(tolerance=score.tolerance + fault, reason=told)


FAULTS: Mapping[str, Callable[[Score, np.ndarray, Numbers, Path], Score]] = {
    "tendon_length": without_sleeping,
    "qacc_free": with_turned_axes,
}


def distance(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest difference, of the largest entry or of one."""
    if ours.shape != theirs.shape:
        return float("inf")
    return float(np.abs(ours - theirs).max(initial=0.0)) / max(
        1.0, float(np.abs(theirs).max(initial=0.0))
    )


def states(model: ph.Model, qpos: np.ndarray, qvel: np.ndarray) -> State:
    """MuJoCo's states in our order; its quaternions have w first, ours last."""
    q, qd = np.zeros((len(qpos), model.nq)), np.zeros((len(qpos), model.nv))
    order, at = [], 0
    for joint in model.joints:
        values = qpos[:, at : at + joint.kind.nq]
        if joint.kind.nq > joint.kind.nv:
            values = np.hstack([values[:, :-4], values[:, -3:], values[:, -4:-3]])
            turn = values[:, -4:]
            values[:, -4:] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
        q[:, joint.q] = values
        order += np.arange(model.nv)[joint.v].tolist()
        at += joint.kind.nq
    qd[:, order] = qvel
    return State(model, q, qd, order)


def _mass_matrix(at: State) -> np.ndarray:
    H = at.run(algorithms.mass_matrix, at.q)
    return H[:, at.order][:, :, at.order]


def _bias(at: State) -> np.ndarray:
    return at.run(algorithms.bias, at.q, at.qd)[:, at.order]


def _passive(at: State) -> np.ndarray:
    return at.run(algorithms.all_passive_forces, at.q, at.qd)[:, at.order]


def _free(at: State) -> np.ndarray:
    tau = at.run(algorithms.all_passive_forces, at.q, at.qd)
    return at.run(algorithms.forward_dynamics, at.q, at.qd, tau)[:, at.order]


def _tendons(at: State) -> np.ndarray:
    return at.run(algorithms.tendon_lengths, at.q)


QUANTITIES: Mapping[str, Callable[[State], np.ndarray]] = {
    "M": _mass_matrix,
    "bias": _bias,
    "passive": _passive,
    "qacc_free": _free,
    "tendon_length": _tendons,
}


def kinetic(at: State) -> np.ndarray:
    """Half of ``qd H qd``."""
    H = at.run(algorithms.mass_matrix, at.q)
    return 0.5 * np.einsum("ti,tij,tj->t", at.qd, H, at.qd)


def frames_off(at: State, expected: Numbers) -> float:
    """How far any frame of MuJoCo's that moves is from the nearest of ours; metres and cosines."""
    poses = at.run(algorithms.poses, at.q)
    bodies = *at.model.bodies, *at.model.fixed_bodies
    moved = [body for body in bodies if body.moving]
    ours = np.stack([_rows(poses[:, body.moving - 1] @ _pose(body.frame)) for body in moved], 1)
    R = Rotation.from_quat(expected["xquat"][..., [1, 2, 3, 0]].reshape(-1, 4)).as_matrix()
    theirs = np.concatenate([R.reshape(*expected["xquat"].shape[:2], 9), expected["xpos"]], axis=-1)
    moving = np.ptp(theirs, axis=0).max(axis=-1) > 0.0
    off = np.abs(theirs[:, moving, None] - ours[:, None]).max(axis=(0, 3))
    return float(off.min(axis=1).max(initial=0.0)) / max(1.0, float(np.abs(theirs).max()))


def _pose(frame: Transform) -> np.ndarray:
    """From a frame's coordinates to those of the body that carries it."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = np.array(frame.E.rows(), float).T, [*frame.r]
    return pose


def _rows(poses: np.ndarray) -> np.ndarray:
    """Rotations and places of poses, twelve numbers each."""
    R = poses[..., :3, :3]
    return np.concatenate([R.reshape(*R.shape[:-2], 9), poses[..., :3, 3]], axis=-1)
