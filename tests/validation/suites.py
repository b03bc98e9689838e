"""The suites of validation data: each a folder of one format, and what runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from validation import (
    adams,
    equations,
    friction_problems,
    mjcf_files,
    squeezer,
    trajectories,
)
from validation.scores import VALIDATION, Case

SUITES: dict[str, Callable[[Path], Iterator[Case]]] = {
    "siconos_friction": friction_problems.cases,
    "motiongenesis": equations.cases,
    "exudyn": trajectories.cases,
    "iftomm": trajectories.cases,
    "ivp_testset": squeezer.cases,
    "adams_joints": adams.cases,
    "mjcf": mjcf_files.cases,
}


def every_case() -> Iterator[tuple[str, Case]]:
    """Every case of every suite whose folder is at hand, with the suite's name."""
    for suite, cases in SUITES.items():
        if (VALIDATION / suite).is_dir():
            for case in cases(VALIDATION / suite):
                yield suite, case
