"""A planar machine that is turned in space keeps its rank and its motion.

The rows across its plane are then no longer zero by structure, but rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import polhode as ph
from constraints.machines import CLOSED, PIN_X, PIN_Y, closed
from models import at, four_bar
from polhode.constraints import ConstraintSet
from polhode.model import Model, Revolute
from polhode.spatial import Mat3, Transform, Vec3

METHODS = ("range_space", "kokkevis", "direct", "null_space")
LEG = np.array([0.4, -0.9, 0.3]), np.array([1.0, -2.0, 0.5]), np.array([1.0, 2.0, 3.0])
ROD: Any = {"mass": 1.0, "com": (0.3, 0.0, 0.0), "inertia": (0.02, 0.03, 0.04)}
ALL_DIRECTIONS = np.eye(3)
FORCES = np.array([0.3, -0.2, 0.5])


def rotation(seed: int):
    """A random rotation matrix."""
    return Rotation.from_quat(np.random.default_rng(seed).standard_normal(4)).as_matrix()


rotations = st.integers(0, 10**6).map(rotation)


def turned_frame(R, r=(0.0, 0.0, 0.0)) -> Transform:
    """The frame at ``R r`` whose axes are the columns of ``R``."""
    return Transform(Mat3.of(R.T), Vec3(*(R @ r).tolist()))


def leg(R) -> Model:
    """Hip, knee and ankle about parallel axes, turned by ``R`` with the weight."""
    model = Model("leg", gravity=tuple(R @ (0.0, 0.0, -9.81)))
    inertia, com = (0.1, 0.1, 0.01), (0.0, 0.0, -0.2)
    frame = turned_frame(R, (0.0, 0.0, 1.0))
    for name, mass in (("hip", 3.0), ("knee", 2.0), ("ankle", 1.0)):
        joint = Revolute.y()
        model = model.append(name, joint=joint, frame=frame, mass=mass, com=com, inertia=inertia)
        frame = at(0.0, 0.0, -0.4)
    return model


def held(model: Model, normals) -> ConstraintSet:
    """A point of the foot held along ``normals`` of the base."""
    return ConstraintSet(model).contact("ankle", (0.1, 0.0, -0.1), normals)


def assert_moves_like(constraints, expected, states):
    """Rank, accelerations and impacts are those of ``expected`` rows, by every method."""
    q, qd, tau = states
    report = ph.constraints.constraint_report(constraints.model, constraints, q)
    wanted = ph.constraints.constraint_report(expected.model, expected, q)
    assert (report.rank, report.mobility) == (wanted.rank, wanted.mobility) == (2, 1)
    for method in METHODS:
        got, asked = (
            ph.constrained_dynamics(s.model, s, q, qd, tau, method=method).qdd
            for s in (constraints, expected)
        )
        np.testing.assert_allclose(got, asked, rtol=1e-9, atol=1e-9)
        got, asked = (
            ph.constraint_impulses(s.model, s, q, qd, method=method).qd_plus
            for s in (constraints, expected)
        )
        np.testing.assert_allclose(got, asked, rtol=1e-9, atol=1e-9)


@given(rotations, st.permutations(range(3)))
def test_a_leg_on_three_normals(R, order):
    """Two of three normals of a foot count, whatever plane the leg moves in."""
    plane = held(leg(np.eye(3)), ALL_DIRECTIONS[[0, 2]])
    for normals in (
        ALL_DIRECTIONS[list(order)],
        ALL_DIRECTIONS[list(order)] @ R.T,
    ):  # of the base, of the leg
        assert_moves_like(held(leg(R), normals), plane, LEG)


@pytest.mark.parametrize("digits", range(3, 17))
def test_a_leg_turned_by_a_rounded_half_turn(digits):
    """Files have angles with few digits: what is across the plane is then between 1e-3 and zero."""
    R = Rotation.from_euler("z", round(np.pi, digits)).as_matrix()
    plane = held(leg(np.eye(3)), ALL_DIRECTIONS[[0, 2]])
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0]):
        q, _, tau = LEG
        made = held(leg(R), ALL_DIRECTIONS[order])
        assert ph.constraints.constraint_report(made.model, made, q).rank == 2
        for method in METHODS:
            got, asked = (
                ph.constrained_dynamics(s.model, s, q, np.zeros(3), tau, method=method).qdd
                for s in (made, plane)
            )
            np.testing.assert_allclose(got, asked, rtol=1e-6)


@given(rotations)
def test_a_four_bar_closed_by_a_ball(R):
    """Three rows of a ball close a planar loop like the two in its plane."""
    plane = closed(four_bar(), (PIN_X, PIN_Y))
    start = ph.assemble(plane.model, plane, CLOSED, [1.0, 0.0, 0.0])
    assert start.qd is not None
    turned = Model("turned", gravity=tuple(R @ (0.0, -9.81, 0.0)))
    turned = turned.attach(plane.model, frame=turned_frame(R))
    pin = at(*(R @ (1.1, 0.0, 0.0)).tolist())
    ball = ConstraintSet(turned).loop(0, "rocker", pin, at(0.8), np.eye(6)[3:])
    tau, derivatives = FORCES, ph.derivatives.constrained_dynamics_derivatives
    assert_moves_like(ball, plane, (start.q, start.qd, tau))
    assert ph.assemble(turned, ball, CLOSED).success
    got, asked = (derivatives(s.model, s, start.q, start.qd, tau).d_tau for s in (ball, plane))
    np.testing.assert_allclose(got, asked, atol=1e-9)


@pytest.mark.parametrize("small", [1e-3, 1e-6])
def test_rows_of_very_different_scale_count(small):
    """A row that is a millionth of another one is no rounding."""
    model = four_bar()
    plane = closed(model, (PIN_X, PIN_Y))
    start = ph.assemble(model, plane, CLOSED, [1.0, 0.0, 0.0])
    for factors in ((1.0, small), (small, 1.0)):
        scaled = closed(model, np.array([PIN_X, PIN_Y]) * np.array(factors)[:, None])
        assert_moves_like(scaled, plane, (start.q, start.qd, FORCES))


@given(rotations, rotations, rotations)
def test_a_joint_that_no_row_determines_is_not_fully_actuated(R, first, second):
    """Two arms of a trunk that are tied to each other leave the trunk free."""
    model = Model("tied").add("trunk", joint=Revolute((0.6, 0.0, 0.8)), **ROD)
    for name, turn, x in (("a", first, 0.4), ("b", second, -0.3)):
        frame = turned_frame(turn, (x, 0.2, -0.1))
        model = model.add(name, parent="trunk", joint=Revolute(tuple(R[0])), frame=frame, **ROD)
    q = np.array([0.4, -0.7, 0.9])
    a, b = (ph.body_pose(model, q, name) for name in "ab")
    tie = Transform.from_pose(np.linalg.inv(b) @ a)
    rows = np.eye(6)[3:]
    tied = ConstraintSet(model).loop("a", "b", Transform.identity(), tie, rows)
    assert not ph.constraints.is_fully_actuated(model, tied, q, [False, True, True])
    wanted = ph.constraints.constrained_inverse_dynamics(
        model, tied, q, np.zeros(3), np.zeros(3), [False, True, True]
    )
    assert max(np.abs(x).max() for x in wanted) < 1e6  # the shortest solution, not rounding
