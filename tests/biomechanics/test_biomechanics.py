"""From tables to joint positions, accelerations and forces."""

from __future__ import annotations

import numpy as np
import pytest

import osim_texts as texts
import polhode as ph
from polhode import biomechanics
from polhode.biomechanics import MarkerTable, MotionTable
from polhode.errors import ArgumentError, ModelError, ShapeError
from polhode.formats import osim
from polhode.model import Planar, Revolute, Spherical

TIMES = np.linspace(0.0, 2.0, 241)


@pytest.fixture
def leg() -> ph.Model:
    """Hip and knee, with a second marker on the shank and three on the thigh."""
    model = osim.parse(texts.OLD).model.machines[0].model
    places = {"a": "thigh", "b": "thigh", "c": "thigh", "heel": "shank"}
    for k, (name, body) in enumerate(places.items()):
        frame = ph.spatial.Transform.translation(0.1 * k, -0.2, 0.05 * k * k)
        model = model.add(name, parent=body, joint=ph.model.Fixed(), frame=frame)
    return model


def motion(times: np.ndarray) -> tuple[np.ndarray, ...]:
    """Slow angles of two joints, their velocities and accelerations."""
    w = np.array([2.0, 3.0])
    x = np.outer(times, w)
    return 0.5 * np.sin(x), 0.5 * w * np.cos(x), -0.5 * w * w * np.sin(x)


def table(values: np.ndarray, **more) -> MotionTable:
    return MotionTable(("hip", "knee"), TIMES, values, **more)


def test_columns_become_positions(leg):
    """By names, in degrees or radians, at their places; others keep their start."""
    q = motion(TIMES)[0]
    places = [leg.joint(name).q.start for name in ("hip", "knee")]
    found = biomechanics.joint_positions(leg, table(q))
    assert np.array_equal(found[:, places], q)
    in_degrees = biomechanics.joint_positions(leg, table(np.degrees(q), in_degrees=True))
    assert np.allclose(in_degrees, found, rtol=0, atol=1e-14)
    path = MotionTable(("/jointset/k/knee/value", "/jointset/k/knee/speed"), TIMES, q)
    start = np.full(2, 0.3)
    only = biomechanics.joint_positions(leg, path, start)
    assert np.array_equal(only[:, places[1]], q[:, 0]) and (only[:, places[0]] == 0.3).all()
    scene = ph.Scene.of(leg)
    assert np.array_equal(biomechanics.joint_positions(scene.model, table(q)), found)


def test_lengths_are_not_angles():
    """Of slides, and of joints with both."""
    model = ph.Model("flat").add("body", joint=Planar(), mass=1.0)
    names = biomechanics.coordinate_names(model)
    assert names == ("body.TX", "body.TY", "body.RZ")
    ones = MotionTable(names, TIMES, np.ones((len(TIMES), 3)), in_degrees=True)
    assert np.allclose(biomechanics.joint_positions(model, ones)[0], [1, 1, np.radians(1)])


def test_velocities_and_accelerations_are_those_of_the_motion(leg):
    """Of splines, and of the filter where the motion is slow beside its frequency."""
    q, qd, qdd = motion(TIMES)
    inner = slice(60, -60)
    for cutoff, errors in ((None, (1e-15, 1e-8, 1e-6)), (20.0, (1e-5, 1e-4, 2e-3))):
        found = biomechanics.trajectory(leg, table(q), cutoff=cutoff)
        for ours, theirs, error in zip(found[1:], (q, qd, qdd), errors, strict=True):
            order = [leg.joint(name).v.start for name in ("hip", "knee")]
            assert np.abs(ours[:, order] - theirs)[inner].max() < error
    twice = np.append(TIMES, 2.0 + 1e-14)
    again = biomechanics.trajectory(leg, MotionTable(("hip", "knee"), twice, motion(twice)[0]))
    assert np.allclose(again.qdd[:-1], biomechanics.trajectory(leg, table(q)).qdd, atol=1e-6)
    few = biomechanics.trajectory(leg, table(q), times=[0.5, 1.5])
    assert few.q.shape == (2, leg.nv)


def test_whole_trials_in_one_call(leg):
    """Inverse dynamics of all rows is that of each row."""
    t = biomechanics.trajectory(leg, table(motion(TIMES)[0]))
    push = np.outer(np.sin(TIMES), [0.0, 10.0, 3.0])
    f_ext = biomechanics.applied_forces(leg, "shank", push, (0.1, -0.5, 0.2), [0.0, 0.0, 1.0])
    tau = ph.inverse_dynamics(leg, t.q, t.qd, t.qdd, f_ext)
    one = ph.inverse_dynamics(leg, t.q[7], t.qd[7], t.qdd[7], f_ext[7])
    assert tau.shape == (len(TIMES), leg.nv) and np.array_equal(tau[7], one)
    J = ph.frame_jacobian(leg, t.q[7], "shank")
    at = ph.body_pose(leg, t.q[7], "shank")[:3, 3]
    moment = np.cross(np.array([0.1, -0.5, 0.2]) - at, push[7]) + np.array([0.0, 0.0, 1.0])
    without = ph.inverse_dynamics(leg, t.q[7], t.qd[7], t.qdd[7])
    expected = without - J.T @ np.concatenate([moment, push[7]])
    assert np.allclose(one, expected, rtol=0, atol=1e-12)


def test_the_filter_passes_what_is_slow():
    """Half of the amplitude at its frequency, two passes of third order; no phase is shifted."""
    t = np.linspace(0.0, 20.0, 4001)
    x = np.stack([np.sin(2 * np.pi * f * t) for f in (0.5, 6.0, 40.0)], axis=1)
    y = biomechanics.lowpass(t, x, 6.0)[1000:-1000]
    amplitude = [np.abs(column).max() for column in y.T]
    assert amplitude == pytest.approx([1.0, 0.5, 0.0], abs=2e-3)
    assert np.allclose(y[:, 0], x[1000:-1000, 0], rtol=0, atol=1e-3)
    uneven = t + 1e-3 * np.sin(t)
    again = biomechanics.lowpass(uneven, np.sin(np.pi * uneven)[:, None], 6.0)
    assert np.allclose(again[1000:-1000, 0], np.sin(np.pi * uneven)[1000:-1000], atol=1e-3)


def seen(leg: ph.Model, q: np.ndarray, names: tuple[str, ...]) -> MarkerTable:
    places = [ph.point_position(leg, q, name, (0, 0, 0)) for name in names]
    return MarkerTable(names, TIMES, np.stack(places, axis=1))


NAMES = ("a", "b", "c", "toe", "heel")


def test_markers_give_the_positions_that_made_them(leg):
    """In all frames, though some are not seen, and whatever else is in the table."""
    q = motion(TIMES)[0]
    markers = seen(leg, q, NAMES)
    markers.positions[20:40, 3] = np.nan
    more = MarkerTable(
        (*NAMES, "nose"),
        TIMES,
        np.concatenate([markers.positions, 0 * markers.positions[:, :1]], 1),
    )
    fit = biomechanics.marker_inverse_kinematics(leg, more)
    assert fit.names == NAMES and np.allclose(fit.q, q, rtol=0, atol=1e-7)
    assert np.isnan(fit.distances[20:40, 3]).all() and np.nanmax(fit.distances) < 1e-7
    assert fit.iterations.shape == TIMES.shape


def test_weights_say_which_markers_count(leg):
    """The minimum of the weighted sum of squares: no small step makes it smaller."""
    rng = np.random.default_rng(2)
    markers = seen(leg, motion(TIMES)[0], NAMES)
    noisy = MarkerTable(NAMES, TIMES, markers.positions + rng.normal(0, 0.002, (241, 5, 3)))
    weights = {"a": 1.0, "b": 3.0, "toe": 20.0, "heel": 0.0}
    fit = biomechanics.marker_inverse_kinematics(leg, noisy, weights=weights)
    assert fit.names == ("a", "b", "toe", "heel")

    def cost(q):
        return sum(
            w * ((ph.point_position(leg, q, name, (0, 0, 0)) - noisy.position(name)) ** 2).sum(-1)
            for name, w in weights.items()
        )

    least = cost(fit.q)
    for step in (1e-3 * np.eye(2)).tolist():
        for sign in (1.0, -1.0):
            assert (cost(fit.q + sign * np.array(step)) > least).all()


def test_limits_bound_the_positions(leg):
    """Of the hip, which is clamped to one radian."""
    q = np.stack([1.3 * np.sin(TIMES * 3), 0.2 * np.sin(TIMES)], axis=1)
    fit = biomechanics.marker_inverse_kinematics(leg, seen(leg, q, NAMES), limits=True)
    hip = fit.q[:, leg.joint("hip").q]
    assert hip.max() <= 1.0 and hip.min() >= -1.0 and hip.max() > 0.99


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m: biomechanics.joint_positions(m, 3), ModelError, "expected a MotionTable"),
        (lambda m: biomechanics.joint_positions(m, MotionTable(("hop",), TIMES, np.ones((241, 1)))),
         ModelError, "no column of the table is a coordinate of model 'leg'; did you mean 'hip'"),
        (lambda m: biomechanics.joint_positions(m, table(np.ones((241, 2))), [0.0]),
         ShapeError, "expected q0 of shape"),
        (lambda m: biomechanics.joint_positions(
            ph.Model("ball").add("ball", joint=Spherical(), mass=1.0), table(np.ones((241, 2)))),
         ModelError, "without quaternions"),
        (lambda m: biomechanics.trajectory(m, table(np.ones((241, 2))), cutoff=70.0),
         ArgumentError, "a cutoff between 0 and half of the 120 samples a second, got 70"),
        (lambda m: biomechanics.trajectory(m, table(np.ones((241, 2))), times=[3.0]),
         ArgumentError, "expected times from 0 to 2 s, got 3 to 3"),
        (lambda m: biomechanics.trajectory(
            m, MotionTable(("hip",), TIMES[:3], np.ones((3, 1)))), ModelError, "at least 6 rows"),
        (lambda m: biomechanics.trajectory(m, table(np.full((241, 2), np.nan))),
         ModelError, "expected finite positions in the table, got nan of 'hip' at 0 s"),
        (lambda m: biomechanics.trajectory(m, table(np.ones((241, 2))), times=[np.nan]),
         ArgumentError, "expected times from 0 to 2 s, got nan"),
        (lambda m: biomechanics.trajectory(m, MotionTable(
            ("hip",), [0, 1e-9, 2e-9, 3e-9, 4e-9, 5e-9, 1], np.ones((7, 1)))),
         ArgumentError, "at least 6 times that differ by more than rounding, got 2"),
        (lambda m: biomechanics.lowpass(TIMES, np.ones(241), 6.0), ShapeError, "as many times"),
        (lambda m: biomechanics.lowpass(TIMES, np.full((241, 1), np.inf), 6.0),
         ShapeError, "expected finite numbers as values"),
        (lambda m: biomechanics.lowpass(TIMES[::-1], np.ones((241, 1)), 6.0),
         ArgumentError, "times that rise"),
        (lambda m: biomechanics.marker_inverse_kinematics(m, 3), ModelError, "a MarkerTable"),
        (lambda m: biomechanics.marker_inverse_kinematics(
            m, MarkerTable(("tow",), TIMES, np.ones((241, 1, 3)))),
         ModelError, "no marker of the table is a body of model 'leg'; did you mean 'toe'"),
        (lambda m: biomechanics.marker_inverse_kinematics(
            m, MarkerTable(("toe",), TIMES, np.ones((241, 1, 3))), weights={"tow": 1.0}),
         ModelError, "no marker 'tow' in model or table; did you mean 'toe'"),
        (lambda m: biomechanics.marker_inverse_kinematics(
            m, MarkerTable(("toe",), TIMES, np.ones((241, 1, 3))), weights=[1.0]),
         ArgumentError, "expected a dict as weights, got list"),
        (lambda m: biomechanics.marker_inverse_kinematics(
            m, MarkerTable(("toe",), TIMES, np.ones((241, 1, 3))), q0=[np.nan, 0.0]),
         ShapeError, "expected finite numbers as q0"),
        (lambda m: biomechanics.applied_forces(m, "wall", [0, 0, 1], [0, 0, 0]),
         ModelError, "expected a body that moves, got 'wall'"),
        (lambda m: biomechanics.applied_forces(m, "shank", [0, 1], [0, 0, 0]),
         ShapeError, "expected 3 on the last axis of force"),
        (lambda m: biomechanics.applied_forces(m, "shank", np.ones((2, 3)), np.ones((3, 3))),
         ShapeError, "expected axes that broadcast"),
    ],
)  # fmt: skip
def test_mistakes(leg, call, error, words):
    """Each ends in one error."""
    with pytest.raises(error, match=words):
        call(leg)


@pytest.mark.parametrize(
    ("times", "names", "shape", "words"),
    [
        (np.zeros(9), ("hip",), (9, 1), "expected times that rise, got 0 after 0"),
        ([0.0, 2.0, 1.0], ("hip",), (3, 1), "expected times that rise, got 1 after 2"),
        ([0.0, np.nan], ("hip",), (2, 1), "expected finite numbers as times"),
        ([], ("hip",), (0, 1), "expected times in one row"),
        ([0.0, 1.0], ("hip", "hip"), (2, 2), "expected names that differ, got 'hip' twice"),
        ([0.0, 1.0], "hip", (2, 1), "expected a sequence of names as names"),
        ([0.0, 1.0], ("hip",), (2, 2), r"expected shape \(2, 1.*\) of (values|positions)"),
    ],
)
def test_tables_are_checked(times, names, shape, words):
    """Splines through times that do not rise wrote to memory that is not theirs."""
    with pytest.raises(ArgumentError, match=words):
        MotionTable(names, times, np.zeros(shape))
    with pytest.raises(ArgumentError, match=words):
        MarkerTable(names, times, np.zeros((*shape, 3)))


def test_a_joint_of_one_axis_has_its_name():
    """And a joint of several coordinates theirs."""
    assert biomechanics.coordinate_names(ph.Model("m").add("arm", joint=Revolute.x())) == ("arm",)
