"""What the scenes share: their options, and what a run leaves behind."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import polhode as ph
from polhode.recording.svg import line_plot

GROUND = (0.86, 0.88, 0.9, 1.0)


class Stage:
    """One run of a scene: its options, and the folder for its animation and figures.

    Parameters
    ----------
    name : str
        Of the folder, inside ``--output``.
    story : str
        What it is about, shown by ``--help``.
    """

    def __init__(self, name: str, story: str | None):
        title = (story or name).splitlines()[0]
        parser = argparse.ArgumentParser(description=title)
        parser.add_argument("--output", type=Path, default=Path("scenes"), metavar="DIR")
        parser.add_argument("--open", action="store_true", help="open the animation")
        parser.add_argument("--picture", action="store_true", help="draw a still (needs Chromium)")
        self.options: argparse.Namespace = parser.parse_args()
        self.folder: Path = self.options.output / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.began: float = perf_counter()
        print(title)

    def figure(
        self, name: str, t: np.ndarray, lines: Sequence[tuple[str, np.ndarray]], title: str, y: str
    ) -> None:
        """Up to four lines over time."""
        text = line_plot(t, lines, title=title, x="time [s]", y=y)
        (self.folder / f"{name}.svg").write_text(text, encoding="utf-8")

    def animation(self, recording: ph.Recording, *, still: float, **view: Any) -> None:
        """The page with the motion; ``still`` is the moment of a picture [s]."""
        path = self.folder / "animation.html"
        ph.show(recording, path, open_browser=self.options.open, **view)
        if self.options.picture:
            ph.render(recording, self.folder / "still.png", at=still, size=(960, 600), **view)
        print(recording.audit)
        print(f"{perf_counter() - self.began:.1f} s in all; animation and figures: {self.folder}")
