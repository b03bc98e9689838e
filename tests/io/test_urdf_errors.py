"""Every wrong or hostile URDF ends at once, in one error with file and line."""

from __future__ import annotations

import time
import warnings
from itertools import pairwise

import pytest

from io_samples import ARM, INERTIAL, joint, link, robot
from polhode.errors import ModelWarning, ParseError
from polhode.formats import load, urdf

SECONDS = 3.0  # of this process, which does all the reading: a busy machine changes nothing
UNIT = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'


def mass(value: str, inertia: str = UNIT) -> str:
    return f'<inertial><mass value="{value}"/>{inertia}</inertial>'


WRONG = {
    "not XML": ("<robot", 1, "not well-formed"),
    "empty": ("", 1, "expected XML, found an empty file"),
    "blank": ("\n \n", 1, "expected XML, found an empty file"),
    "unclosed": ('<robot name="r">\n<link name="a">\n</robot>', 3, "mismatched tag"),
    "attribute twice": ('<robot name="r">\n<link name="a" name="b"/></robot>', 2, "duplicate"),
    "two documents": (robot(link("a")) + "\n<robot/>", 4, "junk"),
    "other root": ('<!-- x -->\n<sdf version="1"/>', 2, "expected <robot>.*found <sdf>"),
    "no links": ("\n<robot/>", 2, "no links"),
    "nameless link": (robot("<link/>"), 2, "<link> has no attribute 'name'"),
    "empty name": (robot('<link name=" "/>'), 2, "empty name"),
    "duplicate link": (robot(link("a"), link("a")), 3, "duplicate link name 'a', first in line 2"),
    "duplicate joint": (
        robot(link("a"), link("b"), joint("a", "b"), joint("a", "b")),
        5,
        "duplicate joint name 'a_b', first in line 4",
    ),
    "two roots": (robot(link("a"), link("b")), 3, "expected one root link, found 2: 'a' and 'b'"),
    "two parents": (
        robot(link("a"), link("b"), link("c"), joint("a", "c"), joint("b", "c")),
        6,
        "link 'c' has two parent joints: 'a_c' and 'b_c'",
    ),
    "cycle": (
        robot(link("a"), link("b"), joint("a", "b"), joint("b", "a")),
        5,
        "cycle of links: 'a' <- 'b' <- 'a'",
    ),
    "cycle beside the root": (
        robot(link("r"), link("a"), link("b"), joint("a", "b"), joint("b", "a")),
        6,
        "cycle of links",
    ),
    "own parent": (robot(link("r"), link("a"), joint("a", "a")), 4, "cycle"),
    "unknown parent": (
        robot(link("upper_arm"), joint("uper_arm", "upper_arm")),
        3,
        "unknown parent link 'uper_arm'; did you mean 'upper_arm'?",
    ),
    "unknown child": (robot(link("a"), joint("a", "b")), 3, "unknown child link 'b'"),
    "no child": (
        robot(link("a"), '<joint name="j" type="fixed"><parent link="a"/></joint>'),
        3,
        '<joint name="j"> has no <child>',
    ),
    "two origins": (
        robot(link("a"), link("b"), joint("a", "b", "<origin/>\n<origin/>")),
        5,
        "more than one <origin>",
    ),
    "unknown type": (
        robot(link("a"), link("b"), joint("a", "b", kind="revolut")),
        4,
        "unknown type 'revolut' .* did you mean 'revolute'",
    ),
    "no type": (robot(link("a"), '<joint name="j"/>'), 3, "no attribute 'type'"),
    "zero axis": (
        robot(link("a"), link("b"), joint("a", "b", '\n<axis xyz="0 0 0"/>')),
        5,
        "axis of .* is zero",
    ),
    "negative effort": (
        robot(link("a"), link("b"), joint("a", "b", '\n<limit effort="-3" velocity="4"/>')),
        5,
        'effort of at least 0, got -3 .*"a_b".*; without the attribute there is no limit',
    ),
    "negative velocity": (
        robot(link("a"), link("b"), joint("a", "b", '\n<limit effort="3" velocity="-inf"/>')),
        5,
        "velocity of at least 0, got -inf",
    ),
    "short vector": (
        robot(link("a"), link("b"), joint("a", "b", '<origin xyz="1 2"/>')),
        4,
        "expected 3 numbers in <origin xyz>, found 2: '1 2'",
    ),
    "long vector": (
        robot(link("a"), link("b"), joint("a", "b", '<origin rpy="1 2 3 4"/>')),
        4,
        "expected 3 numbers in <origin rpy>, found 4",
    ),
    "word": (robot(link("a", mass("heavy"))), 2, "expected a number .*, found 'heavy'"),
    "xacro": (robot(link("a", mass("${m}"))), 2, "xacro"),
    "NaN": (robot(link("a", mass("NaN"))), 2, "expected a number in <mass value>, found 'NaN'"),
    "infinite": (robot(link("a", mass("inf"))), 2, "found 'inf'"),
    "too large": (robot(link("a", mass("1e400"))), 2, "too large: '1e400'"),
    "Python number": (robot(link("a", mass("1_0"))), 2, "found '1_0'"),
    "no value": (robot(link("a", "<inertial><mass/></inertial>")), 2, "no attribute 'value'"),
    "no mass": (robot(link("a", f"<inertial>{UNIT}</inertial>")), 2, "has no <mass>"),
    "part of an inertia": (
        robot(link("a", mass("1", '<inertia ixx="1"/>'))),
        2,
        "no attribute 'ixy'",
    ),
    "negative mass": (robot(link("a"), link("b", mass("-1")), joint("a", "b")), 3, "negative mass"),
    "zero mass": (
        robot(link("a"), link("b", mass("0")), joint("a", "b")),
        3,
        "has inertia, but no mass",
    ),
    "zero mass and inertia": (
        robot(link("a"), link("b", mass("0", UNIT.replace("1", "0"))), joint("a", "b")),
        3,
        '<link name="b"> moves .*mass matrix is singular',
    ),
    "world": (
        robot(link("a"), link("b"), joint("a", "b").replace('"a"', '"world"')),
        4,
        'unknown parent link .world.; a URDF that stands on it has <link name="world"/>',
    ),
    "own leader": (
        robot(link("a"), link("b"), joint("a", "b", '<mimic joint="a_b"/>')),
        4,
        "mimics itself",
    ),
    "colour": (
        robot(link("a"), '<material name="m"><color rgba="1 2 3 4"/></material>'),
        3,
        "from 0 to 1 in <color rgba>",
    ),
    "shape": (
        robot(link("a", "<visual><geometry><spere/></geometry></visual>")),
        2,
        "unknown shape <spere>; did you mean 'sphere'",
    ),
    "document type": (
        '<?xml version="1.0"?>\n<!DOCTYPE robot SYSTEM "file:///etc/passwd">\n<robot name="r"/>',
        2,
        "document type",
    ),
    "entity bomb": (
        '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">\n'
        + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise("abcdefghi"))
        + ']>\n<robot name="&i;"/>',
        1,
        "document type",
    ),
    "external entity": (
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<robot name="&x;"/>',
        1,
        "document type",
    ),
    "unknown entity": ('<robot name="r">\n&x;</robot>', 2, "undefined entity"),
    "deep": ("<robot>\n" + "<a>" * 200_000, 2, "nested more than 256 deep"),
    "many elements": ("<robot>\n" + "<a/>" * 10**6 + "</robot>", 2, "more than 250000 elements"),
    "many attributes": (
        "<robot>\n<link " + " ".join(f'a{k}="1"' for k in range(100_000)) + "/></robot>",
        2,
        "more than 1000 attributes",
    ),
    "many roots": (robot(*map(link, map(str, range(20_000)), [""] * 20_000)), 3, "and more"),
    "long number": (robot(link("a", mass("1" * 10**7))), 2, "expected a number"),
    "long name": (robot(link("a"), joint("x" * 10**6, "a")), 3, "unknown parent link 'xxx"),
    "unknown encoding": ('<?xml version="1.0" encoding="zz"?>\n<robot/>', 1, "encoding"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_error_has_file_and_line(case, tmp_path):
    """The error says what, in which file and line, within three seconds."""
    text, line, words = WRONG[case]
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        with pytest.raises(ParseError, match=words) as caught:
            load(path)
    assert time.process_time() - start < SECONDS
    assert (caught.value.file, caught.value.line) == (str(path), line)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert len(str(caught.value)) < 1000
    assert list(tmp_path.iterdir()) == [path]


def test_large_file():
    """A text of more than 16 MiB is refused before it is parsed."""
    start = time.process_time()
    with pytest.raises(ParseError, match="at most 16 MiB"):
        urdf.parse("<robot>" + " " * (17 * 2**20), file="big.urdf")
    assert time.process_time() - start < SECONDS


def test_long_cycle():
    """A cycle of ten thousand links is found without recursion, and shown in part."""
    n = 10_000
    joints = [joint(str(k), str((k + 1) % n)) for k in range(n)]
    start = time.process_time()
    with pytest.raises(ParseError, match=r"cycle of links: '0' <- '9999' .* <- \.\.\."):
        urdf.parse(robot(*(link(str(k), "") for k in range(n)), *joints))
    assert time.process_time() - start < SECONDS


def test_zero_mass_is_legal_where_something_heavy_moves_with_it():
    """A dummy link between joints, or fixed to a heavy one, may have no mass."""
    zero = mass("0", UNIT.replace("1", "0"))
    urdf.parse(robot(link("a"), link("b", zero), link("c"), joint("a", "b"), joint("b", "c")))
    tip = robot(
        link("a"), link("b"), link("c", zero), joint("a", "b"), joint("b", "c", kind="fixed")
    )
    assert urdf.parse(tip).nv == 1
    assert urdf.parse(ARM.replace(INERTIAL, zero, 1)).nv == 2
