"""Recordings as files: the extension of the name decides how they are written."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from . import archive, hdf5, scene_files
from .damage import DAMAGE
from .file_kinds import CSV, RECORDINGS, kind_of
from .npz import META, json_of, read_arrays
from .recording import Recording
from .scene_recording import SceneRecording


def save(recording: Recording, path: str | Path) -> Path:
    """Write a recording as what its name says: HDF5, an ``.npz`` file, or a CSV table.

    Raises
    ------
    ValueError
        If the name has another extension.
    OSError
        If the file cannot be written, or one of another kind is there.
    """
    kind = kind_of(path, RECORDINGS, "a recording")
    if kind is CSV:
        return recording.to_csv(path)
    if isinstance(recording, SceneRecording):
        return scene_files.save(recording, path, kind)
    kept = {f.name: getattr(recording, f.name) for f in fields(recording)}
    return archive.write_archive(path, kind, kept)


def load(path: str | Path) -> Recording:
    """Read a recording, of a model or of a scene, by what is in the file.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ParseError
        If the file is not a whole recording.
    """
    if _format_of(path) == scene_files.FORMAT:
        return scene_files.load(path)
    return Recording(**archive.read_archive(path))


def _format_of(path: str | Path) -> str:
    """What the file says it holds; empty where that cannot be read."""
    try:
        if not hdf5.is_hdf5(path):
            return str(json_of(read_arrays(path, (META,))[META]).get("format"))
        with hdf5.reading(path) as file:
            return str(json_of(hdf5.array(file, META)).get("format"))
    except DAMAGE:
        return ""
