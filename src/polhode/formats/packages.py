"""Packages of ROS and models of Gazebo: where ``package://`` and ``model://`` names lead.

First a folder above the file or beside one of them, then where the environment says.  A model file
is not trusted: it reaches the folder of a package, and nothing outside that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

MOST_ENTRIES = 1000  # of a folder that is searched for packages


def file_in_package(package: str, parts: Sequence[str], home: Path | None) -> str | None:
    """The path of a file in a package; None if there is none.

    ``home`` is the folder of the model file.
    """
    if not package or ".." in (package, *parts):
        return None
    for folder in _above(package, home) if home is not None else ():
        path = Path(os.path.realpath(folder.joinpath(*parts)))
        if path.is_relative_to(os.path.realpath(folder)) and os.path.isfile(path):
            return str(path)
    for folder in _in_environment(package):  # the user's own folders, which may have links
        path = Path(os.path.normpath(folder.joinpath(*parts)))
        if path.is_relative_to(folder) and os.path.isfile(path):
            return str(path)
    return None


def package_folder(package: str, home: Path | None) -> str | None:
    """The folder of a package; None if it is not found."""
    above = _above(package, home) if home is not None else ()
    return next((str(folder) for folder in (*above, *_in_environment(package))), None)


def _above(package: str, home: Path) -> Iterator[Path]:
    for folder in (home, *home.parents):
        for candidate in (folder, folder / package):
            if candidate.name == package and _is_package(candidate):
                yield candidate


def _is_package(folder: Path) -> bool:
    """Whether a folder looks like one; any other above a file is none of the file's business."""
    is_marked = any(os.path.isfile(folder / name) for name in ("package.xml", "model.config"))
    return is_marked or os.path.isdir(folder / "meshes")


def _in_environment(package: str) -> Iterator[Path]:
    for root in _folders("AMENT_PREFIX_PATH"):
        yield from _existing(root / "share" / package)
    for root in _folders("ROS_PACKAGE_PATH"):
        if root.name == package:
            yield root
        yield from _existing(root / package)
        for inner in _inside(root):
            yield from _existing(inner / package)
    for variable in ("GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH"):
        for root in _folders(variable):
            yield from _existing(root / package)


def _folders(variable: str) -> list[Path]:
    words = os.environ.get(variable, "").split(os.pathsep)
    return [Path(os.path.normpath(word)) for word in words if os.path.isabs(word)]


def _existing(folder: Path) -> Iterator[Path]:
    if os.path.isdir(folder):
        yield folder


def _inside(root: Path) -> list[Path]:
    """The folders in a folder, as of repositories of several packages."""
    try:
        with os.scandir(root) as entries:
            found = [entry.name for entry in islice(entries, MOST_ENTRIES) if entry.is_dir()]
    except OSError:
        return []
    return [root / name for name in sorted(found)]
