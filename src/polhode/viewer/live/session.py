"""The loop that runs a simulation in real time, as the pages command."""

from __future__ import annotations

import queue
from time import perf_counter
from typing import Any, Protocol

from ...errors import one_line
from .messages import Command, frame
from .pull import HELD, Pull
from .runs import LiveRun

_TICK = 1.0 / 60.0  # seconds between two frames
_CALL = 0.008  # seconds in one call of the simulation, so that commands are heard
_BEHIND = 0.1  # seconds of delay that are caught up with
_IDLE = 0.2  # seconds between two looks at the windows while nothing moves
GRACE = 2.0  # seconds that the last window may be gone until it asks for its page again
LOADING = 60.0  # seconds that a page which was asked for has to begin to draw


class Audience(Protocol):
    """Who is told."""

    def publish(self, frame: bytes) -> None: ...
    def tell(self, state: dict[str, Any]) -> None: ...


class Session:
    """Steps a run while it plays; everything is done by the thread that calls `go`.

    Attributes
    ----------
    error : Exception or None
        What the simulation has stopped with.
    """

    def __init__(self, run: LiveRun, *, speed: float, is_playing: bool, closes: bool):
        self.run: LiveRun = run
        self.speed = speed
        self.is_playing = is_playing
        self._closes = closes
        self.error: Exception | None = None
        self.is_open = True
        self._inbox: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self._windows, self._left_at = 0, float("inf")
        self._asked_at = float("-inf")  # for a page that has not drawn yet
        self._pull: Pull | None = None
        self._parents = tuple(run.model.parent[i] for i in run.model.bodies)
        self._cost = 1e-3  # seconds of a step
        self._owed = self._rate = 0.0
        self._last = perf_counter()

    def hear(self, command: Command) -> None:
        """Have a command done; may be called from any thread."""
        self._inbox.put(command)

    def go(self, audience: Audience) -> None:
        """Run until closed."""
        self._audience = audience
        self._show()
        self._tell()
        while self.is_open:
            begin = perf_counter()
            if self._moves:
                self._play(begin)
            self._listen(begin + (_TICK if self._moves else _IDLE))
            if self._closes and self._is_abandoned():
                self.is_open = False
        self._tell()

    def _is_abandoned(self) -> bool:
        """Whether the last window is gone for good; a reload asks for its page before or after."""
        return perf_counter() > max(self._left_at + GRACE, self._asked_at + LOADING)

    @property
    def _moves(self) -> bool:
        return self.is_playing and self._windows > 0

    def _listen(self, until: float) -> None:
        """Do what is asked, until a time."""
        while self.is_open:
            left = until - perf_counter()
            try:
                command = self._inbox.get(timeout=left) if left > 0 else self._inbox.get_nowait()
            except queue.Empty:
                return
            was = self._moves
            self._obey(command)
            if self._moves and not was:
                self._last = perf_counter()
                return

    def _obey(self, command: Command) -> None:
        match command.verb:
            case "join":
                self._windows += 1
                self._left_at, self._asked_at = float("inf"), float("-inf")
            case "load":
                self._asked_at = perf_counter()
            case "leave":
                self._windows -= 1
                self._left_at = perf_counter() if self._windows == 0 else float("inf")
                self._release()
            case "play":
                self.is_playing = self.error is None
            case "pause":
                self.is_playing = False
            case "speed":
                self.speed: float = command.number
            case "step" if self.error is None:
                self.is_playing = False
                self._attempt(1)
                self._show()
            case "reset":
                self._reset()
            case "pull":
                self._aim(command)
            case "release":
                self._release()
            case "close":
                self.is_open: bool = False
        if command.verb not in ("pull", "release"):
            self._tell()

    def _reset(self) -> None:
        self._release()
        self.run.reset()
        self.error, self.is_playing = None, False
        self._owed = self._rate = 0.0
        self._show()

    def _aim(self, command: Command) -> None:
        pull = self._pull
        if pull is None or (pull.body, *pull.point) != (command.body, *command.point):
            self._release()
            self._pull = Pull(self.run.model, command.body, command.point)
        self._pull.target[:] = command.target  # type: ignore[union-attr]

    def _release(self) -> None:
        if self._pull is not None:
            self.run.push(self._pull.body, None)
            self._pull = None

    def _play(self, now: float) -> None:
        """Simulate what has passed on the clock, or as much of it as can be done."""
        passed, self._last = now - self._last, now
        self._owed = min(self._owed + passed * self.speed, _BEHIND * self.speed)
        dt, before = self.run.dt, self.run.time
        while (count := int(self._owed / dt * (1.0 + 1e-9))) > 0 and self.error is None:
            count = min(count, max(int(_CALL / self._cost), 1))
            self._attempt(count)
            self._owed -= count * dt
            if perf_counter() - now > _TICK:
                self._owed = 0.0  # slower than the clock: no debts
        if passed > 0.0:
            self._rate += 0.1 * ((self.run.time - before) / passed - self._rate)
        if self.run.time != before or self.error is not None:
            self._show()

    def _attempt(self, count: int) -> None:
        """Make steps; what goes wrong is told in the page."""
        begin = perf_counter()
        held = max(int(HELD / self.run.dt), 1) if self._pull is not None else count
        try:
            for done in range(0, count, held):
                if self._pull is not None:
                    pose = self.run.poses()[self._pull.body - 1]
                    self.run.push(self._pull.body, self._pull.wrench(self.run.time, pose))
                self.run.advance(min(held, count - done))
        except Exception as error:
            self.error = error
            self.is_playing: bool = False
            self._tell()
        self._cost += 0.3 * ((perf_counter() - begin) / count - self._cost)

    def _show(self) -> None:
        run = self.run
        self._audience.publish(
            frame(run.time, self._rate, self._parents, run.poses(), run.contacts())
        )

    def _tell(self) -> None:
        error = self.error
        self._audience.tell(
            {
                "playing": self.is_playing,
                "speed": self.speed,
                "open": self.is_open,
                "error": None if error is None else one_line(f"{type(error).__name__}: {error}"),
            }
        )
