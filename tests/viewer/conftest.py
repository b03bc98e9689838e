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
