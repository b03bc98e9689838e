"""Stills and films through the headless browser."""

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from models import pendulum
from polhode.cli import main
from polhode.viewer import BrowserError
from polhode.viewer.chromium import Browser
from polhode.viewer.render import check_moment, find_encoder

image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module")
def run():
    return ph.simulate(pendulum(), 1.0, q0=[1.0])


def test_stills_are_exact(browser, run, tmp_path, monkeypatch):
    """The same moment twice gives the same bytes; the size is as asked; no other file is left."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    first, again = (
        ph.render(run, tmp_path / f"{k}.png", size=(160, 120), at=0.3).read_bytes()
        for k in range(2)
    )
    assert first == again
    assert not [*temporary.iterdir()]
    with image.open(io.BytesIO(first)) as picture:
        assert picture.size == (160, 120)


def test_films(quick_stills, run, tmp_path):
    """Frames of a .gif are the motion's; an .mp4 has as many as it should."""
    with image.open(ph.render(run, tmp_path / "a.gif", size=(96, 64), fps=5, end=0.6)) as gif:
        assert (gif.n_frames, gif.size) == (4, (96, 64))
    done = []
    film = ph.render(
        run, tmp_path / "a.mp4", size=(96, 64), fps=4, speed=0.5, theme="dark",
        progress=lambda k, n: done.append((k, n)),
    )  # fmt: skip
    assert done == [(k, 9) for k in range(1, 10)]
    encoder = find_encoder()
    assert encoder is not None
    decoded = subprocess.run(
        [encoder, "-loglevel", "error", "-i", film, "-f", "rawvideo", "-pix_fmt", "gray", "-"],
        capture_output=True, check=True,
    ).stdout  # fmt: skip
    frames = np.frombuffer(decoded, np.uint8).reshape(-1, 64 * 96)
    assert len(frames) == 9 and frames.astype(float).std(axis=0).max() > 5.0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gif", "a.mp4"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("progress", "is_shown"), [(None, True), (False, False)])
def test_films_show_their_progress(quick_stills, run, tmp_path, monkeypatch, progress, is_shown):
    """On a terminal a bar counts the frames, and is wiped at the end."""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("polhode.simulation.progress._EVERY", 0.0)
    ph.render(run, tmp_path / "a.gif", size=(96, 64), fps=4, end=0.5, progress=progress)
    assert ("frame 2 of 3, " in terminal.getvalue()) == is_shown
    assert not is_shown or terminal.getvalue().endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [("a.mpg", {}, "ends in .png, .gif, .mp4, .webm"), ("a.mp4", {"size": (95, 64)}, "even width"),
     ("a.png", {"size": (4, 4)}, "from 16 to 8192"), ("a.gif", {"fps": 0.0}, "fps"),
     ("a.png", {"theme": "blue"}, "light or dark"), ("a.gif", {"at": 0.5}, "for a .png only"),
     *(("a.png", {key: 0.5}, f"at= for a .png, which is one picture, got {key}=")
       for key in ("fps", "end", "speed"))],
)  # fmt: skip
def test_wrong_options(run, tmp_path, name, options, text):
    """What cannot be written is refused before a browser starts."""
    with pytest.raises(ValueError, match=text):
        ph.render(run, tmp_path / name, **options)


def test_moments_after_the_end_are_refused(quick_stills, run, tmp_path, capsys, monkeypatch):
    """In Python and in the command, for stills and films: with the length of the motion."""
    with pytest.raises(ValueError, match="end from 0 to 1 s, the length of the motion, got 99"):
        ph.render(run, tmp_path / "a.gif", size=(64, 48), end=99.0)
    monkeypatch.chdir(tmp_path)
    run.save("a.h5")
    assert main(["render", "a.h5", "-o", "a.png", "--size", "64x48", "--at", "99"]) == 1
    assert "at from 0 to 1 s, the length of the motion, got 99" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["a.h5"]
    last = ph.render("a.h5", tmp_path / "a.png", size=(64, 48), at=1.0).read_bytes()
    with pytest.warns(DeprecationWarning, match="called at="):
        assert ph.render(run, tmp_path / "a.png", size=(64, 48), time=1.0).read_bytes() == last


def test_plots_are_left_out_unless_asked_for(quick_stills, undrawn, run, tmp_path):
    """Also of pictures that have room for them."""
    for is_bare in (True, False):
        ph.render(run, tmp_path / "a.png", size=(800, 400), is_bare=is_bare)
        assert undrawn.run("document.getElementById('plots').hidden") is is_bare


@pytest.mark.parametrize("moment", [-0.1, 1.01, float("nan"), float("inf")])
def test_what_is_no_moment_of_a_motion(moment):
    """The end itself may be rounded in the page."""
    with pytest.raises(ValueError, match="at from 0 to 1 s"):
        check_moment("at", moment, 1.0)
    check_moment("at", 1.0, np.float32(0.1) * 10.0)


def test_without_a_browser(run, tmp_path, monkeypatch):
    """The message says what is missing; a browser that dies is told too."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BrowserError, match="expected Chromium or Chrome on PATH"):
        ph.render(run, tmp_path / "a.png")
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("POLHODE_BROWSER", str(broken))
    with pytest.raises(BrowserError, match="the browser has gone"):
        Browser(tmp_path / "profile")


def test_a_browser_that_is_slow(run, tmp_path, monkeypatch):
    """How long it may take is an option, and the error names it."""
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("POLHODE_BROWSER", str(slow))
    with pytest.raises(BrowserError, match=r"does not answer after 0\.2 s; .* longer timeout="):
        ph.render(run, tmp_path / "a.png", timeout=0.2)
    with pytest.raises(ValueError, match="timeout"):
        ph.render(run, tmp_path / "a.png", timeout=0.0)


def test_the_commands(quick_stills, undrawn, run, tmp_path, capsys, monkeypatch):
    """show, render and plot take a recording; plot lists its signals and suggests names."""
    monkeypatch.chdir(tmp_path)
    run.save("a.npz")
    assert main(["show", "a.npz", "--no-open", "-o", "a.html"]) == 0
    assert (tmp_path / "a.html").read_text().startswith("<!")
    assert main(["render", "a.npz", "-o", "a.png", "--size", "64x48", "--at", "0.5"]) == 0
    with image.open(tmp_path / "a.png") as picture:
        assert picture.size == (64, 48)
    assert main(["render", "a.npz", "-o", "a.png", "--size", "64"]) == 1
    assert "WIDTHxHEIGHT" in capsys.readouterr().err
    assert main(["plot", "a.npz", "--list"]) == 0
    assert "energy [J]: total, kinetic, potential" in capsys.readouterr().out
    assert main(["plot", "a.npz", "energy", "rod", "-o", "a.svg"]) == 0
    assert "<svg" in (tmp_path / "a.svg").read_text()
    assert main(["plot", "a.npz", "enery"]) == 1
    assert "did you mean 'energy'" in capsys.readouterr().err


_CLOSED_AT_FORK = """
import os, sys
held = [os.open(os.devnull, os.O_RDONLY) for _ in range(3)]
os.register_at_fork(after_in_child=lambda: [os.close(fd) for fd in held])
from polhode.viewer.chromium import Browser
with Browser(sys.argv[1]) as browser:
    print(held, browser.send("Browser.getVersion")["product"])
"""


@pytest.mark.usefixtures("started")
def test_a_browser_starts_where_a_fork_closes_descriptors(tmp_path):
    """As matplotlib's fonts are closed in the child, which may hold the browser's descriptors."""
    command = [sys.executable, "-c", _CLOSED_AT_FORK, str(tmp_path / "profile")]
    environment = os.environ | {"PYTHONPATH": str(Path(ph.__file__).parents[1])}
    out = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert out.returncode == 0, out.stderr
    assert "Chrom" in out.stdout and "[3, 4" in out.stdout
