"""Models of SDF inside models, and joints that close loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ParseError
from polhode.formats import moby, read, sdf
from polhode.model import Polyhedron, Revolute
from reference.moby_scene import Placed

INERTIAL = """<inertial><pose>0.1 0 0.2 0 0 0.3</pose><mass>2</mass>
  <inertia><ixx>1</ixx><iyy>1.5</iyy><izz>1.2</izz></inertia></inertial>"""
BALL = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"
ARM = f"""<link name="upper"><pose>0 1 0 0 0 0</pose>{INERTIAL}</link>
  <link name="lower"><pose relative_to="upper">0 1 0 0.3 0 0</pose>{INERTIAL}
    <collision name="c"><pose relative_to="tip">0 0 0.1 0 0 0</pose>{BALL}</collision></link>
  <frame name="tip" attached_to="lower"><pose>0 0 1 0 0 0</pose></frame>
  <joint name="elbow" type="revolute"><pose>0 0 0.1 0.2 0 0</pose><parent>upper</parent>
    <child>lower</child><axis><xyz {{}}>0 0.6 0.8</xyz>{{}}</axis></joint>"""
OUTER = f"""<pose>1 2 3 0.1 0.2 0.3</pose>
  <link name="base"><pose>0 0 1 0 0 0</pose>{INERTIAL}</link>
  <joint name="shoulder" type="revolute"><parent>base</parent><child>{{child}}</child>
    <axis><xyz>1 0 0</xyz></axis></joint>"""


def document(inside, version="1.9"):
    return f'<sdf version="{version}"><model name="robot">{inside}</model></sdf>'


USUAL = ARM.format("", "")
POSE = '<pose relative_to="base">0.5 0 0 0 0 1</pose>'


def nested(pose=POSE, arm=USUAL, child="arm::upper", attributes="", version="1.9", more=""):
    inner = f'<model name="arm" {attributes}>{pose}{arm}{more}</model>'
    return document(OUTER.format(child=child) + inner, version)


def link_of(model, name):
    return next(link for link in model.links if link.name == name)


def only(text):
    reading = sdf.parse(text)
    assert not reading.notes
    (machine,) = reading.model.machines
    return reading.model, machine.model


def assert_same_motion(model, other, rng):
    """Both have the same inertia and bias at some states, whatever their names."""
    q, qd = rng.standard_normal((2, 4, 8))
    q = np.insert(q, 6, 1.0, axis=1)
    for function in (ph.mass_matrix, ph.bias_forces):
        arguments = (q,) if function is ph.mass_matrix else (q, qd)
        np.testing.assert_allclose(function(model, *arguments), function(other, *arguments),
                                   rtol=1e-9, atol=1e-9)  # fmt: skip


def test_a_nested_model_is_part_of_the_outer_one():
    """As the same links in one model, each placed by a frame of its own."""
    scene, model = only(nested())
    assert [link.name for link in model.links] == ["base", "arm::upper", "arm::lower/joint",
                                                   "arm::lower"]  # fmt: skip
    assert [joint.name for joint in model.joints[1:]] == ["shoulder", "arm::elbow"]
    (geometry,) = scene.geometries
    np.testing.assert_allclose(tuple(geometry.frame.r), (0, 0, 1.1), atol=1e-12)
    flat = USUAL.replace("<pose>0 1 0 0", '<pose relative_to="arm">0 1 0 0')
    frame = '<frame name="arm" attached_to="base"><pose>0.5 0 0 0 0 1</pose></frame>'
    _, other = only(document(OUTER.format(child="upper") + frame + flat))
    assert_same_motion(model, other, np.random.default_rng(1))


def test_poses_of_nested_links():
    """Along the chain of models, by hand."""
    text = nested("<pose>0.5 0 0 0 0 1</pose>").replace("0.1 0.2 0.3</pose>", "0 0 0</pose>", 1)
    scene, _ = only(text)
    s, c = math.sin(1.0), math.cos(1.0)
    placed = Placed(scene)
    for link, n in (("arm::upper", 1), ("arm::lower", 2)):
        there = (1.5 - n * s, 2 + n * c, 3)
        np.testing.assert_allclose(placed.position(link), there, atol=1e-12)


@pytest.mark.parametrize(
    ("version", "attribute", "more"),
    [("1.9", 'expressed_in="__model__"', ""),
     ("1.5", "", "<use_parent_model_frame>true</use_parent_model_frame>"), ("1.4", "", "")],
)  # fmt: skip
def test_axes_in_the_frame_of_the_inner_model(version, attribute, more):
    """By name, or as older versions say it."""
    pose = "<pose>0.5 0 0 0 0 1</pose>"
    arm = ARM.format(attribute, more)
    _, model = only(nested(pose, arm, version=version))
    kind = model.joint("arm::elbow").kind
    assert isinstance(kind, Revolute)
    s, c = math.sin(0.3), math.cos(0.3)
    np.testing.assert_allclose(kind.axis, (0, 0.6 * c + 0.8 * s, 0.8 * c - 0.6 * s), atol=1e-12)


def test_names_of_frames_and_models_as_ends_of_joints():
    """A model's name is its canonical link's frame; a frame's is that of the link it is on."""
    for child, attributes, link in (
        ("arm", "", "arm::upper"), ("arm::tip", "", "arm::lower"),
        ("arm", 'canonical_link="lower"', "arm::lower"),
    ):  # fmt: skip
        arm = ARM.format("", "") if link == "arm::upper" else ARM.format("", "").replace(
            "<parent>upper</parent>\n    <child>lower</child>",
            "<parent>lower</parent>\n    <child>upper</child>")  # fmt: skip
        _, model = only(nested(arm=arm, child=child, attributes=attributes))
        joints = {each.joint_name: each.name.removesuffix("/joint") for each in model.links}
        assert joints["shoulder"] == link


def test_a_nested_model_placed_by_one_of_its_frames():
    """The pose is then that of the frame."""
    scene, _ = only(nested("<pose>5 6 7 0 0 0.4</pose>", attributes='placement_frame="tip"')
                    .replace("<pose>1 2 3 0.1 0.2 0.3</pose>", ""))  # fmt: skip
    placed = Placed(scene)
    lower = placed.pose("arm::lower")
    tip = lower[:3, :3] @ [0, 0, 1] + lower[:3, 3]
    np.testing.assert_allclose(tip, (5, 6, 7), atol=1e-12)


def test_models_three_deep_with_mimic_and_self_collision():
    """Names are joined; a joint mimics one of its own model; a model's word is its links'."""
    deep = nested(
        more="""<self_collide>true</self_collide><model name="hand"><pose/>
      <link name="a"/><link name="b"/>
      <joint name="p" type="revolute"><parent>__model__</parent><child>b</child>
        <axis><xyz>0 0 1</xyz><mimic joint="p2"><multiplier>2</multiplier></mimic></axis></joint>
      <link name="c"/><joint name="p2" type="revolute"><parent>a</parent><child>c</child>
        <axis><xyz>0 0 1</xyz></axis></joint></model>
      <joint name="wrist" type="fixed"><parent>lower</parent><child>hand</child></joint>"""
    )
    _, model = only(deep)
    assert link_of(model, "arm::hand::b").parent == "arm::hand::a"
    assert link_of(model, "arm::hand::b").mimic.joint == "arm::hand::p2"
    assert link_of(model, "arm::hand::a").parent == "arm::lower"


FILES = {
    "models/arm/model.sdf": document(
        ARM.format("", "").replace(BALL, "<geometry><mesh><uri>a.obj</uri></mesh></geometry>")
    ).replace('name="robot"', 'name="arm"'),
    "models/arm/a.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n",
    "models/ring/model.sdf": document("<link name='l'/><include><uri>model://ring</uri></include>"),
    "models/bare/model.sdf": document("<frame name='f'/>"),
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def included(folder, inside, child="left::upper", merge="false"):
    path = folder / "robot.sdf"
    more = f'<include merge="{merge}"><uri>model://arm</uri>{inside}</include>'
    path.write_text(document(OUTER.format(child=child) + more))
    return read(path, package_roots=[folder / "models"])


def test_a_model_includes_another(folder):
    """As if it stood there, under the name it is given, with the meshes of its own folder."""
    reading = included(folder, f"<name>left</name>{POSE}")
    assert not reading.notes
    (machine,), (geometry,) = reading.model.machines, reading.model.geometries
    assert machine.model.joints[-1].name == "left::elbow"
    assert isinstance(geometry.shape, Polyhedron)
    assert_same_motion(machine.model, only(nested())[1], np.random.default_rng(2))


def test_a_model_merges_another(folder):
    """Its names stay as they are."""
    reading = included(folder, f"<name>left</name>{POSE}", child="upper", merge="true")
    (machine,) = reading.model.machines
    assert [joint.name for joint in machine.model.joints[1:]] == ["shoulder", "elbow"]
    assert_same_motion(machine.model, only(nested())[1], np.random.default_rng(3))


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<model name='a'><link name='l'/><static>true</static></model>",
         ':2: <model name="a"> is static inside <model name="robot">, which moves'),
        ("<model name='a'/>", ':2: <model name="a"> has no links'),
        ("<model/>", ":2: <model> has no attribute 'name'"),
        ("<model name='a'>" * 52 + "<link name='l'/>" + "</model>" * 52, "more than 50 deep"),
        ("<include><uri>model://ring</uri></include>", "model.sdf' includes itself"),
        ("<include><uri>model://bare</uri></include>", "has no links"),
        ("".join(f"<include><uri>model://arm</uri><name>{k}</name></include>" for k in range(101)),
         "at most 100 <include> in a model"),
        ("<include><uri>model://arm</uri></include>\n" * 2, ":3: the name 'arm' of an inner model"),
        ("<model name='base'><link name='l'/></model>", ":2: the name 'base' of an inner model is "
         'that of another part of <model name="robot">, too'),
        ("<frame name='a'/><model name='a'><link name='l'/></model>", ":2: the name 'a' of an"),
        ("<include merge='yes'><uri>model://arm</uri></include>", "expected true or false"),
    ],
)  # fmt: skip
def test_mistakes(inside, words, folder):
    """Each with its file and line."""
    path = folder / "robot.sdf"
    path.write_text(document(f'<link name="base"/>\n{inside}'))
    with pytest.raises(ParseError, match=words):
        read(path, package_roots=[folder / "models"])


def test_an_immovable_model_holds_what_is_in_it():
    """Without joints, and with joints between some of its links."""
    inner = "<model name='a'><pose>1 0 0 0 0 0</pose><link name='l'/></model>"
    for joint in ("", '<joint name="j" type="revolute"><parent>base</parent><child>top</child>'
                  "<axis><xyz>1 0 0</xyz></axis></joint>"):  # fmt: skip
        inside = f'<static>true</static><link name="base"/><link name="top"/>{joint}{inner}'
        (machine,) = sdf.parse(document(inside)).model.machines
        assert machine.is_fixed and link_of(machine.model, "a::l").frame.r.x == 1.0


# -- loops --


def bar(name, x, z, length, turn=0.0):
    """A rod from its origin along z."""
    across = length**3 / 12
    return (f'<link name="{name}"><pose>{x} 0 {z} 0 {turn} 0</pose><inertial>'
            f"<pose>0 0 {length / 2} 0 0 0</pose><mass>{length}</mass><inertia><ixx>{across}</ixx>"
            f"<iyy>{across}</iyy><izz>0.001</izz></inertia></inertial></link>")  # fmt: skip


def pin(name, parent, child, kind="revolute", pose="", more=""):
    return (f'<joint name="{name}" type="{kind}">{pose}<parent>{parent}</parent><child>{child}'
            f"</child><axis><xyz>0 1 0</xyz>{more}</axis></joint>")  # fmt: skip


def four_bar(kind="revolute", more="", first=""):
    """Two upright rods of length 1 on the ground, 2 apart, and one across their tops."""
    return document(
        bar("a", 0, 0, 1) + bar("b", 0, 1, 2, math.pi / 2) + bar("c", 2, 0, 1)
        + pin("ground a", "world", "a") + pin("knee", "a", "b", more=first)
        + pin("ground c", "world", "c")
        + pin("closing", "c", "b", kind, "<pose>0 0 2 0 0 0</pose>", more)
    )  # fmt: skip


def falling(scene):
    """The motion of a four-bar linkage, from a turning start."""
    names = [joint.name for joint in scene.machine("robot").model.joints]
    q, qd = scene.machine("robot").q, {"ground a": 1.0, "ground c": 1.0, "knee": -1.0}
    start = scene.with_start("robot", q=q, qd=[qd[name] for name in names])
    return ph.simulate(start, 0.2, dt=2e-3, progress=False)


def test_a_joint_that_closes_a_loop():
    """A parallelogram of rods swings as one pendulum, whatever the closing joint leaves free."""
    thetas = {}
    for kind in ("revolute", "ball"):
        scene = sdf.parse(four_bar(kind)).model
        (loop,) = scene.loops
        assert loop.name == "robot/closing"
        assert loop.kind.value == {"revolute": kind, "ball": "spherical"}[kind]
        run = falling(scene)
        of = scene.machine("robot").model
        thetas[kind] = run.q[-1, of.joint("ground a").q]
        np.testing.assert_allclose(run.q[-1, of.joint("ground c").q], thetas[kind], atol=1e-6)
    # Rods of 1 kg and 1 m about an end, and one of 2 kg that only translates.
    inertia, moment = 2 * (1 / 3) + 2 * 1.0, 2 * 0.5 + 2 * 1.0
    theta, rate, h = 0.0, 1.0, 1e-5
    for _ in range(round(0.2 / h)):  # theta'' = m g sin(theta) / I, by the midpoint
        middle = theta + 0.5 * h * rate
        rate += h * moment * 9.81 / inertia * math.sin(middle)
        theta = middle + 0.5 * h * rate
    for value in thetas.values():
        np.testing.assert_allclose(value, theta, rtol=1e-4)


def test_a_spring_is_in_the_tree():
    """Of two joints to one link the first closes the loop, where only the second has a spring."""
    spring = "<dynamics><spring_stiffness>7</spring_stiffness></dynamics>"
    scene = sdf.parse(four_bar(more=spring)).model
    assert [loop.name for loop in scene.loops] == ["robot/knee"]
    with pytest.raises(ParseError, match="springs are for joints of a tree"):
        sdf.parse(four_bar(more=spring, first=spring))


def test_limits_and_friction_of_a_closing_joint():
    """They act there; a mimic does not, and is told."""
    scene = sdf.parse(four_bar(more="<limit><lower>-1</lower><upper>2</upper></limit>"
                               "<dynamics><friction>0.3</friction></dynamics>")).model  # fmt: skip
    settings = scene.loops[0].settings
    assert (settings.lower, settings.upper, settings.coulomb_friction) == ((-1,), (2,), 0.3)
    (note,) = sdf.parse(four_bar(more='<mimic joint="knee"/>')).notes
    assert 'closing"> closes a loop: its <mimic> is not read' in note.text


def test_loops_inside_a_scene_of_moby(tmp_path):
    """They come with the SDF that the scene names."""
    (tmp_path / "bars.sdf").write_text(four_bar())
    (tmp_path / "scene.xml").write_text(
        '<XML><MOBY><SDF id="s" filename="bars.sdf"/><TimeSteppingSimulator><DynamicBody '
        'dynamic-body-id="s::robot"/></TimeSteppingSimulator></MOBY></XML>'
    )
    (loop,) = moby.read(tmp_path / "scene.xml").model.loops
    assert (loop.name, loop.a, loop.b) == ("s::robot/closing", ("s::robot", "c"), ("s::robot", "b"))
