"""Chains whose tips are held by loops, among floors and stops: none comes to life by itself."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from contact.random_scenes import scene
from polhode.cli.sim_watch import energy_of

# Most of these scenes start with open loops and bodies in each other.
pytestmark = pytest.mark.filterwarnings("ignore::polhode.simulation.StartWarning")


@pytest.mark.parametrize("seed", [15, 30, 36, 57, 213, 216])
def test_nothing_is_flung(seed):
    """These reached ten thousand rad/s: rates that loops and contacts cannot both have."""
    simulator = ph.TimeSteppingSimulator(scene(seed, only_chains=True), dt=1e-3, start="keep")
    simulator.advance(1e-3, 1)  # what contradicts the loops at the start is gone
    start, fastest = energy_of(simulator), np.abs(simulator.state[1]).max()
    for _ in range(50):
        simulator.advance(1e-3, 5)
        assert energy_of(simulator) < 1.3 * start  # bodies are lifted out of the floor
        assert np.abs(simulator.state[1]).max() < max(2.0 * fastest, 20.0)
    assert simulator.report["unconverged"] <= 1


def test_what_is_pushed_apart_gains_nothing():
    """A chain between a floor and a body: moved back and forth it doubled its speed each time."""
    simulator = ph.TimeSteppingSimulator(scene(849), dt=1e-3, start="keep")
    simulator.advance_to(0.04)
    assert np.abs(simulator.state[1]).max() < 40.0
    assert simulator.report["unconverged"] == 0
    assert simulator.report["loop_error"] < 1e-3


def test_a_fast_chain_on_a_loop_keeps_its_energy():
    """A free chain pinned at its tip that turned ever faster, by a tenth of a radian a step."""
    simulator = ph.TimeSteppingSimulator(scene(36, only_chains=True), dt=1e-3, start="keep")
    simulator.advance_to(0.7)
    before = energy_of(simulator)
    simulator.advance_to(1.3)
    assert energy_of(simulator) < 1.02 * before


@pytest.mark.parametrize("seed", [243, 360, 519, 615, 762])
def test_loops_stay_closed(seed):
    """Chains that are jammed where they are straight: pushed apart, their tips were let go.

    They came loose by up to a metre, for hundreds of steps.
    """
    simulator = ph.TimeSteppingSimulator(scene(seed), dt=1e-3, start="keep")
    simulator.advance_to(0.2)
    assert simulator.report["loop_error"] < 2e-4
