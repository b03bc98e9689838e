"""``polhode check`` and ``polhode info`` on models and scenes: remarks, exit codes, JSON."""

from __future__ import annotations

import json

import pytest

from polhode.cli.main import main

SCENE = """<XML><MOBY>
<Sphere id="s" radius="1" mass="2" num-points="9"/>
<RungeKuttaIntegrator id="rk"/>
<RigidBody id="ball" positon="1 2 3"><InertiaFromPrimitive primitive-id="s"/>
  <CollisionGeometry primitive-id="s"/></RigidBody>
<TimeSteppingSimulator id="sim"><DynamicBody dynamic-body-id="ball"/></TimeSteppingSimulator>
</MOBY></XML>"""
CLEAN = SCENE.replace('<RungeKuttaIntegrator id="rk"/>', "").replace(' positon="1 2 3"', "")


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene.xml"
    path.write_text(SCENE)
    return str(path)


def test_remarks_have_file_and_line(scene, capsys):
    """One line each; harmless ones only on request."""
    assert main(["check", scene]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{scene}:3: ignored: <RungeKuttaIntegrator")
    assert lines[1].startswith(f"{scene}:4: ignored: ")
    assert "did you mean 'position'" in lines[1]
    assert lines[2] == f"{scene}: 2 remarks (1 more with --all)"
    assert main(["check", scene, "--all"]) == 0
    assert ":2: hint: " in capsys.readouterr().out


def test_exit_codes(scene, tmp_path, capsys):
    """0 readable, 1 not readable or strict with remarks, 2 not understood."""
    assert main(["check", scene, "--strict"]) == 1
    clean = tmp_path / "clean.xml"
    clean.write_text(CLEAN)
    assert main(["check", str(clean), "--strict"]) == 0
    assert "no remarks" in capsys.readouterr().out
    broken = tmp_path / "broken.xml"
    broken.write_text(SCENE.replace('radius="1"', 'radius="one"'))
    assert main(["check", str(broken)]) == 1
    assert f"{broken}:2: error: expected a number" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "none.xml")]) == 1
    assert main(["check"]) == 2


def test_json(scene, tmp_path, capsys):
    """Notes and errors as data."""
    assert main(["check", scene, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["ok"]
    assert [note["line"] for note in data["notes"]] == [2, 3, 4]
    broken = tmp_path / "broken.xml"
    broken.write_text("<XML>")
    assert main(["check", str(broken), "--json"]) == 1
    (error,) = json.loads(capsys.readouterr().out)["errors"]
    assert error["line"] == 1


def test_doubts_on_what_was_read(tmp_path, capsys):
    """A body that can move and has no mass."""
    path = tmp_path / "light.xml"
    path.write_text(CLEAN.replace('<InertiaFromPrimitive primitive-id="s"/>', ""))
    assert main(["check", str(path), "--strict"]) == 1
    assert "joint 'ball' moves has no mass" in capsys.readouterr().out


def test_models_are_checked_too(tmp_path, capsys):
    """A URDF with a tag nobody reads."""
    path = tmp_path / "r.urdf"
    path.write_text('<robot name="r">\n<link name="a"/><wobble/></robot>')
    assert main(["check", str(path)]) == 0
    assert f"{path}:2: ignored: <robot>: <wobble>" in capsys.readouterr().out


def test_info_of_a_scene(scene, capsys):
    """Machines, shapes, simulator and the tree; as JSON too."""
    assert main(["info", scene]) == 0
    out = capsys.readouterr().out
    assert "1 machines of 6 degrees of freedom" in out
    assert "ball#0: sphere on ball/ball" in out
    assert "time-stepping 'sim'" in out
    assert "ball/ball [ TX, TY, TZ, RX, RY, RZ ]" in out
    assert main(["info", scene, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["machines"][0]["name"] == "ball"
    assert data["mass"] == 2.0
