"""Runs one Lua model file where it can do no harm, and prints its table as JSON.

Started as a program of its own: ``python -I -S child.py LUPA_FOLDER MODEL_FOLDER SECONDS``, with
the text on standard input.  It has limits on time and memory, and access only to the model's
folder.  It imports nothing of polhode.  It prints one line of JSON, and after it the table as
JSON.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
from functools import cache

TYPE_CHECKING = False  # importing `typing` takes as long as all else here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SECONDS, CPU_SECONDS = 1.8, 2  # the parent kills at 2.5
MEMORY = 256 * 2**20
ADDRESS_SPACE = 2**30
MAX_DEPTH = 64
MAX_VALUES = 300_000
MAX_TEXT = 4 * 2**20
MAX_PRINTED = 10_000
MAX_MESSAGE = 10_000
MAX_FILE = 16 * 2**20
MAX_FILES = 1000
SLOW = ("find", "match", "gmatch", "gsub", "rep")  # run in C, as long as a pattern wants
MAX_NAME = 4096  # bytes of a file name

_ALIVE: list[Any] = []  # runtimes are never closed: closing runs finalizers, which may not end


class Sandbox:
    """Functions for a model file: read files of its folder, and print.

    Nothing here raises: an exception in Lua would be an object of this process.
    """

    def __init__(self, folder: str) -> None:
        self.folder: str = os.path.realpath(folder) if folder else ""
        self.files: list[str] = [""]  # chunk k of error messages is files[k]; 0 is the model file
        self.place: tuple[int, int] | None = None
        self.tail: str | None = None  # a slow function that took its caller's place
        self.printed: list[str] = []
        self.room: int = MAX_PRINTED

    def at(self, source: bytes, line: int) -> None:
        if source.isdigit() and int(source) < len(self.files):
            self.place, self.tail = (int(source), line), None

    def at_tail(self, name: bytes) -> None:
        self.place, self.tail = None, name.decode()

    def say(self, text: bytes) -> None:
        if self.room > 0:
            self.printed.append(text[: self.room].decode("utf-8", "replace"))
            self.room -= len(text) + 1

    def chunk(self, path: bytes) -> bytes | None:
        """The name under which Lua's messages mention a file."""
        name = path.decode("utf-8", "replace")[:MAX_NAME]
        if name not in self.files:
            if len(self.files) >= MAX_FILES:
                return None
            self.files.append(name)
        return b"=%d" % self.files.index(name)

    def exists(self, path: bytes) -> bool:
        real = self._inside(path)
        return real is not None and os.path.exists(real)

    def _inside(self, path: bytes) -> str | None:
        """The real path of a file of the model's folder, None for one outside."""
        if not self.folder or b"\0" in path or len(path) > MAX_NAME:
            return None
        real = os.path.realpath(os.path.join(self.folder, os.fsdecode(path)))
        return real if real.startswith(os.path.join(self.folder, "")) else None

    def read(self, path: bytes) -> tuple[bytes | None, bytes | None]:
        """A file of the model's folder, or why not."""
        named = b"'%s'" % path[:MAX_NAME]
        if not self.folder:
            return None, b"a model that is not in a file cannot read " + named
        real = self._inside(path)
        if real is None:
            return None, named + b" lies outside the model's folder (trusted=True allows it)"
        text = _regular(real)
        if text is None:
            return None, b"no file %s in the model's folder" % named
        return plain(text), None

    def offered(self) -> dict[bytes, Any]:
        names = ("at", "say", "chunk", "exists", "read")
        calls = {name: getattr(self, name) for name in names} | {"tail": self.at_tail}
        return {name.encode(): _without_errors(call) for name, call in calls.items()}


def _regular(path: str) -> bytes | None:
    """The content of a regular file that is not too large."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    with open(handle, "rb") as stream:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE:
            return None
        return stream.read(MAX_FILE)


def _without_errors(call: Callable[..., Any]) -> Callable[..., Any]:
    def quietly(*arguments: Any) -> Any:
        try:
            return call(*arguments)
        except Exception:
            return None

    return quietly


def plain(source: bytes) -> bytes:
    """A file's text without byte-order mark, its first line hidden if it starts with ``#``."""
    source = source.removeprefix(b"\xef\xbb\xbf")
    return b"--" + source if source.startswith(b"#") else source


def run(lua54: Any, source: bytes, sandbox: Sandbox, every_line: bool = False) -> dict[str, Any]:
    """Run a model file and export its result."""
    lua = lua54.LuaRuntime(
        encoding=None,
        register_eval=False,
        register_builtins=False,
        unpack_returned_tuples=True,
        attribute_filter=_no_attributes,
        max_memory=MEMORY,
    )
    _ALIVE.append(lua)
    lua.globals()[b"python"] = None
    offered = lua.table_from(sandbox.offered())
    try:
        call = lua.compile(lua_text("sandbox"))(offered, reporter(lua))
        return told(call(plain(source), b"=0", every_line))
    except lua54.LuaMemoryError:
        return {"memory": MEMORY}
    except lua54.LuaError as error:  # an error in the handler of errors, as of a full stack
        return {"error": str(error)[:MAX_MESSAGE]}


def reporter(lua: Any) -> Any:
    """The Lua functions that export a table and place an error."""
    return lua.compile(lua_text("report"))(MAX_DEPTH, MAX_VALUES, MAX_TEXT)


@cache
def lua_text(name: str) -> bytes:
    """One of the Lua files beside this one."""
    with open(os.path.join(os.path.dirname(__file__), name + ".lua"), "rb") as stream:
        return stream.read()


def told(returned: tuple[Any, ...]) -> dict[str, Any]:
    """The answer to the reader: the table as JSON text, or an error."""
    ok, text, problem = (*returned, None, None)[:3]
    if ok and text is not None:
        return {"table": text}
    message = ((problem if ok else text) or b"")[:MAX_MESSAGE].decode("utf-8", "replace")
    if message.endswith("not enough memory"):
        return {"memory": MEMORY}
    if not ok:
        return {"error": message}
    return {"refused": message} if " " in message else {"returned": message}


def as_json(value: Any) -> str:
    """Plain data as JSON in ASCII: the library for it takes longer to import than Lua to run."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{as_json(k)}:{as_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(as_json, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(map(_spelt, value)) + '"'
    return "null" if value is None else repr(value)


def _spelt(character: str) -> str:
    if " " <= character <= "~" and character not in '"\\':
        return character
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _is_placeless(answer: dict[str, Any], sandbox: Sandbox) -> bool:
    """Whether a slower second run can tell the line of an error that has none."""
    if "memory" in answer:
        return sandbox.place is None
    return "error" in answer and not answer["error"].split(":")[0].isdigit()


def _no_attributes(owner: Any, name: Any, setting: bool) -> Any:
    raise AttributeError("not available in a model file")


def main() -> None:
    lupa_folder, folder, seconds = sys.argv[1:]
    sys.path += [lupa_folder, os.path.dirname(os.path.abspath(__file__))]
    import confine  # type: ignore[import-not-found]  # found beside this file
    from lupa import lua54

    confine.limit(CPU_SECONDS, ADDRESS_SPACE)
    for name in ("sandbox", "report"):
        lua_text(name)  # other folders are out of reach soon
    source = sys.stdin.buffer.read()
    sandbox = Sandbox(folder)
    out, lock = sys.stdout.buffer, threading.Lock()

    def finish(answer: dict[str, Any]) -> None:
        with lock:  # never released: the first to come ends the process
            table = answer.pop("table", b"")
            answer |= {key: getattr(sandbox, key) for key in ("files", "place", "tail", "printed")}
            out.write(as_json(answer).encode() + b"\n" + table)
            out.flush()
            os._exit(0)

    confine.confine_files(sandbox.folder)
    out_of: dict[str, Any] = {"seconds": float(seconds)}
    watchdog = threading.Timer(float(seconds), lambda: finish(dict(out_of)))
    watchdog.daemon = True
    watchdog.start()
    confine.forbid_processes()
    confine.confine_calls()
    try:
        answer = run(lua54, source, sandbox)
        if _is_placeless(answer, sandbox):
            out_of = answer
            sandbox.printed.clear()
            answer = run(lua54, source, sandbox, every_line=True)
    except MemoryError:
        answer = {"memory": MEMORY}
    finish(answer)


if __name__ == "__main__":
    main()
