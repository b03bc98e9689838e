"""A file of the command line that can be shown: a model, a scene, or a recording."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from ..files.kinds import is_recording
from ..formats import load
from ..recording import Recording


def read_motion(options: Namespace) -> Any:
    """The recording in the file, or the model."""
    if is_recording(Path(options.file)):
        return Recording.load(options.file)
    return load(options.file, floating_base=options.floating_base, gravity=options.gravity)
