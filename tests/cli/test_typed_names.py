"""What is typed at the command line: signals by name, vectors, completion, short usage."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

import polhode as ph
from polhode.cli import main
from polhode.cli.parser import build_parser
from polhode.model import Box, Revolute, Sphere
from polhode.viewer.signals import impulse_signal, impulse_signals

ROD = {"mass": 1.0, "com": (0.1, 0.0, -0.5), "inertia": (0.1, 0.1, 0.01)}
CHAIN = ph.Model("chain")
for number in range(10):
    CHAIN = CHAIN.append(f"link{number}", joint=Revolute.y(), **ROD)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A recording of ten joints, which take two panels of a plot."""
    path = tmp_path_factory.mktemp("plots") / "run.npz"
    ph.simulate(CHAIN, 0.02, progress=False).save(path)
    return path


def plotted(capsys, tmp_path, run, *names) -> list[str]:
    """Which signals a plot of these names has."""
    assert main(["plot", str(run), *names, "-o", str(tmp_path / "plot.svg"), "--json"]) == 0
    return json.loads(capsys.readouterr().out)["signals"]


@pytest.mark.parametrize("name", ["position", "q", "Position"])
def test_a_quantity_of_many_joints_is_plotted_by_its_name(capsys, tmp_path, run, name):
    """All its panels, also by its name in Python."""
    expected = ["position 1\u20138", "position 9\u201310"]
    assert plotted(capsys, tmp_path, run, name) == expected


def test_a_hyphen_is_taken_for_a_dash(capsys, tmp_path, run):
    """A panel's own name is typed with the key that keyboards have."""
    assert plotted(capsys, tmp_path, run, "velocity 9-10") == ["velocity 9\u201310"]
    assert plotted(capsys, tmp_path, run, "velocity:link3") == ["velocity 1\u20138 link3"]


def test_unknown_signals_are_refused(capsys, tmp_path, run):
    """With a near name; a quantity that is zero says so."""
    for name, told in (("positon", "did you mean 'position'"), ("tau", "is zero throughout")):
        assert main(["plot", str(run), name, "-o", str(tmp_path / "no.svg")]) == 1
        assert told in capsys.readouterr().err


@pytest.fixture
def rod(tmp_path):
    path = tmp_path / "rod.urdf"
    ph.save(CHAIN, path)
    return path


def test_vectors_vary(capsys, rod):
    """Numbers of a vector in brackets, vectors apart by commas."""
    vectors = "gravity=[0, 0, -9.81],[0, 0, -1.6]"
    command = ["sweep", str(rod), "--vary", vectors, "-t", "0.01", "--workers", "0", "--json"]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)["table"]
    assert found["gravity"] == [[0, 0, -9.81], [0, 0, -1.6]]


def test_wrong_vectors_are_refused(capsys, rod):
    """One that is not closed, and one number for a vector."""
    for text, told in (("gravity=[0, 0", "expected NAME="), ("gravity=1:9:3", "[0, 0, -9.81]")):
        assert main(["sweep", str(rod), "--vary", text, "-t", "0.01", "--workers", "0"]) == 1
        assert told in capsys.readouterr().err


def test_usage_errors_take_two_lines(capsys):
    """What is wrong, and where all options are listed."""
    assert main(["sim", "arm.urdf", "--tme", "3"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "polhode: unknown argument '--tme'; did you mean '--time'?"
    assert told[1:] == ["usage: polhode sim FILE [options]; polhode sim --help lists them"]
    assert main(["simm"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[1:] == ["usage: polhode COMMAND [options]; polhode --help lists them"]


def commands() -> dict[str, argparse.ArgumentParser]:
    actions = build_parser()._actions
    return next(a.choices for a in actions if isinstance(a, argparse._SubParsersAction))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command_and_option(capsys, shell):
    """The script of each shell has all of them."""
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for name, command in commands().items():
        assert name in script
        for option in (o for a in command._actions for o in a.option_strings if o[:2] == "--"):
            assert option in script or f"-l {option[2:]}" in script, option


def test_completion_in_bash():
    """The shell itself, asked what may follow."""
    if not (bash := shutil.which("bash")):
        pytest.skip("no bash")
    script = "from polhode.cli import main; main(['completion', 'bash'])"
    ask = (
        f'source <({sys.executable} -c "{script}"); '
        "COMP_WORDS=(polhode %s); COMP_CWORD=%d; _polhode; echo ${COMPREPLY[@]}"
    )
    for words, place, expected in (
        ("re", 1, "render"),
        ("sim --jso", 2, "--json"),
        ("sim --start ra", 3, "random"),
    ):
        done = subprocess.run([bash, "-c", ask % (words, place)], capture_output=True, text=True)
        assert done.stdout.split() == [expected], done.stderr


@pytest.fixture(scope="module")
def landing(tmp_path_factory):
    """A recording of a ball that lands on a slab, and of one beside it."""
    scene = ph.Scene("landing").add_fixed("slab", Box((1.0, 1.0, 0.2)))
    for name, x in (("ball", 0.0), ("beside", 3.0)):
        scene = scene.add_body(name, Sphere(0.1), mass=2.0, position=(x, 0.0, 0.25))
    path = tmp_path_factory.mktemp("impulses") / "run.npz"
    ph.simulate(scene.contact(restitution=0.0), 0.3, progress=False).save(path)
    return path


def test_impulses_of_contacts_are_plotted(capsys, tmp_path, landing):
    """Those of what touched, or of geometries by name; the ground bears all momentum."""
    assert plotted(capsys, tmp_path, landing, "impulse") == ["contact impulse"]
    assert plotted(capsys, tmp_path, landing, "impulse:ball", "contact impulse:beside") == [
        "contact impulse ball", "contact impulse beside"]  # fmt: skip
    assert main(["plot", str(landing), "--list"]) == 0
    assert "contact impulse [N s]: slab, ball\n" in capsys.readouterr().out
    run = ph.Recording.load(landing)
    (both,) = impulse_signals(run)
    np.testing.assert_allclose(both.values[0], both.values[1], atol=1e-12)
    np.testing.assert_allclose(both.values[1].sum(), 2.0 * 9.81 * 0.3, rtol=1e-9)
    assert not impulse_signal(run, "beside").values.any()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("impulse:bal", "no geometry 'bal'; did you mean 'ball'"),
        ("impuls", "unknown signal 'impuls'; --list shows them all; did you mean 'impulse'?\n"),
        ("Contact impulse:slap", "did you mean 'slab'"),
    ],
)
def test_unknown_impulses_are_refused(capsys, tmp_path, landing, name, told):
    assert main(["plot", str(landing), name, "-o", str(tmp_path / "no.svg")]) == 1
    assert told in capsys.readouterr().err


def test_impulses_that_nobody_knows_are_refused(capsys, tmp_path, run, landing):
    """And those of runs without contacts are zero."""
    scene = ph.Scene("s").add_fixed("slab", Box((1.0, 1.0, 0.2))).add_body(
        "ball", Sphere(0.1), mass=2.0, position=(0.0, 0.0, 0.2)).contact()  # fmt: skip
    path = tmp_path / "moreau.npz"
    ph.simulate(scene, 0.1, integrator="moreau", record=5, progress=False).save(path)
    for name in ("impulse", "impulse:ball"):
        assert main(["plot", str(path), name, "-o", str(tmp_path / "no.svg")]) == 1
        assert "expected a recording with impulses of contacts" in capsys.readouterr().err
    assert main(["plot", str(run), "impulse", "-o", str(tmp_path / "no.svg")]) == 1
    assert "signal 'impulse' is zero throughout" in capsys.readouterr().err
