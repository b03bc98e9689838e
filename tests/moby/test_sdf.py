"""The part of SDF that Moby reads, as a file of its own and inside a scene."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ParseError
from polhode.formats import moby, sdf
from polhode.model import Box, Cylinder, Mimic, Plane, RigidBody, Sphere
from polhode.model.mass_properties import mass_properties
from polhode.spatial import Mat3, Transform, Vec3
from reference.moby_scene import Placed

INERTIAL = """<inertial><pose>0 0 0.5 0 0 0.3</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy>
  <izz>2.5</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>"""
ROVER = f"""<sdf version="1.5"><model name="rover"><pose>0 0 1 0 0 0.5</pose>
  <link name="body"><pose>1 0 0 0 0 0</pose>{INERTIAL}
    <collision name="hull"><pose>0 0 1 0 0 0</pose>
    <geometry><box><size>1 2 3</size></box></geometry>
    </collision><visual name="v"><geometry><cylinder><radius>1</radius><length>2</length></cylinder>
    </geometry><material><diffuse>1 0 0 1</diffuse></material></visual></link>
  <link name="wheel"><pose>1 1 0 1.5707963267949 0 0</pose>{INERTIAL}
    <collision name="c"><geometry><sphere><radius>0.3</radius></sphere></geometry></collision>
  </link>
  <joint name="hinge" type="{{kind}}"><parent>{{parent}}</parent><child>wheel</child>
    <pose>0 0 0.1 0 0 0</pose><axis><xyz>0 0 1</xyz>{{more}}</axis></joint>
</model></sdf>"""


def rover(kind="revolute", parent="body", more=""):
    return ROVER.format(kind=kind, parent=parent, more=more)


def doubts(text):
    return [note for note in sdf.parse(text).notes if note.kind == "doubtful"]


def test_links_and_joints():
    """Poses hang on the model's; an axis is in the joint's frame, which lies on the child."""
    scene = sdf.parse(rover(more="<limit><lower>-1</lower><upper>1e16</upper></limit>"
                            "<dynamics><damping>0.2</damping><friction>0.1</friction></dynamics>"),
                      name="s").model  # fmt: skip
    (machine,) = scene.machines
    assert (scene.name, machine.name, machine.model.nv) == ("s", "rover", 7)
    settings = machine.settings("hinge")
    assert (settings.lower, settings.upper) == ((-1,), (math.inf,))
    assert (settings.viscous_friction, settings.coulomb_friction) == (0.2, 0.1)
    placed = Placed(scene)
    c, s = math.cos(0.5), math.sin(0.5)
    np.testing.assert_allclose(placed.position("wheel"), [c - s, s + c, 1], atol=1e-15)
    axis = placed.pose("wheel")[:3, :3] @ machine.model.joint("hinge").kind.axis
    np.testing.assert_allclose(axis, [s, -c, 0], atol=1e-15)  # z of the wheel, turned about x
    assert scene.gravity == (0, 0, -9.81)


BALL = """<collision name="c{}"><geometry><sphere><radius>0.3</radius></sphere></geometry>
  </collision>"""


def touching_itself(model="", first="", second="", third=""):
    """Which of three links of one model, side by side, may touch."""
    links = "".join(
        f'<link name="{name}"><pose>0 {k} 0 0 0 0</pose>{own}'
        f"{BALL.format(1)}{BALL.format(2)}</link>"
        for k, (name, own) in enumerate(zip("abc", (first, second, third), strict=True))
    )
    joints = "".join(
        f'<joint name="{name}" type="prismatic"><parent>world</parent><child>{name}</child>'
        "<axis><xyz>0 1 0</xyz></axis></joint>" for name in "abc"
    )  # fmt: skip
    scene = sdf.parse(f'<sdf version="1.9"><model name="m">{model}{links}{joints}</model></sdf>')
    names = [geometry.body for geometry in scene.model.geometries]
    never = {names[j] + names[i] for i, j in scene.model.disabled_geometries}
    return {"ba", "ca", "cb"} - never


def test_links_of_a_model_touch_if_one_of_them_self_collides():
    """As the specification has it: no by default, a link's word before the model's."""
    yes, no = (f"<self_collide>{word}</self_collide>" for word in ("true", "false"))
    every = {"ba", "ca", "cb"}
    assert touching_itself() == touching_itself(no) == set()
    assert touching_itself(yes) == every
    assert touching_itself(no, yes) == touching_itself(yes, "", no, no) == {"ba", "ca"}
    assert touching_itself(yes, no, no, no) == set()
    assert touching_itself(yes, no, "", "") == every
    assert touching_itself(no, yes, yes) == every
    with pytest.raises(ParseError, match="expected true or false in <self_collide>"):
        touching_itself("<self_collide>maybe</self_collide>")


def test_links_without_gravity():
    """A free one keeps its velocity, and one on a joint hangs as it is; others fall."""
    off = "<gravity>false</gravity>"
    ball = '<model name="{}"><link name="l">{}</link></model>'
    scene = sdf.parse(
        f'<sdf version="1.9">{ball.format("floats", off)}'
        f'{ball.format("falls", "<gravity>true</gravity>")}</sdf>'
    ).model  # fmt: skip
    run = ph.simulate(scene, 0.5, progress=False)
    heights = {name: run.of(name)[0][-1][2] for name in ("floats", "falls")}
    assert heights == {"floats": 0.0, "falls": pytest.approx(-9.81 * 0.5**2 / 2, rel=1e-6)}
    turning = sdf.parse(rover().replace('name="wheel">', f'name="wheel">{off}')).model
    links = turning.machines[0].model.links
    found = {link.name: link.gravity_compensation for link in links if link.gravity_compensation}
    assert found == {"wheel": 1.0}


def test_elements_that_say_what_is_so_anyway_are_not_told():
    """As files of Gazebo's editor have them."""
    usual = ("<gravity>1</gravity><kinematic>0</kinematic><enable_wind>false</enable_wind>"
             "<must_be_base_link>0</must_be_base_link>")  # fmt: skip
    text = ('<sdf version="1.9"><model name="m"><allow_auto_disable>1</allow_auto_disable>'
            f'<enable_wind>0</enable_wind><link name="l">{usual}</link></model></sdf>')  # fmt: skip
    assert sdf.parse(text).notes == ()
    (note,) = sdf.parse(text.replace("<kinematic>0", "<kinematic>1")).notes
    assert "<kinematic> is not read" in note.text


SOLID = """<sdf version="1.11"><model name="m"><link name="l">{}<collision name="box">
  <pose>1 0 0 0 0 0.5</pose>{}<geometry><box><size>1 2 3</size></box></geometry></collision>
  <collision name="can"><pose>0 0 2 0.3 0 0</pose><geometry><cylinder><radius>0.5</radius>
  <length>2</length></cylinder></geometry></collision></link></model></sdf>"""


def solid(inertial, density=""):
    reading = sdf.parse(SOLID.format(inertial, density))
    return reading.model.machines[0].model.links[0].body, [note.text for note in reading.notes]


def density(value):
    return f"<density>{value}</density>"


@pytest.mark.parametrize(
    ("more", "own", "densities"),
    [("", "", (1000, 1000)), (density(20), "", (20, 20)), (density(20), density(70), (70, 20)),
     ("", density(70), (70, 1000))],
)  # fmt: skip
def test_masses_follow_from_collision_shapes(more, own, densities):
    """A collision's density before the link's, before water's, as in Gazebo."""
    found, notes = solid(f'<inertial auto="true">{more}</inertial>', own)
    box = mass_properties(Box((1, 2, 3)), density=densities[0])
    can = mass_properties(Cylinder(0.5, 2.0), density=densities[1])
    c, s = math.cos(0.5), math.sin(0.5)
    at = Transform(Mat3.of(((c, s, 0), (-s, c, 0), (0, 0, 1))), Vec3(1, 0, 0))
    c, s = math.cos(0.3), math.sin(0.3)
    other = Transform(Mat3.of(((1, 0, 0), (0, c, s), (0, -s, c))), Vec3(0, 0, 2))
    wanted = RigidBody().joined(box, at).joined(can, other)
    np.testing.assert_allclose(found.com, wanted.com, rtol=1e-14)
    np.testing.assert_allclose(found.inertia, wanted.inertia, rtol=1e-13)
    assert (found.mass, notes) == (pytest.approx(wanted.mass, rel=1e-15), [])


def test_a_mass_that_is_given_scales_the_inertia():
    """As Gazebo does; what else is given beside it is told."""
    whole, _ = solid('<inertial auto="true"/>')
    found, notes = solid('<inertial auto="true"><mass>3</mass><pose>0 0 1 0 0 0</pose></inertial>')
    assert (found.mass, found.com) == (3.0, whole.com)
    np.testing.assert_allclose(found.inertia, np.multiply(whole.inertia, 3.0 / whole.mass))
    assert notes == ['<link name="l">: <pose> of <inertial auto="true"> is not read']
    _, notes = solid("", density(20))
    assert notes == ['<link name="l">: <density> has no effect without <inertial auto="true">']


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SOLID.format('<inertial auto="true"><mass>0</mass></inertial>', ""), "a mass above 0"),
        (SOLID.format('<inertial auto="true"/>', density(-1)), "finite and not negative, got -1"),
        (SOLID.format('<inertial auto="true"/>', "").replace(
            "<box><size>1 2 3</size></box>", "<plane><normal>0 0 1</normal></plane>"),
         "expected a box, sphere, cylinder or capsule"),
        ('<sdf version="1.11"><model name="m"><link name="l"><inertial auto="true"/></link></model>'
         "</sdf>", 'auto="true" and no <collision>'),
    ],
)  # fmt: skip
def test_masses_that_do_not_follow_are_refused(text, message):
    with pytest.raises(ParseError, match=r":\d+: .*" + message):
        sdf.parse(text)
    if "plane" in text:  # a model that does not move needs none
        sdf.parse(text.replace("<link", "<static>true</static><link"))


def test_axis_in_the_frame_of_the_model():
    """As older files want it."""
    text = rover(more="<use_parent_model_frame>1</use_parent_model_frame>")
    scene = sdf.parse(text).model
    axis = Placed(scene).pose("wheel")[:3, :3] @ scene.machines[0].model.joint("hinge").kind.axis
    np.testing.assert_allclose(axis, [0, 0, 1], atol=1e-15)


def turn(x=0.0, y=0.0, z=0.0):
    """The rotation of roll, pitch and yaw, from inner to outer coordinates."""
    (a, b, c), (d, e, f) = np.cos([x, y, z]), np.sin([x, y, z])
    Rx = np.array([[1, 0, 0], [0, a, -d], [0, d, a]])
    Ry = np.array([[b, 0, e], [0, 1, 0], [-e, 0, b]])
    Rz = np.array([[c, -f, 0], [f, c, 0], [0, 0, 1]])
    return Rz @ Ry @ Rx


FRAMES = """<sdf version="1.9"><model name="m"><pose>0 0 1 0.3 0 0</pose>
  <link name="a"><pose>1 0 0 0 0.4 0</pose></link>
  <link name="b"><pose relative_to="a">0 2 0 0 0 0.5</pose>
    <collision name="c"><pose relative_to="f">0 0 3 0 0 0</pose><geometry><sphere>
    <radius>1</radius></sphere></geometry></collision></link>
  <frame name="f" attached_to="b"><pose>0 0 0.5 0.6 0 0</pose></frame>
  <frame name="g"><pose relative_to="j">0 0 0 0 0 0.2</pose></frame>
  <joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>
  <joint name="j" type="revolute"><pose>0 0 0 0 0.7 0</pose><parent>a</parent><child>b</child>
    <axis><xyz{}>0 1 0</xyz></axis></joint></model></sdf>"""
MODEL_IN_WORLD = turn(0.3)
A, B = MODEL_IN_WORLD @ turn(y=0.4), MODEL_IN_WORLD @ turn(y=0.4) @ turn(z=0.5)
J = B @ turn(y=0.7)


@pytest.mark.parametrize(
    ("attribute", "R"),
    [
        ("", J),
        (' expressed_in=""', J),
        (' expressed_in="__model__"', MODEL_IN_WORLD),
        (' expressed_in="a"', A),
        (' expressed_in="b"', B),
        (' expressed_in="j"', J),
        (' expressed_in="f"', B @ turn(0.6)),
        (' expressed_in="g"', J @ turn(z=0.2)),
    ],
)
def test_axes_in_named_frames(attribute, R):
    """Of the model, of links and joints, and of ``<frame>`` elements."""
    model = sdf.parse(FRAMES.format(attribute)).model.model
    axis = ph.frame_jacobian(model, [0.0], "m/b")[:3, 0]
    np.testing.assert_allclose(axis, R[:, 1], atol=1e-15)


@pytest.mark.parametrize(
    ("version", "R"), [("1.2", MODEL_IN_WORLD), ("1.4", MODEL_IN_WORLD), ("1.5", J), ("1.12", J)]
)
def test_axes_of_older_versions(version, R):
    """Before 1.5 they are in the model's frame, unless the file says otherwise."""
    text = FRAMES.format("").replace('version="1.9"', f'version="{version}"')
    for more, wanted in (
        ("", R),
        ("<use_parent_model_frame>0</use_parent_model_frame>", J),
        ("<use_parent_model_frame>1</use_parent_model_frame>", MODEL_IN_WORLD),
    ):
        reading = sdf.parse(text.replace("</axis>", f"{more}</axis>"))
        axis = ph.frame_jacobian(reading.model.model, [0.0], "m/b")[:3, 0]
        np.testing.assert_allclose(axis, wanted[:, 1], atol=1e-15)
        assert reading.notes == ()


@pytest.mark.parametrize("version", ["1.0", "abc", "1", "", "1.4.2", "-1.5"])
def test_versions_that_are_not_known(version):
    """Older ones have other elements."""
    text = rover().replace('version="1.5"', f'version="{version}"')
    with pytest.raises(ph.ParseError, match=r":1: expected a version of SDF from 1\.2 to 1\.12"):
        sdf.parse(text)


@pytest.mark.parametrize("version", ["1.13", "2.0", "99.1"])
def test_newer_versions_are_told(version):
    """They are read as the newest that is known; so is a file that has none."""
    text = rover().replace('version="1.5"', f'version="{version}"')
    (note,) = doubts(text)
    assert f"version {version} of SDF is not known: read as version 1.12" in note.text
    (note,) = doubts(rover().replace(' version="1.5"', ""))
    assert note.line == 1
    assert "no attribute 'version'" in note.text


@pytest.mark.parametrize(
    ("parent", "child"), [("p", "f"), ("w", "f"), ("__model__", "f"), ("a", "b")]
)
def test_joints_between_named_frames(parent, child):
    """They join the links that frames are on; a joint's own frame is that of its child."""
    text = FRAMES.format("").replace("<parent>a</parent>", f"<parent>{parent}</parent>")
    text = text.replace("<child>b</child>", f"<child>{child}</child>")
    text = text.replace('<frame name="f"', '<frame name="p" attached_to="q"/><frame name="q" '
                        'attached_to="a"/><frame name="f"')  # fmt: skip
    (machine,) = sdf.parse(text).model.machines
    parents = {link.name: link.parent for link in machine.model.links}
    assert parents.get("b/joint", parents["b"]) == "a"
    f, pose = B @ turn(0.6), ph.body_pose(machine.model, [0.0], "b")
    R = (f if child == "f" else B) @ turn(y=0.7)
    J = ph.frame_jacobian(machine.model, [0.0], "b")[:, 0]
    np.testing.assert_allclose(J[:3], R[:, 1], atol=1e-15)
    at = pose[:3, 3] + (pose[:3, :3] @ [0, 0, 0.5] if child == "f" else 0.0)
    np.testing.assert_allclose(J[3:], np.cross(R[:, 1], pose[:3, 3] - at), atol=1e-15)


def test_frames_that_are_on_themselves():
    """No link carries them; nor does a canonical link that is not there."""
    text = FRAMES.format("").replace("<child>b</child>", "<child>h</child>")
    ring = '<frame name="h" attached_to="i"><pose relative_to="b"/></frame>'
    ring += '<frame name="i" attached_to="h"><pose relative_to="b"/></frame>'
    with pytest.raises(ph.ParseError, match=r"is attached to itself"):
        sdf.parse(text.replace("<frame", f"{ring}<frame", 1))
    lost = FRAMES.format("").replace("<parent>a</parent>", "<parent>__model__</parent>")
    with pytest.raises(ph.ParseError, match=r"has no link 'aa'"):
        sdf.parse(lost.replace('name="m"', 'name="m" canonical_link="aa"'))


def test_poses_relative_to_named_frames():
    """Of links, and of the shapes of links."""
    scene = sdf.parse(FRAMES.format("")).model
    placed = Placed(scene)
    b = np.array([0, 0, 1]) + MODEL_IN_WORLD @ [1, 0, 0] + A @ [0, 2, 0]
    np.testing.assert_allclose(placed.position("b"), b, atol=1e-15)
    np.testing.assert_allclose(placed.pose("b")[:3, :3], B, atol=1e-15)
    frame = scene.geometries[0].frame
    np.testing.assert_allclose(tuple(frame.r), np.array([0, 0, 0.5]) + turn(0.6) @ [0, 0, 3],
                               atol=1e-15)  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<xyz>", '<xyz expressed_in="ff">', "no frame 'ff'; did you mean 'f'"),
        ("<xyz>", '<xyz expressed_in="world">', "no frame 'world'"),
        ('name="f"', 'name="h"', "no frame 'f'"),
        ('name="w"', 'name="a"', "the frame 'a' is not clear: <link> and <joint>"),
        ('attached_to="b"', 'attached_to="f"', 'the pose of <frame name="f"> refers to itself'),
        ("<pose>1 0 0 0", '<pose relative_to="g">1 0 0 0', "refers to itself"),
        (
            "<xyz>0 1 0</xyz>",
            '<xyz expressed_in="a">0 1 0</xyz><use_parent_model_frame>1</use_parent_model_frame>',
            "found both",
        ),
    ],
)
def test_frames_that_are_not_there(old, new, message):
    """Unknown names, names of two things, and poses that hang on themselves."""
    text = FRAMES.format("")
    assert old in text
    with pytest.raises(ph.ParseError, match=message):
        sdf.parse(text.replace(old, new))


def posed(pose: str) -> str:
    static = "<static>true</static>"
    return f'<sdf version="1.9"><model name="m">{static}{pose}<link name="l"/></model></sdf>'


@pytest.mark.parametrize(
    ("pose", "R"),
    [
        ("<pose>1 2 3 0.1 0.2 0.3</pose>", turn(0.1, 0.2, 0.3)),
        ('<pose rotation_format="euler_rpy">1 2 3 0.1 0.2 0.3</pose>', turn(0.1, 0.2, 0.3)),
        ('<pose degrees="true">1 2 3 10 20 30</pose>', turn(*np.radians([10, 20, 30]))),
        ('<pose degrees="1">1 2 3 0 0 90</pose>', np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])),
        ('<pose degrees="false">1 2 3 0 0 1e-999999999999999999999</pose>', np.eye(3)),
        ('<pose degrees="true">1 2 3 0 0 1e-999999999999999999999</pose>', np.eye(3)),
        ('<pose rotation_format="quat_xyzw">1 2 3 0.6 0 0 0.8</pose>', turn(2 * math.atan2(3, 4))),
    ],
)
def test_rotations_of_poses(pose, R):
    """Angles in radians or degrees, or a quaternion; quarter turns are exact."""
    reading = sdf.parse(posed(pose))
    placed = Placed(reading.model).pose("l")
    tolerance = 0.0 if set(np.ravel(R)) <= {-1, 0, 1} else 1e-15
    np.testing.assert_allclose(placed[:3, :3], R, atol=tolerance)
    np.testing.assert_array_equal(placed[:3, 3], [1, 2, 3])
    assert reading.notes == ()


@pytest.mark.parametrize(
    ("pose", "message"),
    [
        ('<pose degrees="yes">0 0 0 0 0 1</pose>', "expected true or false in 'degrees'"),
        ('<pose rotation_format="quat_wxyz">0 0 0 1 0 0 0</pose>', "did you mean 'quat_xyzw'"),
        ('<pose rotation_format="quat_xyzw">0 0 0 0 0 1</pose>', "expected 7 numbers in <pose>"),
        ('<pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose>', "quaternion of <pose> is zero"),
        ('<pose rotation_format="quat_xyzw">0 0 0 1e300 1e300 0 0</pose>', "is too large"),
        ('<pose degrees="true" rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose>', "in degrees"),
    ],
)
def test_rotations_that_are_not_read(pose, message):
    with pytest.raises(ph.ParseError, match=message):
        sdf.parse(posed(pose))


def test_long_quaternions_are_told():
    """They are read as unit quaternions."""
    (note,) = doubts(posed('<pose rotation_format="quat_xyzw">0 0 0 0 0 0 2</pose>'))
    assert "has norm 2" in note.text


def test_attributes_that_are_not_read_are_said():
    """Of all elements that are read; with the name that was meant."""
    text = posed('<pose relativ_to="a">0 0 0 0 0 0</pose>').replace('name="l"', 'name="l" foo="1"')
    text = text.replace("<link", '<joint name="j" type="fixed"><child w="1">l</child><parent>world'
                        "</parent></joint><link")  # fmt: skip
    notes = [note.text for note in sdf.parse(text).notes if note.kind == "ignored"]
    assert len(notes) == 3
    assert "<link name=\"l\">: attribute 'foo' is not read" in notes
    assert "<child>: attribute 'w' is not read" in notes
    assert "<pose>: attribute 'relativ_to' is not read; did you mean 'relative_to'?" in notes


def test_mass_shapes_and_colours():
    """Inertia is turned into the link's axes; shapes are about z as ours."""
    scene = sdf.parse(rover()).model
    body = next(link for link in scene.machines[0].model.links if link.name == "body")
    assert (body.body.mass, body.body.com) == (2.0, (0, 0, 0.5))
    c, s = math.cos(0.3), math.sin(0.3)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    np.testing.assert_allclose(body.body.inertia, R @ np.diag([1, 2, 2.5]) @ R.T, atol=1e-15)
    assert [g.shape for g in scene.geometries] == [Box((1, 2, 3)), Sphere(0.3)]
    assert (body.visuals[0].shape, body.visuals[0].color) == (Cylinder(1, 2), (1, 0, 0, 1))


def test_world_and_static_models():
    """A joint to the world fixes a machine; a static model cannot move."""
    fixed = sdf.parse(rover().replace('name="wheel"', 'name="wheel" ').replace(
        "</model>", '<joint name="w" type="fixed"><parent>world</parent><child>body</child></joint>'
        "</model>")).model  # fmt: skip
    assert fixed.machines[0].model.nv == 1
    still = sdf.parse(
        rover().replace("<pose>0 0 1 0 0 0.5", "<static>true</static><pose>0 0 1 0 0 0.5")
    )
    assert still.model.machines[0].is_fixed


def test_several_models_and_gravity():
    """A world holds models and says what gravity is."""
    touching = "<geometry><plane><normal>0 1 0</normal></plane></geometry>"
    link = f'<link name="l"><collision name="c">{touching}</collision></link>'
    both = f'<model name="a">{link}</model><model name="b">{link}</model>'
    text = f"<sdf><world><gravity>0 0 -1</gravity>{both}</world></sdf>"
    scene = sdf.parse(text).model
    assert [m.name for m in scene.machines] == ["a", "b"]
    assert scene.gravity == (0, 0, -1)
    assert scene.geometries[0].shape == Plane()
    np.testing.assert_allclose(tuple(scene.geometries[0].frame.E.z), [0, 1, 0], atol=1e-15)


def test_inside_a_moby_file(tmp_path):
    """Models join the scene under their names, with the id of the <SDF> before."""
    (tmp_path / "rover.sdf").write_text(rover())
    file = tmp_path / "scene.xml"
    file.write_text(
        """<XML><MOBY><GravityForce id="g" accel="0 0 -2"/><SDF id="{}" filename="rover.sdf"/>
      <TimeSteppingSimulator id="s"><RecurrentForce recurrent-force-id="g"/>
      <DynamicBody dynamic-body-id="my::rover"/></TimeSteppingSimulator></MOBY></XML>""".format(
            "my"
        )
    )
    scene = moby.read(file).model
    assert [m.name for m in scene.simulated] == ["my::rover"]
    assert scene.gravity == (0, 0, -2)
    assert ph.load(tmp_path / "rover.sdf").machines[0].name == "rover"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (rover(kind="hinge"), "unknown type 'hinge' of joint 'hinge'"),
        (rover(parent="boby"), "unknown parent link 'boby'; did you mean 'body'"),
        (rover(parent="wheel"), "joins a link to itself"),
        (rover(more="<limit><lower>a</lower></limit>"), "expected a number in <lower>"),
        (rover().replace("<xyz>0 0 1", "<xyz>0 0 0"), "axis.*is zero"),
        (rover().replace("<mass>2", "<mass>-2"), "negative mass"),
        (rover().replace("<size>1 2 3", "<size>1 2"), "expected 3 numbers in <size>, found 2"),
        (rover().replace("sphere>", "spere>"), "unknown shape <spere>; did you mean 'sphere'"),
        (rover().replace("1 0 0 0 0 0</pose>", "1 0 0</pose>"), "expected 6 numbers in <pose>"),
        (rover().replace('name="wheel"', 'name="body"'), "duplicate link name 'body'"),
        (rover().replace("<pose>1 0 0", '<pose frame="x">1 0 0'), "'frame' are not read"),
        (rover().replace("<pose>0 0 1", '<pose relative_to="x">0 0 1'), "'relative_to' is not"),
        ("<sdf><model name='m'/></sdf>", "has no links"),
        ("<sdf/>", "no <model>"),
        ("<robot/>", "expected <sdf>"),
    ],
)
def test_errors(text, message):
    """Each with file and line."""
    with pytest.raises(ph.ParseError, match=message) as caught:
        sdf.parse(text)
    assert re.match(r"<string>:\d+: ", str(caught.value))


def test_surfaces():
    """Means of friction and rebound, the larger number of edges, for models that may touch."""
    model = """<model name="{}"><link name="l"><collision name="c">
      <geometry><sphere><radius>1</radius></sphere></geometry><surface><bounce><restitution_coefficient>{}</restitution_coefficient>
      </bounce><friction><ode><mu>{}</mu></ode><own><mu_viscous>0.2</mu_viscous>
      <num_friction_edges>{}</num_friction_edges></own></friction></surface></collision></link>
      </model>"""
    text = f"<sdf>{model.format('a', 0.2, 1, 0)}{model.format('b', 0.4, 0.5, 8)}</sdf>"
    (contact,) = sdf.parse(text).model.contacts
    assert (contact.a, contact.b) == ("a/l/c", "b/l/c")
    assert contact.restitution == pytest.approx(0.3)
    assert (contact.mu_coulomb, contact.mu_viscous) == (0.75, 0.2)
    assert contact.friction_cone_edges == 8


SPINNING = """<model name="{}"><link name="l"><collision name="c">
  <geometry><sphere><radius>1</radius></sphere></geometry>
  <surface><friction><torsional>{}</torsional></friction></surface></collision></link></model>"""


def test_infinite_friction():
    """Nothing slides."""
    block = "<ode><mu>inf</mu><mu2>inf</mu2></ode>"
    infinite = SPINNING.replace("<torsional>{}</torsional>", block)
    reading = sdf.parse(f"<sdf version='1.9'>{infinite.format('a')}{infinite.format('b')}</sdf>")
    assert reading.model.contacts[0].mu_coulomb == math.inf
    assert reading.notes == ()


def test_torsional_friction():
    """That of a patch: 3 pi / 16 of its radius and its coefficient, whose default is one."""
    a = SPINNING.format("a", "<coefficient>0.8</coefficient><patch_radius>0.01</patch_radius>")
    b = SPINNING.format("b", "<patch_radius>0.03</patch_radius>")
    (contact,) = sdf.parse(f"<sdf>{a}{b}</sdf>").model.contacts
    assert contact.mu_torsional == pytest.approx(3 * math.pi / 16 * (0.008 + 0.03) / 2)


def test_patches_that_grow_with_the_depth_are_not_read():
    """Nothing overlaps, so they would have no radius."""
    patch = "<use_patch_radius>0</use_patch_radius><surface_radius>1</surface_radius>"
    reading = sdf.parse(f"<sdf>{SPINNING.format('a', patch)}{SPINNING.format('b', patch)}</sdf>")
    assert reading.model.contacts[0].mu_torsional == 0.0
    assert any("grows with the depth" in str(note) for note in reading.notes)


def test_friction_that_is_not_read_is_said():
    """But zeros, and a second direction that is as the first."""
    friction = """<ode><mu>0.5</mu><mu2>{}</mu2><fdir1>0 0 0</fdir1><slip1>{}</slip1></ode>
      <torsional><coefficient>0</coefficient><ode><slip>0</slip></ode></torsional>
      <bullet><friction>{}</friction></bullet>"""
    text = SPINNING.replace("<torsional>{}</torsional>", "{}")
    plain = f"<sdf version='1.9'>{text.format('a', friction.format('0.50', 0, 0))}</sdf>"
    assert sdf.parse(plain).notes == ()
    other = f"<sdf version='1.9'>{text.format('a', friction.format(0.7, 0.1, 1))}</sdf>"
    notes = [note.text for note in sdf.parse(other).notes]
    assert notes == ["<ode>: <mu2> is not read", "<ode>: <slip1> is not read",
                     "<bullet>: <friction> is not read"]  # fmt: skip


def test_many_surfaces_are_said():
    """The friction of pairs is that of the first ones only."""
    many = "".join(SPINNING.format(f"m{k}", "") for k in range(201))
    (note,) = sdf.parse(f"<sdf version='1.9'>{many}</sdf>").notes
    assert "<surface> is read of the first 200 of 201" in note.text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</pose>\n  <link", "</pose><pose>9 9 9 0 0 0</pose><link", "more than one <pose>"),
        ("</axis>", "</axis><axis><xyz>0 0 1</xyz></axis>", "more than one <axis>"),
        ("<parent>", "<parent>wheel</parent><parent>", "more than one <parent>"),
        ("<mass>2</mass>", "<mass>2</mass><mass>5</mass>", "more than one <mass>"),
        ("<sphere>", "<box/><sphere>", "expected one shape in <geometry>, found 2"),
        ("<inertial>", "<inertial auto='maybe'>", "expected true or false in 'auto'"),
        ("<mass>2", "<mass>inf", "expected a finite number in <mass>"),
        ("<ixx>1", "<ixx>inf", "expected a finite number in <ixx>"),
        ("<radius>0.3", "<radius>inf", "expected a finite number in <radius>"),
    ],
)
def test_what_would_change_the_model_is_refused(old, new, message):
    """Elements that are there twice, and numbers that are none."""
    text = rover()
    assert old in text
    with pytest.raises(ph.ParseError, match=r":\d+: .*" + message):
        sdf.parse(text.replace(old, new, 1))


def test_impossible_inertia_is_told():
    """As that of a URDF is."""
    for old, new, message in (
        ("<ixx>1", "<ixx>-1", "inertia is not positive definite"),
        ("<ixx>1", "<ixx>9", "violate the triangle inequality"),
        ("<mass>2", "<mass>0", "has inertia, but no mass"),
    ):
        assert any(message in note.text for note in doubts(rover().replace(old, new, 1)))


def test_another_world_is_told():
    """Only the first is read; so is its gravity."""
    link = '<link name="l"/>'
    worlds = "".join(
        f'<world name="w{k}"><gravity>0 0 {k}</gravity><model name="m{k}">{link}</model></world>\n'
        for k in range(2)
    )
    reading = sdf.parse(f"<sdf version='1.9'>{worlds}</sdf>")
    assert [m.name for m in reading.model.machines] == ["m0"]
    assert reading.model.gravity == (0, 0, 0)
    (note,) = reading.notes
    assert (note.line, note.text) == (
        2, '<world name="w1"> is not read: only the first world is')  # fmt: skip


def test_placement_frames():
    """The model's pose is that of the frame."""
    text = FRAMES.format("").replace('name="m"', 'name="m" placement_frame="f"')
    scene = sdf.parse(text).model
    placed = Placed(scene).pose("b")
    f = np.eye(4)
    f[:3, :3], f[:3, 3] = turn(0.6), [0, 0, 0.5]
    wanted = np.eye(4)
    wanted[:3, :3], wanted[:3, 3] = MODEL_IN_WORLD, [0, 0, 1]
    np.testing.assert_allclose(placed @ f, wanted, atol=1e-15)


def test_what_is_not_read_is_said():
    """Tags that might matter; drawing does not."""
    text = rover(more="<limit><stiffness>1</stiffness><effort>3</effort></limit>")
    text = text.replace("</model>", "<plugin/><lnk/></model>")
    notes = [str(note) for note in sdf.parse(text).notes if note.kind == "ignored"]
    assert len(notes) == 3
    assert any("<stiffness> is not read" in note for note in notes)
    assert any("<lnk> is not read; did you mean 'link'" in note for note in notes)


AXIS = """<{0}><xyz>{1}</xyz><limit><lower>{2}</lower><upper>{3}</upper><effort>{4}</effort></limit>
  <dynamics><damping>{5}</damping><friction>{6}</friction><spring_stiffness>{7}</spring_stiffness>
  <spring_reference>{8}</spring_reference></dynamics></{0}>"""


def jointed(kind, *axes):
    """A joint of that type, with what its axes say, on a link on the world."""
    links = f'<link name="a">{INERTIAL}</link><link name="b">{INERTIAL}</link>'
    base = '<joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>'
    inside = "".join(("<parent>a</parent><child>b</child>", *axes))
    joint = f'<joint name="j" type="{kind}">{inside}</joint>'
    return f'<sdf version="1.11"><model name="m">{links}{base}\n{joint}</model></sdf>'


def test_both_axes_of_a_universal_joint():
    """Have limits, damping, friction and springs of their own; bounds of effort are told."""
    text = jointed(
        "universal",
        AXIS.format("axis", "1 0 0", -0.5, 0.6, 3, 1.0, 2.0, 3.0, 0.1),
        AXIS.format("axis2", "0 1 0", -0.7, 1e16, -1, 4.0, 0.0, 5.0, 0.2),
    )
    reading = sdf.parse(text)
    (machine,) = reading.model.machines
    settings, dynamics = machine.settings("j"), machine.dynamics("j")
    assert (settings.lower, settings.upper) == ((-0.5, -0.7), (0.6, math.inf))
    assert (dynamics.damping, dynamics.friction) == ((1.0, 4.0), (2.0, 0.0))
    assert (dynamics.stiffness, dynamics.rest) == ((3.0, 5.0), (0.1, 0.2))
    tau = ph.passive_forces(reading.model.model, [0.3, 0.4], [1.0, 1.0])
    np.testing.assert_allclose(tau, [-1 - 3 * 0.2, -4 - 5 * 0.2], atol=1e-15)
    (note,) = reading.notes
    assert "<velocity> and <effort> of a universal joint are not read" in note.text


def test_continuous_joints_have_no_limits():
    """Those that are written are told."""
    axis = AXIS.format("axis", "1 0 0", -0.5, 0.5, 3, 1.0, 2.0, 3.0, 0.1)
    reading = sdf.parse(jointed("continuous", axis))
    settings = reading.model.machines[0].settings("j")
    assert (settings.lower, settings.upper) == ((-math.inf,), (math.inf,))
    assert settings.viscous_friction == 1.0
    (note,) = reading.notes
    assert (note.line, note.kind) == (4, "ignored")
    assert "<lower> and <upper> of a continuous joint are not read" in note.text
    without = axis.replace("-0.5", "-1e16").replace("0.5", "1e16")
    assert sdf.parse(jointed("continuous", without)).notes == ()


@pytest.mark.parametrize(
    ("kind", "keys", "note"),
    [
        ("ball", ["axis"], "ignored: <axis> of a ball joint"),
        ("fixed", ["axis"], "hint: <axis> of a fixed joint"),
        ("prismatic", ["axis", "axis2"], "ignored: <axis2> of a prismatic joint"),
    ],
)
def test_axes_that_a_joint_does_not_have(kind, keys, note):
    """They are told; those of fixed joints have no effect anyway."""
    axes = [AXIS.format(key, "1 0 0", -1, 1, -1, 0, 0, 0, 0) for key in keys]
    (found,) = sdf.parse(jointed(kind, *axes)).notes
    level, text = note.split(": ")
    assert (found.kind, text in found.text) == (level, True)


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("<limit>\n<lower>1</lower><upper>0</upper></limit>", "lower limit 1 above upper limit 0"),
        ("\n<dynamics><damping>-1</damping></dynamics>", "viscous friction"),
    ],
)
def test_errors_of_axes_point_at_them(tag, message):
    """At the element that is wrong, not at the joint."""
    text = jointed("revolute", f"<axis><xyz>1 0 0</xyz>\n{tag}</axis>")
    with pytest.raises(ph.ParseError, match=message) as caught:
        sdf.parse(text)
    element = "<limit>" if "limit" in tag else "<dynamics>"
    assert caught.value.line == 1 + text[: text.index(element)].count("\n")


@pytest.mark.parametrize(
    ("old", "new", "at", "message"),
    [
        ("{sphere}", "{sphere}\n{sphere}", "last", 'two of <collision name="c">'),
        ("1 0 0</xyz>", "1.5e308 1.5e308 0</xyz>", "<axis>", "axis of .* is too long"),
        ("<mass>2", "<pose>1e300 1e300 0 0 0 0</pose><mass>2", "<inertial>", "a finite number"),
    ],
)
def test_errors_point_at_their_cause(old, new, at, message):
    """Not at the model or the whole file."""
    ball = "<geometry><sphere><radius>1</radius></sphere></geometry>"
    sphere = f'<collision name="c">{ball}</collision>'
    axis = "\n<axis><xyz>1 0 0</xyz></axis>"
    inertial = INERTIAL.replace("<pose>0 0 0.5 0 0 0.3</pose>", "")
    text = jointed("revolute", axis).replace(INERTIAL, f"\n{inertial}\n{sphere}")
    old, new = (each.format(sphere=sphere) for each in (old, new))
    assert old in text
    text = text.replace(old, new, 1)
    found = text.index(sphere, text.index(sphere) + 1) if at == "last" else text.index(at)
    with pytest.raises(ph.ParseError, match=message) as caught:
        sdf.parse(text)
    assert caught.value.line == 1 + text[:found].count("\n")


def test_parallel_axes_of_a_universal_joint():
    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>-1 0 0</xyz></axis2>"
    with pytest.raises(ph.ParseError, match=r"two axes of .* are parallel"):
        sdf.parse(jointed("universal", axes))


def test_short_axes_have_a_direction():
    model = sdf.parse(jointed("revolute", "<axis><xyz>1e-310 0 0</xyz></axis>")).model.model
    np.testing.assert_array_equal(model.joint("m/j").kind.axis, [1, 0, 0])


def test_a_joint_may_be_called_as_the_base():
    """Links and joints had names of their own before version 1.7."""
    text = jointed("revolute", "<axis><xyz>1 0 0</xyz></axis>").replace('name="j"', 'name="a"')
    assert sdf.parse(text).model.model.nv == 1
    free = text.replace("<joint name=\"w\" type=\"fixed\"><parent>world</parent><child>a</child>"
                        "</joint>", "")  # fmt: skip
    assert sdf.parse(free).model.model.nv == 7


def fingers(mimic: str) -> str:
    """Two fingers on a palm in the world, and what the axis of the second says."""
    joints = "".join(
        f'<joint name="{name}" type="revolute"><parent>palm</parent><child>{name}</child>'
        f"<axis><xyz>1 0 0</xyz>{more}</axis></joint>"
        for name, more in (("left", ""), ("right", mimic))
    )
    links = "".join(f'<link name="{name}">{INERTIAL}</link>' for name in ("palm", "left", "right"))
    base = '<joint name="base" type="fixed"><parent>world</parent><child>palm</child></joint>'
    return f'<sdf version="1.11"><model name="hand">{links}{base}{joints}</model></sdf>'


def test_mimic_joints():
    """Relations are kept, or lived by; the reference of the leader becomes an offset."""
    text = fingers(
        "<limit><lower>-1</lower><upper>2</upper></limit><dynamics><damping>0.5</damping></dynamics>"
        '<mimic joint="left" axis="axis"><multiplier>-2</multiplier><offset>0.5</offset>'
        "<reference>0.25</reference></mimic>"
    )
    (machine,) = sdf.parse(text).model.machines
    assert machine.model.nv == 2
    assert machine.model.links[-1].mimic == Mimic("left", -2.0, 1.0)
    (coupled,) = sdf.parse(text, mimic="coupled").model.machines
    assert coupled.model.nv == 1
    assert coupled.model.relation("right") == ("left", -2.0, 1.0)
    settings = coupled.settings("left")
    assert (settings.lower, settings.upper, settings.viscous_friction) == ((-0.5,), (1.0,), 2.0)


def test_mimic_joints_that_cannot_be_read():
    """Themselves, and joints that are not there."""
    with pytest.raises(ParseError, match="mimics itself"):
        sdf.parse(fingers('<mimic joint="right"/>'))
    (note,) = sdf.parse(fingers('<mimic joint="lefty"/>')).notes
    assert "mimics an unknown joint 'lefty'; did you mean 'left'?" in str(note)
