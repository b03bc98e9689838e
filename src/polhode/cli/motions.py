"""A file of the command line that can be shown: a model, a scene, or a recording."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from ..files.kinds import is_recording
from ..recording import Recording
from .model_file import read_model


def read_motion(options: Namespace) -> Any:
    """The recording in the file, or the model."""
    if is_recording(Path(options.file)):
        _refuse_of_models(options)
        return Recording.load(options.file)
    return read_model(options.file, options)


def _refuse_of_models(options: Namespace) -> None:
    """Refuse what only the reading of models has: a recording holds its model."""
    for name in ("floating_base", "gravity", "mimic", "package_root", "trusted"):
        if getattr(options, name):
            option = name.replace("_", "-")
            raise ValueError(
                f"--{option} is for model files, got a recording: '{options.file}' has the model "
                "that moved"
            )
