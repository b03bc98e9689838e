"""A Lua text to its table: in a process of its own, or, when trusted, in this one."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import ParseError
from ..names import shorten
from ..source import check_size, check_text
from . import child
from .text import last_line_with

SECONDS = 2.5
ENVIRONMENT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")  # what Python needs to start
_PLACE = re.compile(r"(.*?):(\d+): (.*)", re.DOTALL)
_MISSING_COMMA = re.compile(r"'}' expected \(to close '{' at line \d+\) near '(\w+)'")


@dataclass(frozen=True)
class Table:
    """A Lua table: its array part, its string keys, and the names of all other keys."""

    array: list[Any]
    keys: dict[str, Any]
    other: list[str]


@dataclass(frozen=True)
class Opaque:
    """A Lua value that is not data, such as a function."""

    kind: str


@dataclass(frozen=True)
class Chunk:
    """What a model file returned, and what it printed."""

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
    if "table" not in answer:
        raise _error(answer, file, folder, source.decode("utf-8", "replace"))
    return Chunk(table_of(json.loads(answer["table"])), tuple(answer.get("printed", ())))


def _in_child(source: bytes, file: str, folder: Path | None) -> dict[str, Any]:
    spec = importlib.util.find_spec("lupa")
    lupa_folder = str(Path(spec.origin).parent.parent)  # type: ignore[union-attr, arg-type]
    command = [sys.executable, "-I", "-S", child.__file__, lupa_folder, str(folder or "")]
    environment = {key: os.environ[key] for key in ENVIRONMENT if key in os.environ}
    try:
        done = subprocess.run(
            command, input=source, capture_output=True, env=environment, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return {"seconds": SECONDS}
    try:
        return json.loads(done.stdout)
    except ValueError:
        if done.returncode < 0:
            return {"seconds": SECONDS}
        reason = shorten(done.stderr.decode("utf-8", "replace")[-300:], 300)
        raise ParseError(f"the Lua process ended without an answer: {reason}", file) from None


def _in_this_process(source: bytes, folder: Path | None) -> dict[str, Any]:
    lua54: Any = importlib.import_module("lupa.lua54")
    lua = lua54.LuaRuntime(
        encoding=None, register_eval=False, register_builtins=False, unpack_returned_tuples=True
    )
    if folder is not None:
        path = os.fsencode(folder) + b"/?.lua;" + os.fsencode(folder) + b"/?/init.lua;"
        package = lua.globals()[b"package"]
        package[b"path"] = path + package[b"path"]
    run = lua.compile(child.lua_text("trusted"))(child.reporter(lua))
    return child.answer_of(run(child.plain(source)))


def table_of(value: Any) -> Any:
    """A value of the child's answer: a `Table`, an `Opaque`, or what it is."""
    if not isinstance(value, dict):
        return value
    if "f" in value:
        return Opaque(value["f"])
    return Table(
        [table_of(item) for item in value["a"]],
        {key: table_of(item) for key, item in value["k"].items()},
        value["o"],
    )


def _error(answer: dict[str, Any], file: str, folder: Path | None, text: str) -> ParseError:
    """The error for an answer without a table."""
    files = [file, *(str(folder / name) for name in answer.get("files", [""])[1:] if folder)]
    place = answer.get("place")
    where = (files[place[0]], place[1]) if place else (file, _tail_call(answer, text))
    end = last_line_with(r"\breturn\b", text)
    if "seconds" in answer:
        return ParseError(
            f"the file did not finish within {answer['seconds']:g} s (trusted=True sets no limit)",
            *where,
        )
    if "memory" in answer:
        return ParseError(
            f"the file needs more than {answer['memory'] >> 20} MiB (trusted=True sets no limit)",
            *where,
        )
    if "returned" in answer:
        kind = "nothing" if answer["returned"] == "nil" else f"a {answer['returned']}"
        return ParseError(
            f"expected the file to return a table, it returned {kind}; end it with 'return model'",
            file,
            end,
        )
    if "refused" in answer:
        return ParseError(answer["refused"], file, end)
    return _lua_error(answer["error"], files, where)


def _tail_call(answer: dict[str, Any], source: str) -> int | None:
    """Where a slow function was called last, if its call took the place of the caller."""
    name = answer.get("tail")
    return last_line_with(rf"\b{name}\b", source) if name else None


def _lua_error(message: str, files: list[str], where: tuple[str, int | None]) -> ParseError:
    """Lua's message with its chunk number replaced by the file's name."""
    found = _PLACE.fullmatch(message)
    if found and found[1].isdigit() and int(found[1]) < len(files):
        where, message = (files[int(found[1])], int(found[2])), found[3]
    elif found and os.path.isfile(found[1]):  # a file that a trusted model required
        where, message = (found[1], int(found[2])), found[3]
    text = shorten(message, 500)
    missing = _MISSING_COMMA.fullmatch(text)
    if missing:
        text += f"; is a comma missing before '{missing[1]}'?"
    return ParseError(text, *where)
