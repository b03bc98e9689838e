"""Pages of which no pixels are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from polhode.viewer.chromium import Browser

KINDS = ("Arrays", "Elements", "ArraysInstanced", "ElementsInstanced")


@contextmanager
def undrawn(browser: Browser) -> Iterator[Browser]:
    """The browser for tests that look at no pixels: pages do everything but draw.

    Without a graphics card, drawing takes most of the time of a page, compiling shaders above all.
    """
    source = "".join(f"WebGL2RenderingContext.prototype.draw{kind} = () => {{}};" for kind in KINDS)
    script = browser.send("Page.addScriptToEvaluateOnNewDocument", source=source)
    try:
        yield browser
    finally:
        browser.send("Page.removeScriptToEvaluateOnNewDocument", **script)
        browser.send("Page.navigate", url="about:blank")
