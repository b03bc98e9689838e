"""Machines that turn fast, and those whose axes fall together."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.model import Euler, FloatingBase, Revolute, Spherical
from polhode.model.shapes import Heightmap
from polhode.spatial import Transform

ENERGY = 1e-3  # share of the energy that two seconds of steps of 1e-8 may miss
LINKS = {
    "hinges": (Revolute.y(),),
    "crossed": (Revolute.x(), Revolute.y()),
    "balls": (Spherical(),),
}


def chain(kind: str, count: int = 4) -> ph.Model:
    link = {"mass": 1.0, "com": (0, 0, -0.15), "inertia": (0.01, 0.01, 0.003)}
    model = ph.Model("chain").add("link0", joint=FloatingBase(), **link)
    for k in range(1, count):
        joint = LINKS[kind][k % len(LINKS[kind])]
        model = model.append(
            f"link{k}", joint=joint, frame=Transform.translation(0, 0, -0.3), **link
        )
    return model


def thrown(model: ph.Model, rate: float, gravity=(0.0, 0.0, 0.0)) -> ph.Scene:
    """A machine in space, each joint at a random place and rate, its base at rest."""
    rng = np.random.default_rng(0)
    q = ph.random_configuration(model, rng)
    qd = rate * rng.normal(size=model.nv)
    qd[:3] = 0.0
    return ph.Scene("space", gravity=gravity).add_machine(model, "chain", q=tuple(q), qd=tuple(qd))


def energies(simulator: ph.TimeSteppingSimulator, duration: float, dt: float) -> np.ndarray:
    out = []
    while simulator.current_time < duration - 1e-9:
        out.append(float(np.sum(ph.energy(simulator.scene.model, *simulator.state))))
        simulator.advance(dt, 20)
    return np.array(out)


@pytest.mark.parametrize("kind", list(LINKS))
@pytest.mark.parametrize("rate", [10.0, 100.0, 1000.0])
def test_a_chain_in_space_keeps_energy_and_momentum(kind, rate):
    """Four links at up to some thousand radians a second, in steps of a millisecond."""
    scene = thrown(chain(kind), rate)
    simulator = ph.TimeSteppingSimulator(scene, dt=1e-3)
    before = ph.momentum(scene.model, *simulator.state)
    energy = energies(simulator, 0.5, 1e-3)
    assert np.abs(energy / energy[0] - 1.0).max() < ENERGY
    after = ph.momentum(scene.model, *simulator.state)
    assert np.abs(after - before).max() < ENERGY * np.abs(before).max()
    assert simulator.report["capped_steps"] == 0


def test_a_slow_chain_in_space_loses_nothing_but_rounding():
    """At such rates the classical method of Runge and Kutta is exact to rounding."""
    scene = thrown(chain("crossed"), 0.2)
    simulator = ph.TimeSteppingSimulator(scene, dt=1e-3)
    before = ph.momentum(scene.model, *simulator.state)
    energy = energies(simulator, 1.0, 1e-3)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-12
    after = ph.momentum(scene.model, *simulator.state)
    assert np.abs(after - before).max() < 1e-12 * np.abs(before).max()


def test_a_fast_chain_moves_as_the_smooth_solvers_say():
    """The flow of a fast machine against SciPy's, while the chain is not yet beyond prediction."""
    scene = thrown(chain("crossed", 3), 40.0, gravity=(0, 0, -9.81))
    ours, theirs = ph.TimeSteppingSimulator(scene, dt=1e-3), None
    ours.advance(1e-3, 100)
    theirs = ph.Simulator(scene, integrator="DOP853", rtol=1e-10, atol=1e-12)
    theirs.advance_to(0.1)
    for a, b in zip(ours.state, theirs.state, strict=True):
        assert np.abs(a - b).max() < 1e-3 * np.abs(b).max()


@pytest.mark.parametrize("rate", [1e4, 1e6])
def test_beyond_all_steps_energy_only_falls(rate):
    """Rates that no number of steps follows are braked, counted, and never grow."""
    simulator = ph.TimeSteppingSimulator(thrown(chain("balls", 6), rate), dt=1e-2)
    energy = energies(simulator, 1.0, 1e-2)
    assert np.isfinite(energy).all()
    assert energy.max() <= energy[0] * (1.0 + ENERGY)
    assert simulator.report["capped_steps"] > 0


@pytest.mark.parametrize("rate", [5e3, 1e6])
def test_a_wheel_keeps_its_speed(rate):
    """A flywheel and a top turn at a constant rate however fast: nothing bends their way."""
    wheel = ph.Model("wheel").add("wheel", joint=Revolute.z(), mass=1.0, inertia=(1, 1, 2.0))
    top = ph.Model("top").add("top", joint=FloatingBase(), mass=1.0, inertia=(1, 1, 2.0))
    pair = ph.Model("pair").add("frame", joint=Revolute.z(), mass=1.0, inertia=(1, 1, 1)).add(
        "rotor", parent="frame", joint=Revolute.z(), mass=1.0, inertia=(0.1, 0.1, 0.2)
    )  # fmt: skip
    scene = ph.Scene("wheels").add_machine(wheel, "wheel", qd=[rate])
    scene = scene.add_machine(top, "top", qd=[0, 0, 0, 0, 0, rate])
    scene = scene.add_machine(pair, "pair", qd=[0.0, rate])
    simulator = ph.TimeSteppingSimulator(scene, dt=1e-3)
    simulator.advance(1e-3, 100)
    assert simulator.state_of("wheel")[1][0] == rate
    assert simulator.state_of("top")[1][5] == pytest.approx(rate, rel=1e-12)
    assert simulator.state_of("pair")[1] == pytest.approx([0.0, rate], abs=1e-9 * rate)
    assert simulator.report["capped_steps"] == 0


def test_a_gyroscope_precesses_at_its_rate():
    """A fast wheel on an arm under gravity, in gimbals: the mean precession is m g l / (J w)."""
    rate, mass, arm, spin = 3e3, 1.0, 0.2, 0.02
    model = ph.Model("gyro").add("yoke", joint=Revolute.z(), mass=0.0, inertia=(0, 0, 1e-3))
    model = model.add("arm", parent="yoke", joint=Revolute.y(), mass=0.0, inertia=(0, 1e-3, 0))
    model = model.add("wheel", parent="arm", frame=Transform.translation(arm, 0, 0),
                      joint=Revolute.x(), mass=mass, inertia=(spin, 0.01, 0.01))  # fmt: skip
    scene = ph.Scene("gyro").add_machine(model, "gyro", qd=[0.0, 0.0, rate])
    simulator = ph.TimeSteppingSimulator(scene, dt=1e-3)
    simulator.advance(1e-3, 2000)
    q, qd = simulator.state
    assert q[0] / 2.0 == pytest.approx(mass * 9.81 * arm / (spin * rate), rel=1e-2)
    assert abs(q[1]) < 1e-2
    assert qd[2] == pytest.approx(rate, rel=1e-5)


@pytest.mark.parametrize("start", [0.5 * np.pi, 0.5 * np.pi - 1e-9, 1.0])
def test_axes_that_fall_together_do_no_harm(start):
    """A pendulum on three turns, two of whose axes are one: it swings on and keeps its energy."""
    model = ph.Model("limb").add(
        "limb", joint=Euler("YXZ"), mass=2.0, com=(0, 0, -0.3), inertia=(0.05, 0.06, 0.01)
    )
    scene = ph.Scene("limb").add_machine(model, "limb", q=[0.2, start, 0.1], qd=[0.3, 2.0, 0.0])
    simulator = ph.TimeSteppingSimulator(scene, dt=1e-3)
    energy = energies(simulator, 1.0, 1e-3)
    assert np.isfinite(energy).all()
    assert np.abs(energy - energy[0]).max() < 1e-2 * 2.0 * 9.81 * 0.3


def walker() -> ph.Scene:
    """The walker that is shipped, limp and in a heap in the air, over hills."""
    from models import example

    model = example("walker.lua")
    q = np.array(ph.random_configuration(model, np.random.default_rng(1)))
    q[:3] = 0.0, 0.0, 1.78
    x = np.linspace(-4.0, 4.0, 41)
    hills = 0.3 * np.sin(3.0 * x[:, None]) * np.cos(2.0 * x[None, :])
    shapes = [(link.name, v.shape, v.frame) for link in model.links for v in link.visuals]
    scene = ph.Scene("walker").add_fixed("hills", Heightmap(tuple(map(tuple, hills)), (8.0, 8.0)))
    scene = scene.contact(mu_coulomb=0.8, restitution=0.5)
    return scene.add_machine(model, "walker", q=tuple(q), geometries=shapes)


@pytest.mark.filterwarnings("ignore::polhode.simulation.StartWarning")
def test_the_walker_falls_on_hills():
    """Its limbs start in one another, and pass where the axes of hips and shoulders meet."""
    simulator = ph.TimeSteppingSimulator(walker(), dt=5e-3, start="keep")
    simulator.advance(5e-3, 100)
    q, qd = simulator.state
    assert np.isfinite(q).all()
    assert np.isfinite(qd).all()
    assert simulator.report["capped_steps"] == 0


@pytest.mark.parametrize("boost", [30.0, 600.0])
def test_a_moving_observer_sees_the_same_motion(boost):
    """A free trunk with an arm that a spring pulls: how fast both travel changes nothing else."""
    model = ph.Model("arm").add("trunk", joint=FloatingBase(), mass=5.0, inertia=(0.2, 0.3, 0.4))
    model = model.add("link", parent="trunk", joint=Revolute.y(), mass=1.0, com=(0.2, 0, 0),
                      inertia=(0.01, 0.02, 0.02), frame=Transform.translation(0.3, 0, 0),
                      stiffness=20.0, rest=1.0)  # fmt: skip
    ends = []
    for speed in (0.0, boost):
        scene = ph.Scene("space").add_machine(
            model, "arm", qd=[speed, 0.0, 0.0, 0.3, 0.5, 0.7, 1.0]
        )  # fmt: skip
        simulator = ph.TimeSteppingSimulator(scene, dt=1e-3)
        simulator.advance(1e-3, 200)
        q, qd = simulator.state
        ends.append(np.concatenate([q[1:], [qd[0] - speed], qd[1:]]))
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-13 * boost, rtol=0)
