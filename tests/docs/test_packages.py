"""The docstrings of packages say what lives there and what it may import, and it is so."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import polhode

ROOT = Path(polhode.__file__).parent
PACKAGES = sorted(str(p.parent.relative_to(ROOT)) for p in ROOT.rglob("*/__init__.py"))
ANYWHERE = {"__version__", "arrays"}  # a number, and names of types
LAYERS = [name for name in PACKAGES if "/" not in name]


def _docstring(package: str) -> str:
    return ast.get_docstring(ast.parse((ROOT / package / "__init__.py").read_text("utf-8"))) or ""


def _run(node: ast.AST) -> list[ast.AST]:
    """The nodes of a tree without what only type checkers read."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return []
    return [node, *(inner for child in ast.iter_child_nodes(node) for inner in _run(child))]


def _imported(package: str) -> set[str]:
    """The modules of polhode, outside the package, that its own files import."""
    found, here = set(), package.split("/")
    for path in (ROOT / package).glob("*.py"):
        for node in _run(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                start = here[: len(here) - (node.level - 1)]
                names = [node.module] if node.module else [alias.name for alias in node.names]
                found |= {tuple(start + name.split(".")) for name in names}
    outside = {name for name in found if list(name[: len(here)]) != here}
    return {name[_common(name, here)] for name in outside} - ANYWHERE


def _common(a: tuple[str, ...], b: list[str]) -> int:
    return next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(b))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_what_its_docstring_says(package):
    """Nothing that its sentence "May import ..." does not name; each layer has the sentence.

    A part may import its siblings where it names the whole.
    """
    _, says, sentence = " ".join(_docstring(package).split()).partition("May import ")
    assert says or package not in LAYERS
    if says:
        allowed = set(re.findall(r"`(\w+)`", sentence.partition(".")[0]))
        known = {path.stem for path in (ROOT / package).parent.iterdir()}
        assert allowed <= known | {path.stem for path in ROOT.iterdir()}
        whole = Path(package).parent.name
        assert _imported(package) <= (allowed | known if whole in allowed else allowed)
