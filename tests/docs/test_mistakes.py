"""The frequent mistakes on the page of errors: each raises what it says, word for word."""

from __future__ import annotations

import linecache
import re
from pathlib import Path

import pytest

from docs.pages import REPOSITORY, blocks

PAGE = REPOSITORY / "docs" / "errors.md"
ENTRY = re.compile(
    r"^#### \d+\. (?P<title>.+?)\n\n"
    r"```python raises\n(?P<code>.*?)```\n\n```text\n(?P<text>.*?)\n```$",
    re.MULTILINE | re.DOTALL,
)
TEXT = PAGE.read_text(encoding="utf-8")
MISTAKES = [m.groupdict() for m in ENTRY.finditer(TEXT)]
(SETUP,) = re.findall(r"(?ms)^## Frequent mistakes\n.*?^```python\n(.*?)^```$", TEXT)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["title"])
def test_mistake(mistake, reader):
    """The snippet raises, and the text is the error's."""
    namespace: dict = {"__name__": "mistakes"}
    exec(compile(SETUP, "setup.py", "exec"), namespace)
    # An error of tracing quotes the line of the file.
    Path("mistakes.py").write_text(mistake["code"])
    linecache.clearcache()
    with pytest.raises(Exception) as caught:  # noqa: PT011
        exec(compile(mistake["code"], "mistakes.py", "exec"), namespace)
    assert f"{type(caught.value).__name__}: {caught.value}" == mistake["text"]


def test_there_are_many():
    """At least fifty, and no snippet is written in a way that the test passes over."""
    assert len(MISTAKES) >= 50
    assert len(MISTAKES) == len(blocks(PAGE, "python raises"))


def test_misspelt_names_are_answered():
    """Where a name is misspelt, the answer holds the right one."""
    misspelt = [m for m in MISTAKES if "misspelt" in m["title"].lower()]
    assert len(misspelt) >= 5
    assert all("did you mean" in m["text"] for m in misspelt)
