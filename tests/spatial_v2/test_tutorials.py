"""The seven tutorials run, and show what they promise."""

from __future__ import annotations

import re
import runpy
import sys
from shutil import copy

import pytest

from polhode.examples import path

FOLDER = path("tutorials")
TUTORIALS = sorted(path.name for path in FOLDER.glob("0*.py"))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a tutorial, copied alone to an empty folder; what it printed, and the files it left."""

    def run(name: str, *options: str) -> tuple[str, set[str]]:
        output = tmp_path / "output"
        monkeypatch.setattr(sys, "argv", [name, "--output", str(output), *options])
        runpy.run_path(copy(FOLDER / name, tmp_path), run_name="__main__")
        (folder,) = output.iterdir()
        return capsys.readouterr().out, {path.name for path in folder.iterdir()}

    return run


@pytest.mark.parametrize("name", TUTORIALS)
def test_tutorial_runs(name, run):
    """A short run leaves figures and an animation."""
    options = ("--worlds", "4") if name.startswith("07") else ()
    _, files = run(name, "--duration", "0.2", *options)
    assert "animation.html" in files
    assert sum(file.endswith(".svg") for file in files) >= 2
    assert len(TUTORIALS) == 7


def test_tumbling_body_conserves(run):
    """Energy, momentum and centre of mass stay within 1e-9 for 20 s."""
    text, _ = run("04_tumbling_body.py")
    drifts = [float(x) for x in re.findall(r"drifts by (\S+)", text)]
    assert len(drifts) == 3
    assert max(drifts) < 1e-9


def test_experiments_of_the_original(run):
    """A sampled controller with too high a gain spins the robot up."""
    text, _ = run("02_sampled_control.py", "--gain", "3000", "3000", "--duration", "2")
    assert "unstable" in text or float(re.findall(r"force (\S+)", text)[0]) > 1e3
