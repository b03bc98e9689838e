"""Files that are whole or not there."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_atomically(path: str | Path, content: bytes) -> Path:
    """Write ``content`` to ``path`` so that no reader ever sees a part of it.

    Raises
    ------
    OSError
        If the folder is missing or cannot be written; an older file is then untouched.
    """
    path = Path(path)
    name = path.parent / f".{path.name}.{secrets.token_hex(8)}.part"
    # Made with the rights that the process gives to files: its mask can only be read by setting
    # it, for all threads.
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    return path
