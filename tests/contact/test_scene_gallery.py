"""The scenes of the gallery run, and what each tells one to notice is so."""

from __future__ import annotations

import re
import runpy
import sys
from shutil import copy

import pytest

import polhode as ph
from polhode.examples import path as example

FOLDER = example("scenes")
SCENES = sorted(path.name for path in FOLDER.glob("[0-9]*.py"))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a scene, copied alone to an empty folder; what it printed, and the files it left."""

    def run(name: str) -> tuple[str, set[str]]:
        output = tmp_path / "output"
        monkeypatch.setattr(sys, "argv", [name, "--output", str(output)])
        runpy.run_path(copy(FOLDER / name, tmp_path), run_name="__main__")
        (folder,) = output.iterdir()
        return capsys.readouterr().out, {path.name for path in folder.iterdir()}

    return run


def numbers(text: str, pattern: str) -> list[float]:
    """The numbers that a pattern's groups catch, in order."""
    return [float(x) for match in re.finditer(pattern, text) for x in match.groups()]


def balls(text):
    stops = numbers(text, r"from (\S+) s on \(formula (\S+) s")
    assert stops[0::2] == pytest.approx(stops[1::2], rel=2e-3)


def ramp(text):
    ways = numbers(text, r"slides (\S+) m \(formula (\S+) m")
    assert ways[0::2] == pytest.approx(ways[1::2], abs=1e-6)


def stack(text):
    moved, off, fastest = numbers(text, r"(?:moves|off by|faster than) (\S+)")
    assert max(moved, off) < 1e-6
    assert fastest < 1e-3


def cradle(text):
    highest = numbers(text, r"rise to (\S+) (\S+) (\S+) (\S+) (\S+)")
    assert highest == pytest.approx([0, 0, 0, 0, 40.1, 0, 0, 0, 40.1, 40.1], abs=0.11)


def four_bar(text):
    low, high = numbers(text, r"between (\S+) and (\S+) rad")
    assert (low, high) == pytest.approx(numbers(text, r"cosines: (\S+) and (\S+)\)"), abs=1e-5)


def gears(text):
    found, known = numbers(text, r"period (\S+) s \(formula (\S+) s")
    assert found == pytest.approx(known, rel=1e-5)


def walker(text):
    steps = numbers(text, r"step \d+: (\S+) m")
    assert len(steps) >= 8
    assert abs(steps[-1] - steps[-2]) < 0.02 * steps[-1]


def discs(text):
    sways = numbers(text, r"leans (\S+) mrad at most \(theory (\S+)\)")
    assert sways[0::2] == pytest.approx(sways[1::2], rel=1e-2)
    assert "slow: leans 0.1 rad" in text


def rattleback(text):
    assert "from +1.5 rad/s it goes on" in text
    assert "from -1.5 rad/s it turns back" in text


def painleve(text):
    slides, jams = numbers(text, r"slides with (\S+) m/s")
    assert slides > 2.0
    assert jams < 0.05


def pile(text):
    assert numbers(text, r"not converged\s+(\d+)") == [0.0]
    assert numbers(text, r"deepest overlap\s+(\S+) m")[0] < 0.01


def robot(text):
    lands, stands = numbers(text, r"lands with (\S+) weights, stands on (\S+);")
    assert lands > 2.0
    assert stands == pytest.approx(1.0, rel=1e-2)


def turntable(text):
    found, known = numbers(text, r"with (\S+) rad/s \(formula (\S+)\)")
    assert found == pytest.approx(known, rel=1e-5)


def tautochrone(text):
    (theory,) = numbers(text, r"theory: (\S+) s")
    times = numbers(text, r"after (\S+) s")
    assert times == pytest.approx([theory] * 3, rel=2e-3)


def tippe_top(text):
    low, high = numbers(text, r"from (\S+) to (\S+) mm")
    assert (low, high) == pytest.approx((18.0, 22.0), abs=0.02)
    found, known = numbers(text, r"ends with (\S+) rad/s \(by Jellett's constant (\S+)\)")
    assert found == pytest.approx(known, rel=1e-3)


CLAIMS = (balls, ramp, stack, cradle, four_bar, gears, walker, discs, rattleback, painleve, pile,
          robot, turntable, tautochrone, tippe_top)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "claim"), list(zip(SCENES, CLAIMS, strict=True)), ids=[n[:-3] for n in SCENES]
)
def test_scene(name, claim, run):
    """It leaves an animation and a figure, and the numbers it prints are those it promises."""
    text, files = run(name)
    assert "animation.html" in files
    assert any(file.endswith(".svg") for file in files)
    claim(text)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.xml")), ids=lambda path: path.stem)
def test_scenes_in_xml_run_from_the_command_line(path, tmp_path, capsys):
    """``polhode sim`` runs them as they are, and they come back from being written."""
    from polhode.cli.main import main

    assert main(["sim", str(path), "-t", "0.05", "-o", str(tmp_path / "run.npz"), "--quiet"]) == 0
    assert main(["check", str(path)]) == 0
    capsys.readouterr()
    scene = ph.load(path)
    ph.save(scene, tmp_path / "again.xml")
    assert len(ph.load(tmp_path / "again.xml").machines) == len(scene.machines)
