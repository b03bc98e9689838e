"""A headless Chromium, driven through its debugging pipe."""

import fcntl
import json
import os
import select
import shutil
import subprocess
import time

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--hide-scrollbars", "--no-first-run", "--window-size=400,300",
    "--disable-background-networking", "--remote-debugging-pipe",
)  # fmt: skip


def find_browser():
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of a browser; keeps the errors and the requests it sees."""

    def __init__(self, path, profile):
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4, whatever these are here.
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (to_browser, from_browser)]

        def place():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [path, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=place, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for fd in (to_browser, from_browser, *high):
            os.close(fd)
        self._buffer, self._count, self._session = b"", 0, None
        self.errors, self.requests = [], []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method, **parameters):
        """Call a method of the protocol and return its result."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _receive(self, timeout=60.0):
        end = time.monotonic() + timeout
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], max(end - time.monotonic(), 0.0))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._read, 1 << 20)
            if not data:
                raise RuntimeError("the browser has gone")
            self._buffer += data
        raw, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(raw)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, method, params):
        if method == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"].get("text", "") + str(params)[:400])
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.errors.append(str(params["args"])[:400])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def open(self, url):
        """Load a page and wait until it says that it is ready."""
        self.errors.clear()
        self.requests.clear()
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=url)
        end = time.monotonic() + 40.0
        while self.run("document.documentElement?.dataset.ready || ''") != "yes":
            if time.monotonic() > end:
                raise TimeoutError(f"the page is not ready: {self.errors}")
            time.sleep(0.05)

    def run(self, expression):
        """The value of a JavaScript expression."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"])[:600])
        return result["result"].get("value")

    def key(self, key, **more):
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, **more)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._read)
        os.close(self._write)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """The browser of all tests; without one they are skipped, but fail where CI runs them."""
    path = find_browser()
    if path is None:
        message = "no Chromium on PATH"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    browser = Browser(path, tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()
