"""Which of many impulses: grips hold, symmetric tables stay, and the past does not matter."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from contact.solver_problems import flat, run, tower, violation
from polhode import contact_problem as c
from polhode.model import Box, FloatingBase, Model, Plane, Prismatic
from polhode.spatial import Transform

G = 9.81
MU = 0.5


def held_box(squeeze: float) -> tuple[ph.Scene, dict]:
    """A box of 1 kg between two flat pads, pressed with ``squeeze`` times what friction needs."""
    pad = Box((0.02, 0.05, 0.05))
    hand = Model("hand")
    for name, x in (("left", -0.06), ("right", 0.06)):
        frame = Transform.translation(x, 0, 0)
        hand = hand.add(name, joint=Prismatic.x(), frame=frame, mass=0.2, inertia=(1e-4,) * 3)
    pads = [(name, pad, Transform.identity()) for name in ("left", "right")]
    scene = ph.Scene().add_machine(hand, "hand", geometries=pads)
    scene = scene.add_body("box", Box((0.1, 0.1, 0.1)), mass=1.0).contact(mu_coulomb=MU)
    force = squeeze * G / (2 * MU)
    return scene, {"hand": lambda t, state: np.array([force, -force])}


@pytest.mark.parametrize("integrator", ["event_driven", "moreau"])
@pytest.mark.parametrize("dt", [2.5e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("squeeze", [1.001, 1.02, 1.5, 2.0, 4.0])
def test_a_grip_holds_where_it_can(squeeze, dt, integrator):
    """Impulses that slip obey the laws, too; those that stick are wanted."""
    scene, controllers = held_box(squeeze)
    motion = ph.simulate(scene, 0.5, dt=dt, controllers=controllers, integrator=integrator)
    assert np.abs(motion.of("box")[0][-1, :6]).max() < 1e-6


@pytest.mark.parametrize("squeeze", [1.02, 2.0])
def test_a_grip_holds_beside_other_bodies(squeeze):
    """Steps of Moreau with more than sixteen velocities begin in another way."""
    scene, controllers = held_box(squeeze)
    scene = scene.add_fixed("ground", Plane(), position=(0, 0, -1))
    for k in (1, 2):
        place = (k, 0, -0.9)
        scene = scene.add_body(f"other {k}", Box((0.2, 0.2, 0.2)), mass=1.0, position=place)
    motion = ph.simulate(scene, 0.5, dt=1e-3, controllers=controllers, integrator="moreau")
    assert np.abs(motion.of("box")[0][-1, :6]).max() < 1e-6


@pytest.mark.parametrize("integrator", ["event_driven", "moreau"])
def test_a_grip_that_is_too_weak_slips(integrator):
    """With 0.99 of the force the box falls at a hundredth of gravity."""
    scene, controllers = held_box(0.99)
    motion = ph.simulate(scene, 0.5, dt=1e-3, controllers=controllers, integrator=integrator)
    assert motion.of("box")[0][-1, 2] == pytest.approx(-0.5 * 0.01 * G * 0.5**2, rel=0.01)


@pytest.mark.parametrize("dt", [1e-2, 1e-3])
def test_a_symmetric_table_spins_on_the_spot(dt):
    """Sixteen points under four feet: weight that is shared unevenly would drag it away."""
    feet = [Transform.translation(x, y, 0) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    inertia = (0.03, 0.03, 0.025)
    table = Model("table").add("table", joint=FloatingBase(), mass=0.14, inertia=inertia)
    scene = ph.Scene().add_fixed("ground", Plane()).contact(mu_coulomb=0.01)
    scene = scene.add_machine(
        table, "table", q=(0, 0, 0.5, 0, 0, 0, 1), qd=(0, 0, 0, 0, 0, 1.0),
        geometries=[("table", Box((0.1, 0.1, 1.0)), foot) for foot in feet],
    )  # fmt: skip
    motion = ph.simulate(scene, 8.0, dt=dt)
    assert np.hypot(*motion.of("table")[0][-1, :2]) < 1e-6


def redundant_problems():
    """Boxes and towers that land at random: more contacts than are needed to bear them."""
    rng = np.random.default_rng(3)
    for mu in (0.1, 0.5, 1.0):
        for count in (4, 6, 16):
            yield flat(rng, count, mu=mu)
        for count in (1, 2, 4):
            yield tower(rng, count, mu=mu)
            yield tower(rng, count, mu=mu, speed=0.01)


def test_impulses_are_the_same_cold_and_warm():
    """From nothing, from a disturbed solution and from anything: to a millionth."""
    settings, rng = c.solver_settings(), np.random.default_rng(7)
    for rows in redundant_problems():
        x, v, report = run(rows, settings)
        assert report.unconverged == 0 and violation(rows, x, v) < 1e-7
        scale = max(np.abs(x).max(), 1e-6)
        for start in (x + 0.01 * scale * rng.normal(size=x.size), scale * rng.normal(size=x.size)):
            assert np.abs(run(rows, settings, start)[0] - x).max() < 1e-6 * scale


def test_impulses_follow_the_data():
    """Free velocities changed by a billionth change no impulse by a ten-thousandth."""
    settings, rng = c.solver_settings(), np.random.default_rng(8)
    for rows in redundant_problems():
        x, _, _ = run(rows, settings)
        near = rows._replace(free=rows.free * (1 + 1e-9 * rng.normal(size=rows.free.size)))
        scale = max(np.abs(x).max(), 1e-6)
        assert np.abs(run(near, settings)[0] - x).max() < 1e-4 * scale


def test_a_box_that_sticks_has_the_impulses_of_least_norm():
    """A box pressed to the floor: its pseudo-inverse has them, and bears it evenly."""
    rng = np.random.default_rng(0)
    rows = tower(rng, 1, masses=[1.0], mu=0.5)
    rows = rows._replace(free=np.array([0.01, 0, -0.1, 0, 0, 0]))
    x, v, _ = run(rows, c.solver_settings(), rng.normal(size=12))
    J = rows.jacobian.reshape(12, 6)
    momentum = rows.mass.reshape(6, 6) @ (v - rows.free)
    assert np.abs(v).max() < 1e-8
    assert np.abs(x - np.linalg.pinv(J.T) @ momentum).max() < 1e-6


def test_a_tower_at_rest_keeps_its_impulses():
    """What was solved before is accepted, from the second step on, though rounding changes it."""
    rng = np.random.default_rng(0)
    rows = tower(rng, 50, masses=np.ones(50), mu=0.5)
    rows = rows._replace(free=np.tile([0, 0, -G * 1e-3, 0, 0, 0], 50))
    settings = c.solver_settings()
    x, _, report = run(rows, settings)
    assert report.stage == 0 and report.unconverged == 0
    near = rows._replace(free=rows.free + 1e-14 * rng.normal(size=rows.free.size))
    _, _, report = run(near, settings, x)
    assert report.sweeps == 0 and report.newton_steps == 0


def sliding_tower(count: int, qd: tuple[float, ...]):
    """Boxes of the same mass that slide together, under their weight for a millisecond."""
    rows = tower(np.random.default_rng(0), count, masses=np.ones(count), mu=0.5)
    return rows._replace(free=np.tile([*qd, -G * 1e-3, 0, 0, 0], count))


@pytest.mark.parametrize(("count", "spin"), [(1, 0.0), (1, 0.5), (10, 0.0)])
def test_contacts_that_slide_on_need_one_matrix(count, spin):
    """Those of the step before say what they do; the impulses are those of a cold start."""
    rows, settings = sliding_tower(count, (1.0, 0.0)), c.solver_settings()
    rows.free[5::6] = spin
    x, _, _ = run(rows, settings)
    near = rows._replace(free=rows.free * (1 + 1e-3 * np.resize([1.0, 0.0, 0.5], 6 * count)))
    cold, _, first = run(near, settings)
    warm, v, report = run(near, settings, x)
    assert report.unconverged == 0 and violation(near, warm, v) < 1e-7
    assert report.newton_steps <= 2 < first.newton_steps and report.sweeps == 0
    assert np.abs(warm - cold).max() < 1e-6 * np.abs(cold).max()
