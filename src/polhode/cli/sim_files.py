"""Files that a run is to write, looked at before it begins."""

from __future__ import annotations

import errno
import os
from argparse import Namespace
from pathlib import Path

_FILES = ("output", "html", "csv", "plot", "log")


def check_folders(options: Namespace) -> None:
    """Refuse folders that are not there or cannot be written to.

    Raises
    ------
    OSError
        With the file's name.
    """
    for name in _FILES:
        path = getattr(options, name, None)
        if path is None:
            continue
        folder = Path(path).parent
        if not folder.is_dir():
            text = f"there is no such folder for --{name}"
            raise NotADirectoryError(errno.ENOENT, text, str(path))
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, f"--{name} cannot be written there", str(path))
