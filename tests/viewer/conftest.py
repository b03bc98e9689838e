"""A headless Chromium for all tests of this folder."""

import os

import pytest

from polhode.viewer.chromium import Browser, find_browser


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """The browser of all tests; without one they are skipped, but fail where CI runs them."""
    if find_browser() is None:
        message = "no Chromium on PATH"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="session")
def turn_to(browser):
    """Opens a page, unless it is there: another test may have left another one.

    A page takes seconds to compile its shaders, and worker processes take tests from each other,
    so that those of one file can come in any order.
    """

    def turn_to(url):
        lost = "document.getElementById('stage').getContext('webgl2').isContextLost()"
        if browser.run("location.href") != url or browser.run(lost):
            browser.open(url)
        return browser

    return turn_to
