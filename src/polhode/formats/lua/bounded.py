"""A program run with bounds on its time and on its output."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import IO

_MOST_COMPLAINTS = 2**16
_AFTERWARDS = 1.0  # seconds to take what an ended process left in its pipes


@dataclass(frozen=True)
class Ended:
    """Result of a program: its output has at most one byte more than the limit."""

    status: int
    said: bytes
    complaints: str


def run_bounded(
    command: Sequence[str],
    given: bytes,
    environment: Mapping[str, str],
    seconds: float,
    most: int,
) -> Ended | None:
    """Run a program on a text; None if it had to be killed after some seconds.

    Parameters
    ----------
    command : sequence of str
    given : bytes
        For its standard input.
    environment : mapping of str to str
    seconds : float
    most : int
        Bytes that are taken of its standard output.
    """
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)
    assert process.stdin and process.stdout and process.stderr
    said, complaints = _Reader(process.stdout, most), _Reader(process.stderr, _MOST_COMPLAINTS)
    threads = [Thread(target=reader.run, daemon=True) for reader in (said, complaints)]
    threads += [Thread(target=_feed, args=(process.stdin, given), daemon=True)]
    end = time.monotonic() + seconds
    try:
        for thread in threads:
            thread.start()
        threads[0].join(seconds)  # to the end of its output: waiting for a process polls it
        process.wait(max(end - time.monotonic(), 0.01))
    except subprocess.TimeoutExpired:
        return None
    finally:
        process.kill()  # also after a keyboard interrupt; nothing to a process that has ended
        process.wait()
        for thread in threads:
            thread.join(_AFTERWARDS)
        for stream in (process.stdout, process.stderr):
            stream.close()
    return Ended(process.returncode, said.data, complaints.data.decode("utf-8", "replace"))


def _feed(stream: IO[bytes], data: bytes) -> None:
    with suppress(OSError), stream:  # the program may end before it has read all
        stream.write(data)


@dataclass
class _Reader:
    """The output of a pipe; reading stops at the limit."""

    stream: IO[bytes]
    most: int
    data: bytes = b""

    def run(self) -> None:
        """Read to the end, or to the limit."""
        with suppress(OSError, ValueError):
            self.data = self.stream.read(self.most + 1)
