"""HDF5 files of runs read with care: those whose writer was killed, and those that lie.

What a dataset may be is what `polhode` writes: stored here, in chunks, unpacked, of numbers, and
not larger than the file.  Links to other files are not followed.
"""

from __future__ import annotations

import errno
import io
import math
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..files.kinds import HDF5, NPZ, kind_at
from ..files.reading import open_regular

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_SUPERBLOCK = 48  # bytes of one of version 3 with addresses of 8 bytes
_KINDS = "fiub"
_MARGIN = 1 << 17  # what checkpoints and the library's own tables may need
_SLACK = 1 << 20  # a file may be shorter than its arrays by chunks that were not yet written


def h5py() -> Any:
    """The library, or an error that says how to get it."""
    try:
        import h5py as library
    except ImportError:
        raise ImportError(
            "HDF5 files need h5py, which is not installed: pip install 'polhode[hdf5]', "
            "or record to an .npz file"
        ) from None
    return library


@contextmanager
def reading(path: str | Path) -> Iterator[Any]:
    """The file, opened to be read.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If it is not an HDF5 file, or a damaged one.
    """
    library = h5py()
    with open_regular(path) as raw:
        try:
            with library.File(_Closed(raw), "r") as file:
                yield file
        except (OSError, RuntimeError, KeyError) as error:  # all that the library raises
            raise ValueError(f"not a whole HDF5 file ({_first_line(error)})") from None


def is_hdf5(path: str | Path) -> bool:
    """Whether a file is HDF5 by how it begins, or by its name if it is no ``.npz`` file either.

    Raises
    ------
    FileNotFoundError
        If there is none.
    """
    kind = kind_at(path)
    return kind is HDF5 or (kind is not NPZ and Path(path).suffix.lower() in HDF5.extensions)


def is_being_written(path: str | Path) -> bool:
    """Whether a process writes the file, or was killed when it did."""
    with open_regular(path) as raw:
        block = raw.read(_SUPERBLOCK)
    return _is_ours(block) and block[11] != 0


def require_room(path: str | Path, bytes_: int) -> None:
    """Refuse to go on where a file cannot grow so far: HDF5 may not survive a failed write.

    Raises
    ------
    OSError
        If the disk is full, or a file may not be so long.
    """
    needed = bytes_ + _MARGIN
    if hasattr(os, "statvfs"):
        disk = os.statvfs(Path(path).parent)
        if disk.f_bavail * disk.f_frsize < needed:
            raise OSError(errno.ENOSPC, "no space left on the disk", str(path))
    try:
        import resource
    except ImportError:  # not on Windows
        return
    longest, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if longest != resource.RLIM_INFINITY and os.stat(path).st_size + needed > longest:
        raise OSError(errno.EFBIG, "the file may not be longer", str(path))


def _first_line(error: Exception) -> str:
    return str(error).strip("'\"").split("\n")[0]


def dataset(file: Any, name: str) -> Any:
    """A dataset of numbers in this file.

    Raises
    ------
    ValueError
        If there is none, or it is of a kind that `polhode` does not write.
    """
    library = h5py()
    if not isinstance(file.get(name, getlink=True), library.HardLink):
        raise ValueError(f"expected a dataset '{name}', found none")
    found = file[name]
    if not isinstance(found, library.Dataset) or found.dtype.kind not in _KINDS:
        raise ValueError(f"expected numbers in '{name}', found {type(found).__name__}")
    properties = found.id.get_create_plist()
    if found.is_virtual or properties.get_external_count() or properties.get_nfilters():
        raise ValueError(f"expected '{name}' to be stored as numbers in this file")
    if found.shape is None or math.prod(found.shape) * found.dtype.itemsize > _room(file):
        raise ValueError(f"expected '{name}' to be smaller than its file")
    return found


def array(file: Any, name: str) -> np.ndarray:
    """All of a dataset that is an array."""
    found = dataset(file, name)
    if not found.shape:
        raise ValueError(f"expected an array '{name}', found one number")
    return found[:]


def _room(file: Any) -> int:
    return 2 * file.id.get_filesize() + _SLACK


class _Closed(io.RawIOBase):
    """An HDF5 file as it would be had its writer closed it.

    While a process writes, and for ever if it is killed, the first block says so, and does not tell
    the length of the file.  The library then only reads it as a file that is being written.  It
    waits for a writer wherever something is damaged.
    """

    def __init__(self, raw: Any):
        self.raw, self.at = raw, 0
        self.size = os.fstat(raw.fileno()).st_size
        raw.seek(0)
        self.start = _closed(raw.read(_SUPERBLOCK), self.size)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.at

    def seek(self, offset: int, whence: int = 0) -> int:
        self.at = offset + {0: 0, 1: self.at, 2: self.size}[whence]
        return self.at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        self.raw.seek(self.at)
        count = self.raw.readinto(view)
        overlap = min(max(len(self.start) - self.at, 0), count)
        view[:overlap] = self.start[self.at : self.at + overlap]
        self.at += count
        return count


def _closed(block: bytes, size: int) -> bytes:
    """The first block of a file that is closed and has this size; others are left alone."""
    if not _is_ours(block) or block[11] == 0:
        return block
    changed = bytearray(block)
    changed[11] = 0
    changed[28:36] = struct.pack("<Q", size)
    changed[44:48] = struct.pack("<I", lookup3(bytes(changed[:44])))
    return bytes(changed)


def _is_ours(block: bytes) -> bool:
    version_and_sizes = b"\x03\x08\x08"
    return len(block) == _SUPERBLOCK and block[:11] == _SIGNATURE + version_and_sizes


def lookup3(data: bytes) -> int:
    """Bob Jenkins's hash of 32 bits, the checksum of HDF5's metadata (start value 0)."""
    mask = 0xFFFFFFFF

    def turned(x: int, by: int) -> int:
        return (x << by | x >> (32 - by)) & mask

    a = b = c = (0xDEADBEEF + len(data)) & mask
    blocks = max(0, (len(data) - 1) // 12)
    for k in range(blocks):
        x, y, z = struct.unpack_from("<3I", data, 12 * k)
        a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
        for by_1, by_2, by_3 in ((4, 6, 8), (16, 19, 4)):
            a = ((a - c) ^ turned(c, by_1)) & mask
            c = (c + b) & mask
            b = ((b - a) ^ turned(a, by_2)) & mask
            a = (a + c) & mask
            c = ((c - b) ^ turned(b, by_3)) & mask
            b = (b + a) & mask
    if not data:
        return c
    x, y, z = struct.unpack("<3I", data[12 * blocks :].ljust(12, b"\0"))
    a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
    c = ((c ^ b) - turned(b, 14)) & mask
    a = ((a ^ c) - turned(c, 11)) & mask
    b = ((b ^ a) - turned(a, 25)) & mask
    c = ((c ^ b) - turned(b, 16)) & mask
    a = ((a ^ c) - turned(c, 4)) & mask
    b = ((b ^ a) - turned(a, 14)) & mask
    return ((c ^ b) - turned(b, 24)) & mask
