"""What a notebook shows: pages, tables, and messages while code runs."""

from __future__ import annotations

import io
import pickle
import re
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

import polhode as ph
from polhode.model import Revolute
from polhode.model.text import MOST_LINES
from polhode.notebooks import in_notebook
from polhode.simulation.progress import Progress
from polhode.viewer.show import PagePath

ARM = ph.Model("a<b>").add("link", joint=Revolute.y(), mass=1.0, com=(0.5, 0.0, 0.0))


@pytest.fixture
def notebook(monkeypatch) -> list[str]:
    """IPython as the kernel of a notebook has it, and the texts that a cell's output had."""
    shown: list[str] = []

    def display(data: dict[str, str], **_: object) -> SimpleNamespace:
        shown.append(data["text/plain"])
        return SimpleNamespace(update=display)

    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    return shown


def cells(shown: Any) -> list[list[str]]:
    """The rows of the table that an object shows."""
    html = ElementTree.fromstring(f"<body>{shown._repr_html_()}</body>")
    return [[cell.text or "" for cell in row] for row in html.iter("tr")]


def test_a_page_shows_itself(tmp_path):
    """The path of `show` is a path, whose display is the file in a sandboxed frame."""
    page = ph.show(ARM, tmp_path / "arm.html", open_browser=False)
    assert isinstance(page, Path) and page == tmp_path / "arm.html"
    assert pickle.loads(pickle.dumps(page)) == page
    markup = page._repr_html_()
    assert markup is not None and markup.startswith('<iframe sandbox="allow-scripts" srcdoc="')
    body = re.search(r'srcdoc="([^"]*)"', markup)
    assert body and unescape(body[1]) == page.read_text(encoding="utf-8")


def test_other_paths_show_nothing(tmp_path):
    """Neither the folder of a page, nor a page that was removed, nor another file beside it."""
    page = ph.show(ARM, tmp_path / "arm.html", open_browser=False)
    beside = page.with_suffix(".txt")
    beside.write_text("<b>")
    page.unlink()
    for path in (page, page.parent, beside):
        assert isinstance(path, PagePath) and path._repr_html_() is None


def test_a_notebook_opens_no_browser(notebook, monkeypatch, tmp_path):
    """There the page is shown below the cell."""
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    ph.show(ARM, tmp_path / "arm.html")
    assert opened == []
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    ph.show(ARM, tmp_path / "arm.html")
    assert opened == [(tmp_path / "arm.html").as_uri()]


def test_a_scene_is_a_table_of_its_machines():
    """Names are text, whatever is in them; the first machines are shown."""
    scene = ph.Scene.of(ARM).add_fixed("floor", ph.model.Box((1.0, 1.0, 1.0)))
    assert cells(scene)[1:] == [["a<b>", "1", "1", "1", "0"], ["floor", "1", "0", "0", "1"]]
    (machine,) = ph.Scene.of(ARM).machines
    many = ph.Scene(machines=tuple(replace(machine, name=f"arm{k}") for k in range(MOST_LINES + 3)))
    assert len(cells(many)) == 1 + MOST_LINES
    assert "... and 3 more models" in many._repr_html_()


def test_a_program_is_a_table_of_its_arguments():
    """Inputs by name, outputs, and their shapes."""
    program = ph.compile(ph.algorithms.mass_matrix, ARM)
    assert cells(program)[1:] == [["input", "q", "(1,)"], ["output", "", "(1, 1)"]]
    assert f"{program.ops} operations" in program._repr_html_()


def draw_half() -> None:
    """A bar half way and at its end."""
    bar = Progress(2.0)
    bar._last -= 1.0
    bar.at(1.0)
    bar.close()


def test_runs_show_their_progress_in_notebooks(notebook, capsys):
    """In one output of the cell, which is empty at the end, and not on standard error."""
    draw_half()
    first, last = notebook
    assert "50 %" in first and last == ""
    assert capsys.readouterr().err == ""


def test_short_runs_leave_no_output(notebook):
    """No line is made that nothing is written to."""
    Progress(2.0).close()
    assert notebook == []


def test_progress_is_silent_without_a_notebook(monkeypatch, capsys):
    """In a pipe, with IPython imported by a program that is no notebook, or not at all."""
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not in_notebook()
    draw_half()
    monkeypatch.delitem(sys.modules, "IPython")
    assert not in_notebook()
    draw_half()
    assert capsys.readouterr().err == ""


def test_compilation_is_told_in_notebooks(notebook, monkeypatch, tmp_path):
    """Functions that take a while to compile say so."""
    from polhode.compiler.jit import jit

    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))  # where it was not compiled before

    @jit
    def doubled(x: float) -> float:
        return 2.0 * x

    said = io.StringIO()
    monkeypatch.setattr("sys.stderr", said)
    assert doubled(1.5) == 3.0
    assert re.fullmatch(
        r"compiling 'doubled' for the first time \.\.\. \d+\.\d s\n", said.getvalue()
    )
