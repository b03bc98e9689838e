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
        return Recording.load(options.file)
    return read_model(options.file, options)
