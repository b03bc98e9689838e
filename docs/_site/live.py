"""Live pages: a picture leads to the animation that it shows, a chapter of the book to its page.

Pictures of the galleries have one width there, whatever stands below them.  On GitHub, which shows
the same pages without a site, a picture is a picture.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import polhode as ph
from polhode.examples import scripts

DOCS = Path(__file__).resolve().parents[1]
EXTRA = DOCS / "generated" / "extra"
PICTURE = re.compile(r"!\[[^\]]*\]\(pictures/(\w+)\.(?:jpg|webp)\)")
WIDTH = 210
BOOK = EXTRA / "live" / "book"
CHAPTER_ROW = re.compile(r"^\| \[[^\]]+\]\(([\w-]+)\.md\)", re.MULTILINE)
LIVE = ("arm", "walker", "planar", "vee", "many_worlds", "spheres")
"""Pictures of `docs/pictures/make.py` with a page of their own; each page has 0.7 MB."""


def write_pages() -> None:
    """The pages of the pictures in `LIVE`."""
    sys.path.insert(0, str(DOCS / "pictures"))
    import film
    import make

    folder = EXTRA / "live"
    folder.mkdir(parents=True, exist_ok=True)
    for name in LIVE:
        subject, options = getattr(make, name)()
        view = {key: value for key, value in options.items() if key == "camera"}
        ph.show(subject, folder / f"{name}.html", open_browser=False, **view)
    ph.show(film.motion(), folder / "film.html", open_browser=False, camera=film.CAMERA)


def write_book() -> None:
    """The pages of the book, in a folder of their own: they link to each other."""
    sys.path.insert(0, str(DOCS.parent))
    from scripts.book.chapters import CHAPTERS
    from scripts.book.page import page_of

    BOOK.mkdir(parents=True, exist_ok=True)
    for chapter in CHAPTERS:
        (BOOK / f"{chapter.name}.html").write_text(page_of(chapter), encoding="utf-8")


def live_chapter(name: str, text: str) -> str:
    """A link to the page of a chapter, with its size."""
    size = (BOOK / f"{name}.html").stat().st_size / 1e6
    return f'<a href="../live/book/{name}.html">{text}</a>, {size:.2f} MB'


def with_live_chapters(docname: str, text: str) -> str:
    """A text of the book with links to pages: those of a table, or its own under its title."""
    if docname == "book/index":
        return CHAPTER_ROW.sub(lambda m: f"{m[0]} ({live_chapter(m[1], 'with the model')})", text)
    head, _, rest = text.partition("\n")
    link = live_chapter(docname.removeprefix("book/"), "This chapter with its model")
    return f"{head}\n\n{link}.\n{rest}"


def addresses() -> dict[str, str]:
    """Of the page of each picture; those of scenes are written as their scripts run."""
    scenes = [script for script in scripts() if script.parent.name == "scenes"]
    pages = {f"scene_{s.stem[:2]}": f"animations/{s.stem}.html" for s in scenes}
    return pages | {name: f"live/{name}.html" for name in (*LIVE, "film")}


def linked(text: str) -> str:
    """Text of a page in which pictures are links."""
    known = addresses()

    def link(match: re.Match[str]) -> str:
        address = known.get(match[1])
        picture = match[0] if match[1] == "film" else f"{match[0]}{{width={WIDTH}px}}"
        return f'<a href="{address}">{picture}</a>' if address else picture

    return PICTURE.sub(link, text)


def link_pages(app: Any, docname: str, source: list[str]) -> None:
    """As Sphinx reads the first page, those of the galleries, and the chapters of the book."""
    if docname in ("index", "gallery", "scenes"):
        source[0] = linked(source[0])
    if docname.startswith("book/"):
        source[0] = with_live_chapters(docname, source[0])
