"""``polhode convert``, and options that all commands with models have."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from io_samples import INERTIAL, joint, link, robot
from mjcf_texts import MODELS
from models import ball_on_plane
from polhode.cli import main
from polhode.cli.parser import build_parser
from polhode.model import Box

BOX = '<collision><geometry><box size="0.2 0.2 1.2"/></geometry></collision>'


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(robot(link("a", INERTIAL + BOX), '<link name="b"/>', joint("a", "b")))
    return path


def convert(*words):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        return main(["convert", *map(str, words)])


@pytest.mark.parametrize("target", ["x.mjcf", "x.xml", "x.lua", "x.urdf"])
@pytest.mark.parametrize("source", ["arm.urdf", "arm.lua", "arm.xml", "arm.mjcf", "arm.sdf"])
def test_every_format_to_every_other(source, target, tmp_path, capsys):
    """The joint-space inertia is that of the source."""
    arm = ph.Model("arm").add("base", mass=1.0, inertia=(0.1,) * 3)
    arm = arm.add("one", parent="base", joint=ph.model.Revolute.y(), mass=2.0, com=(0.5, 0.0, 0.0),
                  inertia=(0.1, 0.2, 0.25))  # fmt: skip
    path = tmp_path / source
    if source == "arm.sdf":
        path.write_text(
            '<sdf version="1.9"><model name="arm"><static>false</static><link name="base"/>'
            '<link name="one"><inertial><pose>0.5 0 0 0 0 0</pose><mass>2</mass><inertia><ixx>0.1'
            "</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial></link>"
            '<joint name="world" type="fixed"><parent>world</parent><child>base</child></joint>'
            '<joint name="one" type="revolute"><parent>base</parent><child>one</child>'
            "<axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"
        )
    else:
        ph.save(ph.Scene.of(arm) if source == "arm.xml" else arm, path)
    assert convert(path, tmp_path / target) == 0
    assert f"wrote {tmp_path / target}" in capsys.readouterr().out
    found = ph.load(tmp_path / target)
    model = found if isinstance(found, ph.Model) else found.model
    q = np.array(ph.neutral(model))
    np.testing.assert_allclose(ph.mass_matrix(model, q), ph.mass_matrix(arm, [0.0]), rtol=1e-12)


def test_the_format_may_be_said(urdf, tmp_path, capsys):
    """A URDF brings its collision shapes; what is lost is told on standard error."""
    assert convert(urdf, tmp_path / "x.xml", "--to", "mjcf", "--floating-base") == 0
    scene = ph.load(tmp_path / "x.xml")
    assert scene.model.nv == 7
    assert [each.shape for each in scene.geometries] == [Box((0.2, 0.2, 1.2))]
    assert "zero mass or inertia of moving links" in capsys.readouterr().err


def test_a_scene_to_a_model(tmp_path, capsys):
    """Of the model that moves; the rest is named."""
    scene = ball_on_plane(1.0, mu_coulomb=0.5)
    ph.save(scene, tmp_path / "s.xml")
    assert convert(tmp_path / "s.xml", tmp_path / "s.lua") == 0
    told = capsys.readouterr().err
    for part in ("collision shapes ('ground', 'ball')", "models that do not move ('ground')",
                 "the start ('ball')", "rules of contact ('all')"):  # fmt: skip
        assert part in told
    assert ph.load(tmp_path / "s.lua").nv == 6


def test_several_models_are_no_model(tmp_path, capsys):
    scene = ball_on_plane(1.0).add_body("other", Box((1.0, 1.0, 1.0)), mass=1.0)
    ph.save(scene, tmp_path / "s.xml")
    assert convert(tmp_path / "s.xml", tmp_path / "s.urdf") == 1
    assert "holds one model" in capsys.readouterr().err


def test_an_unknown_target(urdf, tmp_path, capsys):
    assert convert(urdf, tmp_path / "x.usd") == 1
    assert "expected a file name that ends in" in capsys.readouterr().err


def test_json(tmp_path, capsys):
    (tmp_path / "x.xml").write_text(MODELS["several joints on a body"])
    assert convert(tmp_path / "x.xml", tmp_path / "y.mjcf", "--json", "-q") == 0
    assert json.loads(capsys.readouterr().out)["format"] == "mjcf"


def test_every_command_that_reads_models_takes_folders_of_packages():
    parser = build_parser()
    for name in ("info", "check", "convert", "sim", "sweep", "show", "render", "export"):
        words = ["--package-root", "a", "--package-root", "b", "file"]
        words += {"convert": ["out"], "render": ["-o", "x.png"], "export": ["--c", "x.c"]}.get(
            name, []
        )
        assert parser.parse_args([name, *words]).package_root == ["a", "b"]


def test_folders_of_packages_are_used(tmp_path, capsys):
    """A mesh that is found is not reported."""
    (tmp_path / "else" / "bot" / "parts").mkdir(parents=True)
    mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    (tmp_path / "else" / "bot" / "parts" / "a.obj").write_text(mesh)
    visual = '<visual><geometry><mesh filename="package://bot/parts/a.obj"/></geometry></visual>'
    path = tmp_path / "apart" / "x.urdf"
    path.parent.mkdir()
    path.write_text(robot(link("a", INERTIAL + visual)))
    assert main(["info", "-v", str(path)]) == 0
    assert "no mesh file" in capsys.readouterr().out
    assert main(["info", "-v", str(path), "--package-root", str(tmp_path / "else")]) == 0
    assert "no mesh file" not in capsys.readouterr().out


def test_ground(urdf, tmp_path, capsys):
    """Right under a free robot, which stays there."""
    out = tmp_path / "run.npz"
    words = ["sim", str(urdf), "--ground", "--floating-base", "--time", "0.05", "-o", str(out)]
    assert main(words) == 0
    assert "contacts" in capsys.readouterr().out
    run = ph.Recording.load(out)
    assert len(run.contact_gap) > 0 and np.abs(run.q[:, 2]).max() < 1e-3


def test_ground_needs_shapes(tmp_path, capsys):
    path = tmp_path / "bare.urdf"
    path.write_text(robot(link("a", INERTIAL)))
    assert main(["sim", str(path), "--ground", "--floating-base"]) == 1
    assert "needs collision shapes" in capsys.readouterr().err
    assert Path(path).is_file()
