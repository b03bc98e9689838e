"""A reader's folder."""

from __future__ import annotations

from importlib.resources import as_file, files
from shutil import copy

import pytest


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """A folder with the shipped examples, and no browser."""
    with as_file(files("polhode") / "examples") as examples:
        for name in ("arm.urdf", "walker.lua"):
            copy(examples / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda *_, **__: True)
    return tmp_path
