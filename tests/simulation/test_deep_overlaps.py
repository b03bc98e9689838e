"""Bodies that start deep in each other come apart without being flung."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.contact_problem.retries import FAILED
from polhode.model import Box, Capsule, Cylinder, Plane, Revolute, Sphere
from polhode.scene import Scene
from polhode.simulation.stepping.projection import push_apart
from polhode.simulation.stepping.step import find_near
from polhode.spatial import Transform

pytestmark = pytest.mark.filterwarnings("ignore::polhode.simulation.StartWarning")
DEPTH = 0.1
G = 9.81


def pair(shape, restitution, speed, spin):
    """Two equal bodies, a tenth of a metre in each other, that meet with ``speed``."""
    scene = Scene("pair", gravity=(0, 0, 0)).contact(restitution=restitution, mu_coulomb=1.0)
    for name, side in (("a", -1.0), ("b", 1.0)):
        scene = scene.add_body(
            name, shape, mass=2.0, position=(side * (0.5 - 0.5 * DEPTH), 0, 0),
            velocity=(-side * speed, 0, 0), spin=(0, 0, spin),
        )  # fmt: skip
    return ph.TimeSteppingSimulator(scene, dt=1e-3, start="keep")


@pytest.mark.parametrize("shape", [Sphere(0.5), Box((1.0, 1.0, 1.0))], ids=["balls", "boxes"])
@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_they_stop_each_other_and_part(shape, restitution):
    """No rebound of a blow that never was; pushed apart in place, without speed."""
    simulator = pair(shape, restitution, 1.0, 0.0)
    simulator.advance(1e-3, 300)
    (qa, va), (qb, vb) = simulator.state_of("a"), simulator.state_of("b")
    assert np.abs(va).max() < 1e-9 and np.abs(vb).max() < 1e-9
    assert qb[0] - qa[0] == pytest.approx(1.0, abs=1e-6)
    assert qa[0] + qb[0] == pytest.approx(0.0, abs=1e-9)


SHALLOW = [1e-6, 1e-3, 4.9e-3]  # deeper bodies have no friction
DEPTHS = [*SHALLOW, 5.1e-3, 0.1]
MU = 0.5


def block(depth: float, slope: float = 0.0, speed: float = 0.0, dt: float = 1e-3) -> ph.Recording:
    """A block that starts ``depth`` in a plane, which leans by ``slope``."""
    pull = (G * math.sin(slope), 0, -G * math.cos(slope))
    scene = Scene("slope", gravity=pull).add_fixed("ground", Plane()).contact(mu_coulomb=MU)
    scene = scene.add_body(
        "block", Box((1.0, 1.0, 0.5)), mass=2.0, position=(0, 0, 0.25 - depth),
        velocity=(speed, 0, 0),
    )  # fmt: skip
    return ph.simulate(scene, 1.0, dt=dt, start="keep", record=1)


@pytest.mark.parametrize("dt", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("depth", SHALLOW)
def test_friction_holds_a_block_in_shallow_overlaps(depth, dt):
    """Below the angle of friction it does not slip while it is pushed out."""
    run = block(depth, math.atan(0.9 * MU), dt=dt)
    q, qd = run.of("block")
    assert np.abs(q[:, 0]).max() < 1e-9 and np.abs(qd).max() < 1e-8
    assert q[-1, 2] == pytest.approx(0.25, abs=1e-7)


@pytest.mark.parametrize("depth", SHALLOW)
def test_a_block_slides_down_at_the_same_rate_in_shallow_overlaps(depth):
    """Above the angle of friction: g (sin - mu cos)."""
    slope = 0.6
    run = block(depth, slope)
    pull = G * (math.sin(slope) - MU * math.cos(slope))
    assert run.of("block")[0][-1, 0] == pytest.approx(0.5 * pull, rel=1e-9)
    assert run.of("block")[1][-1] == pytest.approx([pull, 0, 0, 0, 0, 0], abs=1e-9)


@pytest.mark.parametrize("dt", [1e-2, 1e-3])
@pytest.mark.parametrize("depth", SHALLOW)
def test_a_block_that_slides_stops_on_its_way(depth, dt):
    """After v^2 / (2 mu g), but for what it moves in half of the last step."""
    speed = 2.0
    run = block(depth, speed=speed, dt=dt)
    way = speed**2 / (2 * MU * G)
    assert run.of("block")[0][-1, 0] == pytest.approx(way, abs=0.5 * MU * G * dt**2)


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_energy_of_a_block_that_is_pushed_out_is_reported(depth):
    """It is lifted without speed, and what that gives it stands in the audit."""
    run = block(depth)
    lift = run.potential[-1] - run.potential[0]
    assert run.audit.push_out_energy == pytest.approx(lift, abs=1e-8)
    assert lift == pytest.approx(2.0 * G * depth, abs=2.0 * G * 1e-7)
    assert run.kinetic.max() < 1e-15
    told = f"moving bodies out of overlaps gave {run.audit.push_out_energy:.3g} J"
    assert any(told in text for text in run.audit.warnings)


def test_the_energy_of_a_machine_that_is_pushed_out_is_reported():
    """A link that the ground turns up about its hinge, by up to 0.04 rad in a step.

    The work is computed by the trapezoidal rule, whose error is a twelfth of the square of that.
    """
    lever = ph.Model("lever").add(
        "lever", joint=Revolute.y(), mass=1.5, com=(0.7, 0, 0), inertia=(0.1, 0.1, 0.1)
    )
    scene = Scene("lever").add_fixed("ground", Plane()).contact().add_machine(
        lever, "lever", q=[0.1], geometries=[("lever", Sphere(0.1), Transform.translation(1, 0, 0))]
    )  # fmt: skip
    run = ph.simulate(scene, 0.5, dt=1e-3, start="keep", record=1)
    lift = run.potential[-1] - run.potential[0]
    assert lift == pytest.approx(1.5 * G * 0.7 * (math.sin(0.1) + 0.1), rel=1e-3)
    assert run.audit.push_out_energy == pytest.approx(lift, rel=0.04**2 / 12)
    assert run.kinetic.max() < 1e-12


def energy_gained_in_each_other(shapes, seed, restitution, mu, dt=1e-3, fall=0.0):
    """The share of their kinetic energy by which that of two bodies rises, and how deep they are.

    They start near the same place, move and rotate, free of forces, or fall at ``fall``.  The
    energy is that about their centre of mass.
    """
    rng = np.random.default_rng(seed)
    scene, masses = Scene("pair", gravity=(0, 0, -fall)), []
    scene = scene.contact(restitution=restitution, mu_coulomb=mu)
    for name, shape in zip("ab", shapes, strict=True):
        masses.append(float(rng.uniform(0.5, 2.0)))
        scene = scene.add_body(
            name, shape, mass=masses[-1],
            position=rng.uniform(-0.02, 0.02, 3).tolist(), velocity=rng.normal(0, 0.3, 3).tolist(),
            spin=rng.normal(0, 5, 3).tolist(),
        )  # fmt: skip
    run = ph.simulate(scene, 0.3, dt=dt, start="keep", record=1)
    momentum = sum(m * run.of(name)[1][:, :3] for name, m in zip("ab", masses, strict=True))
    energy = run.kinetic - 0.5 * (momentum**2).sum(axis=1) / sum(masses)
    rise = (energy - np.minimum.accumulate(energy)).max()
    return rise / energy[0], run.audit.penetration


@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(8))
def test_plates_that_spin_in_each_other_gain_no_energy(seed, restitution):
    """A plate that is turned as it is pushed out would, if its angular velocity stayed.

    And velocity targets of gaps would, up to 1e-5 without restitution: impulses did work.
    """
    plates = [Box((0.6, 0.4, 0.05))] * 2
    gained, depth = energy_gained_in_each_other(plates, seed, restitution, 0.5 * (seed % 2))
    assert depth > 0.01
    assert gained < 1e-9


@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "other", [Box((0.6, 0.4, 0.05)), Capsule(0.1, 0.3)], ids=["plate", "capsule"]
)
def test_a_ball_that_rolls_out_of_another_body_gains_no_energy(other, seed, restitution):
    """Friction holds it where it is no longer deep: targets of slip must not add energy either."""
    gained, depth = energy_gained_in_each_other([Sphere(0.2), other], seed, restitution, 2.0)
    assert depth > 0.01
    assert gained < 1e-9


CUBE, DISK, DRUM = Box((0.4, 0.4, 0.4)), Cylinder(0.3, 0.05), Cylinder(0.2, 0.3)
BRICK, PLATE = Box((0.6, 0.4, 0.3)), Box((0.6, 0.4, 0.05))
# Shapes, seed, restitution, friction and step.  Some corners of a face are thrown back while others
# carry a load that rises: all these gained from 2e-8 to 9e-5.
FACES = [
    ([BRICK, BRICK], 30, 0.0, 1.0, 1e-3),
    ([DRUM, PLATE], 94, 0.0, 0.0, 8e-3),
    ([DRUM, DRUM], 120, 0.5, 0.3, 2e-3),
    ([CUBE, CUBE], 210, 0.0, 0.0, 2e-3),
    ([BRICK, PLATE], 221, 0.5, 0.3, 1e-3),
    ([CUBE, CUBE], 462, 0.0, 0.3, 8e-3),
    ([DISK, CUBE], 578, 0.5, 1.0, 1e-3),
    ([CUBE, DISK], 596, 0.5, 1.0, 4e-3),
    ([BRICK, PLATE], 647, 0.0, 0.3, 8e-3),
]


@pytest.mark.parametrize("fall", [0.0, G], ids=["free", "falling"])
@pytest.mark.parametrize("face", range(len(FACES)))
def test_faces_that_turn_out_of_each_other_gain_no_energy(face, fall):
    """Nor do they where all fall: targets see velocities between bodies alone."""
    gained, depth = energy_gained_in_each_other(*FACES[face], fall=fall)
    assert depth > 0.01
    assert gained < 1e-9


def test_what_is_deep_has_no_friction():
    """Balls that turn alike slip on each other: they do not where they only touch."""
    simulator = pair(Sphere(0.5), 0.0, 1.0, 3.0)
    simulator.step(1e-3)
    assert simulator.state_of("a")[1][3:] == pytest.approx([0, 0, 3.0], abs=1e-12)
    simulator.set_state("a", q=[-0.5, 0, 0, 0, 0, 0, 1], qd=[1.0, 0, 0, 0, 0, 3.0])
    simulator.set_state("b", q=[0.5, 0, 0, 0, 0, 0, 1], qd=[-1.0, 0, 0, 0, 0, 3.0])
    simulator.step(1e-3)
    assert simulator.state_of("a")[1][5] < 2.9


def test_a_crowd_parts_about_its_centre_of_mass():
    """Thirty balls and boxes thrown into each other: least displacements move no centre of mass."""
    rng, scene = np.random.default_rng(0), Scene("crowd", gravity=(0, 0, 0))
    masses = 10.0 ** rng.uniform(-1.0, 1.0, 30)
    for k, mass in enumerate(masses):
        shape = Sphere(0.25) if k % 2 else Box((0.4, 0.4, 0.4))
        place = 0.7 * rng.uniform(-1.0, 1.0, 3)
        scene = scene.add_body(f"b{k}", shape, mass=float(mass), position=tuple(place))
    simulator = ph.TimeSteppingSimulator(scene, dt=1e-3, start="keep")

    def places() -> np.ndarray:
        return np.array([simulator.state_of(f"b{k}")[0][:3] for k in range(30)])

    before = masses @ places() / masses.sum()
    simulator.advance(1e-3, 2000)
    after = masses @ places() / masses.sum()
    assert np.abs(after - before).max() < 1e-6
    assert all(np.abs(simulator.state_of(f"b{k}")[1]).max() < 1e-6 for k in range(30))
    settled = places()
    simulator.advance(1e-3, 10)
    assert np.abs(places() - settled).max() < 1e-9
    balls = settled[1::2]
    apart = np.linalg.norm(balls[:, None] - balls, axis=2) + np.eye(len(balls))
    assert apart.min() > 0.5 - 1e-4


@pytest.mark.parametrize(("failed", "compliance"), [(0, 1e-4), (3, 1e-2)])
def test_overlaps_of_unsolved_heaps_have_softer_rows(failed, compliance):
    """A ball is lifted by the target over one more than the compliance, a share of its row."""
    overlap = 1e-4
    scene = Scene("ball").add_fixed("ground", Plane())
    scene = scene.add_body("ball", Sphere(0.5), mass=2.0, position=(0, 0, 0.5 - overlap))
    fields = ph.TimeSteppingSimulator(scene, dt=1e-3, start="keep")._fields
    fields.trials[:, FAILED] = failed
    push_apart(fields, *find_near(fields))
    lifted = fields.position[2] - (0.5 - overlap)
    assert lifted == pytest.approx((overlap - 0.5 * fields.slop) / (1.0 + compliance), rel=1e-9)
