"""Models by package, by xacro, by name; whole URDFs in a scene."""

from __future__ import annotations

import os
import sys
import types
import warnings

import numpy as np
import pytest

import polhode as ph
from io_samples import INERTIAL, joint, link, robot
from polhode.errors import ModelError, ParseError
from polhode.formats import read
from polhode.model import Box, FloatingBase, Mesh, Plane, Polyhedron, Sphere

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def with_mesh(name, *, collision=""):
    """A URDF whose only link shows a mesh."""
    visual = f'<visual><geometry><mesh filename="{name}"/></geometry></visual>'
    return robot(link("a", INERTIAL + visual + collision))


def package(folder, *, marked=True):
    """A package with a mesh."""
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "a.obj").write_text(OBJ)
    if marked:
        (folder / "package.xml").write_text("<package/>")
    return folder


def mesh_of(path, **options):
    shape = read(path, **options).model.links[0].visuals[0].shape
    assert isinstance(shape, Mesh)
    return shape.path


@pytest.fixture(autouse=True)
def _no_packages(monkeypatch):
    for name in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GZ_SIM_RESOURCE_PATH",
                 "GAZEBO_MODEL_PATH"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)


# -- packages --


@pytest.mark.parametrize("home", ["bot/urdf/deep", "other/urdf", "."])
def test_packages_above_the_file(home, tmp_path):
    """The package that the file is in, and one beside a folder above it."""
    package(tmp_path / "bot")
    path = tmp_path / home / "x.urdf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(with_mesh("package://bot/meshes/a.obj"))
    assert mesh_of(path) == str(tmp_path / "bot" / "meshes" / "a.obj")


@pytest.mark.parametrize(
    ("variable", "place"),
    [("ROS_PACKAGE_PATH", "bot"), ("ROS_PACKAGE_PATH", "."), ("ROS_PACKAGE_PATH", ".."),
     ("AMENT_PREFIX_PATH", ".."), ("GZ_SIM_RESOURCE_PATH", "."), ("GAZEBO_MODEL_PATH", ".")],
)  # fmt: skip
def test_packages_of_the_environment(variable, place, tmp_path, monkeypatch):
    """Itself, its parent, a repository of several, and an installation."""
    found = package(tmp_path / "ws" / "share" / "bot", marked=False)
    (tmp_path / "apart").mkdir()
    path = tmp_path / "apart" / "x.urdf"
    path.write_text(with_mesh("package://bot/meshes/a.obj"))
    assert mesh_of(path) == "package://bot/meshes/a.obj"
    folder = os.path.normpath(found.parent / place)
    monkeypatch.setenv(variable, os.pathsep.join(["", str(tmp_path / "none"), folder]))
    assert mesh_of(path) == str(found / "meshes" / "a.obj")


SDF = """<sdf version="1.7"><model name="bot"><link name="l"><collision name="c"><geometry><mesh>
  <uri>model://bot/{}/a.obj</uri></mesh></geometry></collision></link></model></sdf>"""


@pytest.mark.parametrize("place", ["bot/model.sdf", "worlds/world.sdf", "world.sdf"])
@pytest.mark.parametrize("folder", ["meshes", "shapes"])
def test_models_of_gazebo(place, folder, tmp_path):
    """The folder that the file is in, and one beside it or beside a folder above."""
    bot = package(tmp_path / "bot", marked=False)
    (bot / "meshes").rename(bot / folder)
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    path.write_text(SDF.format(folder))
    if folder != "meshes":
        with pytest.raises(ParseError, match=f"no mesh file 'model://bot/{folder}/a.obj'"):
            ph.load(path)
        (bot / "model.config").write_text("<model/>")
    (geometry,) = ph.load(path).geometries
    assert len(geometry.shape.vertices) == 4


def test_package_roots_come_first(tmp_path, monkeypatch):
    mine = package(tmp_path / "mine" / "bot")
    package(tmp_path / "theirs" / "bot")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "theirs"))
    path = tmp_path / "x.urdf"
    path.write_text(with_mesh("package://bot/meshes/a.obj"))
    assert mesh_of(path, package_roots=[tmp_path / "mine"]) == str(mine / "meshes" / "a.obj")


@pytest.mark.parametrize(
    "name",
    ["package://bot/../secret/a.obj", "package://../secret/a.obj", "package://secret/a.obj",
     "package://./secret/a.obj", "package:///secret/a.obj", "package://bot/link.obj",
     "file:///{}/secret/a.obj", "package://bot//{}/secret/a.obj"],
)  # fmt: skip
def test_nothing_else_is_reached(name, tmp_path, monkeypatch):
    """Neither by dots, nor through folders that are no packages, nor by links out of one."""
    package(tmp_path / "bot")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "bot"))
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "a.obj").write_text(OBJ)
    if hasattr(os, "symlink"):
        (tmp_path / "bot" / "link.obj").symlink_to(tmp_path / "secret" / "a.obj")
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    path = tmp_path / "home" / "x.urdf"
    path.parent.mkdir()
    path.write_text(with_mesh(name.format(tmp_path)))
    visuals = read(path).model.links[0].visuals
    assert all(not os.path.isfile(visual.shape.path) for visual in visuals)


@pytest.mark.parametrize("name", ["package://bot/../secret/a.obj", "package://secret/a.obj",
                                  "package://bot//{}/secret/a.obj"])  # fmt: skip
def test_nothing_else_is_reached_through_the_environment(name, tmp_path, monkeypatch):
    package(tmp_path / "ws" / "bot")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "a.obj").write_text(OBJ)
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ws"))
    path = tmp_path / "home" / "x.urdf"
    path.parent.mkdir()
    path.write_text(with_mesh(name.format(tmp_path)))
    visuals = read(path).model.links[0].visuals
    assert all(not os.path.isfile(visual.shape.path) for visual in visuals)


# -- meshes that cannot be read --


@pytest.mark.parametrize("name", ["gone.obj", "there.blend"])
def test_collision_shapes_are_drawn_instead(name, tmp_path):
    """Once, however many meshes a link has, and with a remark."""
    (tmp_path / "there.blend").write_text("?")
    collision = '<collision><geometry><sphere radius="0.2"/></geometry></collision>'
    text = with_mesh(name, collision=collision)
    visual = text[text.index("<visual>") : text.index("</visual>") + 9]
    (tmp_path / "x.urdf").write_text(text.replace(visual, 2 * visual))
    reading = read(tmp_path / "x.urdf")
    assert [v.shape for v in reading.model.links[0].visuals] == [Sphere(0.2)]
    told = [note.text for note in reading.notes if note.kind == "mesh"]
    assert len(told) == 2
    assert all("its collision shapes are drawn instead" in text for text in told)


def test_a_mesh_without_a_collision_shape_keeps_its_name(tmp_path):
    (tmp_path / "x.urdf").write_text(with_mesh("gone.obj"))
    reading = read(tmp_path / "x.urdf")
    assert reading.model.links[0].visuals[0].shape.path.endswith("gone.obj")
    assert any("no mesh file" in note.text for note in reading.notes)


# -- whole URDFs in a scene --

BODY = (
    INERTIAL
    + '<collision><origin xyz="0 0 0.1"/><geometry><box size="1 2 3"/></geometry></collision>'
)


@pytest.fixture
def two_links(tmp_path):
    damping = '<axis xyz="0 0 1"/><dynamics damping="0.3" friction="0.1"/>'
    text = robot(link("a", BODY), link("b", BODY), joint("a", "b", damping))
    path = tmp_path / "r.urdf"
    path.write_text(text)
    return path


def test_a_urdf_in_a_scene(two_links):
    """With its shapes, the damping of its joints and the scene's gravity, where it is put."""
    scene = ph.Scene("s", gravity=(0.0, 0.0, -3.7))
    scene = scene.add_urdf(two_links, name="one", position=(1.0, 2.0, 3.0),
                           quaternion=(0.0, 1.0, 0.0, 0.0))  # fmt: skip
    machine = scene.machine("one")
    assert tuple(machine.model.gravity.lin) == scene.gravity
    assert machine.dynamics("a_b").damping == (0.3,)
    assert [(g.body, g.shape) for g in scene.geometries] == [(x, Box((1, 2, 3))) for x in "ab"]
    pose = ph.body_pose(machine.model, machine.q, "a")
    np.testing.assert_allclose(pose[:3, 3], (1.0, 2.0, 3.0))
    np.testing.assert_allclose(pose[:3, :3], np.diag((1.0, -1.0, -1.0)), atol=1e-15)


def test_a_free_urdf_on_the_ground(two_links):
    """It starts where it is put, and comes to rest there."""
    scene = ph.Scene("s").add_fixed("ground", Plane()).contact(mu_coulomb=0.5)
    half = np.sqrt(0.5)
    scene = scene.add_urdf(two_links, floating_base=True, position=(0.0, 0.0, 1.4),
                           quaternion=(half, 0.0, 0.0, half))  # fmt: skip
    model, q = scene.machine("r").model, scene.machine("r").q
    assert isinstance(model.joints[0].kind, FloatingBase)
    np.testing.assert_allclose(
        ph.body_pose(model, q, "a")[:3, :3] @ (1, 0, 0), (0, 1, 0), atol=1e-12
    )
    run = ph.simulate(scene, 0.1)
    assert abs(run.q[-1][2] - 1.4) < 1e-3


def test_remarks_of_a_urdf_are_given_once(tmp_path):
    """A scene does not repeat what `load` has said of the same file."""
    path = tmp_path / "r.urdf"
    path.write_text(robot(link("a", BODY + "<wrong/>")))
    with pytest.warns(ph.ModelWarning, match="<wrong> is not read"):
        ph.Scene("first").add_urdf(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ph.Scene("second").add_urdf(path)
    with pytest.warns(ph.ModelWarning, match="<wrong> is not read"):
        ph.load(path)


def test_what_is_no_urdf_is_refused(tmp_path):
    (tmp_path / "x.lua").write_text("return {}")
    with pytest.raises(ModelError, match=r"ends in \.urdf or \.xacro, got"):
        ph.Scene("s").add_urdf(tmp_path / "x.lua")
    with pytest.raises(TypeError, match="did you mean 'position'"):
        ph.Scene("s").add_urdf(tmp_path / "x.lua", postion=(0, 0, 0))


# -- robots by name --


@pytest.fixture
def descriptions(monkeypatch, two_links, tmp_path):
    """A package like ``robot_descriptions``, which would download its robots."""
    found = package(tmp_path / "repository" / "bot")
    path = found / "bot.urdf"
    path.write_text(with_mesh("package://bot/meshes/a.obj"))
    whole = types.ModuleType("robot_descriptions")
    whole.DESCRIPTIONS = {"bot_description": None}
    whole.__path__ = []
    one = types.ModuleType("robot_descriptions.bot_description")
    one.URDF_PATH, one.PACKAGE_PATH = str(path), str(found)
    one.REPOSITORY_PATH = str(found.parent)
    bare = types.ModuleType("robot_descriptions.bare_description")
    for module in (whole, one, bare):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return found


def test_robots_by_name(descriptions):
    """With the packages that its meshes are in."""
    model = ph.load("bot_description", floating_base=True)
    assert model.nv == 6
    assert model.links[0].visuals[0].shape.path == str(descriptions / "meshes" / "a.obj")
    assert ph.Scene("s").add_urdf("bot_description").machines[0].model.nv == 0


def test_robots_that_are_not_there(descriptions):
    with pytest.raises(ModelError, match="no robot 'boot_description'; did you mean 'bot_desc"):
        ph.load("boot_description")
    with pytest.raises(ModelError, match=r"'bare_description' .*neither a URDF nor an MJCF"):
        ph.load("bare_description")


def test_without_the_package(monkeypatch):
    """Its name is said, and how to install it; other names are files."""
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    with pytest.raises(FileNotFoundError, match="pip install robot_descriptions"):
        ph.load("panda_description")
    with pytest.raises(ModelError, match="expected a file name that ends in"):
        ph.load("panda")


def test_a_file_of_that_name_is_a_file(descriptions, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot_description").mkdir()
    with pytest.raises(ModelError, match="expected a file name that ends in"):
        ph.load("bot_description")


# -- xacro --

XACRO = """<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="m" value="${2 * 3}"/>
<link name="a"><inertial><mass value="${m}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
 iyz="0"/></inertial><visual><geometry><mesh filename="$(find bot)/meshes/a.obj"/></geometry>
</visual></link></robot>"""


def test_xacro_must_be_trusted(tmp_path):
    (tmp_path / "x.urdf.xacro").write_text(XACRO)
    with pytest.raises(ModelError, match="trusted=True"):
        ph.load(tmp_path / "x.urdf.xacro")
    with pytest.raises(FileNotFoundError, match="no file"):
        ph.load(tmp_path / "y.xacro")


def test_without_xacro(tmp_path, monkeypatch):
    (tmp_path / "x.xacro").write_text(XACRO)
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(ModelError, match="pip install xacro"):
        ph.load(tmp_path / "x.xacro", trusted=True)


def test_xacro_files(tmp_path):
    """Expanded by the package, which finds packages as the reader does."""
    arguments = pytest.importorskip("xacro.substitution_args")
    before = arguments._eval_find
    found = package(tmp_path / "bot")
    path = found / "x.urdf.xacro"
    path.write_text(XACRO)
    assert ph.load(path, trusted=True).links[0].body.mass == 6.0
    assert mesh_of(path, trusted=True) == str(found / "meshes" / "a.obj")
    shapes = ph.Scene("s").add_urdf(path, trusted=True).geometries
    assert not any(isinstance(each.shape, Polyhedron) for each in shapes)
    path.write_text(XACRO.replace("2 * 3", "1 / 0"))
    with pytest.raises(ParseError, match="division by zero"):
        ph.load(path, trusted=True)
    assert arguments._eval_find is before


def test_meshes_beside_the_folder_say_how_they_are_allowed(tmp_path):
    """As robots in packages have them: a folder of files beside one of meshes."""
    (tmp_path / "urdf").mkdir()
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes/a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                           "f 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n")  # fmt: skip
    path = tmp_path / "urdf/m.urdf"
    mesh = '<geometry><mesh filename="../meshes/a.obj"/></geometry>'
    path.write_text(robot(link("a", f"{INERTIAL}<visual>{mesh}</visual>"
                                    f"<collision>{mesh}</collision>")))  # fmt: skip
    hint = f"lies outside the folders given; package_roots=['{tmp_path}'], or --package-root, allow"
    told = [note.text for note in read(path).notes]
    assert any(hint in text for text in told), told
    reading = read(path, package_roots=[tmp_path])
    (visual,) = reading.model.links[0].visuals
    assert visual.shape.path == str(tmp_path / "meshes/a.obj") and not reading.notes
    with pytest.raises(ParseError, match="--package-root, allows it"):
        ph.Scene("s").add_urdf(path)


def test_no_advice_allows_the_whole_disk(tmp_path):
    """Nor what is no file."""
    for name, root in (("/none/t.obj", "'/none'"), ("https://example.org/t.obj", None)):
        path = tmp_path / "m.urdf"
        mesh = f'<geometry><mesh filename="{name}"/></geometry>'
        path.write_text(robot(link("a", f"{INERTIAL}<visual>{mesh}</visual>")))
        (text,) = (note.text for note in read(path).notes)
        assert (f"package_roots=[{root}]" in text) == (root is not None)
        assert root is not None or "package_roots" not in text
