"""What the seven tutorials share: options, integration, commands, figures, animations."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from polhode import spatial_v2 as sv
from polhode.recording.svg import line_plot, ticks

PERIOD = 4.0
Rates = Callable[[float, np.ndarray], np.ndarray]


class Tutorial:
    """One run of a tutorial: its options, and the folder for what it leaves.

    Parameters
    ----------
    name : str
        Of the folder, inside ``--output``.
    story : str
        What it is about, shown by ``--help``.
    **options
        Further options with their defaults; a tuple takes several numbers, a list offers
        choices of which the first is the default.
    """

    def __init__(self, name: str, story: str | None, duration: float, **options: object):
        parser = argparse.ArgumentParser(description=story)
        parser.add_argument("--output", type=Path, default=Path("tutorials"), metavar="DIR")
        parser.add_argument("--duration", type=float, default=duration, metavar="SECONDS")
        parser.add_argument("--open", action="store_true", help="open the animation")
        for key, default in options.items():
            _add_option(parser, "--" + key.replace("_", "-"), default)
        self.options: argparse.Namespace = parser.parse_args()
        self.folder: Path = self.options.output / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.began: float = perf_counter()
        print((story or name).splitlines()[0])

    def figure(
        self, name: str, t: np.ndarray, lines: Sequence[tuple[str, np.ndarray]], title: str, y: str
    ) -> None:
        """Lines over time."""
        text = line_plot(t, lines, title=title, x="time [s]", y=y)
        (self.folder / f"{name}.svg").write_text(text, encoding="utf-8")

    def phase_figure(self, name: str, x: np.ndarray, y: np.ndarray, title: str) -> None:
        """A curve in a plane, such as velocity over position."""
        (self.folder / f"{name}.svg").write_text(_curve(x, y, title), encoding="utf-8")

    def animation(self, model: sv.SystemModel, t: np.ndarray, q: np.ndarray, title: str) -> None:
        """The page with the motion; ``q`` has a column for each time."""
        path = self.folder / "animation.html"
        sv.showmotion(model, t, q, path=path, open_browser=self.options.open, title=title)
        seconds = perf_counter() - self.began
        print(f"{len(t)} samples in {seconds:.1f} s; figures and animation in {self.folder}")


def _add_option(parser: argparse.ArgumentParser, flag: str, default: object) -> None:
    if isinstance(default, bool):
        parser.add_argument(flag, action="store_true")
    elif isinstance(default, list):
        parser.add_argument(flag, choices=default, default=default[0])
    elif isinstance(default, tuple):
        parser.add_argument(flag, type=float, nargs=len(default), default=default)
    else:
        parser.add_argument(flag, type=type(default), default=default)


def integrate(
    rates: Rates, x0: np.ndarray, stops: Sequence[float] | np.ndarray, **solver: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Times and states (a column each) at the steps of a variable-step method.

    It starts afresh at each of ``stops``, where a command has a corner; Dormand and
    Prince's pair is MATLAB's ``ode45``.
    """
    solver = {"method": "RK45", "rtol": 1e-3, "atol": 1e-6} | solver
    times, states = [np.array([stops[0]])], [np.asarray(x0, float)[:, None]]
    for start, stop in pairwise(stops):
        run = solve_ivp(rates, (start, stop), states[-1][:, -1], **solver)
        if not run.success:
            sys.exit(f"the integration failed at t = {run.t[-1]:g} s: {run.message}")
        times.append(run.t[1:])
        states.append(run.y[:, 1:])
    return np.concatenate(times), np.concatenate(states, axis=1)


class Polyline:
    """A polyline that repeats every four seconds; a row of values for each corner."""

    def __init__(self, *rows: Sequence[float]):
        self.corners: np.ndarray = np.arange(5.0)
        self.values: np.ndarray = np.array(rows, float)

    def __call__(self, t: float | np.ndarray) -> np.ndarray:
        return np.array([np.interp(np.mod(t, PERIOD), self.corners, row) for row in self.values])

    def slope(self, t: float) -> np.ndarray:
        """The derivative; at a corner that of the segment that begins there."""
        k = min(int(t % PERIOD + 1e-12), 3)
        return self.values[:, k + 1] - self.values[:, k]

    def stops(self, duration: float) -> np.ndarray:
        """The instants between which the command is straight."""
        return np.append(np.arange(0.0, duration - 1e-9, 1.0), duration)


def _curve(x: np.ndarray, y: np.ndarray, title: str, size: int = 460, edge: int = 60) -> str:
    across, up = ticks(float(x.min()), float(x.max())), ticks(float(y.min()), float(y.max()))

    def place(values: np.ndarray, marks: list[float]) -> np.ndarray:
        return edge + (np.asarray(values) - marks[0]) / (marks[-1] - marks[0]) * (size - 2 * edge)

    points = np.stack((place(x, across), size - place(y, up)), axis=1)
    path = "M" + " L".join(f"{a:.1f} {b:.1f}" for a, b in points)
    frame = f'<rect x="{edge}" y="{edge}" width="{size - 2 * edge}" height="{size - 2 * edge}"/>'
    labels = "".join(
        f'<text x="{a:.0f}" y="{size - edge + 20}" text-anchor="middle">{v:g}</text>'
        for v, a in zip(across, place(np.array(across), across), strict=True)
    ) + "".join(
        f'<text x="{edge - 8}" y="{size - a + 4:.0f}" text-anchor="end">{v:g}</text>'
        for v, a in zip(up, place(np.array(up), up), strict=True)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" width="{size}" '
        'height="{size}" font-family="sans-serif" font-size="13">'.replace("{size}", str(size))
        + f'<rect width="100%" height="100%" fill="#fff"/><g fill="none" stroke="#1d242d">{frame}'
        f'</g><g fill="#5d6875">{labels}<text x="{edge}" y="32" font-size="17">{title}</text></g>'
        f'<path d="{path}" fill="none" stroke="#d97a2b" stroke-width="2"/></svg>\n'
    )
