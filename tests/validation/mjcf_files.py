"""MJCF files, and what MuJoCo computes from them at given states."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode import algorithms
from polhode.binding.plain import run_plain
from polhode.formats import read
from polhode.spatial import Transform
from validation.scores import Case, Score

TOLERANCE = 1e-10  # of the largest entry, or of one


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
    """Every file that the index has numbers for; the others need but be read or refused."""
    index = json.loads((folder / "index.json").read_text())
    for name, entry in index.items():
        run = numbers if entry.get("expected") else readable
        yield Case(name, lambda name=name, run=run: run(folder, name))


def loaded(folder: Path, name: str) -> ph.Scene:
    """The scene of a file, which may include others of the folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read(folder / name, package_roots=[folder]).model


def readable(folder: Path, name: str) -> Iterator[Score]:
    """Read, or refused by an error with its place."""
    try:
        loaded(folder, name)
        yield Score("read", 0.0, 0.0)
    except ph.ParseError as error:
        yield Score("read or refused", 0.0, 0.0, f"refused: {str(error).rpartition('/')[2]}")


def numbers(folder: Path, name: str) -> Iterator[Score]:
    """Inertia, forces, accelerations, frames and lengths."""
    with np.load(folder / "expected.npz") as kept:
        keys = [key for key in kept.files if key.rpartition("|")[0] == name]
        expected = {key.rpartition("|")[2]: kept[key] for key in keys}
    try:
        model = loaded(folder, name).model
    except ph.ParseError as error:
        told = str(error).rpartition("/")[2]
        yield Score("all", float("inf"), 0.0, f"refused: {told}", refused=True)
        return
    if "qpos" not in expected:
        yield Score("nothing moves", float(model.nv), 0.0)
        return
    at = states(model, expected["qpos"], expected["qvel"])
    for quantity, ours in QUANTITIES.items():
        if quantity in expected:
            yield Score(quantity, distance(ours(at), expected[quantity]), TOLERANCE)
    yield Score("kinetic energy", distance(kinetic(at), expected["energy"][:, 1]), TOLERANCE)
    yield Score("frames", frames_off(at, expected), TOLERANCE)


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


def frames_off(at: State, expected: Mapping[str, np.ndarray]) -> float:
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
