"""Every code block of the README and the docs runs, in order, as a reader would run it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from codeop import CommandCompiler
from shutil import copytree

import pytest

from docs.pages import (
    NOTEBOOKS,
    PAGES,
    REPOSITORY,
    blocks,
    cells,
    check_printed,
    outputs,
    pages_with,
    run_page,
)
from polhode.formats.lua.constraints import COMMON_KEYS, CONTACT_KEYS, LOOP_KEYS

LANGUAGES = {
    *("python", "python oracle", "python raises", "console", "sh", "text", "c", "js", "json"),
}
FENCE = re.compile(r"^```([^\n`{]+)$", re.MULTILINE)
RUN_POLHODE = [sys.executable, "-c", "from polhode.cli import main; raise SystemExit(main())"]


@pytest.mark.parametrize("page", pages_with("python"))
def test_python_blocks(page, reader):
    """The Python blocks of a page, in one namespace, print what the text below them shows."""
    run_page(page, blocks(page, "python"), outputs(page))


def test_outputs_are_compared():
    """Another number is noticed; spaces, and what dots stand for, are not."""
    check_printed("page", "q  1.0\n...\n", "q 1.0\nand more\n")
    with pytest.raises(pytest.fail.Exception, match="the block prints"):
        check_printed("page", "q 1.0\n", "q 1.1\n")


@pytest.mark.parametrize("name", ["README.md", "docs/quickstart.md"])
def test_first_pages_show_what_they_print(name):
    """Each block that prints has its output below it."""
    page = REPOSITORY / name
    printing = {line for line, text in blocks(page, "python") if "print(" in text}
    assert printing
    assert printing == set(outputs(page))


def test_comparison_is_the_same_on_both_front_pages():
    """The README's table of libraries is that of the site's first page, but for links."""
    readme, index = (
        [line for line in (REPOSITORY / name).read_text(encoding="utf-8").splitlines()
         if line.startswith("|") and line.count("|") == 7]
        for name in ("README.md", "docs/index.md")
    )  # fmt: skip
    assert len(readme) > 10
    assert readme == index


def test_keys_of_constraint_sets_are_listed():
    """Each key that Lua's constraint sets may have is in the table of its page."""
    text = (REPOSITORY / "docs" / "constrain.md").read_text(encoding="utf-8")
    keys = {*COMMON_KEYS, *CONTACT_KEYS, *LOOP_KEYS}
    assert "constraint_type" in keys
    assert not [key for key in keys if f"`{key}`" not in text]


@pytest.mark.oracle
@pytest.mark.parametrize("page", pages_with("python oracle"))
def test_blocks_beside_other_libraries(page, reader):
    """The Python blocks that need another library."""
    run_page(page, blocks(page, "python oracle"))


@pytest.mark.parametrize("notebook", [pytest.param(n, id=n.name) for n in NOTEBOOKS])
def test_notebooks(notebook, reader):
    """The code cells of a notebook, in order; the site's build runs them in Jupyter."""
    for data in notebook.parent.glob("*/"):
        copytree(data, reader / data.name)
    run_page(notebook, [(1, text) for text in cells(notebook)])


@pytest.mark.parametrize("notebook", [pytest.param(n, id=n.name) for n in NOTEBOOKS])
def test_notebooks_hold_no_outputs(notebook):
    """What a notebook shows is computed when it is read, not kept."""
    text = notebook.read_text(encoding="utf-8")
    assert '"execution_count": null' in text
    assert not re.search(r'"execution_count": \d', text)
    assert not re.search(r'"outputs": \[\s*\{', text)


def test_speeds_of_the_readme_are_those_of_the_benchmarks():
    """Each ratio of the README stands in the table of a measurement."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"^\| work \| peer \| ratio \|\n(.*?)\n\n", readme, re.M | re.S)
    ratios = [n for line in table.splitlines() for n in re.findall(r"\d+\.\d+", line)]
    benchmarks = (REPOSITORY / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    measured = set(re.findall(r"(?<=[| *])\d+\.\d+(?=[| *])", benchmarks))
    assert len(ratios) == 25
    assert set(ratios) <= measured


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


@pytest.mark.parametrize("page", pages_with("python"))
def test_blocks_can_be_pasted(page):
    """An interactive Python, which ends a definition at an empty line, takes every block."""
    for first, text in blocks(page, "python"):
        compiler, waiting = CommandCompiler(), []
        for number, line in enumerate([*text.splitlines(), ""], first):
            waiting.append(line)
            try:
                is_whole = compiler("\n".join(waiting)) is not None
            except SyntaxError as error:
                pytest.fail(f"{page.name}:{number}: {line!r}: {error.msg}")
            waiting = [] if is_whole else waiting
        assert not waiting, f"{page.name}:{first}: the block is not whole"


@pytest.mark.parametrize("page", [pytest.param(p, id=p.name) for p in PAGES])
def test_no_block_escapes(page):
    """Fences say one of the languages that are run, or that have their reason not to be."""
    found = set(FENCE.findall(page.read_text(encoding="utf-8")))
    assert found <= LANGUAGES, found - LANGUAGES


def test_shell_blocks_name_what_exists():
    """Commands that are shown but not run are of the Makefile, or of scripts that are there."""
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        for _, text in blocks(page, "sh"):
            for line in text.splitlines():
                words = line.partition("#")[0].split()
                if words[:1] == ["make"]:
                    assert {w for w in words[1:] if "=" not in w} <= targets, line
        for script in re.findall(
            r"`python ((?:docs|examples|benchmarks)/\S+\.py)", page.read_text()
        ):
            place = "src/polhode" if script.startswith("examples/") else "."
            assert (REPOSITORY / place / script).exists(), f"{page.name}: {script}"
