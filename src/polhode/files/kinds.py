"""What kind of file a name asks for, and what kind a file is: the one table of both."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ..errors import suggestion
from .reading import open_regular

_HEAD = 2048  # bytes that tell what a file is


@dataclass(frozen=True)
class FileKind:
    """A kind of file, the extensions of its names, and a pattern of how it begins."""

    name: str
    extensions: tuple[str, ...]
    beginning: bytes


HDF5 = FileKind("an HDF5 file", (".h5", ".hdf5"), rb"\x89HDF\r\n\x1a\n")
NPZ = FileKind("a NumPy archive", (".npz",), rb"PK(\x03\x04|\x05\x06)")
CSV = FileKind("a CSV table", (".csv",), rb"[^\0]*\Z")
SVG = FileKind(
    "an SVG picture", (".svg",), rb"\s*(<\?xml.*?>\s*)?(<!--.*?-->\s*)?(<!DOCTYPE\s+svg.*?)?<svg\b"
)
PNG = FileKind("a PNG picture", (".png",), rb"\x89PNG\r\n\x1a\n")
PDF = FileKind("a PDF file", (".pdf",), rb"%PDF-")
HTML = FileKind("an HTML page", (".html", ".htm"), rb"\s*(<!DOCTYPE\s+html|<html)\b")
GIF = FileKind("a GIF animation", (".gif",), rb"GIF8[79]a")
MP4 = FileKind("an MP4 video", (".mp4",), rb"....ftyp")
WEBM = FileKind("a WebM video", (".webm",), rb"\x1aE\xdf\xa3")

RECORDINGS = (HDF5, NPZ, CSV)
STREAMS = (HDF5,)
PLOTS = (SVG, PNG, PDF)
TABLES = (CSV,)
PAGES = (HTML,)
PICTURES = (PNG, GIF, MP4, WEBM)
_ALL = (HDF5, NPZ, SVG, PNG, PDF, HTML, GIF, MP4, WEBM, CSV)  # what looks like none is text


def kind_of(path: str | Path, kinds: Sequence[FileKind], what: str) -> FileKind:
    """The kind of file that a name asks for, out of those that ``what`` can be written as.

    Raises
    ------
    ValueError
        If the name ends otherwise; the message has the extensions that are known.
    """
    suffix = Path(path).suffix.lower()
    for kind in kinds:
        if suffix in kind.extensions:
            return kind
    known = [extension for kind in kinds for extension in kind.extensions]
    raise ValueError(
        f"expected a file name that ends in {', '.join(known)} for {what}, got '{path}'"
        f"{suggestion(suffix, known)}"
    )


def check_target(path: str | Path, kinds: Sequence[FileKind], what: str) -> FileKind:
    """Refuse a file that could not be written in the end, before any work is done for it.

    Raises
    ------
    ValueError
        If its name ends otherwise than in an extension of ``kinds``.
    ImportError
        If the library that writes such files is not installed.
    OSError
        If there is no such folder, it cannot be written to, or another kind of file is there.
    """
    kind = kind_of(path, kinds, what)
    if kind is HDF5:
        _require("h5py", "hdf5", kind)
    elif kinds is PLOTS and kind is not SVG:
        _require("matplotlib", "plot", kind)
    check_folder(path, what)
    check_replaceable(path)
    return kind


def _require(library: str, extra: str, kind: FileKind) -> None:
    if find_spec(library) is None:
        raise ImportError(
            f"{kind.name} needs {library}, which is not installed: pip install 'polhode[{extra}]'"
        )


def check_log(path: str | Path, what: str) -> None:
    """Refuse a file to append text to whose name says that it is something else.

    Raises
    ------
    ValueError
        If its name ends in an extension of the table, CSV included.
    OSError
        If there is no such folder, or it cannot be written to.
    """
    _check_unlike_files(path, f"a text file for {what}, such as run.log")
    check_folder(path, what)


def check_output_folder(path: str | Path, what: str) -> None:
    """Refuse a folder for many files that has the name of one file, or is one.

    Raises
    ------
    ValueError
        If its name ends in an extension of the table.
    OSError
        If there is a file of that name.
    """
    _check_unlike_files(path, f"a folder for {what}")
    if Path(path).exists() and not Path(path).is_dir():
        raise NotADirectoryError(errno.ENOTDIR, f"expected a folder for {what}", str(path))


def _check_unlike_files(path: str | Path, expected: str) -> None:
    kind = _kind_named(path)
    if kind is not None:
        raise ValueError(f"expected the name of {expected}, got '{path}', that of {kind.name}")


def _kind_named(path: str | os.PathLike[str]) -> FileKind | None:
    suffix = Path(path).suffix.lower()
    return next((kind for kind in _ALL if suffix in kind.extensions), None)


def check_folder(path: str | Path, what: str) -> None:
    """Refuse a file whose folder is not there or cannot be written to.

    Raises
    ------
    OSError
        With the file's name.
    """
    folder = Path(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no such folder for {what}", str(path))
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, f"{what} cannot be written there", str(path))


def check_replaceable(path: str | os.PathLike[str]) -> None:
    """Refuse to replace a file that is of another kind than its name says, or a folder.

    Names without a known extension may replace any file; an empty file may always be replaced.

    Raises
    ------
    OSError
        If there is one.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "there is a folder of that name", str(path))
    wanted = _kind_named(path)
    if wanted is None or not path.is_file() or not path.stat().st_size:
        return
    found = kind_at(path)
    if found is not wanted:
        there = found.name if found else "something else"
        text = f"expected {wanted.name} to replace, found {there}; delete it, or take another name"
        raise FileExistsError(errno.EEXIST, text, str(path))


def is_recording(path: str | Path) -> bool:
    """Whether a name is that of a recording that can be loaded."""
    suffix = Path(path).suffix.lower()
    return any(suffix in kind.extensions for kind in (HDF5, NPZ))


def kind_at(path: str | Path) -> FileKind | None:
    """What kind of file there is, by how it begins; None for one that is not known.

    Raises
    ------
    ValueError
        If it is a folder, a pipe or a device, which is not opened.
    OSError
        If there is no such file.
    """
    with open_regular(path) as file:
        head = file.read(_HEAD)
    flags = re.DOTALL | re.IGNORECASE
    return next((kind for kind in _ALL if re.match(kind.beginning, head, flags)), None)
