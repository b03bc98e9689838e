"""The page as a file, opened in the browser."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from ..errors import suggestion
from ..files.kinds import PAGES, check_target
from ..files.writing import write_atomically
from ..notebooks import in_notebook
from .camera import Camera
from .film import Film
from .jupyter import framed
from .page import html, page_of

if TYPE_CHECKING:
    from .live import LiveView

    _Path = Path
else:
    _Path = type(Path())  # Path itself cannot be subclassed before Python 3.12

OPTIONS = ("title", "fps", "camera", "layout", "signals", "about", "live", "open_browser")


class PagePath(_Path):
    """The path of a page, which shows itself as the last line of a notebook's cell."""

    def _repr_html_(self) -> str | None:
        if self.suffix.lower() not in (".html", ".htm") or not self.is_file():
            return None
        return framed(self.read_text(encoding="utf-8"))


@overload
def show(
    subject: Any,
    path: None = None,
    open_browser: bool = True,
    *,
    live: Literal[True],
    **options: Any,
) -> LiveView: ...


@overload
def show(
    subject: Any,
    path: str | Path | None = None,
    open_browser: bool = True,
    *,
    live: Literal[False] = False,
    **options: Any,
) -> PagePath: ...


def show(
    subject: Any,
    path: str | Path | None = None,
    open_browser: bool = True,
    *,
    title: str | None = None,
    fps: float = 60.0,
    camera: Camera | Mapping[str, Any] | None = None,
    layout: str = "overlay",
    signals: Mapping[str, Any] | None = None,
    about: Mapping[str, str] | None = None,
    live: bool = False,
    **options: Any,
) -> PagePath | LiveView:
    """Write a page that shows a model or a recording, and open it.

    Parameters
    ----------
    subject : Model, Scene, Recording, path of a recording, or a list of them
        What to show.  A model alone moves its joints one after the other, a scene stands as it
        begins.
    path : path-like, optional
        ``.html`` file to write; a new one in the temporary folder by default.
    open_browser : bool
        Whether to open the page, if there is a screen; in a notebook the result shows it.
    title : str, optional
        Heading; the model's name by default.
    fps : float
        Poses per second kept in the page, which interpolates between them; long motions of many
        bodies keep fewer, and the page says so.
    camera : Camera or mapping, optional
        From where to look at first, and what to follow.
    layout : "overlay" or "beside"
        Whether several subjects are drawn over each other, the later ones as ghosts, or side by
        side.
    signals : mapping, optional
        Further lines to plot: a name, such as ``"height [m]"``, to one value for each record
        time, or to a pair of times and values.
    about : mapping, optional
        What the page tells about the motion: ``title``, ``author``, ``description`` ...
    live : bool
        Whether to run a simulator, a scene, or a model under a controller while the page looks
        at it, plays, stops and pushes it.  Then there is no file, and ``options`` are those of
        `polhode.viewer.live.show_live`: ``block``, ``port``, ``speed``, ``controller`` ...
    **options
        Those of the live view.

    Returns
    -------
    path : Path
        The file written, which shows itself in a notebook; with ``live`` the `polhode.viewer.live.LiveView`.

    Raises
    ------
    ValueError
        If ``path`` does not end in ``.html`` or ``.htm``.
    OSError
        If it cannot be written, or a file of another kind is there.

    Examples
    --------
    >>> import polhode as ph, tempfile
    >>> from polhode.model import Revolute
    >>> bar = ph.Model("bar").add("bar", joint=Revolute.x(), mass=1.0, com=(0, 0, -0.5))
    >>> ph.show(bar, tempfile.mkdtemp() + "/bar.html", open_browser=False).name
    'bar.html'
    """
    if live:
        if signals is not None:
            raise TypeError("expected no signals for the live view: they are of recordings")
        return _live(subject, path, open_browser, title, camera, about, options)
    if options:
        near = suggestion(next(iter(options)), OPTIONS)
        raise TypeError(
            f"unexpected {', '.join(options)}{near or ': options of the live view, live=True'}"
        )
    if path is not None:
        check_target(path, PAGES, "a page")
    subjects = subject if isinstance(subject, list | tuple) else [subject]
    page = html(
        *subjects, title=title, fps=fps, camera=camera, layout=layout, signals=signals, about=about
    )
    return _written(page, path, open_browser)


def _live(subject, path, open_browser, title, camera, about, options) -> LiveView:
    if path is not None:
        raise TypeError(f"expected no path for the live view, which is no file, got '{path}'")
    from .live import show_live

    return show_live(
        subject, open_browser=open_browser, title=title, camera=camera, about=about, **options
    )


def show_films(
    films: Sequence[Film], path: str | Path | None, open_browser: bool, **options: Any
) -> PagePath:
    """Write and open a page of animations made before; options as of `polhode.viewer.page_of`."""
    if path is not None:
        check_target(path, PAGES, "a page")
    return _written(page_of(films, **options), path, open_browser)


def _written(page: str, path: str | Path | None, open_browser: bool) -> PagePath:
    if path is None:
        path = Path(tempfile.mkdtemp(prefix="polhode-")) / "motion.html"
    path = PagePath(path).absolute()
    write_atomically(path, page.encode("utf-8"))
    if open_browser and not in_notebook():
        open_page(path)
    return path


def open_page(path: Path) -> None:
    """Open a page in the browser, where there is a screen to show one."""
    if has_screen():
        webbrowser.open(path.as_uri())


def has_screen() -> bool:
    """Whether a browser can be seen: without, ``webbrowser`` would take over the terminal."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return not sys.platform.startswith("linux") or any(map(os.environ.get, screens))
