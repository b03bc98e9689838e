"""Runs one Lua model file where it can do no harm, and prints its table as JSON.

Started as a program of its own (``python -I -S child.py LUPA_FOLDER MODEL_FOLDER``, the text on
standard input) with limits on time and memory; imports nothing of polhode.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

SECONDS = 1.8  # the parent kills at 2.5, the CPU limit at 2
MEMORY = 256 * 2**20
ADDRESS_SPACE = 2**30
MAX_DEPTH = 64
MAX_VALUES = 300_000
MAX_TEXT = 4 * 2**20
MAX_PRINTED = 10_000
MAX_FILE = 16 * 2**20

_ALIVE: list[Any] = []  # runtimes are never closed: closing runs finalizers, which may not end


class Sandbox:
    """What a model file may ask for: files of its folder, and to print."""

    def __init__(self, folder: str) -> None:
        self.folder: str = os.path.realpath(folder) if folder else ""
        self.files: list[str] = [""]  # chunk k of error messages is files[k]; 0 is the model file
        self.place: tuple[int, int] | None = None
        self.tail: str | None = None  # a slow function that took its caller's place
        self.printed: list[str] = []
        self.room: int = MAX_PRINTED

    def at(self, source: bytes, line: int) -> None:
        if source.isdigit():
            self.place, self.tail = (int(source), line), None

    def at_tail(self, name: bytes) -> None:
        self.place, self.tail = None, name.decode()

    def say(self, text: bytes) -> None:
        if self.room > 0:
            self.printed.append(text[: self.room].decode("utf-8", "replace"))
            self.room -= len(text) + 1

    def chunk(self, path: bytes) -> bytes:
        """The name under which Lua's messages mention a file."""
        self.files.append(os.fsdecode(path))
        return b"=%d" % (len(self.files) - 1)

    def exists(self, path: bytes) -> bool:
        return self._inside(path) is not None and os.path.exists(str(self._inside(path)))

    def _inside(self, path: bytes) -> str | None:
        """The real path of a file of the model's folder, None for one outside."""
        real = os.path.realpath(os.path.join(self.folder, os.fsdecode(path)))
        return real if self.folder and real.startswith(os.path.join(self.folder, "")) else None

    def read(self, path: bytes) -> tuple[bytes | None, bytes | None]:
        """A file of the model's folder, or why not."""
        if not self.folder:
            return None, b"a model that is not in a file cannot read '%s'" % path
        real = self._inside(path)
        if real is None:
            return None, b"'%s' lies outside the model's folder (trusted=True allows it)" % path
        if not os.path.isfile(real) or os.path.getsize(real) > MAX_FILE:
            return None, b"no file '%s' in the model's folder" % path
        with open(real, "rb") as stream:
            return plain(stream.read()), None

    def offered(self) -> dict[bytes, Any]:
        names = ("at", "say", "chunk", "exists", "read")
        return {name.encode(): getattr(self, name) for name in names} | {b"tail": self.at_tail}


def plain(source: bytes) -> bytes:
    """A file's text without byte-order mark, its first line hidden if it starts with ``#``."""
    source = source.removeprefix(b"\xef\xbb\xbf")
    return b"--" + source if source.startswith(b"#") else source


def run(lua54: Any, source: bytes, sandbox: Sandbox, every_line: bool = False) -> dict[str, Any]:
    """Run a model file and export what it returns."""
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
        return answer_of(call(plain(source), b"=0", every_line))
    except lua54.LuaMemoryError:
        return {"memory": MEMORY}
    except lua54.LuaError as error:  # an error in the handler of errors, as of a full stack
        return {"error": str(error)}


def reporter(lua: Any) -> Any:
    """The Lua functions that export a table and place an error."""
    return lua.compile(lua_text("report"))(MAX_DEPTH, MAX_VALUES, MAX_TEXT)


def lua_text(name: str) -> bytes:
    """One of the Lua files beside this one."""
    with open(os.path.join(os.path.dirname(__file__), name + ".lua"), "rb") as stream:
        return stream.read()


def answer_of(returned: tuple[Any, ...]) -> dict[str, Any]:
    """What the reader is told: the table as JSON text, or what went wrong."""
    ok, text, problem = (*returned, None, None)[:3]
    if ok and text is not None:
        return {"table": text.decode("utf-8", "replace")}
    message = ((problem if ok else text) or b"").decode("utf-8", "replace")
    if message.endswith("not enough memory"):
        return {"memory": MEMORY}
    if not ok:
        return {"error": message}
    return {"refused": message} if " " in message else {"returned": message}


def _is_placeless(answer: dict[str, Any], sandbox: Sandbox) -> bool:
    """Whether a slower second run can tell the line of an error that has none."""
    if "memory" in answer:
        return sandbox.place is None
    return "error" in answer and not answer["error"].split(":")[0].isdigit()


def _no_attributes(owner: Any, name: Any, setting: bool) -> Any:
    raise AttributeError("not available in a model file")


def _limit() -> None:
    """Bound processor time, memory and files of this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    limits = {resource.RLIMIT_CPU: 2, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CORE: 0}
    if sys.platform != "darwin":
        limits[resource.RLIMIT_AS] = ADDRESS_SPACE
    for which, limit in limits.items():
        highest = resource.getrlimit(which)[1]
        if highest == resource.RLIM_INFINITY or highest > limit:
            resource.setrlimit(which, (limit, limit))


def main() -> None:
    lupa_folder, folder = sys.argv[1:]
    sys.path.append(lupa_folder)
    _limit()
    sandbox = Sandbox(folder)
    out, lock = sys.stdout.buffer, threading.Lock()

    def finish(answer: dict[str, Any]) -> None:
        with lock:  # never released: the first to come ends the process
            answer |= {key: getattr(sandbox, key) for key in ("files", "place", "tail", "printed")}
            out.write(json.dumps(answer).encode())
            out.flush()
            os._exit(0)

    out_of: dict[str, Any] = {"seconds": SECONDS}
    watchdog = threading.Timer(SECONDS, lambda: finish(dict(out_of)))
    watchdog.daemon = True
    watchdog.start()
    from lupa import lua54

    source = sys.stdin.buffer.read()
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
