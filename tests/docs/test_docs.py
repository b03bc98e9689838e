"""Every code block of the README and the docs runs, in order, as a reader would run it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copy

import pytest

import polhode as ph

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("**/*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
RUN_POLHODE = [sys.executable, "-c", "from polhode.cli import main; raise SystemExit(main())"]


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """Line number and text of each block of a language."""
    text = page.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, m.start()) + 2, m[2]) for m in BLOCK.finditer(text) if m[1] == language
    ]


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """A folder with the shipped examples, and no browser."""
    with as_file(files("polhode") / "examples") as examples:
        for name in ("arm.urdf", "walker.lua"):
            copy(examples / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda *_, **__: True)
    return tmp_path


def pages_with(language: str) -> list:
    return [pytest.param(p, id=p.name) for p in PAGES if blocks(p, language)]


@pytest.mark.parametrize("page", pages_with("python"))
def test_python_blocks(page, reader):
    """The Python blocks of a page, one after the other in one namespace."""
    namespace: dict = {"__name__": page.stem}
    for line, code in blocks(page, "python"):
        exec(compile("\n" * (line - 1) + code, str(page), "exec"), namespace)


@pytest.mark.parametrize("page", pages_with("console"))
def test_console_blocks(page, reader):
    """The ``$ polhode ...`` commands of a page; output shown below one must come, as lines."""
    for _, text in blocks(page, "console"):
        shown: list[str] = []
        output = ""
        for line in text.splitlines():
            if line.startswith("$ polhode"):
                check_output(shown, output)
                command = shlex.split(line.removeprefix("$ polhode"), comments=True)
                result = subprocess.run(
                    [*RUN_POLHODE, *command], capture_output=True, text=True, cwd=reader
                )
                assert result.returncode == 0, f"{line}\n{result.stderr}"
                shown, output = [], result.stdout
            else:
                shown.append(line)
        check_output(shown, output)


def check_output(shown: list[str], output: str) -> None:
    lines = [line.strip() for line in output.splitlines()]
    for line in shown:
        if line.strip() not in ("", "..."):
            assert line.strip() in lines, f"{line!r} is not in\n{output}"


@pytest.mark.parametrize("page", [pytest.param(p, id=p.name) for p in PAGES])
def test_links(page):
    """Links to files of the repository lead somewhere."""
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_public_name_is_documented():
    """Each public function has a docstring that says what it returns or does."""
    for name in ph.__all__:
        value = getattr(ph, name)
        if callable(value):
            assert value.__doc__ and value.__doc__.strip(), name
