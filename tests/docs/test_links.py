"""Every relative link of the pages leads to a file, and to a heading that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.pages import NOTEBOOKS, PAGES, REPOSITORY

LINK = re.compile(r"(?<!`)!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
HTML_LINK = re.compile(r"(?:href|src)=\"([^\"]+)\"")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
TREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?)\s*#*$", re.MULTILINE)


def slug(heading: str) -> str:
    """The anchor that GitHub and the site give a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")


def anchors(page: Path) -> set[str]:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    found: set[str] = set()
    for heading in HEADING.findall(text):
        name = base = slug(heading)
        count = 0
        while name in found:
            count += 1
            name = f"{base}-{count}"
        found.add(name)
    return found


def links(page: Path) -> list[str]:
    """Targets of links and pictures, those in code left out."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    return [*LINK.findall(text), *HTML_LINK.findall(text)]


@pytest.mark.parametrize("page", [pytest.param(p, id=p.name) for p in [*PAGES, *NOTEBOOKS]])
def test_links(page):
    """Relative links lead to files of the repository, and to headings if they say so."""
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        place = (page.parent / target).resolve() if target else page
        assert place.exists(), f"{page.name}: {link}"
        assert place.is_relative_to(REPOSITORY), f"{page.name}: {link} leaves the repository"
        if anchor and place.suffix == ".md":
            assert anchor in anchors(place), f"{page.name}: {link}; there are {anchors(place)}"


def test_every_page_is_in_the_contents():
    """Each page under docs can be reached from the table of contents."""
    folder = REPOSITORY / "docs"
    seen, left = set(), [folder / "index.md"]
    while left:
        page = left.pop()
        if page in seen or not page.exists():
            continue
        seen.add(page)
        for tree in TREE.findall(page.read_text(encoding="utf-8")):
            left += [page.parent / f"{entry}.md" for entry in tree.split() if entry[0] != ":"]
    assert {p for p in PAGES if folder in p.parents} <= seen
