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


@pytest.mark.filterwarnings("ignore::polhode.simulation.StartWarning")
@pytest.mark.parametrize("seed", [1, 2, 4, 5, 8, 10, 13, 16, 17, 19])
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
    random = scene(4, most=10, meshes=False, kind=0)
    whole = moved(random, 0.2, contact=method)
    first = moved(random, 0.1, contact=method)
    resumed = ph.TimeSteppingSimulator(random, dt=STEP, contact=method, start="keep")
    resumed.restore(first.checkpoint())
    resumed.advance(STEP, 100)
    for a, b in zip(whole.state, resumed.state, strict=True):
        assert a.tobytes() == b.tobytes()


def test_friction_without_end_is_solved():
    """Infinite friction stands for a finite one of a thousand, with which there is a solution."""
    unsolved = solves = 0
    for seed in (1, 26, 57):
        simulator = moved(scene(seed, most=5, meshes=False, kind=0), 0.3)
        unsolved += simulator.report["unconverged"]
        solves += simulator.report["solves"]
    assert solves > 100
    assert unsolved <= 1e-2 * solves
