"""Laws of a simulation with contact: what is kept, what may only fall, what may not differ."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from contact.stepping_scenes import four_bar, pendulum, pile
from polhode.model.joints import Revolute
from polhode.model.shapes import Box, Plane, Sphere
from polhode.scene import JointSettings, Scene

SOLVED = 1e-8  # what the contact solver promises, relative to the speeds


def run(scene, duration=1.0, **options):
    return ph.simulate(scene, duration, progress=False, **options)


@pytest.mark.parametrize("seed", range(4))
def test_energy_falls_and_nothing_sinks(seed):
    """Piles lose energy, do not sink, and every contact problem is solved."""
    recording = run(pile(seed, restitution=(0.0, 0.3, 0.6, 1.0)[seed]), 1.5)
    audit = recording.audit
    assert audit.energy_rise < 2e-4 * audit.energy_scale
    assert audit.unconverged == 0
    assert audit.residual <= SOLVED
    assert audit.penetration < 2e-3


def test_rest_is_kept():
    """Boxes that came to rest on each other stay there: they do not drift as fast as laws allow."""
    scene = Scene("tower").add_fixed("ground", Plane()).contact(mu_coulomb=0.5)
    for k in range(3):
        scene = scene.add_body(f"box{k}", Box((1, 1, 1)), position=(0.05 * k, 0, 0.5 + k), mass=1)
    h = 1e-3
    simulator = ph.Simulator(scene, dt=h)
    simulator.advance(h, 300)
    drift = 0.0
    for _ in range(100):
        simulator.step(h)
        drift = max(drift, np.abs(simulator.state[1]).max())
    assert drift < 1e-2 * SOLVED * 9.81 * h


def test_momentum_is_kept():
    """Bodies that collide in free space keep their momenta."""
    rng = np.random.default_rng(3)
    scene = Scene("space", gravity=(0, 0, 0)).contact(restitution=0.7, mu_coulomb=0.4)
    for k in range(6):
        place = 0.6 * rng.normal(size=3) + (1.2 * (k % 3), 1.2 * (k // 3), 0)
        scene = scene.add_body(
            f"body{k}", Box((0.4, 0.5, 0.6)) if k % 2 else Sphere(0.3), mass=1.0 + k,
            position=tuple(place), velocity=tuple(-2.0 * place), spin=tuple(rng.normal(size=3)),
        )  # fmt: skip
    recording = run(scene, 1.0)
    assert recording.report["impacts"] > 0
    total = ph.momentum(recording.model, recording.q, recording.qd)
    assert np.abs(total[-1] - total[0]).max() < 1e-7 * np.abs(total).max() + 1e-4
    assert np.abs(total[-1, 3:] - total[0, 3:]).max() < 1e-9


def test_friction_opposes_slip():
    """Where something slips, the force lies on the cone and against the slip."""
    scene = Scene("slide").add_fixed("ground", Plane()).contact(mu_coulomb=0.3)
    scene = scene.add_body(
        "box", Box((1, 1, 0.5)), position=(0, 0, 0.25), velocity=(2, 1, 0), mass=3.0
    )
    recording = run(scene, 0.3)
    _, qd = recording.of("box")
    for k in (5, 15, 25):
        force = sum(c.force if c.a == "box" else -c.force for c in recording.contacts(k))
        assert force[2] == pytest.approx(3.0 * 9.81, rel=1e-6)
        speed = np.linalg.norm(qd[k, :2])
        assert force[:2] == pytest.approx(-0.3 * force[2] * qd[k, :2] / speed, rel=1e-5)


def test_same_bits_twice_and_in_parts():
    """The same scene gives the same bits, also in pieces and after a checkpoint."""
    scene = pile(7, restitution=0.5)
    whole = ph.TimeSteppingSimulator(scene)
    whole.advance(1e-3, 600)
    parts = ph.TimeSteppingSimulator(scene)
    for count in (1, 99, 200):
        parts.advance(1e-3, count)
    kept = parts.checkpoint()
    resumed = ph.TimeSteppingSimulator(scene)
    resumed.restore(kept)
    resumed.advance(1e-3, 300)
    for a, b in zip(whole.state, resumed.state, strict=True):
        assert a.tobytes() == b.tobytes()
    assert whole.current_time == resumed.current_time


def test_callables_that_do_nothing_change_no_bit():
    """A controller of zeros, no forces and a filter that keeps all: the same bits."""
    scene = pile(5)
    plain, called = ph.TimeSteppingSimulator(scene), ph.TimeSteppingSimulator(
        scene,
        controllers={"body0": lambda t, state: np.zeros(6)},
        forces=lambda t, simulator: {},
        contact_filter=lambda t, contacts: np.ones(len(contacts), bool),
    )  # fmt: skip
    for simulator in (plain, called):
        simulator.advance(1e-3, 400)
    for a, b in zip(plain.state, called.state, strict=True):
        assert a.tobytes() == b.tobytes()


def test_callables_act_and_their_errors_arrive():
    """A force lifts, a filter lets through, an error of a callable is raised unchanged."""
    scene = Scene("one").add_fixed("ground", Plane()).contact()
    scene = scene.add_body("ball", Sphere(0.5), position=(0, 0, 0.5), mass=2.0)
    lift = run(scene, 1.0, forces=lambda t, s: {("ball", "ball"): (0, 0, 0, 0, 0, 2 * 9.81 + 4)})
    assert lift.of("ball")[0][-1, 2] == pytest.approx(1.5, rel=1e-9)
    through = run(scene, 0.5, contact_filter=lambda t, c: np.zeros(len(c), bool))
    assert through.of("ball")[0][-1, 2] == pytest.approx(0.5 - 0.5 * 9.81 * 0.25, rel=1e-9)

    def fails(t, state):
        raise LookupError("no plan")

    with pytest.raises(LookupError, match="no plan"):
        run(scene, 0.1, controllers={"ball": fails})


def test_order_of_bodies_does_not_matter():
    """The same bodies named in another order move the same, to what the solver promises."""
    orders = (None, [3, 0, 4, 2, 1])
    first, second = (run(pile(2, restitution=0.0, order=order), 0.3) for order in orders)
    for k in range(5):
        a, b = (recording.of(f"body{k}")[0][-1] for recording in (first, second))
        assert a == pytest.approx(b, abs=1e-5)


def test_limits_hold_and_rebound():
    """A swinging pair of bars stays within its limits and only loses energy."""
    recording = run(pendulum(), 3.0)
    q = recording.of("bars")[0][:, 0]
    assert q.min() > -0.7 - 1e-5
    assert q.max() < 0.9 + 1e-5
    turned = 1e-3 * np.abs(recording.of("bars")[1]).max()  # in one step; the order is two
    assert recording.audit.energy_rise < turned**2 * recording.audit.energy_scale
    assert recording.report["impacts"] > 0


def test_dry_and_viscous_friction_of_a_joint():
    """A flywheel: dry friction stops it after I w / tau, viscous friction decays."""
    wheel = ph.Model("wheel").add("wheel", joint=Revolute.z(), mass=1.0, inertia=(1, 1, 2.0))
    dry = Scene("dry").add_machine(
        wheel, "wheel", qd=[3.0], joint_settings=[JointSettings("wheel", coulomb_friction=4.0)]
    )
    qd = run(dry, 2.0, record=1).of("wheel")[1][:, 0]
    assert qd[1000] == pytest.approx(1.0, rel=1e-6)
    assert abs(qd[1600:]).max() < 1e-9
    slow = Scene("slow").add_machine(
        wheel, "wheel", qd=[3.0], joint_settings=[JointSettings("wheel", viscous_friction=4.0)]
    )
    assert run(slow, 1.0).of("wheel")[1][-1, 0] == pytest.approx(3.0 * math.exp(-2.0), rel=1e-6)


def test_four_bar_moves_as_one_freedom():
    """A parallelogram linkage: its equation of motion, and its loop closed to 1e-8."""
    recording = run(four_bar(), 1.0)
    q = recording.of("bars")[0]
    assert recording.audit.loop_error < 1e-8
    assert q[:, 1] == pytest.approx(-q[:, 0], abs=1e-7)
    assert q[:, 2] == pytest.approx(q[:, 0], abs=1e-7)
    swing = solve_ivp(
        lambda t, y: (y[1], -22.0725 * math.sin(y[0])), (0, 1), (0.6, 0), rtol=1e-10, atol=1e-12
    )
    assert q[-1, 0] == pytest.approx(swing.y[0, -1], abs=1e-4)


def test_a_motion_that_blows_up_says_so():
    """Infinite forces end the run with an error that names the time, and keep the records."""
    scene = Scene("one").add_body("ball", Sphere(0.5), mass=2.0)
    forces = lambda t, s: {("ball", "ball"): (0, 0, 0, math.inf if t > 0.2 else 0.0, 0, 0)}  # noqa: E731
    with pytest.raises(ph.simulation.SimulationError, match="not finite") as caught:
        run(scene, 1.0, forces=forces)
    assert 0.1 < caught.value.recording.times[-1] < 0.3
