"""``polhode sim`` of a scene: what it prints and writes on the way, and how it ends badly."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import polhode as ph
from contact.stepping_scenes import pile
from contact.test_stepping_files import SCENE
from polhode.cli.main import main

PLUGINS = """
import numpy as np

def hover(t, state):
    return np.array([0, 9.81, 0, 0, 0, 0])

def push(t, simulator):
    return {("ball", "ball"): (0, 0, 0, 2.0, 0, 0)}

def through(t, contacts):
    return np.zeros(len(contacts), bool)
"""


@pytest.fixture
def scene(tmp_path, monkeypatch):
    """A file with a ball above the ground, in a folder of its own with a module."""
    path = tmp_path / "scene.xml"
    path.write_text(SCENE)
    (tmp_path / "my_plugins.py").write_text(PLUGINS)
    monkeypatch.chdir(tmp_path)
    return path


def sim(capsys, *arguments):
    """Exit status, standard output and standard error of the command."""
    status = main(["sim", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_lines_on_the_way(scene, capsys):
    """Step, time, energy and positions, every so many steps."""
    status, out, _ = sim(capsys, scene, "-t", 0.3, "--print", "step", "time", "energy", "ball.q",
                         "contacts", "--print-every", 100)  # fmt: skip
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == "step time energy ball.q contacts"
    rows = np.array([[float(x) for x in line.split()] for line in lines[1:5]])
    assert rows[:, 0].tolist() == [0, 100, 200, 300]
    assert rows[:, 1] == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert rows[:, 2] == pytest.approx(9.81)
    assert rows[:, 4] == pytest.approx(1.0 - 0.5 * 9.81 * rows[:, 1] ** 2)


def test_max_iterations_profile_and_log(scene, tmp_path, capsys):
    """As many steps as asked for, where the time went, and one line of log for each step."""
    status, out, _ = sim(capsys, scene, "--max-iterations", 40, "--profile", "--log-level", "debug",
                         "--log", tmp_path / "run.log")  # fmt: skip
    assert status == 0
    assert re.search(r"^40 steps in ", out, re.MULTILINE)
    for part in ("preparing", "first step", "stepping", "writing", "watching"):
        assert re.search(rf"^  {part} +[\d.]+ s", out, re.MULTILINE)
    lines = (tmp_path / "run.log").read_text().splitlines()
    assert lines[0].startswith("INFO scene")
    assert sum("DEBUG step" in line for line in lines) == 41


def test_snapshots_are_written_on_the_way(scene, tmp_path, capsys):
    """A snapshot loads and goes on while the run still runs; the last is the end."""
    status, _, _ = sim(capsys, scene, "-t", 0.5, "--snapshots", tmp_path / "shots",
                       "--snapshot-every", 200, "-o", tmp_path / "run.npz")  # fmt: skip
    assert status == 0
    shots = sorted((tmp_path / "shots").iterdir())
    assert [float(p.stem.split("-")[-1]) for p in shots] == pytest.approx([0.0, 0.2, 0.4, 0.5])
    end = ph.Recording.load(tmp_path / "run.npz").q[-1]
    rest = ph.simulate(ph.load(shots[2]), 0.1, progress=False)
    assert rest.q[-1] == pytest.approx(end, abs=1e-6)


@pytest.mark.parametrize("module", ["my_plugins", "./my_plugins.py"])
def test_plugins_by_name(scene, capsys, module):
    """Controllers, forces and filters from a module here or a file."""
    status, out, _ = sim(capsys, scene, "-t", 0.5, "--print", "ball.q", "--print-every", 500,
                         "--plugin", f"ball={module}:hover", "--plugin", f"forces={module}:push",
                         "--plugin", f"contact-filter={module}:through")  # fmt: skip
    assert status == 0
    end = [float(x) for x in out.splitlines()[2].split()]
    assert end[:3] == pytest.approx([0.25, 1.0, 0.0], abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--plugin", "bal=my_plugins:hover"], "did you mean 'ball'"),
        (["--plugin", "ball=my_plugin:hover"], "no module 'my_plugin'"),
        (["--plugin", "ball=my_plugins:hove"], "did you mean 'hover'"),
        (["--plugin", "ball"], "expected ID=MODULE:FUNCTION"),
        (["--print", "enrgy"], "did you mean 'energy'"),
        (["--integrator", "rk4"], "knows no contact"),
        (["--set", "j=1"], "--set is for models"),
        (["-o", "nowhere/run.h5"], "nowhere/run.h5: there is no such folder for --output"),
        (["--html", "nowhere/run.html"], "nowhere/run.html: there is no such folder for --html"),
        (["--max-iterations", "0"], "at least 1"),
        (["--resume", "none.h5"], "none.h5"),
    ],
)
def test_mistakes_are_told_at_once(scene, capsys, arguments, text):
    """One line, and an exit status of 1."""
    status, _, err = sim(capsys, scene, "-t", 0.1, *arguments)
    assert status == 1
    assert text in err
    assert len(err.splitlines()) == 1


def test_a_scene_without_contact_by_another_method(tmp_path, capsys):
    """Moby's own scheme, and a solver of SciPy's."""
    path = tmp_path / "free.xml"
    path.write_text(re.sub(r'<DynamicBody dynamic-body-id="ground"/>|<ContactParameters[^>]*>', "",
                           SCENE))  # fmt: skip
    ends = []
    for method in ("DOP853", "moby", "symplectic"):
        status, out, _ = sim(capsys, path, "-t", 0.2, "--integrator", method, "--print", "ball.q",
                             "--print-every", 200)  # fmt: skip
        assert status == 0
        ends.append(float(out.splitlines()[2].split()[1]))
    fallen = 1.0 - 0.5 * 9.81 * 0.04
    assert ends == pytest.approx([fallen, fallen + 0.5 * 9.81 * 0.2e-3, fallen], abs=1e-9)


# -- ends that nobody wants --

RUN = """
import os, resource, signal, sys
sys.path[:0] = [{path!r}]
import polhode as ph
from contact.stepping_scenes import pile
{before}
try:
    ph.simulate(pile(4), 1e3, progress=False, output={output!r}, record=1)
except ph.simulation.SimulationError as error:
    print(len(error.recording.times) if error.recording else 0)
    print(error)
"""
FOLDER = os.path.dirname(os.path.dirname(__file__))


def started(output, before=""):
    """A long run in a process of its own, that writes every step."""
    pytest.importorskip("h5py")
    code = RUN.format(path=FOLDER, output=str(output), before=before)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)  # fmt: skip


def wait_for(path):
    """Until a recording has begun to grow: some hundred records are on the disk."""
    limit = time.monotonic() + 120.0
    while not path.exists() or path.stat().st_size < 600_000:
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_a_full_disk(tmp_path):
    """The disk takes no more than so many bytes: what it took can be read, and is returned."""
    path, most = tmp_path / "run.h5", 1_500_000
    before = f"""
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))"""
    out, err = started(path, before).communicate(timeout=200)
    count, message = out.splitlines()[0], " ".join(out.splitlines()[1:])
    assert "could not write" in message, (out, err)
    assert "what was written before is kept" in message
    assert path.stat().st_size <= most
    found = ph.Recording.load(path)
    assert len(found.times) == int(count) > 10
    assert np.isfinite(found.q).all()
    assert "Traceback" not in err


def test_a_vanished_folder(tmp_path):
    """The folder is removed under the run: it says so and returns what it had."""
    folder = tmp_path / "run"
    folder.mkdir()
    process = started(folder / "run.h5")
    wait_for(folder / "run.h5")
    shutil.rmtree(folder)
    out, err = process.communicate(timeout=60)
    count, message = out.splitlines()[0], " ".join(out.splitlines()[1:])
    assert "the file is gone while the run writes it" in message, (out, err)
    assert int(count) >= 10
    assert "Traceback" not in err


def test_a_folder_that_never_was(tmp_path):
    """Said before anything is simulated."""
    with pytest.raises(FileNotFoundError, match="there is no such folder"):
        ph.simulate(pile(1), 1.0, output=tmp_path / "nowhere" / "run.h5", progress=False)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_killed(tmp_path, number):
    """However it is killed, the file can be read up to its last chunk, and gone on with."""
    path = tmp_path / "run.h5"
    process = started(path)
    wait_for(path)
    process.send_signal(number)
    process.communicate()
    found = ph.Recording.load(path)
    assert len(found.times) >= 10
    assert "cut short" in found.stopped
    more = ph.simulate(pile(4), found.times[-1] + 0.05, resume=path, record=1, progress=False)
    assert more.times[-1] == pytest.approx(found.times[-1] + 0.05)
    assert more.q[: len(found.times)].tobytes() == found.q.tobytes()


def test_control_c_at_the_terminal(scene, tmp_path):
    """One line, the exit status of an interrupt, and a recording of what was."""
    pytest.importorskip("h5py")
    path = tmp_path / "run.h5"
    arguments = [sys.executable, "-m", "polhode", "sim", str(scene), "-t", "1e5", "-o", str(path)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(path)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (out, err)
    assert re.fullmatch(r"polhode: interrupted at t = [\d.e+]+ s\n", err)
    found = ph.Recording.load(path)
    assert found.stopped.startswith("interrupted at t = ")
    assert len(found.times) >= 10


def test_limits_of_this_process_are_untouched():
    """The full disk of a test above was only that process's."""
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 1_500_000
