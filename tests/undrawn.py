"""Pages of which no pixels are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from polhode.viewer.chromium import Browser

KINDS = ("Arrays", "Elements", "ArraysInstanced", "ElementsInstanced")


@contextmanager
def opens_undrawn(browser: Browser) -> Iterator[Browser]:
    """The browser, whose next pages do everything but draw.

    Without a graphics card, drawing takes most of the time of a page, compiling shaders above all.
    """
    source = "".join(f"WebGL2RenderingContext.prototype.draw{kind} = () => {{}};" for kind in KINDS)
    script = browser.send(
        "Page.addScriptToEvaluateOnNewDocument", source=f"window.isUndrawn = true; {source}"
    )
    try:
        yield browser
    finally:
        browser.send("Page.removeScriptToEvaluateOnNewDocument", **script)


@contextmanager
def undrawn(browser: Browser) -> Iterator[Browser]:
    """The browser for tests that look at no pixels; none of their pages stays open."""
    with opens_undrawn(browser):
        yield browser
    browser.send("Page.navigate", url="about:blank")
