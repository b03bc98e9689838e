"""Files that ``polhode sim`` is to write, looked at before it begins."""

from __future__ import annotations

from argparse import Namespace

from ..files.kinds import (
    PAGES,
    PLOTS,
    RECORDINGS,
    TABLES,
    check_log,
    check_output_folder,
    check_target,
)

_FILES = {"output": RECORDINGS, "html": PAGES, "csv": TABLES, "plot": PLOTS}


def check_files(options: Namespace) -> None:
    """Refuse files whose names do not say what is written, and those that cannot be written.

    Raises
    ------
    ValueError
        For another extension.
    OSError
        If there is no such folder, it cannot be written to, or another kind of file is there.
    """
    for name, kinds in _FILES.items():
        path = getattr(options, name)
        if path is not None:
            check_target(path, kinds, f"--{name}")
    if options.log is not None:
        check_log(options.log, "--log")
    if options.snapshots is not None:
        check_output_folder(options.snapshots, "--snapshots")
