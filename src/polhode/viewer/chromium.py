"""A headless Chromium, driven through its debugging pipe; no port is opened."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--hide-scrollbars", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
    "--disable-gpu-watchdog",
)  # fmt: skip
PATIENCE = 120.0  # seconds for an answer, and for a page to be ready
_LINGER = 5.0  # seconds that a browser's children may go on writing


class BrowserError(RuntimeError):
    """No browser was found, or it does not do what it should."""


def find_browser() -> str | None:
    """The path of a Chromium: the one named by POLHODE_BROWSER, or one on PATH; or None."""
    named = os.environ.get("POLHODE_BROWSER")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for a browser's files that is gone afterwards.

    Children of the browser write to its profile a little longer than it lives.
    """
    folder = Path(tempfile.mkdtemp(prefix="polhode-"))
    try:
        yield folder
    finally:
        end = time.monotonic() + _LINGER
        shutil.rmtree(folder, ignore_errors=True)
        while folder.exists() and time.monotonic() < end:
            time.sleep(0.05)
            shutil.rmtree(folder, ignore_errors=True)


class Browser:
    """One page of a browser; keeps the errors and the requests it sees.

    Raises
    ------
    BrowserError
        If there is no Chromium, it does not start, or does not answer within ``timeout`` seconds.
    """

    def __init__(
        self,
        profile: str | Path,
        size: tuple[int, int] = (400, 300),
        timeout: float = PATIENCE,
    ):
        self.timeout: float = timeout
        path = find_browser()
        if path is None:
            raise BrowserError(
                "expected Chromium or Chrome on PATH (or named by POLHODE_BROWSER), found none"
            )
        if sys.platform == "win32":
            raise BrowserError("pictures are not drawn on Windows yet: open the page instead")
        self._buffer, self._count, self._session = b"", 0, None
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._start(path, profile, size)
        try:
            self._attach(size)
        except BaseException:
            self.close()
            raise

    def _attach(self, size: tuple[int, int]) -> None:
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.resize(*size)

    def _start(self, path: str, profile: str | Path, size: tuple[int, int]) -> None:
        import fcntl

        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4, whatever these are here.  They cannot be
        # passed: what holds them may close them where a process forks, as matplotlib's fonts do.
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (to_browser, from_browser)]

        def place() -> None:
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        # A window below its least size never finishes a picture.
        window = f"--window-size={max(size[0], 500)},{max(size[1], 400)}"
        self.process: subprocess.Popen[bytes] = subprocess.Popen(
            [path, *FLAGS, window, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for fd in (to_browser, from_browser, *high):
            os.close(fd)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._put(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]

    def _put(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._write, data) :]
        except BrokenPipeError:
            raise BrowserError("the browser has gone") from None

    def _receive(self) -> dict[str, Any]:
        end = time.monotonic() + self.timeout
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], max(end - time.monotonic(), 0.0))[0]:
                raise BrowserError(self._late("the browser does not answer"))
            data = os.read(self._read, 1 << 20)
            if not data:
                raise BrowserError("the browser has gone")
            self._buffer += data
        raw, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(raw)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, method: str | None, params: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"].get("text", "") + str(params)[:400])
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.errors.append(str(params["args"])[:400])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def resize(self, width: int, height: int) -> None:
        """Give the page this many pixels."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def open(self, url: str) -> None:
        """Load a page and wait until it says that it is ready."""
        self.errors.clear()
        self.requests.clear()
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=url)
        end = time.monotonic() + self.timeout
        while self.run("document.documentElement?.dataset.ready || ''") != "yes":
            if time.monotonic() > end:
                faults = f"; its faults: {self.errors}" if self.errors else ""
                raise BrowserError(self._late("the page is not ready") + faults)
            time.sleep(0.02)

    def _late(self, what: str) -> str:
        return f"{what} after {self.timeout:g} s; a slow computer needs a longer timeout="

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise BrowserError(str(result["exceptionDetails"])[:600])
        return result["result"].get("value")

    def key(self, key: str, **more: Any) -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, **more)

    def close(self) -> None:
        """End the browser."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._read)
        os.close(self._write)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
