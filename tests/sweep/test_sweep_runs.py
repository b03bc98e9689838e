"""Sweeps of models and scenes: what varies by name, and the same runs as one at a time."""

from __future__ import annotations

import inspect
import json
import math

import numpy as np
import pytest

import polhode as ph
from polhode.batch.sweep.runs import changed, known_names
from polhode.cli import main
from polhode.model.shapes import Box, Plane
from polhode.scene import Scene


def sliding():
    """A box that slides over ground."""
    scene = Scene("slide").add_fixed("ground", Plane()).contact(mu_coulomb=0.3)
    return scene.add_body(
        "box", Box((0.4, 0.4, 0.2)), position=(0, 0, 0.1), velocity=(2, 0, 0), mass=3.0
    )


def pendulum(length=0.5):
    bar = ph.Model("bar", gravity=(0.0, 0.0, -9.81))
    return bar.add("bar", joint=ph.model.Revolute.x(), mass=1.0, com=(0, 0, -length))


def way(recording):
    """How far the box went."""
    q, _ = recording.of("box")
    return float(q[-1, 0])


def test_friction_stops_a_box_where_theory_says():
    """``v^2 / (2 mu g)``, whatever the mass: friction, mass and start are varied by name."""
    mu = [0.2, 0.4, 0.8]
    tasks = ph.sweeps.grid(mu_coulomb=mu, **{"box.mass": [1.0, 5.0]})
    result = ph.sweep(sliding(), tasks, duration=1.2, measure=way, dt=1e-3, workers=2)
    assert not result.errors
    ways = result[""].reshape(3, 2)
    assert ways[:, 0] == pytest.approx(ways[:, 1], rel=1e-9)
    assert ways[:, 0] == pytest.approx([4.0 / (2.0 * m * 9.81) for m in mu], rel=2e-3)


def test_a_sweep_is_the_runs_one_at_a_time():
    """Bit for bit what `simulate` gives for each edited scene."""
    scene = sliding()
    starts = [scene.machine("box").qd, (1.0, 1.0, 0.0, 0.0, 0.0, 3.0)]
    result = ph.sweep(scene, {"box.qd": starts}, duration=0.2, dt=1e-3, workers=2)
    for k, qd in enumerate(starts):
        alone = ph.simulate(scene.with_start("box", qd=qd), 0.2, dt=1e-3)
        assert result["q"][k].tobytes() == alone.q[-1].tobytes()
        assert result["unconverged"][k] == 0


def test_models_vary_too():
    """Periods of small swings under other gravities and lengths."""
    tasks = [{"gravity": (0, 0, -g), "bar.com": (0, 0, -l), "q0": [1e-3]}
             for g, l in ((9.81, 0.5), (1.62, 0.5), (9.81, 2.0))]  # fmt: skip
    result = ph.sweep(pendulum(), tasks, duration=2.0, measure=angle, workers=1)
    for k, (g, length) in enumerate(((9.81, 0.5), (1.62, 0.5), (9.81, 2.0))):
        expected = 1e-3 * math.cos(2.0 * math.sqrt(g / length))
        assert result[""][k] == pytest.approx(expected, abs=1e-8)


def angle(recording):
    return recording.q[-1, 0]


def test_mass_keeps_the_shape():
    """A heavier body has the same radii of gyration."""
    scene = changed(sliding(), "box.mass", 6.0)
    before, after = (s.machine("box").model.links[0].body for s in (sliding(), scene))
    assert after.mass == 6.0
    assert np.array(after.inertia) == pytest.approx(2.0 * np.array(before.inertia))
    assert scene.machine("box").q == sliding().machine("box").q


def test_names_are_checked_before_anything_runs():
    """What nothing is called says what there is."""
    assert {"box.mass", "box.q", "mu_coulomb", "gravity", "dt"} <= set(known_names(sliding()))
    with pytest.raises(ph.ModelError, match=r"nothing is called 'box\.mas' .*did you mean 'box"):
        ph.sweep(sliding(), {"box.mas": [1.0]}, duration=1.0)
    with pytest.raises(ph.ModelError, match=r"'bar\.masss'.*there are: gravity, dt, .*model 'bar'"):
        ph.sweep(pendulum(), {"bar.masss": [1.0]}, duration=1.0)
    with pytest.raises(TypeError, match="expected duration= of the runs"):
        ph.sweep(pendulum(), {"bar.mass": [1.0]})


def test_a_value_that_is_refused_is_an_error_of_its_task():
    """The others run."""
    result = ph.sweep(pendulum(), {"bar.mass": [-1.0, 2.0]}, duration=0.1, workers=0)
    assert [error.index for error in result.errors] == [0]
    assert "mass" in result.errors[0].message


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ph.save(pendulum(), tmp_path / "bar.urdf")
    (tmp_path / "my_tasks.py").write_text(
        "def power(base, exponent):\n    return base ** exponent\n\n\n"
        "def angle(recording):\n    return {'angle': recording.q[-1, 0]}\n"
    )
    return tmp_path


def test_command(folder, capsys):
    """`polhode sweep` of a file: a grid, draws, a measure, a table, going on, JSON."""
    command = ["sweep", "bar.urdf", "-t", "0.2", "--vary", "bar.mass=1,2", "--vary",
               "dt=0.001:0.002:2", "--measure", "my_tasks:angle", "-o", "runs", "--csv", "t.csv",
               "--workers", "1"]  # fmt: skip
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "SweepResult(4 tasks, 4 done, 0 failed)" in said
    assert "angle" in said
    header, *rows = (folder / "t.csv").read_text().splitlines()
    assert header == "bar.mass,dt,angle"
    assert len(rows) == 4
    assert main([*command, "--json"]) == 0
    table = json.loads(capsys.readouterr().out)["table"]
    assert table["bar.mass"] == [1, 1, 2, 2]
    assert ph.sweeps.SweepResult.load(folder / "runs")["angle"].tolist() == table["angle"]


def test_command_with_a_function(folder, capsys):
    """MODULE:FUNCTION, random draws, and the exit status of failures."""
    base = ["sweep", "my_tasks:power", "--workers", "0", "--vary", "exponent=2"]
    assert main([*base, "--random", "base=1:2", "-n", "5", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)["table"]
    assert table["result"] == [x**2 for x in table["base"]]
    assert main([*base, "--vary", "base=3,none"]) == 1
    said = capsys.readouterr()
    assert "1 of 2 tasks failed" in said.err
    assert "task 1 (exponent=2, base='none'): TypeError" in said.err
    assert main([*base, "--vary", "base"]) == 1
    assert (
        "expected NAME=a,b,c, NAME=[x,y,z],... or NAME=FIRST:LAST:COUNT with a COUNT of at least "
        "1, got 'base'" in capsys.readouterr().err
    )


def interrupted(k):
    if k:
        raise KeyboardInterrupt
    return k


def test_an_interrupted_command_ends_as_others_do(folder, capsys):
    """With the status that shells know, after what was done is told."""
    (folder / "my_stops.py").write_text(inspect.getsource(interrupted))
    command = ["sweep", "my_stops:interrupted", "--vary", "k=0,1,2", "--workers", "0"]
    assert main([*command, "--csv", "t.csv"]) == 130
    said = capsys.readouterr()
    assert "stopped='interrupted'" in said.out
    assert said.err.splitlines()[-1] == "polhode: interrupted"
    assert (folder / "t.csv").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("my_tasks:powr --vary base=1", "no function 'powr' in 'my_tasks' for the sweep; did you"),
        ("no_tasks:power --vary base=1", "no module 'no_tasks' for the sweep, neither"),
        ("my_tasks:power --vary base=1:2:0", "COUNT of at least 1, got 'base=1:2:0'"),
        ("my_tasks:power --vary base=1 --vary base=2", "expected one --vary or --random of 'base'"),
        ("my_tasks:power --vary base=1 --random base=1:2", "expected one --vary or --random of"),
        ("my_tasks:power --random base=2:1", "expected NAME=LOW:HIGH, with finite LOW <= HIGH"),
        ("my_tasks:power --random base=1:2 -n 0", "expected --count of at least 1, got 0"),
    ],
)
def test_wrong_words_of_the_command(folder, capsys, words, told):
    assert main(["sweep", *words.split(), "--workers", "0"]) == 1
    assert told in capsys.readouterr().err


def test_gravity_is_three_numbers():
    """One number is refused once, before the first task."""
    for value in (9.81, "down", (0.0, 0.0)):
        with pytest.raises(ph.ModelError, match="expected three numbers as gravity"):
            ph.sweep(pendulum(), {"gravity": [value]}, duration=0.01, workers=0)
