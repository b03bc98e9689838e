"""How the browser gets the address of a live view: by a file that only its user may read.

The arguments of a process are public; an address with a token must not be among them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from html import escape
from pathlib import Path

_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={url}">
<title>polhode</title>
<a href="{url}">live view</a>
"""


class Invitation:
    """A page that leads to an address; it is written when it is first asked for."""

    def __init__(self, url: str):
        self._url = url
        self._folder: Path | None = None

    def path(self) -> Path:
        """The file, in a folder of its own; nobody else may read either."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="polhode-live-"))
            private = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            file = os.open(self._folder / "live.html", private, 0o600)
            with open(file, "w", encoding="utf-8") as page:
                page.write(_PAGE.format(url=escape(self._url)))
        return self._folder / "live.html"

    def withdraw(self) -> None:
        """Remove the file: the view has ended."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
