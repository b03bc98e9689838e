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
from polhode.formats.mesh import read_mesh
from polhode.formats.urdf import writer as urdf_writer
from polhode.formats.urdf.collision import read_collisions
from polhode.model import Box, Mesh, Polyhedron, Torus, TriangleMesh, Visual
from polhode.spatial import Transform

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


@pytest.mark.parametrize("target", ["x.urdf", "x.lua"])
def test_what_is_lost_is_told_once(target, tmp_path, capsys):
    path = tmp_path / "m.mjcf"
    path.write_text('<mujoco><worldbody><body name="ball" gravcomp="1"><joint/><geom size="1"/>'
                    "</body></worldbody></mujoco>")  # fmt: skip
    assert convert(path, tmp_path / target) == 0
    assert capsys.readouterr().err.count("gravity compensation ('ball')") == 1


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


MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def meshed(tmp_path):
    """A URDF with all shapes, a mesh that is not convex and one that is not there."""
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "m.obj").write_text(MESH)
    shapes = ('<box size="1 2 3"/>', '<sphere radius="0.5"/>', '<cylinder radius="1" length="2"/>',
              '<mesh filename="m.obj" scale="1 2 3"/>', '<mesh filename="none.stl"/>')  # fmt: skip
    origin = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>'
    inside = "".join(
        f"<{tag}>{origin}<geometry>{shape}</geometry></{tag}>"
        for tag in ("collision", "visual")
        for shape in shapes
    )
    path = tmp_path / "in" / "r.urdf"
    path.write_text(robot(link("a", INERTIAL + inside), '<link name="b"/>', joint("a", "b")))
    return path


def test_a_urdf_keeps_its_collision_shapes(tmp_path, capsys):
    """And meshes, which are files beside it: as they are, not their hulls."""
    path = meshed(tmp_path)
    copy = tmp_path / "out" / "r.urdf"
    assert convert(path, copy) == 0
    assert "collision shapes ('a')" in capsys.readouterr().err  # the one that is not there
    first, second = (read_collisions(each, as_hulls=False) for each in (path, copy))
    first = first[:-1]
    assert [(name, type(shape)) for name, shape, _ in first] == [
        (name, type(shape)) for name, shape, _ in second
    ]
    assert [shape for _, shape, _ in first[:3]] == [shape for _, shape, _ in second[:3]]
    assert isinstance(second[3][1], Mesh)
    assert second[3][1].scale == (1.0, 2.0, 3.0)
    assert Path(second[3][1].path).read_text() == MESH
    for (_, _, X), (_, _, Y) in zip(first, second, strict=True):
        np.testing.assert_allclose(X.E.rows(), Y.E.rows(), atol=1e-15)
        np.testing.assert_allclose(tuple(X.r), tuple(Y.r), atol=1e-15)
    assert convert(path, path) == 0
    assert len(read_collisions(path, as_hulls=False)) == 5


def test_collision_shapes_that_are_lost_are_named(tmp_path, capsys):
    """A Lua file has none; their meshes need not be there."""
    assert convert(meshed(tmp_path), tmp_path / "r.lua") == 0
    assert "lost or changed in Lua:\n  collision shapes ('a')" in capsys.readouterr().err


MOTOR = """<mujoco><compiler angle="radian"/><option gravity="0 0 -3"/><worldbody>
  <geom name="floor" type="plane" size="1 1 1"/><body name="a"><joint name="j" axis="0 1 0"
  limited="true" range="-1 2" damping="0.2" frictionloss="0.3"/><geom type="box" size=".5 1 1.5"/>
  </body></worldbody>
  <actuator><motor name="m" joint="j"/></actuator>
  <sensor><jointpos name="s" joint="j"/></sensor></mujoco>"""


def test_a_scene_to_a_urdf(tmp_path, capsys):
    """With collision shapes, limits and friction of its joints; what is lost is named."""
    (tmp_path / "s.xml").write_text(MOTOR)
    assert convert(tmp_path / "s.xml", tmp_path / "s.urdf") == 0
    told = capsys.readouterr().err
    for part in ("actuators ('m')", "sensors ('s')", "models that do not move",
                 "gravity ('0 0 -3')", "collision shapes ('floor')"):  # fmt: skip
        assert part in told, part
    link = next(each for each in ph.load(tmp_path / "s.urdf").links if each.name == "a")
    assert (link.limits.lower, link.limits.upper) == (-1.0, 2.0)
    assert (link.dynamics.damping, link.dynamics.friction) == (0.2, 0.3)
    (found,) = read_collisions(tmp_path / "s.urdf")
    assert found[:2] == ("a", Box((1.0, 2.0, 3.0)))


def test_shapes_that_a_urdf_does_not_have():
    """They are named, and so is what else is lost of a model."""
    torus = Torus(1.0, 0.1)
    model = ph.Model("arm", gravity=(0.0, -9.81, 0.0)).add("a", mass=1.0, visuals=[Visual(torus)])
    touching = [("a", torus, Transform.identity())]
    with pytest.warns(ph.ModelWarning) as told:
        text = urdf_writer.dumps(model, touching)
    assert "torus" not in text.lower() and "geometry" not in text
    for part in ("visuals ('a')", "collision shapes ('a')", "gravity ('0 -9.81 0')"):
        assert part in str(told[0].message)


def test_corners_become_files_of_a_urdf(tmp_path):
    """Hulls and triangles have no other place in the format."""
    corners = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    visuals = [Visual(TriangleMesh(corners, ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))))]
    model = ph.Model("arm").add("a", mass=1.0, visuals=visuals)
    path = tmp_path / "arm.urdf"
    urdf_writer.write(model, path, [("a", Polyhedron(corners), Transform.identity())])
    ((_, shape, _),) = read_collisions(path)
    assert shape == Polyhedron(corners)
    (visual,) = ph.load(path).links[0].visuals
    assert read_mesh(visual.shape.path) == visuals[0].shape


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
