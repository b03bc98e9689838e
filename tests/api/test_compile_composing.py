"""Functions made of public functions, algorithms and programs: values and derivatives."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import polhode as ph
from models import crane
from polhode import algorithms
from polhode.errors import TraceError
from polhode.scalar import cos, maximum, minimum, sin, where
from random_trees import random_state, tree

MODEL = tree(["floating", "revolute y", "spherical", "universal"], [-1, 0, 1, 1], seed=6)
Q, QD, QDD, TAU = random_state(MODEL, 4, (3,))
POINT, NORMAL = np.array([0.1, -0.2, 0.3]), np.array([0.0, 0.6, 0.8])
BODY, DT = MODEL.n_bodies, 0.01
F_EXT = np.random.default_rng(2).standard_normal((MODEL.n_bodies, 6))
MASK = [k % 2 == 0 for k in range(MODEL.nv)]
CONTACT = ph.constraints.ConstraintSet(MODEL).contact(BODY, (0.1, 0.0, 0.0), (0.0, 0.0, 1.0))
CASES = {
    "inverse dynamics": (lambda m, q, qd, qdd: ph.inverse_dynamics(m, q, qd, qdd), Q, QD, QDD),
    "with forces": (
        lambda m, q, qd, qdd, f_ext: ph.inverse_dynamics(m, q, qd, qdd, f_ext), Q, QD, QDD, F_EXT,
    ),
    "forward dynamics": (lambda m, q, qd, tau: ph.forward_dynamics(m, q, qd, tau), Q, QD, TAU),
    "by factors": (
        lambda m, q, qd, tau: ph.forward_dynamics(m, q, qd, tau, method="crba"), Q, QD, TAU,
    ),
    "hybrid": (
        lambda m, q, qd, qdd, tau: ph.hybrid_dynamics(m, q, qd, qdd, tau, forward=MASK),
        Q, QD, QDD, TAU,
    ),
    "mass matrix": (lambda m, q: ph.mass_matrix(m, q), Q),
    "inverse mass matrix": (lambda m, q: ph.inverse_mass_matrix(m, q), Q),
    "solve": (lambda m, q, tau: ph.solve_mass_matrix(m, q, tau), Q, TAU),
    "bias": (lambda m, q, qd: ph.bias_forces(m, q, qd), Q, QD),
    "gravity": (lambda m, q: ph.gravity_forces(m, q), Q),
    "poses": (lambda m, q: ph.body_poses(m, q), Q),
    "a pose": (lambda m, q: ph.body_pose(m, q, BODY), Q),
    "a point": (lambda m, q, point: ph.point_position(m, q, BODY, point), Q, POINT),
    "a fixed point": (lambda m, q: ph.point_position(m, q, BODY, POINT), Q),
    "its velocity": (lambda m, q, qd: ph.point_velocity(m, q, qd, BODY, POINT), Q, QD),
    "its acceleration": (
        lambda m, q, qd, qdd: ph.point_acceleration(m, q, qd, qdd, "link2", POINT), Q, QD, QDD,
    ),
    "its Jacobian": (lambda m, q, point: ph.point_jacobian(m, q, BODY, point), Q, POINT),
    "a frame's Jacobian": (lambda m, q, point: ph.frame_jacobian(m, q, BODY, point), Q, POINT),
    "a body's Jacobian": (lambda m, q: ph.body_jacobian(m, q, "link1"), Q),
    "energy": (lambda m, q, qd: ph.energy(m, q, qd), Q, QD),
    "momentum": (lambda m, q, qd: ph.momentum(m, q, qd), Q, QD),
    "centre of mass": (lambda m, q: ph.center_of_mass(m, q), Q),
    "its velocity too": (lambda m, q, qd: ph.kinematics.center_of_mass_velocity(m, q, qd), Q, QD),
    "zero-moment point": (
        lambda m, q, qd, qdd, point, normal: ph.zero_moment_point(
            m, q, qd, qdd, point=point, normal=normal
        ), Q, QD, QDD, POINT, NORMAL,
    ),
    "integrate": (lambda m, q, v, dt: ph.integrate(m, q, v, dt), Q, QD, DT),
    "difference": (lambda m, q0, q1: ph.difference(m, q0, q1), Q, Q[::-1]),
    "derivatives": (
        lambda m, q, qd, qdd: ph.inverse_dynamics_derivatives(m, q, qd, qdd), Q, QD, QDD,
    ),
    "derivatives too": (
        lambda m, q, qd, tau: ph.forward_dynamics_derivatives(m, q, qd, tau), Q, QD, TAU,
    ),
    "regressor": (
        lambda m, q, qd, qdd: ph.identification.inverse_dynamics_regressor(m, q, qd, qdd),
        Q, QD, QDD,
    ),
    "constrained": (
        lambda m, q, qd, tau: ph.constrained_dynamics(m, CONTACT, q, qd, tau), Q, QD, TAU,
    ),
    "constraint Jacobian": (lambda m, q: ph.constraints.constraint_jacobian(m, CONTACT, q), Q),
}  # fmt: skip


def flat(x) -> list[np.ndarray]:
    """The arrays in nested tuples."""
    return [z for y in x for z in flat(y)] if isinstance(x, tuple) else [np.asarray(x)]


@pytest.mark.parametrize("name", CASES)
def test_a_public_function_inside_a_function(name):
    """On traced values it gives what it gives on arrays, to rounding."""
    function, *arrays = CASES[name]
    got = flat(ph.compile(function, MODEL)(*arrays))
    expected = flat(function(MODEL, *arrays))
    assert len(got) == len(expected) > 0
    for x, y in zip(got, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-11 * max(1.0, np.abs(y).max()))


def time_step(model, q, qd, goal, gain):
    """A controller with limited forces, the dynamics, and a semi-implicit step."""
    error = ph.difference(model, q, model.split_q(goal))
    rates = model.join_v(qd)
    tau = [
        maximum(minimum(gain * e - 0.2 * gain * v, 20.0), -20.0)
        for e, v in zip(error, rates, strict=True)
    ]
    qdd = ph.forward_dynamics(model, q, qd, tau)
    after = [v + DT * a for v, a in zip(rates, qdd, strict=True)]
    return {"q": ph.integrate(model, q, after, DT), "qd": after, "effort": sum(t * t for t in tau)}


def test_a_whole_time_step():
    """Controller, dynamics and integration in one program equal the functions in turn."""
    program = ph.compile(time_step, MODEL, shapes={"goal": MODEL.nq, "gain": ()})
    goal, gains = Q[0], np.array([5.0, 30.0, 100.0])
    got = program(Q, QD, goal, gains)
    error = ph.difference(MODEL, Q, goal)
    tau = np.clip(gains[:, None] * error - 0.2 * gains[:, None] * QD, -20.0, 20.0)
    after = QD + DT * ph.forward_dynamics(MODEL, Q, QD, tau)
    assert list(got) == ["q", "qd", "effort"]
    np.testing.assert_allclose(got["qd"], after, rtol=0, atol=1e-11)
    np.testing.assert_allclose(got["q"], ph.integrate(MODEL, Q, after, DT), rtol=0, atol=1e-12)
    np.testing.assert_allclose(got["effort"], (tau**2).sum(-1), rtol=1e-12)


def test_programs_in_programs():
    """A program called on traced values, by body or as lists, becomes part of the other."""
    step = ph.compile(time_step, MODEL, shapes={"goal": MODEL.nq, "gain": ()})

    def two_steps(model, q, qd, goal, gain):
        first = step(q, qd, goal, gain)
        return step(first["q"], first["qd"], goal, gain)

    program = ph.compile(two_steps, MODEL, shapes={"goal": MODEL.nq, "gain": ()})
    first = step(Q, QD, Q[0], 30.0)
    second = step(first["q"], first["qd"], Q[0], 30.0)
    got = program(Q, QD, Q[0], 30.0)
    for name in second:
        np.testing.assert_allclose(got[name], second[name], rtol=1e-11, atol=1e-12)
    assert program.ops < 2 * step.ops


def test_what_programs_share_is_computed_once():
    """A program called twice on the same values costs nothing the second time."""
    force = ph.compile(algorithms.inverse_dynamics, MODEL)

    def twice(model, q, qd, qdd):
        return [a + b for a, b in zip(force(q, qd, qdd), force(q, qd, qdd), strict=True)]

    assert ph.compile(twice, MODEL).ops <= force.ops + MODEL.nv


def test_derivatives_of_what_is_composed():
    """The chain rule goes through programs: equal to differences of the composition."""
    small = tree(["revolute y", "spherical"], seed=2)
    inner = ph.compile(algorithms.aba, small)

    def cost(model, q, qd, tau):
        return sum(x * x for x in inner(q, qd, [sin(t) for t in model.join_v(tau)]))

    program = ph.compile(cost, small)
    q, qd, _, tau = random_state(small, 1)
    for name in ("qd", "tau"):
        at = {"q": q, "qd": qd, "tau": tau}
        slopes, h = [], 1e-5
        for k in range(small.nv):
            ends = [program(*(at | {name: at[name] + s * h * np.eye(small.nv)[k]}).values())
                    for s in (2, 1, -1, -2)]  # fmt: skip
            slopes.append((-ends[0] + 8 * ends[1] - 8 * ends[2] + ends[3]) / (12 * h))
        got = program.jacobian(name)(q, qd, tau)
        np.testing.assert_allclose(got, slopes, rtol=0, atol=1e-8 * np.abs(got).max())


def test_derivatives_inside_functions():
    """A Jacobian program is a program: by its own argument, even if others depend on that too."""
    small = crane()
    force = ph.compile(algorithms.rnea, small)

    def stiffness(model, q):
        rates = [2.0 * x for x in model.join_q(q)]
        return force.jacobian("q")(q, rates, rates)

    q = np.array([0.3, -0.4])
    got = ph.compile(stiffness, small)(q)
    np.testing.assert_allclose(got, force.jacobian("q")(q, 2 * q, 2 * q), rtol=1e-13)
    at_rest = ph.compile(lambda m, q: force.jacobian("q")(q, [0.0] * 2, [0.0] * 2), small)
    np.testing.assert_allclose(at_rest(q), force.jacobian("q")(q, 0 * q, 0 * q), atol=1e-14)


def test_numbers_among_traced_values():
    """Arguments known while tracing fold; with none traced the call gives arrays."""
    force = ph.compile(algorithms.inverse_dynamics, MODEL)
    zero = [0.0] * MODEL.nv
    still = ph.compile(lambda m, q: force(q, zero, zero), MODEL)
    assert still.ops <= ph.compile(algorithms.gravity, MODEL).ops
    np.testing.assert_allclose(still(Q), ph.gravity_forces(MODEL, Q), rtol=0, atol=1e-11)

    def shifted(model, qd):
        constant = ph.gravity_forces(model, Q[0])
        return [x + y for x, y in zip(model.join_v(qd), constant, strict=True)]

    expected = QD + ph.gravity_forces(MODEL, Q[0])
    np.testing.assert_allclose(ph.compile(shifted, MODEL)(QD), expected, rtol=1e-14)


def a_sensor(model, q, qd, qdd):
    """An accelerometer and a gyroscope on a link, as an IMU measures."""
    gravity = model.gravity.lin
    a = ph.point_acceleration(model, q, qd, qdd, "link1", (0.0, 0.0, 0.1))
    pose = ph.body_poses(model, q)[model.body("link1").id - 1]
    felt = [x - g for x, g in zip(a, gravity, strict=True)]
    return [sum(pose[k][j] * felt[k] for k in range(3)) for j in range(3)]


def test_a_sensor_at_rest_feels_gravity():
    """As long as the acceleration of free fall, upwards."""
    zero = np.zeros(MODEL.nv)
    felt = ph.compile(a_sensor, MODEL)(Q, zero, zero)
    np.testing.assert_allclose(np.linalg.norm(felt, axis=-1), 9.81, rtol=1e-12)


def test_parameters_reach_what_is_composed():
    """Masses as inputs are those of the public functions inside, too."""
    small = crane()
    cost = lambda m, q, qd, qdd: ph.inverse_dynamics(m, q, qd, qdd)  # noqa: E731
    program = ph.compile(cost, small, parameters=["mass"])
    q, qd, qdd, _ = random_state(small)
    heavier = {"mass": 2.0 * ph.identification.parameters_of(small)["mass"]}
    expected = ph.inverse_dynamics(ph.identification.with_parameters(small, heavier), q, qd, qdd)
    np.testing.assert_allclose(program(q, qd, qdd, heavier["mass"]), expected, rtol=1e-12)


def nested_outputs(model, q, qd):
    energy = ph.energy(model, q, qd)
    return {"energy": energy, "more": {"first": q[1][0], "all": q, "row": [cos(x) for x in q[1]]}}


def test_outputs_by_name_nest():
    """Dicts and named tuples come back as such; lists, records and values by body are arrays."""
    program = ph.compile(nested_outputs, MODEL)
    got = program(Q, QD)
    assert got["energy"]._fields == ("kinetic", "potential")
    np.testing.assert_array_equal(got["more"]["all"], Q)
    np.testing.assert_array_equal(got["more"]["first"], Q[:, 0])
    assert got["more"]["row"].shape == (3, 3)
    assert program.output_shapes == ((), (), (), (MODEL.nq,), (3,))
    again = pickle.loads(pickle.dumps(program))(Q, QD)
    np.testing.assert_array_equal(again["energy"].kinetic, got["energy"].kinetic)


def test_results_of_every_kind():
    """Tuples, arrays, conditions, numbers and records."""

    def kinds(model, q):
        x = q[1][0]
        grid = np.array([[x, 1.0], [2.0, -x]], dtype=object)
        return grid, x > 0.0, 3, algorithms.center_of_mass(model, q), [(x, x), (x, 0.0)]

    grid, sign, three, com, rows = ph.compile(kinds, MODEL)(Q)
    np.testing.assert_array_equal(grid[:, 1, 1], -Q[:, 0])
    np.testing.assert_array_equal(sign, np.where(Q[:, 0] > 0, 1.0, 0.0))
    np.testing.assert_array_equal(three, [3.0] * 3)
    assert com.shape == (3, 3) and rows.shape == (3, 2, 2)
    with pytest.raises(TraceError, match="at least one output"):
        ph.compile(lambda model, q: (), MODEL)(Q)


def test_equality_is_a_condition():
    """``==`` and ``!=`` of traced values compare numbers."""

    def same(model, q):
        x = q[1][0]
        return where(x == 0.5, 1.0, 2.0), where(x != 0.5, 1.0, 2.0)

    small = tree(["revolute y"])
    equal, other = ph.compile(same, small)([[0.5], [0.25]])
    np.testing.assert_array_equal(equal, [1.0, 2.0])
    np.testing.assert_array_equal(other, [2.0, 1.0])


def test_arguments_in_a_trace_are_checked():
    """One state and no ``out``; shapes are told by name."""
    force = ph.compile(algorithms.inverse_dynamics, MODEL)
    with pytest.raises(TraceError, match=r"for qd of inverse_dynamics, got 1 entries"):
        ph.compile(lambda m, q, qd: force(q, [qd[1][0]], qd), MODEL)(Q, QD)
    with pytest.raises(TraceError, match=r"3 arguments \(q, qd, qdd\) of inverse_dynamics, got 1"):
        ph.compile(lambda m, q: force(q), MODEL)(Q)
    with pytest.raises(TraceError, match="no out= of mass_matrix"):
        ph.compile(lambda m, q: ph.mass_matrix(m, q, out=np.zeros(3)), MODEL)(Q)
