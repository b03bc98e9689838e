"""The public function of the live view."""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Mapping
from typing import Any

from ...errors import ArgumentError, shown
from ..camera import Camera
from ..page import page_of
from ..show import has_screen, open_page
from .guard import check_host
from .invitation import Invitation
from .messages import FASTEST, SLOWEST
from .runs import LiveRun, run_of
from .server import Server
from .session import Session

_PATIENCE = 10.0  # seconds for the simulation to finish the steps it is at


class LiveView:
    """A simulation that runs while pages look at it; see `polhode.show`.

    Attributes
    ----------
    url : str
        The address of the page.  Who has it may steer the simulation.
    """

    def __init__(self, run: LiveRun, server: Server, session: Session):
        self._run, self._server, self._session = run, server, session
        self._thread: threading.Thread | None = None
        self._invitation = Invitation(server.guard.url)
        self.url: str = server.guard.url

    def __repr__(self) -> str:
        return f"LiveView({self.url!r}, {'open' if self.is_open else 'closed'})"

    @property
    def is_open(self) -> bool:
        """Whether it runs, or can."""
        return self._session.is_open

    @property
    def error(self) -> Exception | None:
        """What the simulation has stopped with, or None."""
        return self._session.error

    def close(self) -> None:
        """End the simulation, the server and their threads."""
        self._session.is_open = False
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_PATIENCE)
        self._end()

    def _end(self) -> None:
        self._server.stop()
        self._invitation.withdraw()
        atexit.unregister(self.close)

    def open_page(self) -> None:
        """Open the page in the browser, where there is a screen to show one."""
        if has_screen():
            open_page(self._invitation.path())

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the last window is closed; return whether it is."""
        if self._thread is not None:
            self._thread.join(timeout)
        return not self.is_open

    def __enter__(self) -> LiveView:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run_here(self) -> None:
        try:
            print(f"live at {self.url} (Ctrl-C ends it)", file=sys.stderr)
            self._session.go(self._server)
        except KeyboardInterrupt:
            pass  # the usual way to end
        finally:
            self.close()
        if self.error is not None:
            raise self.error

    def _run_beside(self) -> None:
        atexit.register(self.close)
        self._thread = threading.Thread(target=self._alone, name="polhode-simulation", daemon=True)
        self._thread.start()

    def _alone(self) -> None:
        try:
            self._session.go(self._server)
        finally:
            self._end()


def show_live(
    subject: Any,
    *,
    open_browser: bool = True,
    title: str | None = None,
    camera: Camera | Mapping[str, Any] | None = None,
    about: Mapping[str, str] | None = None,
    block: bool = True,
    host: str = "127.0.0.1",
    port: int = 0,
    speed: float = 1.0,
    is_playing: bool = True,
    closes: bool = True,
    **options: Any,
) -> LiveView:
    """Run a simulation in the browser.

    Parameters
    ----------
    subject : Simulator, Scene or Model
        What to run: a simulator from where it is now.
    open_browser : bool
        Whether to open the page, if there is a screen.
    title, camera, about
        As for `polhode.show`.
    block : bool
        Whether to run here until the last window is closed or Ctrl-C is pressed; else a thread
        runs it, until the view is closed.
    host : str
        A loopback address; others are refused.
    port : int
        A free one by default.
    speed : float
        Simulated seconds in a second, from 0.001 to 20, if the computer is fast enough.
    is_playing : bool
        Whether it runs as soon as somebody looks.
    closes : bool
        Whether it ends two seconds after the last window is gone.  A page that is loaded again
        has a minute to draw.
    **options
        Of a scene: as of `Simulator`.  Of a model: ``q0 qd0 dt controller f_ext seed``
        and ``integrator``, as of `polhode.simulate`.

    Returns
    -------
    view : LiveView
        With ``block``, closed.

    Raises
    ------
    ValueError
        For a host that is not on the loopback, or another wrong option.
    ImportError
        Without the package ``websockets``.
    Exception
        With ``block``: what the simulation had stopped with when the last window was closed.
    """
    _need_websockets()
    host = check_host(host)
    if not (isinstance(speed, int | float) and SLOWEST <= speed <= FASTEST):
        raise ArgumentError(f"expected a speed from {SLOWEST} to {FASTEST}, got {shown(speed)}")
    run = run_of(subject, options)
    film = run.film()
    session = Session(run, speed=speed, is_playing=is_playing, closes=closes)
    server = Server(host, port, run.model.n_bodies, session.hear)
    server.start(
        page_of(
            [film], title=title, camera=None if camera is None else Camera.of(camera),
            about=about, live=server.guard.hosts,
        )
    )  # fmt: skip
    view = LiveView(run, server, session)
    if open_browser:
        view.open_page()
    if block:
        view._run_here()
    else:
        view._run_beside()
    return view


def _need_websockets() -> None:
    try:
        import websockets.asyncio.server  # noqa: F401
    except ImportError:
        raise ImportError(
            "expected the package websockets, 14 or newer, for the live view "
            "(pip install 'polhode[live]'), found none"
        ) from None
