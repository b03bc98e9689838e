"""Compiled loops on disk belong to the file they were made of, not to its name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import polhode

LOOP = """
from polhode.compiler.jit import jit

@jit
def times(x: float):
    return {factor}.0 * x
"""


def run_in(folder: Path, cache: Path) -> str:
    source = Path(polhode.__file__).parent.parent
    environment = {**os.environ, "POLHODE_CACHE_DIR": str(cache), "PYTHONPATH": str(source)}
    command = [sys.executable, "-c", "import twin; print(twin.times(2.0))"]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_two_installations_share_a_cache(tmp_path):
    """Modules of one name in two folders, each run twice: neither gets the other's code."""
    cache = tmp_path / "cache"
    for factor in (3, 5):
        folder = tmp_path / str(factor)
        folder.mkdir()
        (folder / "twin.py").write_text(LOOP.format(factor=factor), encoding="utf-8")
    assert [run_in(tmp_path / name, cache) for name in ("3", "5", "3", "5")] == [
        "6.0", "10.0", "6.0", "10.0"
    ]  # fmt: skip
