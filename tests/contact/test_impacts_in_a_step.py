"""Several impacts within a step: each happens at its time, with the velocities it finds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.model import Model, Prismatic
from polhode.model.shapes import Box, Plane, Sphere
from polhode.scene import Scene
from polhode.spatial import Transform
from reference.contact_scenes import G, ball

STEPS = (1e-2, 1e-3, 1e-4)
HALF = math.sqrt(0.5)


def elastic():
    return Scene("elastic", gravity=(0, 0, 0)).contact(restitution=1.0)


def row_of_balls(count, gap, start):
    """Balls at rest in a row, but for the first, which comes with the speed 1 from ``start``."""
    scene = elastic()
    for k in range(count):
        place, speed = k * (0.2 + gap) - (start if k == 0 else 0.0), 1.0 if k == 0 else 0.0
        scene = scene.add_body(
            f"b{k}", Sphere(0.1), mass=1.0, position=(place, 0, 0), velocity=(speed, 0, 0)
        )
    return scene


def final_speeds(recording, count):
    return np.array([recording.of(f"b{k}")[1][-1, 0] for k in range(count)])


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("gap", [1.57e-3, 2.1e-4, 1e-6])
def test_the_second_impact_of_a_step_rebounds_too(gap, dt):
    """The ball in the middle is hit, hits the last, and rests: no energy is lost."""
    recording = ph.simulate(row_of_balls(3, gap, 0.0481), 0.1, dt=dt, progress=False)
    assert final_speeds(recording, 3) == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
    assert recording.kinetic[-1] == pytest.approx(recording.kinetic[0], rel=1e-9)


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("gap", [1e-3, 1e-7, 1e-9, 1e-10])
def test_a_cradle_tells_gaps_from_touch_down_to_rounding(gap, dt):
    """The last of five balls leaves with all the speed, and four impacts are counted."""
    recording = ph.simulate(row_of_balls(5, gap, 0.0481), 0.1, dt=dt, progress=False)
    assert final_speeds(recording, 5) == pytest.approx([0, 0, 0, 0, 1.0], abs=1e-9)
    assert recording.report["impacts"] == 4


def test_touching_balls_share_one_impact():
    """Without gaps the impulses of all act at once: the law for multiple contacts, not a row."""
    recording = ph.simulate(row_of_balls(3, 0.0, 0.0481), 0.1, dt=1e-3, progress=False)
    assert final_speeds(recording, 3) == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-6)
    assert recording.report["impacts"] == 1


WALLS = {
    "floor": (1, 0, 0, 0), "lid": (0, 1, 0, 0), "left": (HALF, 0, HALF, 0),
    "right": (HALF, 0, -HALF, 0), "front": (HALF, -HALF, 0, 0), "back": (HALF, HALF, 0, 0),
}  # fmt: skip


def gas():
    """Smooth elastic balls with random velocities in a cube of 1 m."""
    scene, rng = elastic(), np.random.default_rng(0)
    for name, turn in WALLS.items():
        w, x, y, z = turn
        normal = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
        scene = scene.add_fixed(name, Plane(), position=tuple(-0.5 * normal), quaternion=turn)
    for k, place in enumerate(np.ndindex(4, 4, 4)):
        scene = scene.add_body(
            f"b{k}", Sphere(0.05), mass=1.0, position=tuple((np.array(place) + 0.5) / 4 - 0.5),
            velocity=tuple(rng.normal(size=3)),
        )  # fmt: skip
    return scene


@pytest.mark.parametrize("dt", [1e-2, 1e-3])
def test_an_elastic_gas_keeps_its_energy(dt):
    """Some 700 impacts, at 10 ms up to seven in a step; no ball leaves the cube."""
    recording = ph.simulate(gas(), 2.0, dt=dt, progress=False)
    assert recording.report["impacts"] > 600 and recording.report["capped_steps"] == 0
    assert recording.kinetic == pytest.approx(recording.kinetic[0], rel=1e-6)
    places = np.array([recording.of(f"b{k}")[0][:, :3] for k in range(64)])
    assert np.abs(places).max() < 0.45 + 1e-6


@pytest.mark.parametrize("dt", STEPS)
def test_balls_of_masses_1_and_100_before_a_wall_count_digits_of_pi(dt):
    """31 impacts; the last ones follow each other within a step of 10 ms."""
    scene = elastic().add_fixed("wall", Plane(), quaternion=WALLS["left"])
    scene = scene.add_body("small", Sphere(0.1), mass=1.0, position=(1, 0, 0))
    scene = scene.add_body("big", Sphere(0.1), mass=100.0, position=(2, 0, 0), velocity=(-1, 0, 0))
    recording = ph.simulate(scene, 3.5, dt=dt, progress=False)
    assert recording.report["impacts"] == 31
    assert recording.kinetic[-1] == pytest.approx(recording.kinetic[0], rel=1e-9)


def height(t, e, fall):
    """Of a ball that is dropped from ``fall``, and rebounds by ``e`` until it rests."""
    hit = math.sqrt(2.0 * fall / G)
    if t < hit:
        return fall - 0.5 * G * t * t
    t, up = t - hit, e * G * hit
    while up > 1e-9:
        if t < 2.0 * up / G:
            return up * t - 0.5 * G * t * t
        t, up = t - 2.0 * up / G, e * up
    return 0.0


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("e", [1.0, 0.7, 0.3])
def test_bounces_have_the_times_and_heights_of_the_closed_form(e, dt):
    """Within the gap that counts as touch, and the last bounce that is shorter than a step."""
    recording = ph.simulate(ball(e, 0.5), 3.0, dt=dt, record=1, progress=False)
    expected = np.array([height(t, e, 0.5) for t in recording.times])
    last = (1.0 + e) * 0.125 * G * dt * dt if e < 1.0 else 0.0
    assert np.abs(recording.of("ball")[0][:, 2] - 0.5 - expected).max() < 1e-5 + last
    assert recording.report["capped_steps"] == 0


def test_bounces_without_end_are_cut_and_counted():
    """A slider of mass 1 between a wall and one of 1e6: most of 3141 impacts within two steps."""
    model = Model("rail")
    for name, mass, place in (("small", 1.0, 1.0), ("big", 1e6, 2.0)):
        frame = Transform.translation(place, 0, 0)
        model = model.add(name, joint=Prismatic.x(), frame=frame, mass=mass, inertia=(1, 1, 1))
    cube = Box((0.2, 0.2, 0.2))
    shapes = [(name, cube, Transform.identity()) for name in ("small", "big")]
    scene = elastic().add_fixed("wall", Plane(), quaternion=WALLS["left"])
    scene = scene.add_machine(model, qd=(0, -1), geometries=shapes)
    recording = ph.simulate(scene, 2.5, dt=1e-2, progress=False)
    assert 0 < recording.report["capped_steps"] < 10
    assert recording.report["solves"] < 2000
    assert recording.audit.energy_rise < 1e-9 * recording.audit.energy_scale
