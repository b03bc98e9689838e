"""The command line: which command, and how it ends.

Exit status 0: done; 1: it could not be done, and a line on standard error says why;
2: the command was not understood; 130: interrupted from the keyboard.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module

from .parser import build_parser
from .terminal import Output, printable

_INTERRUPTED = 130  # as shells say of a program that SIGINT ended


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments after the program's name; those of the process by default.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        options = build_parser().parse_args(argv)
    except SystemExit as exit:
        return int(exit.code or 0)
    output = Output(json=options.json, quiet=options.quiet)
    warnings.showwarning = lambda message, *_: output.warn(str(message))
    try:
        run = import_module(f".{options.command}", __package__).run
        return int(run(options, output) or 0)
    except KeyboardInterrupt as interrupt:
        return _failed(str(interrupt) or "interrupted", _INTERRUPTED)
    except BrokenPipeError:
        # The reader has gone; nothing more may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if os.environ.get("POLHODE_TRACEBACK"):
            raise
        return _failed(_line(error))


def _failed(message: str, status: int = 1) -> int:
    sys.stderr.write(f"polhode: {printable(message)}\n")
    return status


def _line(error: Exception) -> str:
    """One line that says what is wrong."""
    if isinstance(error, MemoryError):
        return "not enough memory"
    text = " ".join(str(error).split())
    if isinstance(error, FileNotFoundError) and error.strerror == os.strerror(errno.ENOENT):
        return f"no such file or folder: {error.filename}"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if type(error).__module__.startswith("polhode") or isinstance(error, (OSError, ValueError)):
        return text or type(error).__name__
    return f"{type(error).__name__}: {text} (POLHODE_TRACEBACK=1 shows where)"
