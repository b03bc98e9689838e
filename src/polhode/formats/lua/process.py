"""A Lua text to its table: in a process of its own, or, when trusted, in this one."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import ParseError
from ..names import shorten
from ..source import check_size, check_text
from . import child
from .answer import Answer, Table, answer_of, checked, table_of
from .bounded import run_bounded
from .text import last_call, last_return

SECONDS = 2.5
MAX_ANSWER = 64 * 2**20  # bytes; the child's own limits keep below it
ENVIRONMENT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")  # what Python needs to start
_PLACE = re.compile(r"(.*?):(\d{1,9}): (.*)", re.DOTALL | re.ASCII)
_MISSING_COMMA = re.compile(r"'}' expected \(to close '{' at line \d+\) near '(\w+)'")


@dataclass(frozen=True)
class Chunk:
    """The table that a model file returned, and its printed output."""

    table: Table
    printed: tuple[str, ...]


def run_lua(source: bytes, file: str, folder: Path | None, trusted: bool) -> Chunk:
    """Run a model file and return its table.

    Raises
    ------
    ParseError
        For every error of the text and for one that does not end, takes too much memory, or
        returns no table.
    """
    check_size(source, file)
    if source.startswith(b"\x1bLua"):
        raise ParseError("expected Lua text, found Lua bytecode", file, 1)
    check_text(source, file, "a Lua text")
    answer = _in_this_process(source, folder) if trusted else _in_child(source, file, folder)
    if answer.table is None:
        raise _error(answer, file, folder, source.decode("utf-8", "replace"), trusted)
    try:
        return Chunk(table_of(answer.table), answer.printed)
    except ValueError as error:
        raise _not_ours(file, str(error)) from None


def _in_child(source: bytes, file: str, folder: Path | None) -> Answer:
    spec = importlib.util.find_spec("lupa")
    lupa_folder = str(Path(spec.origin).parent.parent)  # type: ignore[union-attr, arg-type]
    given = (lupa_folder, str(folder or ""), str(child.SECONDS))
    command = [sys.executable, "-I", "-S", child.__file__, *given]
    environment = {key: os.environ[key] for key in ENVIRONMENT if key in os.environ}
    ended = run_bounded(command, source, environment, SECONDS, MAX_ANSWER)
    if ended is None or ended.status < 0:
        return Answer(seconds=SECONDS)
    if len(ended.said) > MAX_ANSWER:
        raise _not_ours(file, f"more than {MAX_ANSWER >> 20} MiB")
    try:
        return answer_of(ended.said)
    except ValueError as error:
        raise _not_ours(file, shorten(ended.complaints[-300:], 300) or str(error)) from None


def _not_ours(file: str, reason: str) -> ParseError:
    return ParseError(f"the Lua process ended without an answer: {reason}", file)


def _in_this_process(source: bytes, folder: Path | None) -> Answer:
    lua54: Any = importlib.import_module("lupa.lua54")
    lua = lua54.LuaRuntime(
        encoding=None, register_eval=False, register_builtins=False, unpack_returned_tuples=True
    )
    if folder is not None:
        path = os.fsencode(folder) + b"/?.lua;" + os.fsencode(folder) + b"/?/init.lua;"
        package = lua.globals()[b"package"]
        package[b"path"] = path + package[b"path"]
    run = lua.compile(child.lua_text("trusted"))(child.reporter(lua))
    said = child.told(run(child.plain(source)))
    table = said.pop("table", None)
    return checked(said, None if table is None else table.decode("utf-8", "replace"))


def _error(answer: Answer, file: str, folder: Path | None, text: str, trusted: bool) -> ParseError:
    """The error for an answer without a table."""
    files = [file, *(str(folder / name) for name in answer.files[1:] if folder)]
    if answer.place and answer.place[0] < len(files):
        where = files[answer.place[0]], answer.place[1]
    else:
        where = file, last_call(answer.tail, text) if answer.tail else None
    lifted = "(trusted=True sets no limit)"
    if answer.seconds is not None:
        return ParseError(f"the file did not finish within {answer.seconds:g} s {lifted}", *where)
    if answer.memory is not None:
        return ParseError(f"the file needs more than {answer.memory >> 20} MiB {lifted}", *where)
    if answer.returned is not None:
        kind = "nothing" if answer.returned == "nil" else f"a {answer.returned}"
        return ParseError(
            f"expected the file to return a table, it returned {kind}; end it with 'return model'",
            file,
            last_return(text),
        )
    if answer.refused is not None:
        return ParseError(answer.refused, file, last_return(text))
    return _lua_error(answer.error or "", files, where, trusted)


def _lua_error(
    message: str, files: list[str], where: tuple[str, int | None], trusted: bool
) -> ParseError:
    """Lua's message with its chunk number replaced by the file's name."""
    found = _PLACE.fullmatch(message)
    if found and re.fullmatch("[0-9]{1,9}", found[1]) and int(found[1]) < len(files):
        where, message = (files[int(found[1])], int(found[2])), found[3]
    elif found and trusted and os.path.isfile(found[1]):  # a file that it required
        where, message = (found[1], int(found[2])), found[3]
    text = shorten(message, 400)
    missing = _MISSING_COMMA.fullmatch(text)
    if missing:
        text += f"; is a comma missing before '{missing[1]}'?"
    return ParseError(text, *where)
