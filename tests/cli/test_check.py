"""``polhode check`` and ``polhode info`` on models and scenes: remarks, exit codes, JSON."""

from __future__ import annotations

import json
import warnings

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
    assert lines[2] == f"{scene}: 2 warnings (1 more with --all)"
    assert main(["check", scene, "--all"]) == 0
    assert ":2: hint: " in capsys.readouterr().out


def test_exit_codes(scene, tmp_path, capsys):
    """0 readable, 1 not readable or strict with remarks, 2 not understood."""
    assert main(["check", scene, "--strict"]) == 1
    clean = tmp_path / "clean.xml"
    clean.write_text(CLEAN)
    assert main(["check", str(clean), "--strict"]) == 0
    assert "no warnings" in capsys.readouterr().out
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


def test_collision_shapes_of_a_urdf_are_checked(tmp_path, capsys):
    """All that a simulation of it would refuse, though it can be loaded."""
    path = tmp_path / "r.urdf"
    shape = "<collision><geometry>\n{}</geometry></collision>"
    (tmp_path / "bad.obj").write_text("v 0 0\n")
    shapes = ('<box size="1 1"/>', '<mesh filename="none.stl"/>', '<sphere radius="1"/>',
              '<mesh filename="bad.obj"/>', '<mesh filename="/m.stl"/>', "<cone/>")  # fmt: skip
    inside = "".join(map(shape.format, shapes))
    path.write_text(f'<robot name="r"><link name="a">{inside}</link></robot>')
    assert main(["check", str(path), "--strict"]) == 1
    lines = capsys.readouterr().out.splitlines()
    wanted = ((2, "3 numbers in <box size>"), (2, "there is no mesh file"), (4, "bad.obj"),
              (5, "outside the folders"), (7, "unknown shape <cone>"))  # fmt: skip
    for k, part in wanted:
        start = f"{path}:{k}: doubtful: collision shape cannot be read: "
        assert any(line.startswith(start) and part in line for line in lines), part
    assert main(["check", str(path)]) == 0
    path.write_text(f'<robot name="r"><link name="a">{shape.format(shapes[2])}</link></robot>')
    assert main(["check", str(path), "--strict"]) == 0


def test_info_of_a_scene(scene, capsys):
    """Machines, shapes, simulator and the tree; as JSON too."""
    assert main(["info", scene]) == 0
    out = capsys.readouterr().out
    assert "1 models of 6 degrees of freedom" in out
    assert "ball#0: sphere on ball/ball" in out
    assert "time-stepping 'sim'" in out
    assert "ball/ball [ TX, TY, TZ, RX, RY, RZ ]" in out
    assert main(["info", scene, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["machines"][0]["name"] == "ball"
    assert data["mass"] == 2.0


def test_missing_meshes_and_damping_are_shown(tmp_path, capsys):
    """What is not there, and what is not applied, without being asked for; like ones together."""
    path = tmp_path / "r.urdf"
    mesh = '<visual><geometry><mesh filename="{}.obj"/></geometry></visual>'
    links = "".join(f'<link name="l{k}">{mesh.format(k)}</link>\n' for k in range(3))
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/>'
        '<dynamics damping="0.5" D="1"/></joint>\n'
        for k in range(2)
    )
    path.write_text(f'<robot name="r">\n{links}{joints}</robot>')
    assert main(["check", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert lines[0].startswith(f'{path}:2: mesh: <link name="l0">: no mesh file \'')
    assert lines[0].endswith("(and 2 more like this)")
    shown = [line.removeprefix(f"{path}:") for line in lines[1:]]
    assert '5: dynamics: <joint name="j0">: damping 0.5, friction 0 (and 1 more like this)' in shown
    assert "5: ignored: 'D' of 2 <dynamics> is not read" in shown
    assert main(["check", str(path), "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > len(lines)


def test_remarks_are_printed_once(tmp_path, capsys):
    """With ``-v`` in the notes, otherwise as a warning."""
    path = tmp_path / "r.urdf"
    path.write_text('<robot name="r">\n<link name="a"/><wobble/></robot>')
    for options, streams in ((["-v"], (1, 0)), ([], (0, 1))):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            assert main(["info", str(path), *options]) == 0
        said = capsys.readouterr()
        assert (said.out.count("<wobble>"), said.err.count("<wobble>")) == streams


def test_a_scene_with_a_plugin(tmp_path, capsys, monkeypatch):
    """Readable with its function, not without; a function that is not there is an error."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "scene.xml"
    finder = '<CollisionDetectionPlugin id="c" plugin="libc.so"/><TimeSteppingSimulator'
    path.write_text(
        CLEAN.replace("<TimeSteppingSimulator", finder).replace(
            'id="sim"', 'id="sim" collision-detection-plugin="c"'
        )
    )
    (tmp_path / "found.py").write_text("def touch(a, b, margin):\n    return []\n")
    assert main(["check", str(path)]) == 1
    assert "C++ plug-in 'libc.so'" in capsys.readouterr().out
    assert main(["check", str(path), "--strict", "--plugin", "c=./found.py:touch"]) == 0
    assert "no warnings" in capsys.readouterr().out
    assert main(["check", str(path), "--plugin", "c=./found.py:tuch"]) == 1
    assert "did you mean 'touch'" in capsys.readouterr().err
