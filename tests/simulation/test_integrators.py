"""One signature for all integrators: what each of them promises, and how to add one."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from contact.stepping_scenes import four_bar
from polhode.model import FloatingBase, Plane, Revolute, Sphere
from polhode.scene import Scene
from polhode.simulation.drive import Drive
from polhode.simulation.integrators import FIXED_STEP, integrator_names
from polhode.simulation.integrators.adaptive import Adaptive
from polhode.simulation.motion_state import MotionState
from polhode.simulation.stepping.checkpointing import state_of


def swing() -> ph.Model:
    """A tumbling body with a pendulum."""
    body = ph.Model("swing").add("body", joint=FloatingBase(), mass=2.0, com=(0.1, 0, 0.05),
                                 inertia=(0.2, 0.3, 0.4))  # fmt: skip
    return body.add("arm", parent="body", joint=Revolute.x(), mass=0.5, com=(0, 0, -0.4),
                    inertia=(0.02, 0.02, 0.001), damping=0.1)  # fmt: skip


QD = [0.1, -0.2, 0.3, 0.5, 2.0, -1.0, 0.4]


def simulator(integrator: str, scene: Scene | None = None) -> ph.Simulator:
    scene = Scene.of(swing(), qd=QD) if scene is None else scene
    return ph.Simulator(scene, integrator=integrator, dt=2e-3)


def same(a: MotionState, b: MotionState) -> bool:
    """Whether two states are equal to the bit, with all that they carry."""
    arrays = zip(a[:4], b[:4], strict=True)
    carried = a.carried.keys() == b.carried.keys() and all(
        np.array_equal(x, b.carried[name]) for name, x in a.carried.items()
    )
    return carried and all(np.array_equal(x, y) for x, y in arrays)


@pytest.mark.parametrize("integrator", integrator_names())
def test_a_step_is_a_function_of_state_and_length(integrator):
    """The state that is given stays as it is, and leads to the same bits again."""
    owner = simulator(integrator)
    owner.step(2e-3)
    start = state_of(owner)
    before = start._replace(q=start.q.copy(), qd=start.qd.copy(),
                            carried={k: x.copy() for k, x in start.carried.items()})  # fmt: skip
    first = owner._integrator.step(start, 2e-3)
    assert same(start, before) and not np.array_equal(first.q, start.q)
    assert first.time == pytest.approx(start.time + 2e-3, rel=1e-12)
    owner.advance(5e-3, 7)
    assert same(owner._integrator.step(start, 2e-3), first)


def of_model(integrator: str, worlds: tuple[int, ...], rng):
    """An integrator of worlds of a model, pushed by a controller."""
    drive = Drive(swing(), lambda t, state: -0.3 * state.qd, None, rng, worlds)
    if integrator in FIXED_STEP:
        return FIXED_STEP[integrator](drive)
    return Adaptive(drive, integrator, 1e-8, 1e-10, 1.0)


@pytest.mark.parametrize("integrator", [*FIXED_STEP, "DOP853"])
def test_steps_of_models_follow_the_same_protocol(integrator, rng):
    """Of worlds side by side, or of one for solvers."""
    worlds = (3,) if integrator in FIXED_STEP else ()
    qd = np.array(QD) + 0.1 * rng.standard_normal((*worlds, 7))
    q = np.broadcast_to(ph.neutral(swing()), (*worlds, 8)).copy()
    start = MotionState(0.5, q, qd, np.zeros(worlds))
    before = MotionState(0.5, q.copy(), qd.copy(), np.zeros(worlds))
    method = of_model(integrator, worlds, rng)
    first = method.step(start, 0.01)
    assert same(start, before) and first.time == 0.51
    method.step(first, 0.02)
    assert same(method.step(start, 0.01), first)
    energy = ph.energy(swing(), first.q, first.qd), ph.energy(swing(), q, qd)
    gain = energy[0].kinetic + energy[0].potential - energy[1].kinetic - energy[1].potential
    assert (first.work < 0.0).all()
    assert first.work == pytest.approx(gain, rel=1e-3)


@pytest.mark.parametrize("integrator", ["event_driven", *FIXED_STEP, "DOP853"])
def test_work_is_part_of_the_state(integrator):
    """A run that goes on from a checkpoint goes on with its work."""
    owner = simulator(integrator)
    owner.advance(2e-3, 20)
    saved = owner.checkpoint()
    ends = [owner.advance(2e-3, 20, 20).rows.work[-1]]
    owner.restore(saved)
    ends.append(owner.advance(2e-3, 20, 20).rows.work[-1])
    assert ends[0] == ends[1] < state_of(owner)._replace(work=0.0).work


def test_a_state_made_by_hand_is_where_the_simulator_goes_on():
    """Time, positions and velocities; what is near is looked for."""
    scene = Scene("drop").add_fixed("ground", Plane()).contact(restitution=0.5)
    scene = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 1))
    made = MotionState(2.0, np.array([0, 0, 0.1, 0, 0, 0, 1.0]), np.array([0, 0, -1.0, 0, 0, 0]), 3)
    after = simulator("event_driven", scene)._integrator.step(made, 1e-3)
    assert after.time == pytest.approx(2.001) and after.work == 3.0
    assert after.qd[2] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("integrator", ["event_driven", *FIXED_STEP, "moby"])
def test_single_steps_are_those_of_a_run(integrator):
    """Steps one by one, from state to state, are those of one call."""
    one, many = simulator(integrator), simulator(integrator)
    state = state_of(one)
    for _ in range(10):
        state = one._integrator.step(state, 2e-3)
    many.advance(2e-3, 10)
    assert same(state, state_of(many))


def test_single_steps_with_contact_are_those_of_a_run():
    """What is near, and the impulses for the warm start, are in the state."""
    scene = Scene("heap").add_fixed("ground", Plane()).contact(mu_coulomb=0.4)
    for k in range(3):
        scene = scene.add_body(f"ball {k}", Sphere(0.1), mass=1.0,
                               position=(0.02 * k, 0, 0.1 + 0.2 * k))  # fmt: skip
    for whole in (scene, four_bar()):
        one, many = simulator("event_driven", whole), simulator("event_driven", whole)
        state, other = state_of(one), simulator("event_driven", whole)
        for k in range(40):
            # Another simulator of the scene goes on from the same value.
            state = (one, other)[k % 2]._integrator.step(state, 2e-3)
        many.advance(2e-3, 40)
        assert same(state, state_of(many))
        assert whole.loops or len(state.carried["contacts"]) > 0


class Midpoint:
    """The explicit midpoint rule."""

    order = 2

    def __init__(self, system):
        self.system = system

    def step(self, state: MotionState, h: float) -> MotionState:
        system, (t, q, qd, work, _) = self.system, state
        a = system.acceleration(t, q, qd, system.tau(t, q, qd), np.empty_like(qd))
        at, middle, v = t + 0.5 * h, ph.integrate(system.model, q, qd, 0.5 * h), qd + 0.5 * h * a
        tau = system.tau(at, middle, v)
        a = system.acceleration(at, middle, v, tau, a)
        if not system.is_free:
            work = work + h * system.power(at, middle, v, tau)
        return MotionState(t + h, ph.integrate(system.model, q, v, h), qd + h * a, work)


def test_an_integrator_is_a_class_and_an_entry(monkeypatch, rng):
    """A model, a batch and a scene move by one that is added here, of second order."""
    monkeypatch.setitem(FIXED_STEP, "midpoint", Midpoint)
    model, qd = swing(), np.array(QD)
    exact = ph.simulate(model, 0.2, qd0=qd, integrator="DOP853", rtol=1e-12, atol=1e-13)
    runs = [
        ph.simulate(model, 0.2, qd0=qd, integrator="midpoint", dt=dt, record=0.1)
        for dt in (2e-2, 1e-2, 5e-3)
    ]
    errors = np.array([np.abs(run.qd[-1] - exact.qd[-1]).max() for run in runs])
    assert np.log2(errors[:-1] / errors[1:]) == pytest.approx([2.0, 2.0], abs=0.2)

    batch = qd + 0.1 * rng.standard_normal((3, 7))
    worlds = ph.simulate(model, 0.2, qd0=batch, integrator="midpoint", dt=5e-3, record=0.1)
    for k in range(3):
        alone = ph.simulate(model, 0.2, qd0=batch[k], integrator="midpoint", dt=5e-3, record=0.1)
        assert np.array_equal(worlds.q[:, k], alone.q)
        assert np.array_equal(worlds.work[:, k], alone.work)

    scene = ph.simulate(Scene.of(model, qd=QD), 0.2, integrator="midpoint", dt=5e-3, record=0.1)
    assert scene.integrator == "midpoint"
    assert scene.q == pytest.approx(runs[-1].q, abs=1e-12)
    assert scene.work == pytest.approx(runs[-1].work, abs=1e-12)
