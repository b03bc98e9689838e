"""The pages of the documentation and the code in them."""

from __future__ import annotations

import json
import re
from contextlib import redirect_stdout
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
GENERATED = REPOSITORY / "docs" / "generated"
PAGES = [
    *sorted(REPOSITORY.glob("*.md")),
    *(p for p in sorted((REPOSITORY / "docs").glob("**/*.md")) if GENERATED not in p.parents),
]
NOTEBOOKS = sorted((REPOSITORY / "docs" / "notebooks").glob("*.ipynb"))
OUTPUT = re.compile(r"^```python\n(?:(?!^```).)*^```\n\n```text\n(.*?)^```$", re.M | re.S)
BLOCK = re.compile(r"^```([^\n`{]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """Line number and text of each block whose fence says just that."""
    text = page.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, m.start()) + 2, m[2])
        for m in BLOCK.finditer(text)
        if m[1].strip() == language
    ]


def pages_with(language: str) -> list:
    return [pytest.param(p, id=p.name) for p in PAGES if blocks(p, language)]


def cells(notebook: Path) -> list[str]:
    """Text of the code cells of a notebook."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def outputs(page: Path) -> dict[int, str]:
    """What each block of Python prints that has a block of text below it, by its line number."""
    text = page.read_text(encoding="utf-8")
    return {text.count("\n", 0, m.start()) + 2: m[1] for m in OUTPUT.finditer(text)}


@np.printoptions()  # a page may set its own
def run_page(page: Path, code: list[tuple[int, str]], shown: dict[int, str] | None = None) -> None:
    """The blocks of a page, one after the other in one namespace; they print what is shown."""
    namespace: dict = {"__name__": page.stem}
    for line, text in code:
        printed = StringIO()
        with redirect_stdout(printed):
            exec(compile("\n" * (line - 1) + text, str(page), "exec"), namespace)
        if shown and line in shown:
            check_printed(f"{page.name}:{line}", shown[line], printed.getvalue())


def check_printed(place: str, shown: str, printed: str) -> None:
    """Word for word, but for spaces, and for what dots leave out."""
    if not OutputChecker().check_output(shown, printed, ELLIPSIS | NORMALIZE_WHITESPACE):
        pytest.fail(f"{place}: the page shows\n{shown}but the block prints\n{printed}")
