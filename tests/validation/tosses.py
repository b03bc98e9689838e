"""Real tosses of a cube: friction and restitution from half of them, errors on the other half."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.model import Box, FloatingBase, Plane
from validation.scores import Case, Score

POSITION, ROTATION = 0.134, 18.5  # MuJoCo's best in the data's README: widths; degrees
STEPS = 10  # of the simulation, between two frames
SEARCHED = 6  # one in so many tosses of a half is enough to choose the parameters by
FRICTION = (0.9, 0.95, 1.0, 1.05, 1.1)  # times the source's guess
RESTITUTION = (0.0, 0.4, 0.8, 1.2)


class Toss(NamedTuple):
    """Frames of a tracked cube: places, quaternions w x y z, velocities; spin in body axes."""

    position: np.ndarray
    quaternion: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray


def cases(folder: Path) -> Iterator[Case]:
    """All tosses as one case: single ones diverge after an impact or two."""
    yield Case("tosses", lambda: scores(folder))


def scores(folder: Path) -> Iterator[Score]:
    """Mean errors over frames and tosses that had no part in the choice of parameters."""
    cube, tosses = json.loads((folder / "cube.json").read_text()), read(folder)
    mu, restitution = chosen(cube, tosses[::2][::SEARCHED])
    place, turn = mean_errors(cube, tosses[1::2], mu, restitution)
    told = f"friction {mu:g}, restitution {restitution:g}"
    yield Score("position", place, POSITION, told)
    yield Score("rotation", turn, ROTATION, told)


def read(folder: Path) -> list[Toss]:
    """Every toss of the file."""
    with np.load(folder / "tosses.npz") as kept:
        fields = [kept[name] for name in ("position", "quaternion", "velocity", "angular_velocity")]
        bounds = itertools.pairwise(kept["start"])
        return [Toss(*(x[a:b] for x in fields)) for a, b in bounds]


def chosen(cube: dict[str, Any], tosses: list[Toss]) -> tuple[float, float]:
    """The friction and the restitution of the grid with the least errors, as shares of MuJoCo's."""

    def total(parameters: tuple[float, float]) -> float:
        place, turn = mean_errors(cube, tosses, *parameters)
        return place / POSITION + turn / ROTATION

    mu, restitution = (cube[f"{what}_guess_of_source"] for what in ("friction", "restitution"))
    grid = itertools.product(FRICTION, RESTITUTION)
    return min(((a * mu, b * restitution) for a, b in grid), key=total)


def mean_errors(
    cube: dict[str, Any], tosses: Iterable[Toss], mu: float, restitution: float
) -> tuple[float, float]:
    """Of positions in widths of the cube, and of rotations in degrees."""
    errors = [errors_of(cube, toss, simulated(cube, toss, mu, restitution)) for toss in tosses]
    place, turn = np.mean(errors, axis=0)
    return float(place), float(turn)


def simulated(cube: dict[str, Any], toss: Toss, mu: float, restitution: float) -> np.ndarray:
    """Positions and quaternions x y z w at each frame, from the first one on."""
    half, inertia = cube["half_width"], cube["inertia"]
    w, *xyz = toss.quaternion[0]
    free = ph.Model("cube", gravity=tuple(map(float, cube["gravity"]))).append(
        "cube", joint=FloatingBase(), mass=cube["mass"], inertia=(inertia, inertia, inertia)
    )
    scene = (
        ph.Scene("toss", gravity=tuple(map(float, cube["gravity"])))
        .add_fixed("table", Plane())
        .add_machine(
            free, q=[*toss.position[0], *xyz, w], qd=[*toss.velocity[0], *toss.spin[0]],
            geometries=[("cube", Box((2 * half, 2 * half, 2 * half)))],
        )
        .contact(mu_coulomb=mu, restitution=restitution)
    )  # fmt: skip
    h, frames = cube["time_step"], len(toss.position)
    run = ph.simulate(scene, h * (frames - 1), dt=h / STEPS, record=STEPS, start="keep")
    return run.q


def errors_of(cube: dict[str, Any], toss: Toss, q: np.ndarray) -> tuple[float, float]:
    """Mean over the frames of one toss."""
    place = np.linalg.norm(q[:, :3] - toss.position, axis=1) / (2.0 * cube["half_width"])
    ours, theirs = (
        Rotation.from_quat(q[:, 3:]),
        Rotation.from_quat(toss.quaternion[:, [1, 2, 3, 0]]),
    )
    return float(place.mean()), float(np.degrees((ours.inv() * theirs).magnitude()).mean())
