"""Laws of tendons and actuators: energy, power, gradients, and the equation of motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.model import (
    Actuator,
    AdhesionTransmission,
    Affine,
    Anchor,
    DCMotor,
    Filter,
    FloatingBase,
    ForceLaw,
    IntegralActivation,
    JointTransmission,
    LuGre,
    Model,
    MuscleActivation,
    MuscleCurves,
    Prismatic,
    Pulley,
    Revolute,
    SiteFrame,
    SiteTransmission,
    SliderCrankTransmission,
    Spherical,
    Tendon,
    TendonTransmission,
    Wrapping,
)
from polhode.spatial import Transform

MUSCLE = MuscleCurves((0.2, 2.0), 5.0)
LAWS = {
    "motor": ForceLaw(),
    "servo": ForceLaw(Affine(5.0), Affine(0.3, -5.0, -0.4)),
    "velocity servo": ForceLaw(Affine(0.7), Affine(0.0, 0.0, -0.7)),
    "damper": ForceLaw(Affine(0.0, 0.0, -0.8)),
    "filter": ForceLaw(activation=Filter(0.1)),
    "exact filter": ForceLaw(activation=Filter(0.1, is_exact=True)),
    "integrator": ForceLaw(Affine(2.0), activation=IntegralActivation()),
    "integrated velocity": ForceLaw(
        Affine(3.0), Affine(0.0, -3.0, -0.2), activation=IntegralActivation()
    ),
    "muscle": ForceLaw(MUSCLE, MUSCLE, MuscleActivation()),
    "dc motor": DCMotor(0.3, 2.0, cogging=(0.1, 6.0, 0.2)),
    "inductance": DCMotor(0.3, 2.0, inputs=("pos", "vel"), kp=3.0, kd=0.2, time_constant=0.01),
    "lugre": DCMotor(0.3, 2.0, friction=LuGre(10.0, 0.5, 0.4, 0.6, 0.3)),
}
GEAR = (1.5, 0.2, 0.1, 0.3, 0.0, 0.1)
LINE = [Anchor(None, (0.5, 0.1, 0.3)), Anchor("b", (0.1, 0.0, -0.2)), Pulley(2.0),
        Anchor("b", (0.1, 0.0, -0.2)), Anchor("c", (0.0, 0.1, 0.1))]  # fmt: skip
AROUND = [Anchor(None, (0.6, 0.1, -0.1)), Wrapping("a", 0.1), Anchor("c", (0.0, 0.0, -0.3))]


def machine(armature: float = 0.0) -> Model:
    body = {"mass": 1.0, "com": (0.05, 0.02, -0.2), "inertia": (0.1, 0.12, 0.05)}
    down = Transform.translation(0.1, 0.0, -0.4)
    return (
        Model("machine")
        .add("a", joint=Revolute.y(), armature=0.02, **body)  # with a rotor
        .add("b", parent="a", joint=Spherical(), frame=down, **body)
        .add("c", parent="a", joint=Prismatic((0.0, 0.0, 1.0)), frame=down, **body)
        .add_tendon("line", LINE, stiffness=20.0, rest=(0.3, 0.6), armature=armature)
        .add_tendon("around", AROUND, damping=0.2)
        .add_tendon("sum", joints={"a": 2.0, "c": -1.0}, armature=0.5 * armature)
    )


def on_all(law, model: Model) -> Model:
    """The model with an actuator of one law on each kind of transmission."""
    site = SiteFrame("b", Transform.from_rpy(0.1, 0.2, 0.3, (0.1, 0.0, -0.3)))
    ways = (
        JointTransmission("a"), TendonTransmission("line"), TendonTransmission("around"),
        TendonTransmission("sum"), SiteTransmission(site), SiteTransmission(site, SiteFrame("c")),
        SliderCrankTransmission(Anchor("a", (0.1, 0.0, 0.0)), SiteFrame("c"), 2.0),
    )  # fmt: skip
    for k, way in enumerate(ways):
        model = model.add_actuator(Actuator(f"{k}", way, law, GEAR))
    return model


def states(model, n=5, seed=1):
    rng = np.random.default_rng(seed)
    q = ph.random_configuration(model, rng, size=n)
    return q, rng.standard_normal((n, model.nv)), rng


@pytest.mark.parametrize("name", LAWS)
def test_energy_balance(name):
    """The work of actuators, tendons and damping is the change of energy, to 1e-8."""
    model = on_all(LAWS[name], machine(0.3))
    model = model.add_actuator(Actuator("ball", JointTransmission("b"), LAWS[name], GEAR))
    turned = JointTransmission("b", in_parent=True)
    model = model.add_actuator(Actuator("turned", turned, LAWS[name], GEAR))
    controls = np.linspace(0.1, 0.6, model.n_controls)
    run = ph.simulate(model, 0.5, qd0=[0.5, 0.3, -0.2, 0.4, 0.2], controls=controls,
                      integrator="rk4", dt=5e-4)  # fmt: skip
    energy = run.kinetic + run.potential
    assert np.abs(run.work).max() > 1e-3
    assert np.abs(energy - energy[0] - run.work).max() < 1e-8 * max(1.0, np.abs(energy).max())
    assert np.abs(run.tau_actuator).max() > 0.0


@pytest.mark.parametrize("name", LAWS)
def test_power(name):
    """Joint forces do the work of forces along lengths."""
    model = on_all(LAWS[name], machine())
    q, qd, rng = states(model)
    controls = rng.uniform(0, 1, (len(q), model.n_controls))
    activation = rng.uniform(0, 1, (len(q), model.n_activations))
    tau = ph.actuator_forces(model, q, qd, controls, activation)
    values = ph.actuation.actuator_values(model, q, qd, controls, activation)
    power = np.sum(values.velocity * values.force, axis=-1)
    np.testing.assert_allclose(np.sum(tau * qd, axis=-1), power, rtol=1e-10, atol=1e-10)


def test_tendon_jacobian():
    """It is the derivative of the lengths."""
    model, step = machine(), 1e-6
    q, _, _ = states(model)
    columns = []
    for unit in np.eye(model.nv):
        after, before = (ph.actuation.tendon_lengths(model, ph.integrate(model, q, s * unit))
                         for s in (step, -step))  # fmt: skip
        columns.append((after - before) / (2 * step))
    J = ph.actuation.tendon_jacobian(model, q)
    np.testing.assert_allclose(np.stack(columns, -1), J, rtol=0, atol=1e-8)


def test_armature():
    """It is in H, C, kinetic energy, and both ways of forward dynamics and inverses of H."""
    model, bare = machine(0.7), machine()
    q, qd, rng = states(model)
    tau = rng.standard_normal(qd.shape)
    near = {"rtol": 1e-10, "atol": 1e-10}
    H, J = ph.mass_matrix(model, q), ph.actuation.tendon_jacobian(model, q)
    a = np.array([0.7, 0.0, 0.35])
    more = np.einsum("nki,k,nkj->nij", J, a, J)
    np.testing.assert_allclose(H, ph.mass_matrix(bare, q) + more, **near)
    assert np.abs(more[:, 1, 4]).max() > 1e-3  # between branches
    C = ph.bias_forces(model, q, qd)
    for method in ("aba", "crba"):
        qdd = ph.forward_dynamics(model, q, qd, tau, method=method)
        np.testing.assert_allclose(np.einsum("nij,nj->ni", H, qdd) + C, tau, **near)
        np.testing.assert_allclose(ph.inverse_dynamics(model, q, qd, qdd), tau, **near)
    np.testing.assert_allclose(ph.inverse_mass_matrix(model, q) @ H, np.eye(5) + 0 * H, **near)
    solved = ph.solve_mass_matrix(model, q, tau)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", H, solved), tau, **near)
    kinetic = 0.5 * np.einsum("ni,nij,nj->n", qd, H, qd)
    np.testing.assert_allclose(ph.energy(model, q, qd).kinetic, kinetic, **near)


def test_armature_keeps_energy():
    """A heavy tendon between branches keeps the energy of free motion."""
    model = machine(0.7).weightless()
    model = replace(model, tendons=[replace(t, damping=0.0, stiffness=0.0) for t in model.tendons])
    run = ph.simulate(model, 0.5, qd0=[0.5, 0.3, -0.2, 0.4, 0.2], integrator="rk4", dt=5e-4)
    assert np.ptp(run.kinetic) < 1e-9


def test_functions_without_tendon_armature_say_so():
    """Regressors and Coriolis matrices refuse it by name, rather than leave it out."""
    model = machine(0.7)
    zero = np.zeros(model.nv)
    q = ph.neutral(model)
    with pytest.raises(ModelError, match="armature of tendon 'line'"):
        ph.coriolis_matrix(model, q, zero)
    with pytest.raises(ModelError, match="armature of tendon 'line'"):
        ph.identification.inverse_dynamics_regressor(model, q, zero, zero)


def along_tangents(function, model, q, step=1e-5):
    """Central differences of fourth order of a function of positions; the last axis is theirs."""
    columns = []
    for unit in np.eye(model.nv):
        f = {s: function(ph.integrate(model, q, s * step * unit)) for s in (-2, -1, 1, 2)}
        columns.append((8 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12 * step))
    return np.stack(columns, -1)


def test_derivatives_with_armature():
    """Those of inverse and forward dynamics, and of energies, are those of their programs."""
    model = machine(0.7)
    q, qd, rng = (x[0] if k < 2 else x for k, x in enumerate(states(model)))
    qdd, tau = rng.standard_normal((2, model.nv))
    near = {"rtol": 1e-7, "atol": 1e-7}
    d_q, d_qd, H = ph.inverse_dynamics_derivatives(model, q, qd, qdd)
    np.testing.assert_allclose(H, ph.mass_matrix(model, q), rtol=1e-12, atol=1e-12)
    expected = along_tangents(lambda x: ph.inverse_dynamics(model, x, qd, qdd), model, q)
    np.testing.assert_allclose(d_q, expected, **near)
    by_q, by_qd, inverse = ph.forward_dynamics_derivatives(model, q, qd, tau)
    np.testing.assert_allclose(inverse @ H, np.eye(model.nv), atol=1e-10)
    found = ph.forward_dynamics(model, q, qd, tau)
    at = ph.inverse_dynamics_derivatives(model, q, qd, found)
    np.testing.assert_allclose(by_q, -inverse @ at.d_q, **near)
    np.testing.assert_allclose(by_qd, -inverse @ d_qd, **near)
    energies = ph.derivatives.energy_derivatives(model, q, qd)
    np.testing.assert_allclose(energies[1], H @ qd, rtol=1e-10, atol=1e-10)
    second = ph.derivatives.inverse_dynamics_second_derivatives(model, q, qd, qdd)
    of_H = along_tangents(lambda x: ph.mass_matrix(model, x), model, q)
    np.testing.assert_allclose(second.d_qdd_q, of_H, **near)


def test_floating_bases_with_armature():
    """Forward and inverse dynamics agree; with hardly any armature they are as without."""
    trunk = Model("trunk").add("trunk", joint=FloatingBase(), mass=2.0, inertia=(0.1, 0.2, 0.3))
    floating = trunk.attach(replace(machine(), tendons=(), actuators=()), to="trunk")
    path = [Anchor("b", (0.1, 0.0, -0.2)), Anchor("c", (0.0, 0.1, 0.1))]
    rng = np.random.default_rng(8)
    x = np.r_[rng.standard_normal(13)]
    q = ph.random_configuration(machine(), rng)
    qd, tau, qdd = rng.standard_normal((3, 5))
    f_ext = rng.standard_normal((floating.n_bodies, 6))
    tied = {a: floating.add_tendon("t", path, armature=a) for a in (1e-13, 0.7)}
    bare = ph.floating_base.floating_base_dynamics(floating, x, q, qd, tau, f_ext)
    light = ph.floating_base.floating_base_dynamics(tied[1e-13], x, q, qd, tau, f_ext)
    heavy = ph.floating_base.floating_base_dynamics(tied[0.7], x, q, qd, tau, f_ext)
    for one, other, far in zip(light, bare, heavy, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
        assert np.abs(far - other).max() > 1e-2
    inverse = ph.floating_base.floating_base_inverse_dynamics
    for one, other in zip(inverse(tied[1e-13], x, q, qd, qdd, f_ext),
                          inverse(floating, x, q, qd, qdd, f_ext), strict=True):  # fmt: skip
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    xd, found = inverse(tied[0.7], x, q, qd, heavy[1], f_ext)
    np.testing.assert_allclose(xd, heavy[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found, tau, rtol=1e-9, atol=1e-9)


def test_hybrid_and_constrained_dynamics_with_armature():
    """They obey the equation of motion, between branches, too."""
    model = machine(0.7)
    q, qd, rng = (x[0] if k < 2 else x for k, x in enumerate(states(model)))
    tau, qdd = rng.standard_normal((2, model.nv))
    H, C = ph.mass_matrix(model, q), ph.bias_forces(model, q, qd)
    near = {"rtol": 1e-9, "atol": 1e-9}
    mask = [True, False, True, True, True]
    a, f = ph.hybrid_dynamics(model, q, qd, qdd, tau, forward=mask)
    np.testing.assert_allclose(H @ a + C, f, **near)
    np.testing.assert_allclose(np.where(mask, f, a), np.where(mask, tau, qdd))
    point = ph.constraints.Contact("b", (0.1, 0.0, -0.3), (0.0, 0.0, 1.0))
    rows = ph.constraints.ConstraintSet(model, [point])
    G = ph.constraints.constraint_jacobian(model, rows, q)
    for method in ("range_space", "kokkevis", "direct", "null_space"):
        a, force = ph.constrained_dynamics(model, rows, q, qd, tau, method=method)
        np.testing.assert_allclose(H @ a + C, tau + G.T @ force, **near)
        after, impulse = ph.constraint_impulses(model, rows, q, qd, method=method)
        np.testing.assert_allclose(H @ (after - qd), G.T @ impulse, **near)
        np.testing.assert_allclose(G @ after, 0.0, atol=1e-10)
    by_tau = ph.derivatives.constrained_dynamics_derivatives(model, rows, q, qd, tau).d_tau
    step = 1e-6 * np.eye(model.nv)[2]
    moved = [ph.constrained_dynamics(model, rows, q, qd, tau + s * step)[0] for s in (-1, 1)]
    np.testing.assert_allclose(by_tau[:, 2], (moved[1] - moved[0]) / 2e-6, rtol=1e-6, atol=1e-6)


def test_simulations_agree():
    """All integrators lead to the same motion, of a model and of its scene.

    The symplectic one is of second order.  The event-driven one takes forces by the velocity before
    its update, and so is of first order here.
    """
    model = on_all(LAWS["filter"], machine())
    scene = ph.Scene.of(model)
    assert scene.n_controls == model.n_controls
    controls = np.linspace(0.1, 0.6, model.n_controls)
    options = {"controls": controls, "dt": 2e-4, "record": 0.1}
    expected = ph.simulate(model, 0.2, integrator="rk4", **options)
    for subject in (model, scene):
        for integrator in ("rk4", "DOP853", "symplectic", "event_driven"):
            run = ph.simulate(subject, 0.2, integrator=integrator, **options)
            error = {"symplectic": 1e-7, "event_driven": 1e-5}.get(integrator, 1e-10)
            np.testing.assert_allclose(run.q, expected.q, rtol=0, atol=error)
            np.testing.assert_allclose(run.activation, expected.activation, rtol=0, atol=1e-12)
            np.testing.assert_array_equal(run.controls, expected.controls)


@pytest.mark.parametrize("name", ["motor", "servo", "muscle", "lugre"])
def test_rollouts_are_simulations(name):
    """With the controls of each step, smooth or event-driven, of a model and of its scene."""
    model, steps = on_all(LAWS[name], machine(0.2)), 40
    q, _, rng = states(model, 3)
    controls = rng.uniform(0.1, 0.6, (3, steps, model.n_controls))
    options = {"steps": steps, "dt": 1e-3, "record_every": 10}
    for k, integrator in enumerate(("rk4", "event_driven")):
        moved = ph.rollout(model, q=q, controls=controls, integrator=integrator, **options)
        assert moved.activation.shape == (5, 3, model.n_activations)
        run = ph.simulate(
            model, 0.04, q0=q[1], integrator=integrator, dt=1e-3, record=10,
            controls=lambda t, _: controls[1, min(round(t / 1e-3), steps - 1)],
        )  # fmt: skip
        near = {"rtol": 0, "atol": (1e-11, 0.0)[k]}
        np.testing.assert_allclose(moved.q[:, 1], run.q, **near)
        np.testing.assert_allclose(moved.activation[:, 1], run.activation, **near)
    scene = ph.rollout(
        ph.Scene.of(model), q=q, controls=controls, integrator="event_driven", **options
    )
    np.testing.assert_array_equal(scene.q, moved.q)
    still = ph.rollout(model, q=q, integrator="rk4", **options)
    zeros = ph.rollout(model, q=q, integrator="rk4", controls=0.0 * controls, **options)
    np.testing.assert_array_equal(still.q, zeros.q)


@pytest.mark.parametrize("law", ["motor", "filter", "servo"])
def test_worlds_one_by_one_follow_their_controls(law):
    """Of each step, held for some or changing in each; they were once left at zero."""
    model = (
        replace(machine(), tendons=())
        .add_actuator(Actuator("a", JointTransmission("a"), LAWS[law], 2.0))
        .add_motor("c", joint="c")
    )  # without tendons no step calls Python
    q, qd, rng = states(model, 3)
    for held in (1, 4):
        controls = rng.uniform(-1.0, 1.0, (3, 12 // held, model.n_controls)).repeat(held, 1)
        found = ph.rollout(model, q=q, qd=qd, controls=controls, steps=12, dt=1e-3,
                           integrator="event_driven", record_every=5)  # fmt: skip
        for k in range(3):
            rows = iter(controls[k])
            run = ph.simulate(model, 0.012, dt=1e-3, q0=q[k], qd0=qd[k], record=1,
                              controls=lambda t, state, rows=rows: next(rows),
                              integrator="event_driven")  # fmt: skip
            assert np.array_equal(found.q[:, k], run.q[[0, 5, 10, 12]])
            if law == "filter":
                assert np.allclose(found.activation[:, k], run.activation[[0, 5, 10, 12]])


def test_controls_of_rollouts_are_checked():
    """They are those of the actuators; joint forces where these do not act."""
    model = machine().add_motor("motor", joint="a")
    with pytest.raises(ph.ShapeError, match=r"\(..., steps, n_controls\) = \(5, 1\)"):
        ph.rollout(model, controls=np.zeros((5, 5)), steps=5)
    tau = np.linspace(0.1, 0.5, 5)
    bare = replace(model, actuators=())
    alone = ph.rollout(model, controls=np.tile(tau, (5, 1)), steps=5, joint_forces="none")
    other = ph.rollout(bare, tau=tau, steps=5, joint_forces="none")
    np.testing.assert_array_equal(alone.q, other.q)
    both = ph.rollout(model, tau=tau, controls=np.full((5, 1), 0.2), steps=5)
    sums = ph.rollout(bare, tau=tau + np.eye(5)[0] * 0.2, steps=5)
    np.testing.assert_allclose(both.q, sums.q, rtol=1e-12, atol=1e-12)


def test_batches_have_the_bits_of_single_states():
    """One state alone and in a batch, and the plain run of the algorithm."""
    model = on_all(LAWS["muscle"], machine())
    q, qd, rng = states(model, 9)
    controls = rng.uniform(0, 1, (len(q), model.n_controls))
    activation = rng.uniform(0, 1, (len(q), model.n_activations))
    tau = ph.actuator_forces(model, q, qd, controls, activation)
    for k in range(len(q)):
        alone = ph.actuator_forces(model, q[k], qd[k], controls[k], activation[k])
        np.testing.assert_array_equal(alone, tau[k])
    plain = ph.algorithms.actuator_forces(
        model, model.split_q(q[0].tolist()), model.split_v(qd[0].tolist()),
        controls[0].tolist(), activation[0].tolist(),
    )  # fmt: skip
    np.testing.assert_allclose(model.join_v(plain), tau[0], rtol=1e-12, atol=1e-12)


def test_joint_forces_of_a_rollout_act_beside_actuators():
    """Those given for each step and those of a servo at rest, as a controller would add them."""
    model = machine().add_position_servo("servo", joint="a", kp=5.0)
    tau = np.array([0.3, 0.0, 0.1, 0.0, -0.2])
    moved = ph.rollout(model, steps=20, dt=1e-3, tau=tau, integrator="event_driven")
    run = ph.simulate(model, 0.02, dt=1e-3, controller=lambda t, state: tau,
                      integrator="event_driven")  # fmt: skip
    np.testing.assert_array_equal(np.asarray(moved.q)[-1], run.q[-1])
    assert np.abs(run.tau_actuator[-1]).max() > 0.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Wrapping("a", 0.1, is_cylinder="yes"), "is_cylinder, got 'yes'"),
        (lambda: DCMotor(0.3, inputs="pos"), "expected a sequence of names as inputs, got 'pos'"),
        (lambda: DCMotor(0.3, friction=0.1), "expected a LuGre as friction, got 0.1"),
        (lambda: AdhesionTransmission(None), "expected a name for each body of adhesion, got None"),
        (lambda: Tendon("t", joints=[1, 2]), "pairs .joint, factor. as joints, got 1"),
        (lambda: Tendon("t", joints=[("a", 1.0, 2.0)]), "pairs .joint, factor. as joints, got"),
        (lambda: Actuator("x", JointTransmission("a"), control_range=3), "as control_range, got 3"),
        (lambda: Actuator("x", JointTransmission("a"), control_range={}), "as control_range, got"),
    ],
)
def test_fields_of_records_are_checked(make, words):
    """Some were taken as they are, others ended in errors of Python."""
    with pytest.raises(ph.ArgumentError, match=words):
        make()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"force": -1.0}, "expected force of at least 0, got -1"),
        ({"time_constants": (0.01, 0.0)}, "expected time_constants above 0, got"),
    ],
)
def test_muscles_pull_and_take_time(options, words):
    """A negative force pushed; without a time constant the activation became infinite."""
    model = ph.Model("a").add("a", joint=Revolute.y(), mass=1.0)
    given = {"force": 1.0, "length_range": (-1.0, 1.0)} | options
    with pytest.raises(ph.ModelError, match=words):
        model.add_muscle("m", joint="a", **given)


def test_gear_and_rest_may_be_arrays_without_axes():
    model = ph.Model("a").add("a", joint=Revolute.y(), mass=1.0)
    assert model.add_motor("m", joint="a", gear=np.array(2.0)).actuators[0].gear[0] == 2.0
    assert model.add_tendon("t", joints={"a": 1}, rest=np.array(0.5)).tendons[0].rest == (0.5, 0.5)
