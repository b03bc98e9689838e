"""Example models and scripts.

Each script runs alone, wherever it is copied to: what scripts share is imported from here, and
their data are read from here.  ``polhode demo --list`` names the scripts.  May import all of
polhode.
"""

from __future__ import annotations

import ast
from pathlib import Path

__all__ = ["path", "scripts", "title"]

_HERE = Path(__file__).resolve().parent


def path(name: str) -> Path:
    """The file of an example, such as ``"arm.urdf"`` or ``"scenes/four_bar.xml"``."""
    return _HERE / name


def scripts() -> list[Path]:
    """The example programs, sorted by folder and name."""
    return sorted(_HERE.glob("*/*.py"))


def title(script: Path) -> str:
    """The first sentence of a script's docstring."""
    text = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or script.stem
    return text.splitlines()[0]
