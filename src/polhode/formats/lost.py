"""What a format has no place for, told by name when a model is written."""

from __future__ import annotations

from collections.abc import Container

from ..errors import ModelWarning, warn_caller
from ..model import JointDynamics, Model
from ..model.records import JointEntries


def warn_of_lost_dynamics(model: Model, format: str, written: Container[str] = ()) -> None:
    """Warn of what joints do by themselves that is not ``written``."""
    for key in JointEntries._fields:
        if key in written or key == "rest":  # without its spring a rest says nothing
            continue
        names = [j.name for j in model.joints if _has(j.dynamics, key)]
        if names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            warn_caller(
                f"a {format} file has no {key} of joints: that of '{names[0]}'{more} is not "
                f"written (model '{model.name}')", ModelWarning,
            )  # fmt: skip


def _has(dynamics: JointDynamics | None, key: str) -> bool:
    if dynamics is None:
        return False
    value = getattr(dynamics, key)
    return any(value) if isinstance(value, tuple) else value != 0.0
