"""The suites of validation data: each a folder of one format, and what runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from validation import (
    adams,
    equations,
    friction_problems,
    mjcf_files,
    opensim,
    squeezer,
    tosses,
    trajectories,
)
from validation.scores import VALIDATION, Case, Score

SUITES: dict[str, Callable[[Path], Iterator[Case]]] = {
    "siconos_friction": friction_problems.cases,
    "motiongenesis": equations.cases,
    "exudyn": trajectories.cases,
    "iftomm": trajectories.cases,
    "ivp_testset": squeezer.cases,
    "adams_joints": adams.cases,
    "mjcf": mjcf_files.cases,
    "cube_tosses": tosses.cases,
    "opensim": opensim.cases,
}


def every_case(root: Path = VALIDATION) -> Iterator[tuple[str, Case]]:
    """Every case of every folder at hand, with the folder's name; those of no suite fail."""
    folders = [path for path in sorted(root.glob("*")) if path.is_dir()]
    order = {suite: k for k, suite in enumerate(SUITES)}
    for folder in sorted(folders, key=lambda path: order.get(path.name, len(order))):
        for case in SUITES.get(folder.name, without_suite)(folder):
            yield folder.name, case


def without_suite(folder: Path) -> Iterator[Case]:
    """What nothing here reads: each part of a folder is a case that cannot be run."""

    def unread() -> list[Score]:
        raise NotImplementedError("no suite reads these data")

    for part in sorted(folder.iterdir()):
        if part.is_dir():
            yield Case(part.name, unread)
