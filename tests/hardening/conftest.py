"""What a piece of code opens and starts, as the interpreter tells it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

WATCHED = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect"}
_watching: list[Seen] = []


@dataclass
class Seen:
    """Files opened, and processes or connections started."""

    files: list[Path] = field(default_factory=list)
    started: list[tuple] = field(default_factory=list)


def _hook(event: str, arguments: tuple) -> None:
    if not _watching:
        return
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        name = arguments[0] if isinstance(arguments[0], str) else arguments[0].decode()
        _watching[-1].files.append(Path(name).resolve())
    elif event in WATCHED and not _is_of_popen(event, arguments):
        _watching[-1].started.append((event, arguments))


def _is_of_popen(event: str, arguments: tuple) -> bool:
    """Whether this is the call by which `Popen` starts its process, from Python 3.14 on."""
    if event != "os.posix_spawn" or not _watching[-1].started:
        return False
    last, given = _watching[-1].started[-1]
    return last == "subprocess.Popen" and given[:2] == arguments[:2]


@cache
def _begin() -> None:
    """Hear of events from now on: a hook cannot be taken away again, and costs a little."""
    sys.addaudithook(_hook)


@pytest.fixture
def seen():
    """What happens while a test runs."""
    _begin()
    _watching.append(Seen())
    yield _watching[-1]
    _watching.pop()
