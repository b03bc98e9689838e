"""A file of the command line that can be shown: a model, a scene, or a recording."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from ..errors import ParseError
from ..formats import load
from ..simulation import Recording, SceneRecording

RECORDINGS = (".npz", ".h5", ".hdf5")


def read_motion(options: Namespace) -> Any:
    """The recording in the file, or the model."""
    if Path(options.file).suffix.lower() in RECORDINGS:
        return read_recording(options.file)
    return load(options.file, floating_base=options.floating_base, gravity=options.gravity)


def read_recording(path: str | Path) -> Recording:
    """The recording in a file, of a model or of a scene."""
    try:
        return Recording.load(path)
    except ParseError as error:
        try:
            return SceneRecording.load(path)
        except ParseError as other:
            # Each misses what only the other kind has: the more telling is not known.
            raise ParseError(f"{error}; nor is it one of a scene: {other}") from error
