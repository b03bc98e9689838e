"""Machines and constraints of the user's own code: the same functions differentiate programs."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.model import Custom, FloatingBase, Model, Revolute, Spherical
from polhode.scalar import cos, sin
from polhode.spatial import Motion, Subspace, Transform, Vec3
from random_trees import random_state, tree

POINT = np.array([0.1, -0.2, 0.3])
ROUNDING = 1e-12
STEP = 1e-5  # cube root of eps: where rounding and truncation of central differences balance
DIFFERENCE = 1e-7


def parts(result):
    return list(result) if isinstance(result, tuple) else [result]


def close(got, expected):
    assert got.shape == expected.shape
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(got, expected, rtol=0, atol=ROUNDING * scale)


def skew_pin(q, qd):
    """A pin whose lead depends on its angle."""
    rate, lead = qd[0], sin(q[0]) * 0.2
    S = Subspace((Motion(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, cos(q[0]) * 0.2)),))
    bias = Motion(Vec3.zero(), Vec3(0.0, 0.0, -(lead * rate * rate)))
    X = Revolute.z().jcalc(q).XJ @ Transform.translation(0.0, 0.0, lead)
    return X, S, S.columns[0] * rate, bias


def turning_row(model, q, qd):
    """``qdd_1 + sin(q_0) qdd_0`` held, with its rate of change."""
    lean, rate = sin(q[1][0]), qd[1][0]
    row = [lean, 1.0] + [0.0] * (model.nv - 2)
    return [row], [-cos(q[1][0]) * rate * rate], [q[2][0]]


CUSTOM = (
    Model("custom")
    .add("pin", joint=Custom(1, skew_pin), mass=1.0, com=(0.1, 0.2, 0.3), inertia=(0.1, 0.1, 0.1))
    .add("arm", parent="pin", joint=Revolute.y(), mass=1.0, com=(0.3, 0.0, 0.1))
    .add("tip", parent="arm", joint=Spherical(), mass=1.0, inertia=(0.1, 0.2, 0.25))
)


def slopes(function, q):
    """Central differences by position, for one state; the axis last."""
    ahead, behind = (ph.integrate(CUSTOM, q, s * STEP * np.eye(CUSTOM.nv)) for s in (1.0, -1.0))
    columns = [
        [(a - b) / (2 * STEP) for a, b in zip(parts(function(x)), parts(function(y)), strict=True)]
        for x, y in zip(ahead, behind, strict=True)
    ]
    return [np.stack(column, axis=-1) for column in zip(*columns, strict=True)]


def assert_slopes(blocks, function, q):
    for got, expected in zip(blocks, slopes(function, q), strict=True):
        assert np.abs(got - expected).max() < DIFFERENCE * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("which", ["inverse", "forward"])
def test_dynamics(which):
    """First and second derivatives, under external forces too."""
    function = getattr(ph, f"{which}_dynamics")
    first = getattr(ph, f"{which}_dynamics_derivatives")
    second = getattr(ph.derivatives, f"{which}_dynamics_second_derivatives")
    q, qd, _, tau = random_state(CUSTOM, 5)
    f = np.random.default_rng(6).standard_normal((CUSTOM.n_bodies, 6))
    for rest in ((qd, tau), (qd, tau, f)):
        blocks = first(CUSTOM, q, *rest)
        assert_slopes(blocks[:1], lambda x, rest=rest: function(CUSTOM, x, *rest), q)
        tensors = second(CUSTOM, q, *rest)
        by_q = (tensors.d_q_q, tensors.d_qd_q, tensors[3])
        assert_slopes(by_q, lambda x, rest=rest: first(CUSTOM, x, *rest), q)
        close(tensors.d_qd_qd, np.swapaxes(tensors.d_qd_qd, 1, 2))


def test_kinematics_and_energy():
    """Jacobians, energy, momentum and the centre of mass, as of any joint."""
    q, qd, *_ = random_state(CUSTOM, 7)
    hessian = ph.derivatives.point_hessian(CUSTOM, q, "tip", POINT)
    assert_slopes([hessian], lambda x: ph.point_jacobian(CUSTOM, x, "tip", POINT), q)
    for name in ("frame", "point"):
        rate = getattr(ph.derivatives, f"{name}_jacobian_derivative")(CUSTOM, q, qd, "tip", POINT)
        close(rate, getattr(ph.derivatives, f"{name}_hessian")(CUSTOM, q, "tip", POINT) @ qd)
    rate = ph.derivatives.body_jacobian_derivative(CUSTOM, q, qd, "tip")
    (by_q,) = slopes(lambda x: ph.body_jacobian(CUSTOM, x, "tip"), q)
    np.testing.assert_allclose(rate, by_q @ qd, rtol=0, atol=DIFFERENCE)
    e = ph.derivatives.energy_derivatives(CUSTOM, q, qd)
    assert_slopes((e.kinetic_q, e.potential_q), lambda x: ph.energy(CUSTOM, x, qd), q)
    close(e.kinetic_qd, ph.mass_matrix(CUSTOM, q) @ qd)
    h = ph.derivatives.momentum_derivatives(CUSTOM, q, qd)
    assert_slopes([h.d_q], lambda x: ph.momentum(CUSTOM, x, qd), q)
    close(h.d_qd @ qd, ph.momentum(CUSTOM, q, qd))
    J = ph.kinematics.center_of_mass_jacobian(CUSTOM, q)
    assert_slopes([J], lambda x: ph.center_of_mass(CUSTOM, x), q)


@pytest.mark.parametrize("model", [CUSTOM, tree(["revolute", "revolute", "revolute"])])
def test_custom_rows(model):
    """Rows of the user's own, beside a contact, on joints of the user's own or not."""
    q, qd, _, tau = random_state(model, 8)
    made = ph.constraints.ConstraintSet(model).contact(model.links[-1].name, POINT, (0.0, 0.6, 0.8))
    made = made.custom(1, turning_row, stabilization=0.5)
    blocks = ph.derivatives.constrained_dynamics_derivatives(model, made, q, qd, tau)
    impact = ph.derivatives.constraint_impulses_derivatives(model, made, q, qd)
    step = STEP * np.eye(model.nv)
    for k in range(model.nv):
        ends = [ph.integrate(model, q, s * step[k]) for s in (1.0, -1.0)]
        for function, found, last in (
            (ph.constrained_dynamics, (blocks.d_q, blocks.force_d_q), (qd, tau)),
            (ph.constraint_impulses, (impact.d_q, impact.impulse_d_q), (qd,)),
        ):
            pairs = zip(*(function(model, made, x, *last) for x in ends), strict=True)
            for got, (a, b) in zip(found, pairs, strict=True):
                slope = (a - b) / (2 * STEP)
                assert np.abs(got[:, k] - slope).max() < DIFFERENCE * max(1, np.abs(slope).max())


def test_a_bounce_follows_the_chain_rule():
    """A target that depends on the state: its own derivative by ``d_v_plus`` is added."""
    box = Model("box").add("box", joint=FloatingBase(), mass=2.0, inertia=(0.1, 0.2, 0.3))
    floor = ph.constraints.ConstraintSet(box).contact("box", (0.1, 0.2, -0.3), (0.0, 0.0, 1.0))
    q, qd, *_ = random_state(box, 9)

    def bounced(qd):
        G = ph.constraints.constraint_jacobian(box, floor, q)
        return ph.constraint_impulses(box, floor, q, qd, -0.5 * G @ qd).qd_plus

    G = ph.constraints.constraint_jacobian(box, floor, q)
    d = ph.derivatives.constraint_impulses_derivatives(box, floor, q, qd, -0.5 * G @ qd)
    found = d.d_qd + d.d_v_plus @ (-0.5 * G)
    close(found @ qd, bounced(qd))  # linear in qd


X, S, V, C = Revolute.z().jcalc((0.1,), (0.2,))


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, r"expected \(XJ, S, vJ, cJ\) from the function of joint 'own', got None"),
        ((X, S), "from the function of joint 'own', got tuple"),
        ((np.eye(4), S, V, C), "expected a Transform as XJ from the function of joint 'own'"),
        ((X, [[0, 0, 1, 0, 0, 0]], V, C), "expected a Subspace as S .*, got list"),
        ((X, S, V, [0.0] * 6), "expected a Motion as cJ"),
        ((X, Subspace(S.columns * 2), V, C), "expected nv = 1 columns of S .*, got 2"),
    ],
)
def test_what_a_function_of_a_joint_returns(result, words):
    """Each ended in an error of Python, somewhere inside."""
    model = Model("m").add("a", joint=Custom(1, lambda q, qd: result, "own"), mass=1.0)
    with pytest.raises(ph.ModelError, match=words):
        ph.forward_dynamics(model, [0.1], [0.2], [0.3])


def test_a_joint_needs_a_function():
    with pytest.raises(ph.ArgumentError, match="expected a function as function, got 3"):
        Custom(1, 3)
