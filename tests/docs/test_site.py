"""What the site's build makes of the package and of the examples."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from importlib import import_module

import pytest

import polhode as ph
from docs.pages import REPOSITORY
from polhode.examples import scripts


@pytest.fixture
def site(monkeypatch):
    """A module of the site's build."""
    monkeypatch.syspath_prepend(str(REPOSITORY / "docs"))
    yield lambda name: import_module(f"_site.{name}")
    for name in [n for n in sys.modules if n.partition(".")[0] == "_site"]:
        del sys.modules[name]


def test_every_public_name_is_in_the_reference(site):
    """Each name of ``polhode`` itself is on one page of the reference, and on one only."""
    pages = site("reference").root_pages()
    shown = [name for text in pages.values() for name in re.findall(r":: polhode\.(\w+)", text)]
    wanted = {
        name
        for name in ph.__all__
        if not inspect.ismodule(getattr(ph, name)) and not name.startswith("__")
    }
    assert sorted(shown) == sorted(wanted)


@pytest.mark.parametrize(
    "package", ["constraints", "derivatives", "model", "spatial", "scalar", "rbdl", "spatial_v2"]
)
def test_every_name_of_a_package_is_in_the_reference(site, package):
    """The page of a package speaks of all that is public in it."""
    reference = site("reference")
    text = reference.package_page(package)
    for name in reference.public_names(import_module(f"polhode.{package}")):
        assert re.search(rf"\b{name}\b", text), name


@pytest.mark.parametrize("script", scripts(), ids=lambda script: script.name)
def test_examples_fit_the_gallery(site, script):
    """A script begins with a sentence, and stays the same program under a heading."""
    gallery = site("gallery")
    assert script.parent.name in gallery.TITLES
    source = script.read_text(encoding="utf-8")
    staged = gallery.with_heading(source)
    doc, rest = ast.get_docstring(ast.parse(staged)), ast.parse(staged).body[1:]
    first, line = doc.splitlines()[:2]
    assert first and not first.endswith(".") and line == "=" * len(first)
    told = [node for node in rest if ast.unparse(node).startswith("__doc__ = ")]
    kept = [ast.unparse(node) for node in rest if node not in told]
    assert len(told) == 1 and kept == [ast.unparse(n) for n in ast.parse(source).body[1:]]


def test_pictures_lead_to_live_pages(site):
    """The film, every scene's picture and six others are links on the site."""
    live = site("live")
    index, gallery, scenes = (
        live.linked((REPOSITORY / "docs" / f"{name}.md").read_text(encoding="utf-8"))
        for name in ("index", "gallery", "scenes")
    )
    assert '<a href="live/arm.html">![](pictures/arm.jpg){width=210px}</a>' in gallery
    assert gallery.count('<a href="live/') == len(live.LIVE)
    assert (
        '<a href="animations/12_legged_robot.html">![](pictures/scene_12.jpg){width=210px}</a>'
        in scenes
    )
    assert "pictures/film.webp)</a>" in index
    assert scenes.count('<a href="animations/') == 15
