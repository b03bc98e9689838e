"""Screws, gearboxes and disjoint trees of SDF, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelWarning, ParseError
from polhode.formats import sdf
from polhode.formats.sdf import writer
from polhode.model import FloatingBase, Helical, Revolute
from polhode.scene import Gear, LoopKind
from reference.moby_scene import Placed

MASS, INERTIA, PITCH = 2.0, 0.3, 0.05  # kg, kg m^2, m per turn
ADVANCE = PITCH / (2.0 * math.pi)  # m per radian
BODY = f"""<inertial><mass>{MASS}</mass><inertia><ixx>{INERTIA}</ixx><iyy>{INERTIA}</iyy>
  <izz>{INERTIA}</izz></inertia></inertial>"""
PER_TURN = f"<screw_thread_pitch>{PITCH}</screw_thread_pitch>"


def document(inside, version="1.10"):
    return f'<sdf version="{version}"><model name="m">{inside}</model></sdf>'


def screw(pitch=PER_TURN, limit="", pose="", version="1.10"):
    return document(
        f"""<link name="nut"><pose>{pose or "0 0 0 0 0 0"}</pose>{BODY}</link>
        <joint name="j" type="screw"><parent>world</parent><child>nut</child>{pitch}
        <axis><xyz>0 0 1</xyz>{limit}</axis></joint>""", version)  # fmt: skip


def only(text):
    reading = sdf.parse(text)
    assert not reading.notes
    return reading.model


# -- screws --


@pytest.mark.parametrize(
    ("pitch", "turn"),
    [
        (PER_TURN, 1.0),
        (f"<screw_thread_pitch>{-PITCH}</screw_thread_pitch>", -1.0),
        (f"<thread_pitch>{-1.0 / ADVANCE}</thread_pitch>", 1.0),  # to the right
        (f"<thread_pitch>{1.0 / ADVANCE}</thread_pitch>", -1.0),
    ],
)
def test_a_nut_falls_along_its_thread(pitch, turn):
    """``(I + m h^2) qdd = -m g h``; positive metres per turn and negative radians per metre are
    those of a right-handed thread."""
    model = only(screw(pitch)).model
    assert (model.nq, model.nv) == (1, 1)
    qdd = ph.forward_dynamics(model, [0.3], [0.0], [0.0])
    h = turn * ADVANCE
    np.testing.assert_allclose(qdd, [-MASS * 9.81 * h / (INERTIA + MASS * h * h)], rtol=1e-12)
    pose = ph.body_pose(model, [0.3], "m/nut")
    np.testing.assert_allclose(pose[:3, 3], [0.0, 0.0, 0.3 * h], atol=1e-15)
    np.testing.assert_allclose(pose[:2, 0], [math.cos(0.3), math.sin(0.3)], atol=1e-15)


def test_limits_of_a_screw_are_angles():
    """As its coordinate is."""
    (machine,) = only(screw(limit="<limit><lower>-1</lower><upper>2</upper></limit>")).machines
    settings = machine.settings("j")
    assert (settings.lower, settings.upper) == ((-1.0,), (2.0,))


def test_a_screw_may_close_a_loop():
    """Between links that other joints hold."""
    text = document(f"""<link name="a">{BODY}</link><link name="b">{BODY}</link>
      <joint name="fix" type="fixed"><parent>world</parent><child>a</child></joint>
      <joint name="slide" type="prismatic"><parent>world</parent><child>b</child>
        <axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="j" type="screw"><parent>a</parent><child>b</child>{PER_TURN}
        <axis><xyz>0 0 1</xyz></axis></joint>""")
    (loop,) = only(text).loops
    assert (loop.kind, loop.pitch) == (LoopKind.SCREW, PITCH / (2.0 * math.pi))


@pytest.mark.parametrize(
    ("pitch", "message"),
    [
        ("", r'<string>:3: expected <screw_thread_pitch> in <joint name="j">.*metres per turn'),
        ("<thread_pitch>0</thread_pitch>", "radians per metre, found 0 .*<screw_thread_pitch>"),
        ("<thread_pitch>1e-320</thread_pitch>", "radians per metre, found 9.99989e-321"),
        ("<screw_thread_pitch>x</screw_thread_pitch>", "expected a number in <screw_thread_pitch>"),
        (2 * PER_TURN, "screw_thread_pitch"),
    ],
)
def test_pitches_that_are_none_are_refused(pitch, message):
    with pytest.raises(ParseError, match=message):
        sdf.parse(screw(pitch))


def test_the_newer_pitch_supersedes_the_older():
    """Which is told."""
    reading = sdf.parse(screw(PER_TURN + "<thread_pitch>7</thread_pitch>"))
    (note,) = reading.notes
    assert note.kind == "ignored"
    assert "<thread_pitch> is not read beside <screw_thread_pitch>" in note.text
    (joint,) = (link.joint for link in reading.model.machines[0].model.links if link.joint.nv)
    assert joint == Helical((0.0, 0.0, 1.0, 0.0, 0.0, ADVANCE))


# -- gearboxes --

RATIO = 2.5


def geared(
    axis="0 0 1", axis2="0 0 1", first="base", second="base", ratio=RATIO, more="",
    reference="base", ends=("sun", "planet"),
):  # fmt: skip
    """Two wheels of one inertia on a base; each of ``first`` and ``second`` leads to its wheel, or
    from it to the base."""
    hinged = (("sun", first), ("planet", second))
    pairs = {wheel: (parent, wheel if parent == "base" else "base") for wheel, parent in hinged}
    hinges = "".join(
        f"""<joint name="{wheel}_hinge" type="revolute"><parent>{parent}</parent>
        <child>{child}</child><axis><xyz>0 0 1</xyz></axis></joint>"""
        for wheel, (parent, child) in pairs.items()
    )
    said = "" if ratio is None else f"<gearbox_ratio>{ratio}</gearbox_ratio>"
    return document(f"""<link name="base">{BODY}</link><link name="sun">{BODY}</link>
      <link name="planet"><pose>1 0 0 0 0 0</pose>{BODY}</link>{hinges}
      <joint name="g" type="gearbox"><parent>{ends[0]}</parent><child>{ends[1]}</child>{said}
      <gearbox_reference_body>{reference}</gearbox_reference_body>
      <axis><xyz>{axis}</xyz></axis><axis2><xyz>{axis2}</xyz>{more}</axis2></joint>
      {FIXED}""")


FIXED = """<joint name="stand" type="fixed"><parent>world</parent><child>base</child></joint>"""


@pytest.mark.parametrize(
    ("own", "ratio"),
    [
        ({}, -RATIO),
        ({"axis": "0 0 -2"}, RATIO),
        ({"axis": "0 0 -1", "axis2": "0 0 -1"}, -RATIO),
        ({"ratio": -0.5}, 0.5),
        ({"ratio": None}, -1.0),
        ({"ends": ("planet", "sun")}, None),
    ],
)
def test_a_gearbox_is_a_gear(own, ratio):
    """``theta_2 = -ratio theta_1``, each about its own axis; without a ratio, of one."""
    scene = only(geared(**own))
    if ratio is None:
        expected = Gear("m/g", ("m", "sun_hinge"), ("m", "planet_hinge"), -RATIO)
    else:
        expected = Gear("m/g", ("m", "planet_hinge"), ("m", "sun_hinge"), ratio)
    assert scene.gears == (expected,)


def test_hinges_that_lead_to_the_reference_body_count_backwards():
    """For the wheel turns from it by minus their coordinate."""
    text = geared(first="sun").replace(FIXED, FIXED.replace("base", "sun"))
    (gear,) = only(text).gears
    assert gear == Gear("m/g", ("m", "planet_hinge"), ("m", "sun_hinge"), RATIO)


def test_geared_wheels_turn_together(tmp_path):
    """``(I + r^2 I) qdd = tau``, and the wheels keep to their ratio in a run."""
    file = tmp_path / "geared.sdf"
    file.write_text(geared())
    model = ph.load(file, mimic="coupled").model
    assert model.nv == 1
    np.testing.assert_allclose(ph.mass_matrix(model, [0.2]), [[INERTIA * (1.0 + RATIO**2)]])
    scene = ph.load(file)
    q, v = (scene.model.joint(f"m/{wheel}_hinge") for wheel in ("sun", "planet"))
    qd = np.zeros(scene.model.nv)
    qd[q.v], qd[v.v] = 1.0, -RATIO
    run = ph.simulate(scene.with_start("m", qd=qd), 0.5, dt=1e-3)
    np.testing.assert_allclose(run.q[-1, v.q], -RATIO * run.q[-1, q.q], atol=1e-9)
    np.testing.assert_allclose(run.q[-1, q.q], 0.5, atol=1e-9)


def test_a_gearbox_of_an_inner_model_names_its_own_links():
    """Under the names that they have in the outer model."""
    inner = geared().split('<model name="m">')[1].rsplit("</model>", 1)[0].replace(FIXED, "")
    text = document(f"""<link name="root">{BODY}</link>
      <joint name="hold" type="fixed"><parent>root</parent><child>box::base</child></joint>
      <model name="box">{inner}</model>""")
    (gear,) = only(text).gears
    assert gear == Gear("m/box::g", ("m", "box::planet_hinge"), ("m", "box::sun_hinge"), -RATIO)


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"reference": "bass"}, "unknown gearbox_reference_body link 'bass'; did you mean 'base'"),
        ({"ends": ("sun", "plane")}, "unknown child link 'plane'; did you mean 'planet'"),
        ({"reference": "sun"}, "expected a revolute joint between the links 'sun' and 'sun'"),
        ({"reference": "world"}, "revolute joint between the links 'sun' and 'world'"),
        ({"axis": "0 1 0"}, "expected the axis of 'sun' along that of joint 'sun_hinge'"),
        ({"axis": "0 0 0"}, 'the axis of <joint name="g"> is zero'),
    ],
)
def test_gearboxes_without_hinges_are_refused(own, message):
    """With the line of the joint."""
    with pytest.raises(ParseError, match=r"<string>:\d+: .*" + message):
        sdf.parse(geared(**own))


def test_what_a_gearbox_does_not_do_is_told():
    reading = sdf.parse(geared(more="<dynamics><damping>1</damping></dynamics>"))
    (note,) = reading.notes
    assert (note.kind, note.line) == ("ignored", 10)
    assert "<limit> and <dynamics> of a gearbox joint are not read" in note.text


def test_words_of_one_type_of_joint_are_told_at_others():
    pitch = "<thread_pitch>3</thread_pitch>"
    reading = sdf.parse(geared().replace("<parent>base", f"{pitch}<parent>base"))
    assert {note.text for note in reading.notes} == {
        f'<joint name="{wheel}_hinge">: <thread_pitch> is read for joints of type screw only'
        for wheel in ("sun", "planet")
    }


# -- disjoint trees --


def test_trees_that_no_joint_joins_move_apart():
    """Each with a base of its own: free ones where they are drawn, and what stands in the world."""
    text = document(f"""<pose>0 0 1 0 0 0</pose>
      <link name="a"><pose>1 0 0 0 0 0</pose>{BODY}</link>
      <link name="arm">{BODY}</link>
      <link name="b"><pose>2 0 0 0 0 0.5</pose>{BODY}</link>
      <link name="c"><pose>3 0 0 0 0 0</pose>{BODY}</link>
      <joint name="bc" type="revolute"><parent>b</parent><child>c</child>
        <axis><xyz>0 1 0</xyz></axis></joint>
      <joint name="shoulder" type="revolute"><parent>world</parent><child>arm</child>
        <axis><xyz>0 1 0</xyz></axis></joint>""")
    scene = only(text)
    model = scene.machines[0].model
    free = [link.name for link in model.links if isinstance(link.joint, FloatingBase)]
    assert (free, model.nv) == (["a", "b"], 14)
    placed = Placed(scene)
    for name, x in zip(("arm", "a", "b", "c"), range(4), strict=True):
        np.testing.assert_allclose(placed.position(name), [x, 0.0, 1.0], atol=1e-15)
    run = ph.simulate(scene, 0.1, dt=1e-3)
    fallen = -0.5 * 9.81 * 0.1**2
    z = np.arange(scene.model.nq)[scene.model.joint("m/a").q][2]
    np.testing.assert_allclose(run.q[-1, z] - 1.0, fallen, rtol=1e-12)
    H = ph.mass_matrix(scene.model, scene.q0)
    a, b = (np.arange(14)[scene.model.joint(f"m/{name}").v] for name in "ab")
    assert not H[np.ix_(a, b)].any()


def test_a_cycle_beside_a_tree_is_cut_at_its_first_link():
    """What hangs on the cycle keeps its joint."""
    names = ("free", "tail", "x", "y", "z")
    links = "".join(f'<link name="{name}">{BODY}</link>' for name in names)
    pairs = (("z", "tail"), ("x", "y"), ("y", "z"), ("z", "x"))
    joints = "".join(
        f'<joint name="{a}{b}" type="revolute"><parent>{a}</parent><child>{b}</child>'
        "<axis><xyz>0 1 0</xyz></axis></joint>" for a, b in pairs
    )  # fmt: skip
    scene = only(document(links + joints))
    (machine,) = scene.machines
    free = [link.name for link in machine.model.links if isinstance(link.joint, FloatingBase)]
    assert free == ["free", "x"]
    assert [loop.name for loop in scene.loops] == ["m/zx"]


def test_an_immovable_model_of_several_links_stands():
    """Whatever joins them."""
    links = f'<link name="a">{BODY}</link><link name="b">{BODY}</link>'
    assert only(document(f"<static>true</static>{links}")).model.nv == 0


# -- names --


@pytest.mark.parametrize("tag", ["link", "joint", "frame", "model"])
def test_names_of_inner_models_parts_are_reserved(tag):
    """From version 1.8 on; files of 1.7 have such names where nested models were made one."""
    inside = {
        "link": f'<link name="a::b">{BODY}</link>',
        "frame": f'<link name="a">{BODY}</link><frame name="a::b"/>',
        "model": f'<link name="a">{BODY}</link><model name="a::b"><link name="c"/></model>',
        "joint": f"""<link name="a">{BODY}</link><joint name="a::b" type="fixed">
          <parent>world</parent><child>a</child></joint>""",
    }[tag]
    message = f"found 'a::b' of <{tag}>: version 1.8 of SDF reserves it"
    with pytest.raises(ParseError, match=message):
        sdf.parse(document(inside, "1.8"))
    sdf.parse(document(inside, "1.7"))


# -- writing --


def test_screws_and_gearboxes_come_back():
    """With the same motion."""
    scene = only(geared())
    again = only(writer.dumps(scene))
    assert again.gears == scene.gears
    nut = only(screw())
    (before,), (after,) = ([link.joint for link in s.machines[0].model.links if link.joint.nv]
                           for s in (nut, only(writer.dumps(nut))))  # fmt: skip
    np.testing.assert_allclose(after.axis, before.axis, rtol=1e-15)


def test_gears_between_a_link_and_the_body_that_carries_it_come_back():
    """The angle of the carrier counts backwards."""
    model = ph.Model("m").add("a", joint=Revolute.z(), mass=1.0, inertia=(1, 1, 1)).add(
        "b", parent="a", joint=Revolute.z(), mass=1.0, inertia=(1, 1, 1)).add(
        "c", parent="b", joint=Revolute((0, 0, -1)), mass=1.0, inertia=(1, 1, 1))  # fmt: skip
    scene = ph.Scene("s").add_machine(model, "m")
    scene = scene.add_gear("g", ("m", "b"), ("m", "c"), ratio=0.5)
    assert only(writer.dumps(scene)).gears == (Gear("m/g", ("m", "b"), ("m", "c"), 0.5),)
    scene = ph.Scene("s").add_machine(model, "m").add_gear("g", ("m", "a"), ("m", "c"), ratio=0.5)
    with pytest.warns(ModelWarning, match=r"gears \('g'\)"):
        assert not sdf.parse(writer.dumps(scene)).model.gears


def test_free_trees_of_one_model_come_back():
    """Where they start."""
    model = ph.Model("m")
    for name in ("a", "b"):
        model = model.add(name, joint=FloatingBase(), mass=1.0, inertia=(1, 1, 1))
    q = ph.random_configuration(model, np.random.default_rng(2))
    scene = ph.Scene("s").add_machine(model, "m", q=q)
    again = only(writer.dumps(scene))
    for name in ("m/a", "m/b"):
        poses = [ph.body_pose(each.model, each.q0, name) for each in (scene, again)]
        np.testing.assert_allclose(*poses, atol=1e-12)
