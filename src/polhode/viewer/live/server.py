"""The page and its socket, served on the loopback from a thread of their own."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ...errors import ArgumentError, shown
from .guard import Guard
from .messages import LONGEST, BadMessage, Command, read_command

_UNSEEN = 2  # frames on their way to a page that has not drawn them
_LAST_PORT = 65535
_PATIENCE = 5.0  # seconds for the thread to end
_ASKING = 2.0  # seconds to ask for something: browsers open sockets that they may never use
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def _listen(host: str, port: int) -> socket.socket:
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= _LAST_PORT:
        raise ArgumentError(
            f"expected a port from 1 to {_LAST_PORT}, or 0 for a free one, for the live view, "
            f"got {shown(port)}"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        number = error.errno or 0
        raise type(error)(
            number,
            f"expected a port that the live view can have, got {port} on {host}: "
            f"{os.strerror(number)}; port=0 takes a free one",
        ) from None


class Window:
    """One page: what it was sent, and how much of it it has drawn."""

    def __init__(self):
        self.news: asyncio.Event = asyncio.Event()
        self.unseen: int = 0
        self.frame: bytes = b""
        self.state: str = ""
        self.has_drawn: bool = False


class Server:
    """Sends each page the newest frame when it has drawn the one before; nobody waits for a page.

    Raises
    ------
    ValueError
        If the port is no number from 0 to 65535.
    OSError
        If the port cannot be had.
    """

    def __init__(
        self, host: str, port: int, n_bodies: int, heard: Callable[[Command], None]
    ):  # fmt: skip
        self._socket = _listen(host, port)
        self.port: int = self._socket.getsockname()[1]
        self.guard: Guard = Guard(host, self.port)
        self._heard, self._n_bodies = heard, n_bodies
        self._windows: set[Window] = set()
        self._frame, self._state, self._page = b"", "", b""
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="polhode-live", daemon=True)

    def start(self, page: str) -> None:
        """Begin to serve a page."""
        self._page = page.encode("utf-8")
        self._thread.start()

    def publish(self, frame: bytes) -> None:
        """Make this the newest frame."""
        self._frame = frame
        self._tell_all()

    def tell(self, state: dict[str, Any]) -> None:
        """Make this the state that pages show."""
        self._state = json.dumps(state)
        self._tell_all()

    def stop(self) -> None:
        """Say goodbye to all pages and end the thread."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._stopping.set)
        if self._thread.ident is not None:
            self._thread.join(_PATIENCE)
        self._socket.close()

    def _tell_all(self) -> None:
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        for window in self._windows:
            window.news.set()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            asyncio.set_event_loop(None)
            self._loop.close()

    async def _serve(self) -> None:
        from websockets.asyncio.server import serve

        log = logging.getLogger("polhode.live")
        log.addHandler(logging.NullHandler())
        log.propagate = False  # refused callers are no news for the terminal
        async with serve(
            self._talk, sock=self._socket, process_request=self._answer, compression=None,
            max_size=4 * LONGEST, max_queue=64, write_limit=65536, open_timeout=_ASKING,
            close_timeout=1.0, server_header=None, logger=log,
        ):  # fmt: skip
            await self._stopping.wait()

    def _answer(self, connection: Any, request: Any) -> Any:
        """The page, or a refusal; None lets a socket through."""
        from websockets.datastructures import Headers
        from websockets.http11 import Response

        is_upgrade = "websocket" in ",".join(request.headers.get_all("Upgrade")).lower()
        refusal = self.guard.refuses(request.path, request.headers, is_upgrade)
        # Older versions of the library let GET through alone, and do not tell the method.
        if refusal is None and getattr(request, "method", "GET") != "GET":
            refusal = 405, "this server is only read"
        if refusal is not None:
            status, reason = refusal
            return connection.respond(status, reason + "\n")
        if is_upgrade:
            return None
        self._heard(Command("load"))
        size = {"Content-Length": str(len(self._page)), "Connection": "close"}
        return Response(200, "OK", Headers(_HEADERS | size), self._page)

    async def _talk(self, connection: Any) -> None:
        from websockets.exceptions import ConnectionClosed

        window = Window()
        self._windows.add(window)
        sender = asyncio.ensure_future(self._send(connection, window))
        try:
            async for text in connection:
                self._take(read_command(text, self._n_bodies), window)
        except BadMessage as error:
            await connection.close(1008, str(error))
        except ConnectionClosed:
            pass  # without a goodbye: as good as with one
        finally:
            sender.cancel()
            self._windows.discard(window)
            if window.has_drawn:
                self._heard(Command("leave"))

    def _take(self, command: Command, window: Window) -> None:
        if command.verb != "seen":
            self._heard(command)
            return
        window.unseen = max(window.unseen - 1, 0)
        window.news.set()
        if not window.has_drawn:  # loading a page takes a while: nothing is missed
            window.has_drawn = True
            self._heard(Command("join"))

    async def _send(self, connection: Any, window: Window) -> None:
        from websockets.exceptions import ConnectionClosed

        with suppress(ConnectionClosed):
            window.news.set()
            while True:
                await window.news.wait()
                window.news.clear()
                if self._state is not window.state:
                    window.state = self._state
                    await connection.send(window.state)
                if self._frame is not window.frame and window.unseen < _UNSEEN:
                    window.frame = self._frame
                    window.unseen += 1
                    await connection.send(window.frame)
