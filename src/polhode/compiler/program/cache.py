"""The disk cache: private files with a digest, written atomically, never trusted when odd."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from ...files.reading import open_regular
from ...interrupts import uninterrupted

_MAGIC = b"polhode1"
LIMIT = 1 << 30  # bytes in the folder before the entries used least recently are removed
_NEW, _FORGOTTEN = "new-", 3600.0  # begin of names not yet whole; seconds until one is left over
_EVICTS = "00"  # begin of names whose writing looks for it: one in 256


@cache
def source_fingerprint() -> bytes:
    """Digest of this package's source: another compiler makes other entries."""
    digest = hashlib.sha256()
    root = Path(__file__).parent.parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.digest()


def folder() -> Path | None:
    """The cache folder, made if need be; None where there can be none."""
    chosen = os.environ.get("POLHODE_CACHE_DIR")
    try:
        if chosen:
            path = Path(chosen)
        else:
            home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
            path = Path(home) / "polhode"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path if _is_private(path.stat()) else None
    except (OSError, RuntimeError):
        return None


def digest(*parts: bytes | str) -> str:
    """Name of the entry that these parts determine."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()


def read(name: str) -> tuple[dict[str, Any], bytes] | None:
    """The facts and the data of an entry; None if there is none that can be trusted."""
    root = folder()
    if root is None:
        return None
    path = root / name
    try:
        with open_regular(path) as file:
            if not _is_private(os.fstat(file.fileno())):
                return None
            content = file.read()
        if content[:8] != _MAGIC or _seal(name, content[40:]) != content[8:40]:
            return None
        size = int.from_bytes(content[40:48], "little")
        facts = json.loads(content[48 : 48 + size])
        with contextlib.suppress(OSError):
            os.utime(path)
        return facts, content[48 + size :]
    except (OSError, ValueError):
        return None


def split(data: bytes, sizes: Sequence[int]) -> list[bytes]:
    """The pieces of joined data."""
    ends = [0, *accumulate(sizes)]
    return [data[start:end] for start, end in pairwise(ends)]


def found_or_made(
    name: str, make: Callable[[], tuple[dict[str, Any], bytes]]
) -> tuple[dict[str, Any], bytes]:
    """The facts and the data of an entry, which is made and stored if there is none."""
    entry = read(name)
    if entry is None:
        entry = make()
        write(name, *entry)
    return entry


def write(name: str, facts: dict[str, Any], data: bytes = b"") -> None:
    """Store an entry, all or nothing; a folder that cannot be written is no error."""
    root = folder()
    if root is None:
        return
    header = json.dumps(facts).encode()
    payload = len(header).to_bytes(8, "little") + header + data
    content = _MAGIC + _seal(name, payload) + payload
    temporary = root / f"{_NEW}{os.getpid()}-{threading.get_ident()}-{name[:16]}"
    try:
        with uninterrupted():  # a file that has been opened would stay open
            _create(temporary, content)
            os.replace(temporary, root / name)
        if name.startswith(_EVICTS):
            _evict(root)
    except BaseException as error:  # also when the keyboard interrupts
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if not isinstance(error, OSError):
            raise


def _create(path: Path, content: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


def _seal(name: str, payload: bytes) -> bytes:
    """Digest of an entry and its name: under another name it is not this entry."""
    return hashlib.sha256(name.encode() + b"\0" + payload).digest()


def _is_private(status: os.stat_result) -> bool:
    """Whether only this user can have written the file or folder."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _evict(root: Path) -> None:
    with os.scandir(root) as entries:
        files = [(e.stat().st_mtime, e.stat().st_size, e.path) for e in entries if e.is_file()]
    excess = sum(size for _, size, _ in files) - LIMIT
    unfinished, forgotten = str(root / _NEW), time.time() - _FORGOTTEN
    for changed, size, path in sorted(files):
        if excess > 0 or (changed < forgotten and path.startswith(unfinished)):
            with contextlib.suppress(OSError):
                os.unlink(path)
            excess -= size
