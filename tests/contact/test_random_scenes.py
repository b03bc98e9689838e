"""A few of the random scenes of ``benchmarks/contact_robust.py``, and the laws they must keep."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from contact.random_scenes import SIDE, scene
from polhode.model import Heightmap

STEP = 1e-3


def moved(scene, duration, **options):
    """The simulator after a while; nothing may raise."""
    simulator = ph.TimeSteppingSimulator(scene, dt=STEP, start="keep", **options)
    simulator.advance(STEP, round(duration / STEP))
    return simulator


def centres(simulator):
    """Origins of all links."""
    q, _ = simulator.state
    return ph.body_poses(simulator.scene.model, q)[:, :3, 3]


BAD_STARTS = {
    "a_body_that_keeps_bouncing": 1,
    "seven_bodies_that_spin_in_each_other_without_slip": 2,
    "three_bodies_of_grams_and_tonnes_that_land_dead": 4,
    "six_bodies_of_grams_and_tonnes_that_keep_bouncing": 5,
    "two_bodies_that_spin": 8,
    "a_body_that_lands_dead": 10,
    "four_bodies_in_each_other_without_friction": 13,
    "two_bodies_of_grams_and_tonnes_in_each_other": 16,
    "eight_bodies_in_each_other_that_stick": 17,
    "eleven_bodies_of_grams_and_tonnes_that_spin_without_friction": 19,
}
"""Seeds of scenes, each the only one with what its name says."""
THREE_BODIES_OF_GRAMS_AND_TONNES = 4
MUCH_FRICTION = {
    "of_1": 1,
    "of_100_and_no_restitution": 26,
    "of_10_between_bodies_that_spin": 57,
    "endless_in_a_heap_that_spins": 2,
    "endless_in_a_heap_that_lands_dead": 17,
    "endless_between_grams_and_tonnes_that_spin": 53,
}
"""Seeds of scenes: with so much friction a step may have no solution."""


@pytest.mark.filterwarnings("ignore::polhode.simulation.StartWarning")
@pytest.mark.parametrize("seed", BAD_STARTS.values(), ids=BAD_STARTS)
def test_bad_starts_stay_finite_and_above_the_floor(seed):
    """Overlaps, 1000 rad/s, masses from a gram to a tonne, mu from 0 to infinity, every e."""
    random = scene(seed, most=12, meshes=False, kind=0)
    assert not any(isinstance(g.shape, Heightmap) for g in random.geometries)
    simulator = moved(random, 0.3)
    q, qd = simulator.state
    assert np.isfinite(q).all()
    assert np.isfinite(qd).all()
    places = centres(simulator)
    inside = (np.abs(places[:, :2]) < SIDE).all(axis=1)
    assert places[inside, 2].min(initial=0.0) > -0.02  # a centre is above the plane it rests on


@pytest.mark.parametrize("method", ["exact", "convex"])
def test_the_same_bits_twice_and_resumed(method):
    """A scene of bad starts is repeatable, also from a checkpoint on."""
    random = scene(THREE_BODIES_OF_GRAMS_AND_TONNES, most=10, meshes=False, kind=0)
    whole = moved(random, 0.2, contact=method)
    first = moved(random, 0.1, contact=method)
    resumed = ph.TimeSteppingSimulator(random, dt=STEP, contact=method, start="keep")
    resumed.restore(first.checkpoint())
    resumed.advance(STEP, 100)
    for a, b in zip(whole.state, resumed.state, strict=True):
        assert a.tobytes() == b.tobytes()


JAMS = {"a_chain_on_a_loop_in_another": 321, "a_body_on_three_points_that_do_not_slip": 575}
"""Seeds of scenes: what is jammed in them stays so to their end."""
RELAXED = 1e-2  # share of the problems, of which more than a quarter once were


@pytest.mark.filterwarnings("ignore::polhode.simulation.StartWarning")
@pytest.mark.parametrize("seed", JAMS.values(), ids=JAMS)
def test_what_jams_has_a_solution(seed):
    """Overlaps of the start are compliant; places that stick close no gaps of nanometres."""
    report = moved(scene(seed), 1.0).report
    assert report["unconverged"] == 0
    assert report["relaxed"] <= RELAXED * report["solves"]


@pytest.mark.filterwarnings("ignore::polhode.simulation.StartWarning")
@pytest.mark.parametrize("seed", MUCH_FRICTION.values(), ids=MUCH_FRICTION)
def test_friction_without_end_is_solved(seed):
    """Infinite friction stands for a finite one of a thousand, with which there is a solution."""
    simulator = moved(scene(seed, most=5, meshes=False, kind=0), 0.3)
    assert simulator.report["solves"] > 100
    assert simulator.report["unconverged"] <= 1e-2 * simulator.report["solves"]
