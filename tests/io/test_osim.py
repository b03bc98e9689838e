"""Models in OpenSim's format: what is read of them, and what is said of the rest."""

from __future__ import annotations

import numpy as np
import pytest

import osim_texts as texts
import polhode as ph
from polhode.errors import ModelWarning, ParseError
from polhode.formats import osim, read
from polhode.model import FunctionBased, PiecewisePolynomial


def model(text: str) -> ph.Model:
    return osim.parse(text, file="leg.osim").model.machines[0].model


def turn(axis: int, angle: float) -> np.ndarray:
    """A rotation matrix about a coordinate axis."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(4)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def shift(*r: float) -> np.ndarray:
    X = np.eye(4)
    X[:3, 3] = r
    return X


def between(motion: np.ndarray) -> np.ndarray:
    """From the child body of a joint to its parent, for the motion between the two frames."""
    parent = shift(0.1, -0.4, 0) @ turn(0, 0.1) @ turn(1, 0.2) @ turn(2, 0.3)
    return parent @ motion @ np.linalg.inv(shift(0, 0.05, 0) @ turn(2, 0.1))


@pytest.mark.parametrize("text", [texts.OLD, texts.NEW])
def test_poses_are_those_that_the_file_describes(text):
    """Joint frames, functions and constants of a knee, and where markers are; old and new."""
    leg = model(text)
    hip, knee = 0.4, -0.7
    q = np.zeros(leg.nq)
    for name, value in (("hip", hip), ("knee", knee)):
        q[leg.joint(name).q] = value
    curve = PiecewisePolynomial.cubic_spline((-2, -1, 0, 0.5, 1.5, 2), (
        0.02, -0.01, 0, 0.03, 0.01, 0.05))  # fmt: skip
    along = shift(curve(knee), 1.5 * (0.1 * knee**2 - 0.4), 0)
    thigh = between(turn(2, hip))
    shank = thigh @ between(along @ turn(2, knee) @ turn(1, 0.2))
    assert np.allclose(ph.body_pose(leg, q, "thigh"), thigh, rtol=0, atol=1e-14)
    assert np.allclose(ph.body_pose(leg, q, "shank"), shank, rtol=0, atol=1e-14)
    toe = ph.point_position(leg, q, "toe", (0.0, 0.0, 0.0))
    assert np.allclose(toe, (shank @ [0, -0.4, 0.1, 1])[:3], rtol=0, atol=1e-14)
    assert np.allclose(ph.point_position(leg, q, "wall", (0, 0, 0)), (1, 2, 3))


def test_old_and_new_files_are_one_model():
    """Bodies, joints, limits, start and gravity."""
    old, new = (osim.parse(text).model for text in (texts.OLD, texts.NEW))
    assert old == new
    leg = old.machines[0].model
    assert old.machines[0].q[leg.joint("hip").q] == (0.3,)
    limits = leg.joint("hip").limits
    assert limits is not None and (limits.lower, limits.upper) == (-1.0, 1.0)
    assert leg.joint("knee").limits is None
    assert isinstance(leg.joint("knee").kind, FunctionBased)
    assert old.gravity == (0.0, -9.80665, 0.0)
    assert leg.body("thigh").is_fixed  # on the moving frame of its joint
    assert leg.mass == 4.0


def test_what_is_not_read_is_named_once(tmp_path):
    """Muscles in one note, by their kinds."""
    path = tmp_path / "leg.osim"
    path.write_text(texts.OLD)
    with pytest.warns(ModelWarning, match="not read: 1 Thelen2003Muscle"):
        scene = ph.load(path)
    assert [note.kind for note in read(path).notes] == ["ignored"]
    assert scene.name == "leg" and ph.formats.read(path, gravity=(0, 0, -1)).model.gravity[2] == -1
    assert ph.load(path, name="mine").name == "mine"
    run = ph.simulate(scene, 0.01)
    assert np.isfinite(run.q).all()


NAMES = {"Pin": 1, "Slider": 1, "Universal": 2, "Gimbal": 3, "Ball": 3, "Planar": 3, "Free": 6}


@pytest.mark.parametrize("kind", [*NAMES, "Weld"])
def test_kinds_of_joints(kind):
    """Rotations about axes one after the other, after translations along those of the parent."""
    n = NAMES.get(kind, 0)
    names = [f"c{k}" for k in range(n)]
    joint = texts.old_joint(f"{kind}Joint", "j", "ground", "".join(map(texts.coordinate, names)))
    one = model(texts.old(texts.old_body("arm", joint)))
    values = np.linspace(0.3, 0.8, n)
    q = np.zeros(one.nq)
    for name, value in zip(names, values, strict=True):
        q[one.joint(name).q] = value
    v = [*values, *[0.0] * 6]
    motion = {
        "Pin": turn(2, v[0]),
        "Slider": shift(v[0], 0, 0),
        "Universal": turn(0, v[0]) @ turn(1, v[1]),
        "Gimbal": turn(0, v[0]) @ turn(1, v[1]) @ turn(2, v[2]),
        "Ball": turn(0, v[0]) @ turn(1, v[1]) @ turn(2, v[2]),
        "Planar": shift(v[1], v[2], 0) @ turn(2, v[0]),
        "Free": shift(*v[3:6]) @ turn(0, v[0]) @ turn(1, v[1]) @ turn(2, v[2]),
        "Weld": np.eye(4),
    }[kind]
    assert np.allclose(ph.body_pose(one, q, "arm"), between(motion), rtol=0, atol=1e-14)


def custom(transform: str, *names: str) -> str:
    joint = texts.old_joint(
        "CustomJoint", "j", "ground", "".join(map(texts.coordinate, names)), transform
    )
    return texts.old(texts.old_body("arm", joint))


def test_coordinates_without_axes_of_their_own_share_a_joint():
    """Of two coordinates whose axes mix there is one joint, named as that of the file."""
    mixed = texts.spatial_transform(
        rotation1=texts.axis("1 0 0", "a"), rotation2=texts.axis("0 1 0", "b"),
        rotation3=texts.axis("0 0 1", "a", texts.SPLINE), translation1=texts.axis("1 0 0", "c"),
    )  # fmt: skip
    one = model(custom(mixed, "a", "b", "c"))
    assert [joint.name for joint in one.joints] == ["c", "j"]
    assert one.joint("j").kind.dof_names == ("a", "b")


def test_slopes_and_offsets_of_lines_are_axes_and_frames():
    """A line is a joint of one axis, whose length is the slope."""
    line = "<LinearFunction><coefficients>-2 0.5</coefficients></LinearFunction>"
    one = model(custom(texts.spatial_transform(rotation1=texts.axis("0 1 0", "a", line)), "a"))
    assert one.joint("a").kind.axis == (0.0, -2.0, 0.0)
    pose = ph.body_pose(one, [0.3], "arm")
    assert np.allclose(pose, between(turn(1, -2 * 0.3 + 0.5)), rtol=0, atol=1e-14)


def test_locked_coordinates_have_equal_limits():
    """They stay coordinates; a note says so."""
    more = "<default_value>0.2</default_value><locked>true</locked>"
    joint = texts.old_joint("PinJoint", "j", "ground", texts.coordinate("a", more))
    reading = osim.parse(texts.old(texts.old_body("arm", joint)))
    limits = reading.model.machines[0].model.joint("a").limits
    assert limits is not None and limits.lower == limits.upper == 0.2
    assert "locked, by limits that are equal: a" in str(reading.notes[0])


def coupler(function: str, more: str = "", names: tuple[str, str] = ("hip", "knee")) -> str:
    independent, dependent = names
    return (
        '<ConstraintSet><objects><CoordinateCouplerConstraint name="both">'
        f"<coupled_coordinates_function>{function}</coupled_coordinates_function>"
        f"<independent_coordinate_names>{independent}</independent_coordinate_names>"
        f"<dependent_coordinate_name>{dependent}</dependent_coordinate_name>{more}"
        "</CoordinateCouplerConstraint></objects></ConstraintSet>"
    )


def test_coupled_coordinates_are_gears():
    """A line becomes a gear, and the start of the coordinate that follows is on it."""
    line = "<LinearFunction><coefficients>-2 0.1</coefficients></LinearFunction>"
    scene = osim.parse(texts.OLD.replace("</Model>", coupler(line) + "</Model>")).model
    (gear,) = scene.gears
    assert (gear.a, gear.b, gear.ratio) == (("leg", "knee"), ("leg", "hip"), -2.0)
    leg = scene.machines[0]
    assert leg.q[leg.model.joint("knee").q] == pytest.approx((-2 * 0.3 + 0.1,))
    run = ph.simulate(scene, 0.05, dt=1e-3)
    hip, knee = (run.q[:, leg.model.joint(name).q].ravel() for name in ("hip", "knee"))
    assert np.allclose(knee, -2 * hip + 0.1, rtol=0, atol=1e-4) and np.ptp(hip) > 1e-3


def test_a_coordinate_on_a_curve_has_that_of_another():
    """It moves with the joint that it follows, and no energy is lost or gained by that."""
    text = coupler(texts.SPLINE, names=("knee", "hip"))
    free, leg = model(texts.OLD), model(texts.OLD.replace("</Model>", text + "</Model>"))
    curve = PiecewisePolynomial.cubic_spline((-2, -1, 0, 0.5, 1.5, 2), (
        0.02, -0.01, 0, 0.03, 0.01, 0.05))  # fmt: skip
    assert leg.nv == free.nv - 1 and [each.name for each in leg.followers] == ["hip"]
    q, qd = np.zeros((2, leg.nq))
    q[leg.joint("knee").q], qd[leg.joint("knee").v] = -0.7, 2.0
    same, rate = np.zeros((2, free.nq))
    same[free.joint("knee").q], rate[free.joint("knee").v] = -0.7, 2.0
    slope = curve.derivatives(-0.7).first
    same[free.joint("hip").q], rate[free.joint("hip").v] = curve(-0.7), 2.0 * slope
    assert np.allclose(ph.body_poses(leg, q)[:, :3], ph.body_poses(free, same)[:, :3], atol=1e-14)
    assert np.allclose(ph.energy(leg, q, qd), ph.energy(free, same, rate), rtol=1e-13)
    run = ph.simulate(leg, 0.5, q0=q, qd0=qd, integrator="DOP853", rtol=1e-11, atol=1e-12)
    energy = np.sum(ph.energy(leg, run.q, run.qd), axis=0)
    assert np.ptp(energy) < 1e-8 * np.abs(energy).max() and np.ptp(run.q) > 0.1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (coupler(texts.SPLINE), "only a joint of one axis follows a curve"),
        ('<ConstraintSet><objects><WeldConstraint name="w"/></objects></ConstraintSet>',
         "this kind of constraint is not read"),
        (coupler("<Constant/>", "<isDisabled>true</isDisabled>"), "is not enforced"),
        (coupler("<Constant/>", "<isEnforced>false</isEnforced>"), "is not enforced"),
    ],
)  # fmt: skip
def test_constraints_that_are_not_read_are_named(text, words):
    """In a note."""
    reading = osim.parse(texts.OLD.replace("</Model>", text + "</Model>"))
    assert not reading.model.gears
    assert any(words in str(note) for note in reading.notes)


def changed(before: str, after: str) -> str:
    assert before in texts.OLD
    return texts.OLD.replace(before, after, 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<robot/>", "expected <OpenSimDocument> with a <Model>"),
        ("<mujoco/>", "this is MuJoCo's format"),
        (texts.document(""), "has no bodies"),
        (changed('<Body name="shank">', '<Body name="thigh">'), "duplicate body name"),
        (changed("<mass> 2 </mass>", "<mass> -2 </mass>"), "negative mass"),
        (changed("<mass> 2 </mass>", "<mass> inf </mass>"), "finite"),
        (changed("<mass> 2 </mass>", "<mass> two </mass>"), "expected a number in <mass>"),
        (changed("0 -0.2 0.01", "0 -0.2"), "expected 3 numbers in <mass_center>, found 2"),
        (changed("<parent_body>thigh", "<parent_body>tigh"), "no body 'tigh'; did you mean"),
        (changed("<parent_body>ground", "<parent_body>shank"), "lead in a circle"),
        (changed("<PinJoint", "<PineJoint").replace("</PinJoint", "</PineJoint"),
         "this kind of joint is not read; did you mean 'PinJoint'"),
        (changed('name="hip"', 'name="knee"'), "expected a new name for each joint"),
        (changed('<Coordinate name="hip">', "<Coordinate>"), "has no attribute 'name'"),
        (changed("<range>-1 1", "<range>1 -1"), "a range that rises"),
        (changed("<coordinates>knee<", "<coordinates>ankle<"), "no coordinate 'ankle'"),
        (changed("<coordinates>knee<", "<coordinates>knee hip<"), "several coordinates"),
        (changed("<axis>0 0 2<", "<axis>0 0 0<"), "is zero"),
        (changed('name="rotation2"', 'name="rotation9"'), "unknown axis 'rotation9'"),
        (changed("-2 -1 0 0.5", "-2 -1 -1 0.5"), "x that rises"),
        (changed("<x> -2 -1 0", "<x> -1 0"), "as many x as y"),
        (changed("SimmSpline>" + texts.CURVE + "</SimmSpline", "GCVSpline></GCVSpline"),
         "the function <GCVSpline> is not read"),
        (changed("<coefficients>1 0<", "<coefficients>1 0 0<"), "a slope and an intercept"),
        (changed("<location>0 -0.4 0.1", "<location>0 nan 0.1"), "expected a number"),
        (changed("<body>shank", "<body>foot"), "no body 'foot'"),
        (changed("<body>shank</body>", ""), "has no <socket_parent_frame> or <body>"),
        (changed(f"<Joint>{texts.HIP}</Joint>", ""), "the body 'thigh' has no joint"),
        (changed(texts.HIP, texts.HIP + texts.HIP), "closes a loop"),
        (changed("<CoordinateSet>", "<reverse>true</reverse><CoordinateSet>"), "reversed"),
        (changed(texts.coordinate("knee"), texts.coordinate("knee") + texts.coordinate("x")),
         "nothing follows the coordinate 'x'"),
        (changed(texts.KNEE, ""), "has no <SpatialTransform>"),
        (texts.NEW.replace("<socket_child_frame>here", "<socket_child_frame>his"), "no body 'his'"),
        (texts.NEW.replace("<inertia>0.02 0.01 0.03 0 0 0", "<inertia>1 1 1"), "6 moments"),
        (texts.NEW.replace(">/bodyset/shank</socket_parent><t", ">here</socket_parent><t"),
         "no body 'here'"),
        (texts.OLD.replace("</Model>", coupler("") + "</Model>"),
         "has no <coupled_coordinates_function>"),
        (texts.OLD.replace("</Model>", coupler("<Constant/>").replace(">hip<", ">hips<")
                           + "</Model>"), "no coordinate 'hips'; did you mean 'hip'"),
    ],
)  # fmt: skip
def test_mistakes_have_a_place(text, words):
    """One error, with file and line."""
    with pytest.raises(ParseError, match=words) as caught:
        osim.parse(text, file="leg.osim")
    assert str(caught.value).startswith("leg.osim:1: ")


def test_functions_in_one_another_end():
    """However deep."""
    deep = "<MultiplierFunction><function>" * 50 + "<Constant/>"
    text = changed(texts.SPLINE, deep + "</function></MultiplierFunction>" * 50)
    with pytest.raises(ParseError, match="more than 20 functions in one another"):
        osim.parse(text)
