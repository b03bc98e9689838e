"""Xacro files to the text of a URDF, by the package ``xacro`` where it is installed.

Xacro evaluates expressions of Python and includes files from anywhere, so a file must be trusted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

from ...errors import ModelError, ParseError, one_line
from ..packages import package_folder
from ..source import read_bytes

_ONE_AT_A_TIME = Lock()  # the package keeps what it reads in global variables


def expanded(path: str, package_roots: Sequence[str | os.PathLike[str]], *, trusted: bool) -> bytes:
    """The URDF text of a xacro file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ModelError
        If the file is not trusted, or the package is not installed.
    ParseError
        For everything that is wrong in the file.
    """
    read_bytes(path)  # for the errors of files that are not there
    if not trusted:
        raise ModelError(
            f"a xacro file runs expressions of Python and includes any files: "
            f"load('{path}', trusted=True) allows that"
        )
    try:
        xacro: Any = import_module("xacro")
    except ModuleNotFoundError:
        raise ModelError(f"reading '{path}' needs the package xacro: pip install xacro") from None
    with _ONE_AT_A_TIME, _finding(Path(os.path.realpath(path)).parent, package_roots):
        try:
            return xacro.process_file(path).toxml("utf-8")
        except Exception as error:  # of any kind: the file's own expressions raise them
            raise ParseError(f"xacro: {one_line(str(error))}", path) from None


@contextmanager
def _finding(home: Path, roots: Sequence[str | os.PathLike[str]]) -> Iterator[None]:
    """``$(find package)`` finds what ``package://`` does, without an installation of ROS."""
    arguments: Any = import_module("xacro.substitution_args")

    def find(package: str) -> str:
        for root in map(Path, roots):
            for folder in (root / package, root):
                if folder.name == package and folder.is_dir():
                    return str(folder)
        found = package_folder(package, home)
        if found is None:
            raise ModelError(f"no package '{package}'; package_roots says where packages are")
        return found

    before = arguments._eval_find, arguments._eval_dict["find"]
    arguments._eval_find = arguments._eval_dict["find"] = find
    try:
        yield
    finally:
        arguments._eval_find, arguments._eval_dict["find"] = before
