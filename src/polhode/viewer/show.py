"""The page as a file, opened in the browser."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from ..simulation.files import write_atomically
from .page import html


def show(
    subject: Any,
    path: str | Path | None = None,
    open_browser: bool = True,
    *,
    title: str | None = None,
    fps: float = 60.0,
) -> Path:
    """Write a page that shows a model or a recording, and open it.

    Parameters
    ----------
    subject : Model or Recording
        What to show.
    path : path-like, optional
        File to write; a new one in the temporary folder by default.
    open_browser : bool
        Whether to open the page, if there is a screen.
    title : str, optional
        Heading; the model's name by default.
    fps : float
        Poses per second kept in the page.

    Returns
    -------
    path : Path
        The file written.

    Examples
    --------
    >>> import polhode as ph, tempfile
    >>> from polhode.model import Revolute
    >>> bar = ph.Model("bar").add("bar", joint=Revolute.x(), mass=1.0, com=(0, 0, -0.5))
    >>> ph.show(bar, tempfile.mkdtemp() + "/bar.html", open_browser=False).name
    'bar.html'
    """
    page = html(subject, title=title, fps=fps)
    if path is None:
        path = Path(tempfile.mkdtemp(prefix="polhode-")) / "motion.html"
    path = Path(path).absolute()
    write_atomically(path, page.encode("utf-8"))
    if open_browser:
        open_page(path)
    return path


def open_page(path: Path) -> None:
    """Open a page in the browser, where there is a screen to show one."""
    # Without a screen, webbrowser would take over the terminal with a text browser.
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if not sys.platform.startswith("linux") or any(map(os.environ.get, screens)):
        webbrowser.open(path.as_uri())
