"""What a URDF becomes."""

from __future__ import annotations

import math
import re
import warnings

import numpy as np
import pytest

import polhode as ph
from io_samples import ARM, INERTIAL, joint, link, robot
from polhode.errors import ModelWarning, ParseError
from polhode.formats import read, urdf
from polhode.formats.urdf import writer as urdf_writer
from polhode.model import (
    Axes,
    Box,
    Capsule,
    Cylinder,
    Fixed,
    FloatingBase,
    Limits,
    Mesh,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
    RigidBody,
    Sphere,
)


def only_joint(inside: str, kind: str = "continuous"):
    """The link that one joint of a kind carries."""
    text = robot(link("a"), link("b"), joint("a", "b", inside, kind=kind))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return urdf.parse(text).links[1]


def rotation_of(link) -> np.ndarray:
    """Rotation matrix of a link's frame, child to parent."""
    return np.array(link.frame.E.rows()).T


def test_arm():
    """Names, sizes, gravity, limits and frames arrive as written."""
    model = urdf.parse(ARM)
    assert (model.name, model.nq, model.nv, model.n_bodies) == ("two", 2, 2, 2)
    assert [link.name for link in model.links] == ["base", "upper", "lower"]
    assert [joint.name for joint in model.joints] == ["shoulder", "elbow"]
    assert tuple(model.gravity.lin) == (0.0, 0.0, -9.81)
    assert model.base == "ROOT"
    assert model.links[1].limits == Limits(-1.0, 1.0, 2.0, 3.0)
    assert tuple(model.links[1].frame.r) == (0.0, 0.0, 0.1)
    assert model.body("upper").mass == 2.0
    assert model.body("upper").com == (0.0, 0.0, 0.5)


def test_equal_texts_give_equal_models():
    """A model read twice compares and hashes as one value."""
    assert urdf.parse(ARM) == urdf.parse(ARM)
    assert hash(urdf.parse(ARM)) == hash(urdf.parse(ARM))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("revolute", Revolute((0.0, 0.6, 0.8))),
        ("continuous", Revolute((0.0, 0.6, 0.8))),
        ("prismatic", Prismatic((0.0, 0.6, 0.8))),
        ("fixed", Fixed()),
        ("floating", FloatingBase()),
    ],
)
def test_joint_types(kind, expected):
    """Each type becomes its joint kind, with a unit axis."""
    made = only_joint('<axis xyz="0 3 4"/>', kind)
    assert type(made.joint) is type(expected)
    if hasattr(expected, "axis"):
        np.testing.assert_allclose(made.joint.axis, expected.axis, rtol=1e-15)


def test_default_axis_is_x():
    """A joint without an axis turns about x."""
    assert only_joint("").joint == Revolute.x()


def test_unit_axis_stays_exact():
    """Normalising leaves coordinate axes free of rounding."""
    assert only_joint('<axis xyz="0 0 -7"/>').joint == Revolute((0.0, 0.0, -1.0))


def test_planar_joint_moves_in_the_plane_of_its_normal():
    """The normal z gives the plane of x and y; any other has translations across its normal."""
    assert only_joint('<axis xyz="0 0 2"/>', "planar").joint == Planar()
    kind = only_joint('<axis xyz="1 2 2"/>', "planar").joint
    assert isinstance(kind, Axes)
    rows = np.array(kind.rows)
    normal = np.array([1.0, 2.0, 2.0]) / 3.0
    np.testing.assert_allclose(rows[2], [*normal, 0.0, 0.0, 0.0], atol=1e-15)
    frame = np.array([rows[0, 3:], rows[1, 3:], normal])
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(frame) > 0.0


def test_continuous_joint_has_no_position_limits():
    """Lower and upper are for revolute joints; a continuous one keeps speed and effort."""
    made = only_joint('<limit lower="-1" upper="1" velocity="2" effort="3"/>')
    assert made.limits == Limits(-math.inf, math.inf, 2.0, 3.0)


def test_missing_limits_are_reported():
    """A revolute joint must have limits; one without is unlimited, with a warning."""
    with pytest.warns(ModelWarning, match=r"line 4: .*a_b.* has no <limit>"):
        model = urdf.parse(robot(link("a"), link("b"), joint("a", "b", "", kind="revolute")))
    assert model.links[1].limits is None


def test_rotation_is_yaw_pitch_roll():
    """The rotation is Rz(yaw) Ry(pitch) Rx(roll) from child to parent."""
    roll, pitch, yaw = 0.3, -0.7, 1.9
    cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    made = only_joint(f'<origin rpy="{roll} {pitch} {yaw}"/>')
    np.testing.assert_allclose(rotation_of(made), Rz @ Ry @ Rx, atol=1e-15)


def test_inertia_is_turned_into_link_axes():
    """An inertia given in turned axes is expressed in the link's, for the root link too."""
    inertial = (
        '<inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.5" iyz="0.3" izz="2"/></inertial>'
    )
    body = urdf.parse(robot(link("a", inertial))).links[0].body
    assert body.com == (1.0, 2.0, 3.0)
    R = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    given = np.array([[1.0, 0.1, 0.2], [0.1, 1.5, 0.3], [0.2, 0.3, 2.0]])
    np.testing.assert_array_equal(np.array(body.inertia), R @ given @ R.T)


@pytest.mark.parametrize(
    ("literal", "snap", "turns"),
    [
        ("1.57079632679", True, 1),
        ("-3.14159265359", True, -2),
        ("3.141592653", True, 2),  # cut off, not rounded
        ("1.5707963267948966", True, 1),
        ("6.123233995736766e-17", True, 0),
        ("4.71238898038469", True, 3),
        ("1.5708", True, None),
        ("1.570796", True, None),
        ("1.570796328", True, None),  # not pi/2 to the digits written
        ("1.5708", "digits", 1),
        ("1.571", "digits", 1),
        ("1.57", "digits", None),
        ("1.575", "digits", None),
        ("1.57079632679", False, None),
    ],
)
def test_quarter_turns_are_exact(literal, snap, turns):
    """A literal that means a multiple of pi/2 gives a rotation of zeros and ones, if asked for."""
    text = robot(link("a"), link("b"), joint("a", "b", f'<origin rpy="0 0 {literal}"/>'))
    R = rotation_of(urdf.parse(text, snap_angles=snap).links[1])
    if turns is None:
        c, s = math.cos(float(literal)), math.sin(float(literal))
    else:
        c, s = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][turns % 4]
    np.testing.assert_array_equal(R, [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def test_snapped_angles_are_noted(tmp_path):
    """Each angle that was read as another number is in the notes, with its line."""
    text = robot(link("a"), link("b"), joint("a", "b", '<origin rpy="1.57079632679 0 0.1"/>'))
    (tmp_path / "r.urdf").write_text(text)
    notes = [note for note in read(tmp_path / "r.urdf").notes if note.kind == "snapped"]
    assert [str(note) for note in notes] == ["line 4: 1.57079632679 read as 1 pi/2"]


def test_links_come_depth_first_by_joint_name():
    """The order is that of urdfdom, whatever the order of the file."""
    parts = [link(name) for name in "abcdef"]
    for parent, child, name in [("a", "b", "z"), ("a", "c", "m"), ("c", "d", "y"), ("c", "e", "B"),
                                ("b", "f", "k")]:  # fmt: skip
        parts.append(joint(parent, child).replace(f"{parent}_{child}", name))
    model = urdf.parse(robot(*reversed(parts)))
    assert [link.joint_name for link in model.links[1:]] == ["m", "B", "y", "z", "k"]


def test_floating_base():
    """The root link gets six degrees of freedom in front of all others."""
    model = urdf.parse(robot(link("a"), link("b"), joint("a", "b")), floating_base=True)
    assert (model.nv, model.nq) == (7, 8)
    assert model.joints[0].name == "root_joint"
    assert model.links[0].joint == FloatingBase()


def test_options():
    """Gravity and name replace the file's."""
    model = urdf.parse(ARM, gravity=(0, 0, 1), name="other")
    assert (tuple(model.gravity.lin), model.name) == ((0.0, 0.0, 1.0), "other")


def test_mimic_joint_is_recorded():
    """A mimic joint keeps a coordinate of its own, and its relation."""
    mimic = '<mimic joint="a_b" multiplier="-2" offset="0.5"/>'
    text = robot(link("a"), link("b"), link("c"), joint("a", "b"), joint("a", "c", mimic))
    model = urdf.parse(text)
    assert model.nv == 2
    assert model.links[2].mimic == Mimic("a_b", -2.0, 0.5)
    assert urdf.parse(ARM, mimic="coupled") == urdf.parse(ARM)


def test_coupled_mimic_joints_share_a_coordinate():
    """Also one that comes before its leader, and one that follows a follower; and written again."""
    first = '<mimic joint="b_c" multiplier="-2" offset="0.5"/>'
    text = robot(
        link("a"), link("b"), link("c"), link("d"),
        joint("a", "b", first), joint("b", "c"), joint("c", "d", '<mimic joint="a_b"/>'),
    )  # fmt: skip
    model = urdf.parse(text, mimic="coupled")
    assert (model.nq, model.nv, model.n_bodies) == (1, 1, 3)
    assert [joint.name for joint in model.joints] == ["b_c"]
    assert [joint.name for joint in model.followers] == ["a_b", "c_d"]
    assert model.joint("c_d").v == model.joint("b_c").v == slice(0, 1)
    assert model.links[1].mimic == Mimic("b_c", -2.0, 0.5, coupled=True)
    assert urdf.parse(urdf_writer.dumps(model), mimic="coupled").fingerprint == model.fingerprint


def test_coupled_joints_held_by_limits():
    """A leader that can only stand still is noted."""
    limits = '<axis xyz="0 0 1"/><limit lower="0" upper="1" effort="1" velocity="1"/>'
    mimic = '<mimic joint="a_b" multiplier="-1"/>'
    text = robot(
        link("a"), link("b"), link("c"),
        joint("a", "b", limits, kind="revolute"), joint("a", "c", limits + mimic, kind="revolute"),
    )  # fmt: skip
    with pytest.warns(ModelWarning, match="'a_b' is held at 0 by the limits of joints that mimic"):
        urdf.parse(text, mimic="coupled")


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ('<mimic joint="a_c"/>', '<mimic joint="a_b"/>', "'a_b' mimics itself through others"),
        ("", '<mimic joint="a_d"/>', "'a_c' mimics, or is, the fixed joint 'a_d'"),
    ],
)
def test_joints_that_cannot_share_a_coordinate(first, second, told):
    """The relations of loops and of fixed leaders are refused, with their line."""
    text = robot(
        link("a"), link("b"), link("c"), link("d"),
        joint("a", "b", first), joint("a", "c", second), joint("a", "d", kind="fixed"),
    )  # fmt: skip
    assert urdf.parse(text).nv == 2
    with pytest.raises(ParseError, match=f"<string>:.*{told}"):
        urdf.parse(text, mimic="coupled")


def test_mimic_of_an_unknown_joint():
    """Such a relation is dropped with a warning that has a suggestion."""
    text = robot(link("a"), link("b"), joint("a", "b", '<mimic joint="a_c"/>'))
    with pytest.warns(ModelWarning, match=r"mimics an unknown joint 'a_c'; did you mean 'a_b'"):
        assert urdf.parse(text).links[1].mimic is None


def test_shapes_and_colours():
    """All shapes, their places, and colours by name, from anywhere in the file."""
    visuals = "".join(
        f'<visual><origin xyz="1 2 3"/><geometry>{shape}</geometry>'
        f'<material name="{name}"/></visual>'
        for shape, name in [
            ('<box size="1 2 3"/>', "red"),
            ('<sphere radius="2"/>', "blue"),
            ('<cylinder radius="1" length="2"/>', "none"),
            ('<capsule radius="1" length="2"/>', ""),
        ]
    )
    text = robot(
        '<material name="red"><color rgba="1 0 0 1"/></material>',
        link("a", INERTIAL + visuals),
        link(
            "b",
            '<visual><geometry><sphere radius="1"/></geometry><material name="blue">'
            '<color rgba="0 0 1 0.5"/></material></visual>',
        ),
        joint("a", "b", kind="fixed"),
    )
    made = urdf.parse(text).links[0].visuals
    assert [v.shape for v in made] == [
        Box((1.0, 2.0, 3.0)),
        Sphere(2.0),
        Cylinder(1.0, 2.0),
        Capsule(1.0, 2.0),
    ]
    assert [v.color for v in made] == [(1, 0, 0, 1), (0, 0, 1, 0.5), None, None]
    assert tuple(made[0].frame.r) == (1.0, 2.0, 3.0)


def mesh_file(folder, name: str, **options):
    """The visuals and notes of a model in ``folder/robot.urdf`` with one mesh."""
    mesh = f'<visual><geometry><mesh filename="{name}" scale="1 2 3"/></geometry></visual>'
    path = folder / "robot.urdf"
    path.write_text(robot(link("a", INERTIAL + mesh)))
    reading = read(path, **options)
    return reading.model.links[0].visuals, [note.kind for note in reading.notes]


def test_meshes_lie_in_given_folders_only(tmp_path):
    """Relative and package names are found inside the roots; all others are refused."""
    tmp_path = tmp_path.resolve()
    home = tmp_path / "robots"
    (home / "meshes").mkdir(parents=True)
    (home / "meshes" / "a.stl").touch()
    (tmp_path / "secret.stl").touch()
    (visual,), notes = mesh_file(home, "meshes/a.stl")
    assert visual.shape == Mesh(str(home / "meshes" / "a.stl"), (1.0, 2.0, 3.0))
    assert notes == []
    for name in ("../secret.stl", "/etc/passwd", "file:///etc/passwd", "http://x/a.stl",
                 "package://robots/../secret.stl", "meshes/../../secret.stl"):  # fmt: skip
        assert mesh_file(home, name) == ((), ["ignored"])
    (home / "link.stl").symlink_to(tmp_path / "secret.stl")
    assert mesh_file(home, "link.stl") == ((), ["ignored"])
    (visual,), notes = mesh_file(home, "../secret.stl", package_roots=[tmp_path])
    assert (visual.shape.path, notes) == (str(tmp_path / "secret.stl"), [])


def test_packages(tmp_path):
    """A root holds packages or is one; a mesh that is not there keeps its name."""
    tmp_path = tmp_path.resolve()
    package = tmp_path / "pack"
    package.mkdir()
    (package / "a.stl").touch()
    for roots in ([tmp_path], [package]):
        (visual,), notes = mesh_file(tmp_path, "package://pack/a.stl", package_roots=roots)
        assert (visual.shape.path, notes) == (str(package / "a.stl"), [])
    (visual,), notes = mesh_file(tmp_path, "package://other/a.stl", package_roots=[tmp_path])
    assert (visual.shape.path, notes) == ("package://other/a.stl", ["mesh"])


def test_nothing_is_ignored_in_silence(tmp_path):
    """Unknown parts of links and joints are told in one warning, with lines and suggestions."""
    text = robot(
        '<link name="a"><inertal/></link>',
        joint("a", "b", '<axis xyz="0 0 1" frame="x"/><limt lower="1"/>'),
        link("b", INERTIAL + "<collision/>"),
        "<gazebo><anything/></gazebo>",
        "<jiont/>",
    )
    with pytest.warns(ModelWarning) as caught:
        urdf.parse(text)
    (message,) = [str(warning.message) for warning in caught]
    assert message == (
        "<string>: 4 ignored: "
        "line 2: <link name=\"a\">: <inertal> is not read; did you mean 'inertial'? "
        "| line 3: <joint name=\"a_b\"> <axis>: attribute 'frame' is not read "
        "| 2 more (polhode check <string> lists all)"
    )
    (tmp_path / "r.urdf").write_text(text)
    assert [str(note) for note in read(tmp_path / "r.urdf").notes][2:] == [
        "line 3: <joint name=\"a_b\">: <limt> is not read; did you mean 'limit'?",
        "line 5: <robot>: <gazebo> has no effect on the motion",  # a hint, no warning
        "line 6: <robot>: <jiont> is not read; did you mean 'joint'?",
    ]


def test_damping_and_friction_are_noted(tmp_path):
    """Joint damping is part of no rigid-body algorithm, but it is not lost."""
    text = robot(link("a"), link("b"), joint("a", "b", '<dynamics damping="2" friction="0.5"/>'))
    (tmp_path / "r.urdf").write_text(text)
    assert [(n.kind, n.text) for n in read(tmp_path / "r.urdf").notes] == [
        ("dynamics", '<joint name="a_b">: damping 2, friction 0.5')
    ]


@pytest.mark.parametrize(
    ("diagonal", "words"),
    [("1 1 -1", "not positive definite"), ("1 1 3", "triangle inequality")],
)
def test_impossible_inertia_is_kept_with_a_warning(diagonal, words):
    """An inertia that nothing has is used as written."""
    x, y, z = diagonal.split()
    inertial = (
        f'<inertial><mass value="1"/><inertia ixx="{x}" ixy="0" ixz="0" iyy="{y}" iyz="0" '
        f'izz="{z}"/></inertial>'
    )
    with pytest.warns(ModelWarning, match=words):
        model = urdf.parse(robot(link("a", inertial)))
    assert model.links[0].body.inertia[2][2] == float(z)


def test_links_without_mass():
    """Frames need no inertial; one that moves with nothing beyond it is only doubtful."""
    text = robot(link("a", ""), link("b", ""), link("c"), joint("a", "b"), joint("b", "c"))
    assert urdf.parse(text).nv == 2
    with pytest.warns(ModelWarning, match="the mass matrix is singular"):
        urdf.parse(robot(link("a"), link("b", ""), joint("a", "b")))


def test_base_name_is_free():
    """A link may be called ROOT."""
    model = urdf.parse(robot(link("ROOT")), floating_base=True)
    assert (model.base, model.body("ROOT").id) == ("ROOT_", 2)


def test_encodings(tmp_path):
    """The encoding that the file declares is used."""
    text = robot(link("Grün")).replace("<robot", '<?xml version="1.0" encoding="latin-1"?>\n<robot')
    path = tmp_path / "r.urdf"
    path.write_bytes(text.encode("latin-1"))
    assert read(path).model.links[0].name == "Grün"


def test_a_base_that_stands_still_needs_no_mass():
    """As of tables, and of arms that are bolted down."""
    text = robot(link("base"), link("arm"), joint("base", "arm", '<axis xyz="0 1 0"/>'))
    massless = text.replace('<mass value="2"/>', '<mass value="0"/>', 1)
    with pytest.warns(ModelWarning, match='<link name="base"> has inertia, but no mass'):
        model = urdf.parse(massless)
    q, qd = np.array([0.3]), np.array([0.7])
    expected = ph.bias_forces(urdf.parse(text), q, qd)
    assert expected.any()
    assert np.array_equal(ph.bias_forces(model, q, qd), expected)


def test_links_with_inertia_alone_move_if_they_carry_a_mass():
    """As in files of the iCub, whose torso has parts of which only the last has a mass."""
    mass = '<mass value="2"/>'
    text = robot(link("base"), link("arm"), joint("base", "arm", '<axis xyz="0 1 0"/>'))
    massless = text.replace(mass, '<mass value="0"/>', 1)
    with pytest.warns(ModelWarning, match='<link name="base"> has inertia, but no mass'):
        model = urdf.parse(massless, floating_base=True)
    rng = np.random.default_rng(1)
    q, qd, tau = ph.random_configuration(model, rng), *rng.standard_normal((2, 7))
    qdd = ph.forward_dynamics(model, q, qd, tau)
    assert np.allclose(ph.inverse_dynamics(model, q, qd, qdd), tau)
    alone = massless.replace(mass, '<mass value="0"/>')
    with pytest.raises(ParseError, match='<link name="arm"> has inertia, but no mass'):
        urdf.parse(alone)


def test_a_mass_without_inertia_is_one_at_a_point():
    """As in files of cameras and grippers; that is told."""
    text = robot(link("base"), link("arm"), joint("base", "arm", '<axis xyz="0 1 0"/>'))
    cut = re.sub("<inertia [^>]*>", "", text)
    with pytest.warns(ModelWarning, match=r'"base">: <inertial> has no <inertia>: read as a mass'):
        model = urdf.parse(cut)
    (arm,) = [each for each in model.links if each.name == "arm"]
    assert arm.body == RigidBody(2.0, arm.body.com)
    length = np.hypot(arm.body.com[0], arm.body.com[2])
    assert np.allclose(ph.mass_matrix(model, [0.3]), 2.0 * length**2)


def test_names_with_prefixes_need_no_namespace(tmp_path):
    """As in files for Drake; the notes have them as they are written."""
    text = robot(link("base")).replace(
        "</robot>", '<drake:group drake:member="base"/><k:x xmlns:k="http://k"/></robot>'
    )
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    reading = read(path)
    assert reading.model.links[0].name == "base"
    told = " ".join(note.text for note in reading.notes)
    assert "<drake:group>" in told and "<k:x>" in told and "xmlns" not in told
