"""Graph derivatives of robots' programs agree with the analytic algorithms and with steps."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import polhode as ph
from constraints.machines import constrained_state, random_set
from polhode import algorithms
from polhode.binding.plain import run_plain
from polhode.model import Custom, Model, Revolute, Spherical
from polhode.scalar import cos, sin
from polhode.spatial import Motion, Subspace, Transform, Vec3
from random_trees import KINDS, random_state, tree

ANALYTIC = 1e-11
STEP = 1e-5  # cube root of eps: where rounding and truncation of central differences balance
DIFFERENCE = 1e-7

TREES = {
    "one axis": tree(("revolute x", "prismatic", "revolute", "screw", "helical"), (-1, 0, 0, 2, 2)),
    "serial": tree(("universal", "planar"), seed=1),
    "spherical": tree(("prismatic z", "spherical", "revolute z"), seed=5),
    "floating": tree(("floating", "revolute y", "fixed"), (-1, 0, 1), seed=3),
    "translation": tree(("translation", "axes"), seed=4),
    "euler": tree(("euler XYZ", "euler YXZ"), seed=2),
    "more euler": tree(("euler ZYX", "euler ZXY"), seed=6),
}
models = pytest.mark.parametrize("name", TREES)


def relative_error(got, expected):
    """Of the largest entry."""
    assert got.shape == expected.shape
    return np.abs(got - expected).max() / max(1.0, np.abs(expected).max())


def differences(model, function, q):
    """Central differences along the tangent, for one state; its axis last."""
    ahead, behind = (ph.integrate(model, q, s * STEP * np.eye(model.nv)) for s in (1.0, -1.0))
    columns = zip(ahead, behind, strict=True)
    return np.stack([(function(a) - function(b)) / (2 * STEP) for a, b in columns], axis=-1)


def test_every_kind_of_joint_is_in_a_tree():
    """Also the kinds made of several bodies."""
    text = " ".join(str(joint.kind) for model in TREES.values() for joint in model.joints)
    kinds = {KINDS[name](np.random.default_rng(0)).name for name in KINDS if name != "fixed"}
    assert {kind for kind in kinds if kind not in text} == set()


@models
@pytest.mark.parametrize("which", ["inverse", "forward"])
def test_dynamics(name, which):
    """All three blocks of inverse and forward dynamics, by the joints' tangent."""
    model = TREES[name]
    q, qd, qdd, tau = random_state(model, 1, (4,))
    if which == "inverse":
        program = ph.compile(algorithms.rnea, model).jacobian(tangent=True)
        blocks, analytic = program(q, qd, qdd), ph.inverse_dynamics_derivatives(model, q, qd, qdd)
    else:
        program = ph.compile(algorithms.aba, model).jacobian(tangent=True)
        blocks, analytic = program(q, qd, tau), ph.forward_dynamics_derivatives(model, q, qd, tau)
    for got, expected in zip(blocks, analytic, strict=True):
        assert relative_error(got, expected) < ANALYTIC


def along(program, wrt, arrays, seed):
    """The change of a program's outputs along three random directions, and those."""
    jvp = program.jvp(wrt, tangent=True)
    rng = np.random.default_rng(seed)
    spans = [jvp.inputs[f"d_{name}"] for name in wrt]
    directions = [rng.standard_normal((3, *span)) for span in spans]
    changes = jvp(*arrays, *directions)
    return changes if isinstance(changes, tuple) else (changes,), directions


def assert_along(program, wrt, arrays, rows, seed=11):
    """``rows`` of derivatives, one of each output, by each of ``wrt``, fit the graph's."""
    changes, directions = along(program, wrt, arrays, seed)
    for change, row in zip(changes, rows, strict=True):
        expected = sum(
            np.einsum("...j,bj->b...", block, d) for block, d in zip(row, directions, strict=True)
        )
        assert relative_error(change, expected) < ANALYTIC


@models
def test_kinematics_energy_and_momentum(name):
    """Rates of Jacobians, Hessians, and the derivatives of energy and momentum."""
    model = TREES[name]
    q, qd, *_ = random_state(model, 9)
    body, point = model.body(model.links[-1].name).id, np.array([0.1, -0.2, 0.3])
    for kind, rest in (("body", ()), ("frame", (point,))):
        program = ph.compile(getattr(algorithms, f"{kind}_jacobian"), model, body=body)
        rate = getattr(algorithms, f"{kind}_jacobian_derivative")
        got = run_plain(rate, model, (q, qd, *rest), body=body)
        assert relative_error(got, program.jvp("q", tangent=True)(q, *rest, qd)) < ANALYTIC
    hessian = run_plain(algorithms.frame_hessian, model, (q, point), body=body)
    assert_along(program, ("q",), (q, point), [[hessian]])
    state = ("q", "qd")
    by_q, by_qd, potential = run_plain(algorithms.energy_derivatives, model, (q, qd))
    rows = [[by_q, by_qd], [potential, np.zeros(model.nv)]]
    assert_along(ph.compile(algorithms.energy, model), state, (q, qd), rows)
    rows = [run_plain(algorithms.momentum_derivatives, model, (q, qd))]
    assert_along(ph.compile(algorithms.momentum, model), state, (q, qd), rows)
    rows = [[run_plain(algorithms.center_of_mass_jacobian, model, (q,))]]
    assert_along(ph.compile(algorithms.center_of_mass, model), ("q",), (q,), rows)


def check_second(model, which):
    """All tensors at once: two random directions, by differentiating twice along one."""
    q, qd, qdd, tau = random_state(model, 10)
    last = ("qdd", qdd) if which == "inverse" else ("tau", tau)
    state = (q, qd, last[1])
    function = algorithms.rnea if which == "inverse" else algorithms.aba
    once = ph.compile(function, model).jvp(("q", "qd", last[0]), tangent=True)
    inner = np.random.default_rng(12).standard_normal((3, model.nv))
    (change,), (e_q, e_qd) = along(once, ("q", "qd"), (*state, *inner), 13)
    second = getattr(ph.derivatives, f"{which}_dynamics_second_derivatives")
    q_q, qd_qd, qd_q, last_q = second(model, *state)
    terms = (
        (q_q, inner[0], e_q), (qd_qd, inner[1], e_qd), (qd_q, inner[1], e_q),
        (np.swapaxes(qd_q, 1, 2), inner[0], e_qd), (last_q, inner[2], e_q),
    )  # fmt: skip
    expected = sum(np.einsum("ijk,j,bk->bi", *term) for term in terms)
    assert relative_error(change, expected) < ANALYTIC


@models
@pytest.mark.parametrize("which", ["inverse", "forward"])
def test_second_derivatives(name, which):
    """Those of inverse and forward dynamics."""
    check_second(TREES[name], which)


def check_constrained(model, constraints, state):
    """Dynamics and impacts, accelerations or velocities and forces or impulses."""
    static = {"constraints": constraints.constraints}
    q, qd, _ = state
    blocks = ph.derivatives.constrained_dynamics_derivatives(model, constraints, *state)
    program = ph.compile(algorithms.constrained_range_space, model, **static)
    assert_along(program, ("q", "qd", "tau"), state, [blocks[:3], blocks[3:]])
    v_plus = np.random.default_rng(14).standard_normal(constraints.n_rows)
    blocks = ph.derivatives.constraint_impulses_derivatives(model, constraints, q, qd, v_plus)
    shapes = {"v_plus": constraints.n_rows}
    program = ph.compile(algorithms.impulses_range_space, model, shapes=shapes, **static)
    arrays = (q, qd, v_plus)
    assert_along(program, ("q", "qd", "v_plus"), arrays, [blocks[:3], blocks[3:]])


@pytest.mark.parametrize("name", ["one axis", "serial", "spherical", "floating"])
def test_constraints(name):
    """With contacts and a loop with turning rows, stabilized."""
    model = TREES[name]
    check_constrained(model, random_set(model, 3), constrained_state(model, 4))


def potential(model, q):
    """The potential energy alone."""
    return algorithms.energy(model, q, {i: (0.0,) * model.joint[i].nv for i in model.bodies})[1]


@models
def test_potential_energy(name):
    """Its tangent gradient is the gravity forces, its Hessian their derivative made symmetric."""
    model = TREES[name]
    q = random_state(model, 2).q
    program = ph.compile(potential, model)
    gravity = ph.gravity_forces(model, q)
    assert relative_error(program.jacobian("q", tangent=True)(q), gravity) < ANALYTIC
    slope = differences(model, lambda at: ph.gravity_forces(model, at), q)
    hessian = program.hessian("q", tangent=True)(q)
    assert relative_error(hessian, (slope + slope.T) / 2) < DIFFERENCE
    np.testing.assert_array_equal(hessian, hessian.T)


@models
def test_products_along_the_tangent(name):
    """Changes and results of the products have nv entries, and fit the Jacobian."""
    model = TREES[name]
    q, qd, qdd, d = random_state(model, 3)
    program = ph.compile(algorithms.rnea, model)
    J = ph.inverse_dynamics_derivatives(model, q, qd, qdd).d_q
    jvp = program.jvp("q", tangent=True)
    assert jvp.inputs["d_q"] == (model.nv,)
    assert relative_error(jvp(q, qd, qdd, d), J @ d) < ANALYTIC
    back = program.vjp("q", tangent=True)(q, qd, qdd, d)
    assert relative_error(back, J.T @ d) < ANALYTIC


def test_difference_of_two_positions():
    """By the tangent of either of its arguments."""
    model = TREES["floating"]
    q = random_state(model, 4).q
    program = ph.compile(algorithms.difference, model)
    start = ph.integrate(model, q, np.full(model.nv, 0.3))
    by_start, by_end = program.jacobian(tangent=True)(start, q)
    expected = differences(model, lambda at: ph.difference(model, start, at), q)
    assert relative_error(by_end, expected) < DIFFERENCE
    expected = differences(model, lambda at: ph.difference(model, at, q), start)
    assert relative_error(by_start, expected) < DIFFERENCE


def test_scalars_of_a_quaternion():
    """Without ``tangent`` the derivatives are by the four scalars, with the tangent's in them."""
    model = Model("ball").add(
        "link", joint=Spherical(), mass=1.0, com=(0.1, 0.2, 0.3), inertia=(0.1, 0.2, 0.25)
    )
    q, qd, qdd, _ = random_state(model, 5)
    program = ph.compile(algorithms.rnea, model)
    by_scalars = program.jacobian("q")(q, qd, qdd)
    assert by_scalars.shape == (3, 4)
    x, y, z, w = q
    turn = 0.5 * np.array([[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]])
    by_tangent = program.jacobian("q", tangent=True)(q, qd, qdd)
    assert relative_error(by_scalars @ turn, by_tangent) < ANALYTIC


def _nonlinear(q, qd):
    """A pin whose lead depends on its angle."""
    rate = qd[0]
    lead = sin(q[0]) * 0.2
    S = Subspace((Motion(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, cos(q[0]) * 0.2)),))
    bias = Motion(Vec3.zero(), Vec3(0.0, 0.0, -(lead * rate * rate)))
    turn = Revolute.z().jcalc(q).XJ
    X = turn @ Transform.translation(0.0, 0.0, lead)
    return X, S, S.columns[0] * rate, bias


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["panda.urdf", "anymal.urdf", "talos_reduced.urdf"])
def test_robots(name):
    """The same of the robots of the `example-robot-data` wheel."""
    from oracle.robots import urdf_files

    file = next(f for f in urdf_files() if f.name == name)
    model = ph.load(file, floating_base=name == "anymal.urdf")
    q, qd, qdd, tau = random_state(model, 8, (4,))
    blocks = ph.compile(algorithms.rnea, model).jacobian(tangent=True)(q, qd, qdd)
    for got, expected in zip(
        blocks, ph.inverse_dynamics_derivatives(model, q, qd, qdd), strict=True
    ):
        assert relative_error(got, expected) < ANALYTIC
    blocks = ph.compile(algorithms.aba, model).jacobian(tangent=True)(q, qd, tau)
    for got, expected in zip(
        blocks, ph.forward_dynamics_derivatives(model, q, qd, tau), strict=True
    ):
        assert relative_error(got, expected) < ANALYTIC


def test_custom_joints():
    """A joint that the analytic derivatives refuse is differentiated like any other."""
    model = Model("custom").add("link", joint=Custom(1, _nonlinear), mass=1.0, com=(0.1, 0.2, 0.3))
    model = model.add("tip", parent="link", joint=Spherical(), mass=1.0, inertia=(0.1, 0.2, 0.25))
    q, qd, qdd, _ = random_state(model, 6)
    got = ph.compile(algorithms.rnea, model).jacobian("q", tangent=True)(q, qd, qdd)
    expected = differences(model, lambda at: ph.inverse_dynamics(model, at, qd, qdd), q)
    assert relative_error(got, expected) < DIFFERENCE


def test_derivatives_pickle():
    """They are made again from their program, options and all."""
    model = TREES["one axis"]
    q, qd, qdd, _ = random_state(model, 7)
    program = ph.compile(algorithms.rnea, model).vjp("q", tangent=True, with_value=True)
    again = pickle.loads(pickle.dumps(program))
    assert again.inputs == program.inputs
    for a, b in zip(again(q, qd, qdd, qd), program(q, qd, qdd, qd), strict=True):
        np.testing.assert_array_equal(a, b)
