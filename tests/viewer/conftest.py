"""A headless Chromium for all tests of this folder."""

import os
import sys
from contextlib import contextmanager, nullcontext
from functools import partial

import pytest

import polhode as ph
from polhode.viewer.chromium import Browser, find_browser
from undrawn import opens_undrawn
from undrawn import undrawn as without_drawing

SIZE = (400, 300)


@pytest.fixture(scope="session")
def started(tmp_path_factory):
    """The browser of all tests; without one they are skipped, but fail where CI runs them."""
    if find_browser() is None:
        message = "no Chromium on PATH"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    with Browser(tmp_path_factory.mktemp("profile"), SIZE) as browser:
        yield browser


@pytest.fixture(scope="module")
def browser(started):
    """That browser, whose pages do not play on while other files are tested."""
    yield started
    started.send("Page.navigate", url="about:blank")


@pytest.fixture
def undrawn(browser):
    """The browser for tests that look at no pixels."""
    with without_drawing(browser):
        yield browser


@pytest.fixture(scope="module")
def open_at(browser):
    """Opens a page at a moment, drawn as while it plays: the shaders of a still take seconds."""

    return partial(open_still, browser)


@pytest.fixture
def open_undrawn_at(undrawn):
    """The same for tests that look at no pixels."""
    return partial(open_still, undrawn)


def open_still(browser, page, time=0.0):
    browser.open(page.as_uri())
    browser.run(f"viewer.player.pause(); viewer.seek({time})")
    return browser


@pytest.fixture
def quick_stills(browser, monkeypatch):
    """`render` draws with the browser of all tests, as while a motion plays."""

    @contextmanager
    def opened(_, size, timeout):
        with monkeypatch.context() as patch:
            patch.setattr(browser, "open", lambda url: page(url.replace("t=0&", "")))
            browser.resize(*size)
            yield browser
            browser.resize(*SIZE)

    page = browser.open
    monkeypatch.setattr(sys.modules[ph.render.__module__], "Browser", opened)


@pytest.fixture(scope="module")
def turn_to(browser):
    """Opens a page, unless it is there: another test may have left another one.

    A page takes seconds to compile its shaders, and worker processes take tests from each other,
    so that those of one file can come in any order.
    """

    def turn_to(url, is_drawn=True):
        lost = "document.getElementById('stage').getContext('webgl2').isContextLost()"
        is_there = browser.run("location.href") == url and not browser.run(lost)
        if not is_there or browser.run("!window.isUndrawn") is not is_drawn:
            with nullcontext() if is_drawn else opens_undrawn(browser):
                browser.open(url)
        return browser

    return turn_to
