"""Wrong and hostile Moby files: every one ends in one clear error with file and line."""

from __future__ import annotations

import contextlib
import re
import time
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from moby.texts import ARM, BALL, GROUND, listed, scene, wrapped
from polhode.formats import moby

BODY = '<RigidBody id="b" mass="1" inertia="1 0 0;0 1 0;0 0 1" {}/>'
JOINED = """<RCArticulatedBody id="m"><RigidBody id="a"/><RigidBody id="b"/>
<{} id="j" inboard-link-id="a" outboard-link-id="b" location="0 0 0" {}/></RCArticulatedBody>"""

WRONG = [
    ('<RigidBody id="b" position="1 2"/>', r"expected 3 numbers in 'position'.*found 2"),
    ('<RigidBody id="b" position="1 2 x"/>', r"expected a number in 'position'.*found 'x'"),
    ('<RigidBody id="b" position="1 2 nan"/>', r"expected a number in 'position'.*'nan'"),
    ('<RigidBody id="b" position="1 2 1e999"/>', "too large: '1e999'"),
    ('<RigidBody id="b" enabled="yes"/>', "expected true or false in 'enabled'"),
    ('<RigidBody id="b" mass="-1"/>', "at least 0 in 'mass'"),
    ('<RigidBody id="b" mass="1" inertia="1 0; 0 1"/>', "expected a 3x3 matrix"),
    ('<RigidBody id="b" mass="1" inertia="1 1 0;0 1 0;0 0 1"/>', "symmetric 'inertia'"),
    ('<RigidBody id="b" inertia="-1 0 0;0 1 0;0 0 1"/>', "of at least 0"),
    ('<RigidBody id="b" quat="0 0 0 0"/>', "quaternion 'quat'.*is zero"),
    ('<RigidBody id="b" aangle="0 0 0 1"/>', "axis in 'aangle'.*is zero"),
    ('<RigidBody id="b" color="2 0 0 1"/>', "from 0 to 1 in 'color'"),
    ('<RigidBody id="b"><CollisionGeometry primitive-id="bx"/></RigidBody>'
     '<Box id="box" xlen="1" ylen="1" zlen="1"/>', "no primitive 'bx'; did you mean 'box'"),
    ('<RigidBody id="b"><InertiaFromPrimitive/></RigidBody>', "no attribute 'primitive-id'"),
    ('<Box id="a" xlen="-1"/>', "at least 0 in 'xlen'"),
    ('<Polyhedron id="a"/>', "no attribute 'filename'"),
    ('<Polyhedron id="a" filename="/etc/passwd"/>', "a text has no folder"),
    ('<RigidBody id="b"/>\n<RigidBody id="b"/>', "duplicate body id 'b', first in line 2"),
    ('<Box id="b"/><Box id="b"/>', "duplicate primitive id"),
    ('<RigidBody id="b"/><RCArticulatedBody id="b"><RigidBody id="c"/></RCArticulatedBody>',
     "duplicate id 'b'"),
    ('<RCArticulatedBody id="m"/>', "has no links"),
    ('<RCArticulatedBody id="m"><RigidBody id="a"/><RigidBody id="b"/></RCArticulatedBody>',
     "expected one base link.*'a' and 'b'"),
    ('<RCArticulatedBody id="m" floating-base="true"><RigidBody id="a" enabled="false"/>'
     "</RCArticulatedBody>", "is disabled, but it is a floating base"),
    (JOINED.format("RevoluteJoint", 'axis="0 0 0"'), "'axis'.*is zero"),
    (JOINED.format("RevoluteJoint", ""), "no attribute 'axis'"),
    (JOINED.format("RevoluteJoint", 'axis="0 0 1" q="1 2"'), "expected 1 numbers in 'q'"),
    (JOINED.format("RevoluteJoint", 'axis="0 0 1" lower-limits="2" upper-limits="1"'),
     "lower limit 2 above upper limit 1"),
    (JOINED.format("RevoluteJoint", 'axis="0 0 1" restitution-coeff="2"'), "from 0 to 1"),
    (JOINED.format("UniversalJoint", 'axis1="0 0 1" axis2="0 0 2"'), "two axes.*parallel"),
    (JOINED.format("SphericalJoint", 'axis1="0 0 1" axis2="0 1 1"'), "at right angles"),
    (JOINED.format("FixedJoint", 'q="1"'), "cannot move, so it has no 'q'"),
    (JOINED.format("PlanarJoint", 'normal="0 1 0"'), "cannot be inside an articulated body"),
    (JOINED.replace('outboard-link-id="b"', 'outboard-link-id="bb"').format("FixedJoint", ""),
     "has no outboard link 'bb'"),
    (JOINED.replace('outboard-link-id="b"', 'outboard-link-id="a"').format("FixedJoint", ""),
     "joins a link to itself"),
    (ARM + '<Gears id="g" inboard-link-id="l1" outboard-link-id="l3"/>',
     "no outboard link 'l3'"),
    (ARM + '<Gears id="g" inboard-link-id="l1" outboard-link-id="base"/>',
     "no joint carries the outboard link 'base'"),
    ('<RCArticulatedBody id="m" fdyn-algorithm="crba"><RigidBody id="a"/></RCArticulatedBody>',
     "expected fdyn-algorithm = crb or fsab.*did you mean 'crb'"),
]  # fmt: skip

UNDEFINED = [
    ('<Box id="a" mass="1" density="2"/>', "mass", "density"),
    ('<Sphere id="a" rpy="0 0 0" quat="1 0 0 0"/>', "rpy", "quat"),
    ('<RigidBody id="b" quat="1 0 0 0" aangle="0 0 1 0"/>', "quat", "aangle"),
    ('<RigidBody id="b" mass="1" density="2"/>', "mass", "density"),
    (BALL.replace('id="ball"', 'id="ball" mass="3"'), "mass", "InertiaFromPrimitive"),
    (BALL.replace("<CollisionGeometry ", '<CollisionGeometry relative-rpy="0 0 1" '
     'relative-quat="1 0 0 0" '), "relative-quat", "relative-rpy"),
    (BALL.replace("<InertiaFromPrimitive ", '<InertiaFromPrimitive relative-rpy="0 0 1" '
     'relative-aangle="0 0 1 0" '), "relative-rpy", "relative-aangle"),
    ('<Box id="p"/><RigidBody id="b"><Visualization visualization-id="p" '
     'visualization-filename="p.obj"/></RigidBody>', "visualization-id", "visualization-filename"),
    ('<RigidBody id="b" mass="1" inertial-relative-rpy="0 0 1" inertial-relative-quat="1 0 0 0"/>',
     "inertial-relative-quat", "inertial-relative-rpy"),
]  # fmt: skip

SIMULATED = [
    ('<DynamicBody dynamic-body-id="bal"/>', "no body 'bal'; did you mean 'ball'"),
    ('<ImplicitConstraint joint-id="x"/>', "no joint 'x'"),
    ('<RecurrentForce recurrent-force-id="g"/>', "no force 'g'"),
    ('<ContactParameters object1-id="ball"/>', "no attribute 'object2-id'"),
    ('<ContactParameters object1-id="ball" object2-id="grund"/>', "did you mean 'ground'"),
    ('<ContactParameters object1-id="ball" object2-id="ground" epsilon="1.5"/>', "from 0 to 1"),
    ('<ContactParameters object1-id="ball" object2-id="ground" mu-coulomb="-1"/>', "at least 0"),
    ('<ContactParameters object1-id="ball" object2-id="ground" friction-cone-edges="4.5"/>',
     "whole number"),
    ('<DisabledPair object1-id="ball" object2-id="balll"/>', "did you mean 'ball'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_wrong_values(text, message):
    """What was expected, what was found, and where."""
    with pytest.raises(ph.ParseError, match=message) as caught:
        scene(text)
    assert re.match(r"<string>:\d+: ", str(caught.value))


@pytest.mark.parametrize(("text", "first", "second"), UNDEFINED)
def test_what_the_manual_leaves_undefined(text, first, second):
    """Two attributes that contradict each other are both named."""
    with pytest.raises(
        ph.ParseError, match=f"both '({first}' and '{second}|{second}' and '{first})'"
    ):
        scene(text)


@pytest.mark.parametrize(("inside", "message"), SIMULATED)
def test_wrong_names_in_a_simulator(inside, message):
    """Unknown ids come with a suggestion."""
    with pytest.raises(ph.ParseError, match=message):
        scene(BALL + GROUND, inside)


def test_line_of_the_error():
    """The line is that of the element."""
    with pytest.raises(ph.ParseError) as caught:
        scene('<Box id="a"/>\n<RigidBody id="b"\n  position="1"/>')
    assert caught.value.line == 3


def test_no_scene():
    """A file without MOBY, and one that is no XML."""
    with pytest.raises(ph.ParseError, match="expected a <MOBY> element"):
        moby.parse("<robot/>")
    with pytest.raises(ph.ParseError, match="not well-formed"):
        moby.parse("<XML><MOBY>")


BOMB = """<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>
<XML><MOBY><RigidBody id="&b;"/></MOBY></XML>"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "document type"),
        ("<XML><MOBY>" + "<a>" * 300 + "</a>" * 300 + "</MOBY></XML>", "more than 256 deep"),
        ("<XML><MOBY>" + "<a/>" * 260_000 + "</MOBY></XML>", "more than 250000 elements"),
        (wrapped(f'<RigidBody id="b" position="1 2 {"9" * 5000}"/>'), "expected a number"),
        (wrapped(f'<RigidBody id="b" position="{"1 " * 100_000}"/>'), "found 100000"),
    ],
)
def test_bombs(text, message):
    """Bounded in time and memory."""
    start = time.monotonic()
    with pytest.raises(ph.ParseError, match=message) as caught:
        moby.parse(text)
    assert len(str(caught.value)) < 500
    assert time.monotonic() - start < 20


def test_files_outside_the_folder(tmp_path):
    """A scene cannot read what lies elsewhere, unless that folder is given."""
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "heights.txt").write_text("2 2\n0 0\n0 0\n")
    file = inner / "scene.xml"
    file.write_text(wrapped('<Heightmap id="h" filename="../heights.txt" width="1" depth="1"/>'))
    with pytest.raises(ph.ParseError, match="outside the scene's folder"):
        moby.read(file)
    assert moby.read(file, package_roots=[tmp_path]).model.machines == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [("2 2\n1 2 3", "expected 2 x 2 heights.*found 3"), ("1 1\n1", "at least 2 x 2"),
     ("x", "expected rows, columns"), ("99999 99999", "at most"), ("2 2 1 2 3 nan", "finite")],
)  # fmt: skip
def test_wrong_heights(tmp_path, content, message):
    """A height field's file says how many numbers follow."""
    (tmp_path / "h.txt").write_text(content)
    file = tmp_path / "scene.xml"
    file.write_text(wrapped('<Heightmap id="h" filename="h.txt" width="1" depth="1"/>'))
    with pytest.raises(ph.ParseError, match=message):
        moby.read(file)


def test_cycle_of_links():
    """Links that hang on each other, but not on the base."""
    text = """<RCArticulatedBody id="m"><RigidBody id="a"/><RigidBody id="b"/><RigidBody id="c"/>
      <FixedJoint id="j" inboard-link-id="b" outboard-link-id="c"/>
      <FixedJoint id="k" inboard-link-id="c" outboard-link-id="b"/></RCArticulatedBody>"""
    with pytest.raises(ph.ParseError, match="form a cycle"):
        scene(text)


MORE = """
<GravityForce id="g" accel="0 -9.81 0"/><StokesDragForce id="d" drag-b="1" drag-b-ang="2"/>
<DampingForce id="k"><Gains body-id="ball" klinear="1" kangular="1"/></DampingForce>
<Dissipation id="q"><Body id="arm" lambda="0.5"/></Dissipation>
<SphericalJoint id="tie" inboard-link-id="l2" outboard-link-id="ball" location="0 1 0"
  axis1="1 0 0" axis2="0 1 0"/>
<Gears id="gears" inboard-link-id="l1" outboard-link-id="l2" gear-ratio="2"/>
<Torus id="t" major-radius="1" minor-radius="0.1" density="3"/>
"""
RULES = """<RecurrentForce recurrent-force-id="g"/><RecurrentForce recurrent-force-id="k"/>
<ImplicitConstraint joint-id="tie"/><DisabledPair object1-id="arm" object2-id="arm"/>
<ContactParameters object1-id="ball" object2-id="top" epsilon="0.5" mu-coulomb="0.1"
  mu-viscous="0.1" friction-cone-edges="8" compliance="0.1" penalty-kp="1" penalty-kv="1"/>"""
WHOLE = wrapped(BALL + GROUND + ARM + MORE, listed("ball", "ground", "arm") + RULES)
HOSTILE = ["", " ", "nan", "inf", "-inf", "-1", "0", "1e400", "1e308", "true", "x", "1 2", "0 0 0",
           "1 2 3 4 5 6 7", "ball", "arm", "é\u200b", "../../etc/passwd", "9" * 1000]  # fmt: skip


@pytest.mark.parametrize("value", HOSTILE, ids=repr)
def test_every_attribute_with_a_hostile_value(value):
    """Each attribute of a whole scene in turn: the file is read, or refused with a line."""
    count = 0
    for element in ElementTree.fromstring(WHOLE).iter():
        count += len(element.attrib)
    assert count > 90
    for k in range(count):
        root = ElementTree.fromstring(WHOLE)
        places = [(e, key) for e in root.iter() for key in e.attrib]
        places[k][0].set(places[k][1], value)
        _read_or_refuse(ElementTree.tostring(root, encoding="unicode"))


@pytest.mark.parametrize("change", ["remove", "repeat", "empty"])
def test_every_element_changed(change):
    """Each element in turn taken out, written twice, or without attributes."""
    count = sum(1 for _ in ElementTree.fromstring(WHOLE).iter())
    for k in range(1, count):
        root = ElementTree.fromstring(WHOLE)
        parent = {child: p for p in root.iter() for child in p}
        element = list(root.iter())[k]
        if change == "remove":
            parent[element].remove(element)
        elif change == "repeat":
            parent[element].append(element)
        else:
            element.attrib.clear()
        _read_or_refuse(ElementTree.tostring(root, encoding="unicode"))


def _read_or_refuse(text):
    try:
        scene = moby.parse(text).model
    except ph.ParseError as error:
        found = error
    else:
        assert np.isfinite(scene.q0).all()
        return
    assert found.line is not None
    assert len(str(found)) < 600


@given(st.data())
def test_damaged_files(data):
    """A file with some characters replaced is read, or refused with a ParseError."""
    text = list(WHOLE)
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(text) - 1))
        text[place] = data.draw(st.sampled_from([*"<>\"' =/;,.0159-enaix", "", "\x00", "é"]))
    with contextlib.suppress(ph.ParseError):
        moby.parse("".join(text), strict=data.draw(st.booleans()))
