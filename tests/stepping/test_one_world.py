"""One world by Moreau's steps: the motion of roll-outs, and all that a run records."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.model import (
    Actuator,
    Affine,
    Box,
    Cylinder,
    Filter,
    FloatingBase,
    ForceLaw,
    JointTransmission,
    Plane,
    Sphere,
)
from polhode.simulation import SimulationError, StartError, StartWarning
from polhode.simulation.stepping.coordinates import from_model

from .test_moreau import G, leg

STEP = 2e-3


def driven():
    """A leg whose joints have motors, one with activation that lags."""
    scene = leg()
    for name, lag in (("thigh", None), ("shank", Filter(0.05))):
        law = ForceLaw(activation=lag)
        scene = scene.add_actuator(Actuator(name, JointTransmission(f"hopper/{name}"), law))
    return scene


def controls(t, state):
    k = round(t / STEP)
    return [np.sin(0.05 * k), np.cos(0.03 * k)]


def box():
    scene = ph.Scene("box").add_fixed("floor", Plane()).contact(mu_coulomb=0.5)
    return scene.add_body("box", Box((0.2, 0.3, 0.1)), mass=2.0, position=(0, 0, 0.1))


def test_a_run_has_the_bits_of_a_rollout():
    n, scene = 500, driven()
    held = np.array([controls(k * STEP, None) for k in range(n)])
    many = ph.rollout(scene, steps=n, dt=STEP, controls=held, integrator="moreau", record_every=10)
    one = ph.simulate(scene, n * STEP, dt=STEP, controls=controls, integrator="moreau", record=10)
    assert one.q.tobytes() == many.q.tobytes()
    assert one.qd.tobytes() == many.qd.tobytes()
    assert one.activation.tobytes() == many.activation.tobytes()


def test_bits_do_not_depend_on_how_steps_are_divided():
    whole = ph.Simulator(leg(), integrator="moreau")
    whole.advance(STEP, 300)
    one_by_one = ph.Simulator(leg(), integrator="moreau")
    for _ in range(150):
        one_by_one.step(STEP)
    other = ph.Simulator(leg(), integrator="moreau")
    other.restore(one_by_one.checkpoint())
    other.advance(STEP, 150)
    assert [x.tobytes() for x in other.state] == [x.tobytes() for x in whole.state]


def test_a_file_goes_on_to_the_same_bits(tmp_path):
    whole = ph.simulate(driven(), 0.6, dt=STEP, controls=controls, integrator="moreau")
    path = tmp_path / "run.h5"
    ph.simulate(driven(), 0.3, dt=STEP, controls=controls, integrator="moreau", output=path)
    end = ph.simulate(driven(), 0.6, dt=STEP, controls=controls, integrator="moreau", resume=path)
    assert end.q.tobytes() == whole.q.tobytes()


def test_a_checkpoint_of_event_driven_steps_is_a_start():
    settled = ph.Simulator(box())
    settled.advance(1e-3, 500)
    sim = ph.Simulator(box(), integrator="moreau")
    sim.restore(settled.checkpoint())
    sim.advance(1e-3, 100)
    np.testing.assert_allclose(sim.state[0], settled.state[0], atol=1e-9)


def test_contacts_carry_what_rests_on_them():
    run = ph.simulate(box(), 1.0, dt=1e-3, integrator="moreau")
    last = slice(run.contact_start[-2], run.contact_start[-1])
    exact = ph.simulate(box(), 1.0, dt=1e-3)
    weight = run.contact_force[last].sum(axis=0)
    end = slice(exact.contact_start[-2], exact.contact_start[-1])
    np.testing.assert_allclose(weight, exact.contact_force[end].sum(axis=0), atol=1e-6)
    assert abs(weight[2]) == pytest.approx(2.0 * G, rel=1e-6)
    np.testing.assert_allclose(run.tau_constraint[-1], [0, 0, 2.0 * G, 0, 0, 0], atol=1e-6)
    np.testing.assert_allclose(run.contact_point[last, 2], 0.0, atol=1e-6)
    assert run.audit.penetration < 1e-9


def test_energy_comes_from_the_work_of_controls_to_first_order():
    """Without touching the ground: the part of the change that no work explains halves with dt."""
    scene = driven().with_start("hopper", q=[9.0, 0.0, 0.4, -0.8])
    balance = [
        ph.simulate(
            scene, 0.2, dt=dt, controls=[0.3, 0.2], integrator="moreau", record=0.02
        ).audit.energy_balance
        for dt in (2e-3, 1e-3, 5e-4)
    ]
    orders = np.log2(np.array(balance[:-1]) / balance[1:])
    assert orders == pytest.approx(1.0, abs=0.2)


def test_what_acts_in_joints_is_recorded():
    """Motors, damping and impulses add up to the change of momentum of the last step."""
    run = ph.simulate(driven(), 0.5, dt=STEP, controls=controls, integrator="moreau", record=1)
    model, k = run.model, 120
    change = (run.qd[k + 1] - run.qd[k]) / STEP
    needed = ph.inverse_dynamics(model, run.q[k], run.qd[k], change)
    forces = run.tau[k + 1] + run.tau_passive[k + 1] + run.tau_constraint[k + 1]
    np.testing.assert_allclose(forces, needed, atol=1e-9)
    assert np.abs(run.tau[k + 1]).max() > 0.1


def test_controllers_and_forces_act_in_every_step():
    """A force that carries the weight, and a controller against a start velocity."""
    scene = ph.Scene("ball").add_body("ball", Sphere(0.1), mass=2.0, position=(0.3, 0.2, 1.0))
    times = []

    def forces(t, simulator):
        times.append(t)
        q = simulator.state_of("ball")[0]
        return {("ball", "ball"): [*np.cross(q[:3], [0, 0, 2.0 * G]), 0, 0, 2.0 * G]}

    def controller(t, state):
        return [1.0, *[0.0] * 5]

    run = ph.simulate(scene, 0.1, dt=1e-3, forces=forces, controller=controller,
                      integrator="moreau")  # fmt: skip
    np.testing.assert_allclose(run.q[-1, 1:3], [0.2, 1.0], atol=1e-12)
    assert run.qd[-1, 0] == pytest.approx(0.05, rel=1e-9)
    assert times == pytest.approx(np.arange(100) * 1e-3)


def test_pushes_are_held():
    scene = ph.Scene("ball").add_body("ball", Sphere(0.1), mass=2.0, position=(0, 0, 1.0))
    sim = ph.Simulator(scene, integrator="moreau")
    sim.push("ball", "ball", [0, 0, 0, 0, 0, 2.0 * G])
    sim.advance(1e-3, 100)
    assert np.abs(sim.state[1]).max() < 1e-12


def test_without_contact_bodies_pass():
    run = ph.simulate(box(), 0.5, dt=1e-3, integrator="moreau", contact="none")
    assert run.q[-1, 2] < -1.0


def test_starts_are_looked_at_as_by_event_driven_steps():
    deep = ph.Scene("deep").add_fixed("floor", Plane()).contact()
    deep = deep.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.05))
    with pytest.raises(StartError, match="overlap by"):
        ph.simulate(deep, 0.1, integrator="moreau")
    with pytest.warns(StartWarning, match="settled"):
        run = ph.simulate(deep, 0.1, integrator="moreau", start="settle")
    assert run.q[-1, 2] == pytest.approx(0.1, abs=1e-5)


def test_what_it_does_not_have_is_refused():
    with pytest.raises(ModelError, match="'moreau' has no filters of contacts"):
        ph.simulate(box(), 0.1, integrator="moreau", contact_filter=lambda t, c: None)
    plugged = box().add_plugin("wind", "forces", lambda t, simulator: {})
    with pytest.raises(ModelError, match="'moreau' has no plug-ins"):
        ph.simulate(plugged, 0.1, integrator="moreau")
    with pytest.raises(ValueError, match="contact"):
        ph.simulate(box(), 0.1, integrator="moreau", contact="convex")


def test_a_motion_that_is_not_finite_is_said():
    """A motor whose gain feeds its own speed."""
    law = ForceLaw(bias=Affine(per_velocity=1e9))
    scene = leg().add_actuator(Actuator("hip", JointTransmission("hopper/thigh"), law))
    sim = ph.Simulator(scene, integrator="moreau")
    with pytest.raises(SimulationError, match="not finite any more"):
        sim.advance(STEP, 500)
    assert np.isfinite(sim.state).all()


def test_rollouts_move_side_by_side_where_they_can():
    assert ph.rollout(box(), steps=2).integrator == "moreau"
    assert ph.rollout(box(), steps=2, contact="none").integrator == "moreau"
    assert ph.rollout(box(), steps=2, contact="convex").integrator == "event_driven"
    sticky = box().contact(mu_coulomb=0.5, mu_static=0.6)
    with pytest.warns(ph.ModelWarning, match="one by one.*'moreau' has no mu_static"):
        assert ph.rollout(sticky, steps=2).integrator == "event_driven"
    assert ph.rollout(sticky, steps=2, contact="none").integrator == "moreau"
    post = box().add_fixed("post", Cylinder(0.1, 1.0), position=(1.0, 0.0, 0.0))
    told = r"no contact of Box and Cylinder \('box' and 'post', scene 'box'\)"
    with pytest.warns(ph.ModelWarning, match=told):
        assert ph.rollout(post, steps=2).integrator == "event_driven"


@pytest.mark.parametrize(
    ("shape", "n", "told"),
    [
        (Sphere(0.1), 13, "is slower where 13 bodies may touch, more than 12"),
        (Box((0.2, 0.2, 0.2)), 10, "has no 360 points between bodies by themselves, more than 300"),
    ],
)
def test_many_bodies_move_one_by_one(shape, n, told):
    scene = ph.Scene("pile").add_fixed("floor", Plane()).contact(mu_coulomb=0.5)
    for k in range(n):
        scene = scene.add_body(f"b{k}", shape, mass=1.0, position=(0, 0, 0.1 + 0.21 * k))
    with pytest.warns(ph.ModelWarning, match=f"one by one.*'moreau' {told}"):
        assert ph.rollout(scene, steps=2).integrator == "event_driven"
    apart = scene
    for k in range(n):
        for m in range(k):
            apart = apart.disable(f"b{k}", f"b{m}")
    assert ph.rollout(apart, steps=1).integrator == "moreau"


def test_worlds_are_moved_out_of_overlaps():
    q = np.tile(box().q0, (3, 1))
    q[1, 2] = 0.02
    with pytest.raises(StartError, match=r"overlap by 0.03 m \(worst of 1 of 3 worlds\)"):
        ph.rollout(box(), q=q, steps=10)
    with pytest.warns(StartWarning, match="world 1: settled"):
        ends = ph.rollout(box(), q=q, steps=10, start="settle")
    assert ends.q[0, 1, 2] == pytest.approx(0.05, abs=1e-6)
    assert ends.q[0, 0, 2] == q[0, 2]
    assert ends.penetration.max() < 1e-6
    q[2] = q[1]
    with pytest.warns(StartWarning, match="world 1: settled .*and in 1 more worlds"):
        alike = ph.rollout(box(), q=q, steps=10, start="settle")
    assert np.array_equal(alike.q[:, 2], ends.q[:, 1])
    q[2] = q[0]
    kept = ph.rollout(box(), q=q, steps=10, start="keep")
    assert kept.penetration == pytest.approx([0.0, 0.03, 0.0], abs=1e-9)


@pytest.mark.parametrize("count", [1, 20])
def test_the_simulator_shows_the_state_of_the_world(count):
    """Of a machine and of a free body whose centre of mass is beside its origin."""
    block = np.diag([0.02, 0.01, 0.03])
    model = ph.Model("box").add("block", joint=FloatingBase(), mass=2.0, com=(0.05, -0.02, 0.01),
                                inertia=block)  # fmt: skip
    scene = driven().add_machine(model, "box", q=[3, 0, 1, 0, 0, 0, 1], qd=[2, -1, 0.5, 1, 0.5, 0])
    sim = ph.Simulator(scene, dt=STEP, integrator="moreau")
    sim.advance(STEP, count)
    state = sim._integrator.world.state
    shown = from_model(sim._plan, state["q"], state["qd"])
    for found, wanted in zip((sim._fields.position, sim._fields.velocity), shown, strict=True):
        assert np.abs(found - wanted).max() < 1e-14 and np.abs(found).max() > 1.0
