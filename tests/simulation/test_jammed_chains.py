"""Chains whose tips are held by loops, among floors and stops: none comes to life by itself."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from contact.random_scenes import scene
from polhode.cli.sim_watch import energy_of

# Most of these scenes start with open loops and bodies in each other.
pytestmark = pytest.mark.filterwarnings("ignore::polhode.simulation.StartWarning")


FREE_CHAINS_PINNED_AT_THEIR_TIPS = 36
FLUNG = [
    # The most loops with the least friction.
    pytest.param(15, 0.25, id="three_loops_on_a_slippery_floor"),
    # Neither friction nor restitution takes anything away.
    pytest.param(30, 0.25, id="a_loop_without_slip_or_loss"),
    # Nothing holds these but their loops.
    pytest.param(FREE_CHAINS_PINNED_AT_THEIR_TIPS, 0.25, id="free_chains_pinned_at_their_tips"),
    # Of the floors the one that has an end.
    pytest.param(57, 0.25, id="spherical_joints_on_a_box"),
    # Flung from the second step on; later on it is slow to compute.
    pytest.param(213, 0.1, id="three_loops_without_friction"),
    # The longest chain, of sliders and hinges.
    pytest.param(216, 0.25, id="a_chain_of_five_bars_that_lands_dead"),
]
# Times the first speed.  Links pass theirs on: 2.2 to 3.6 times, in steps of 2 to 0.125 ms.
LESS_THAN = {FREE_CHAINS_PINNED_AT_THEIR_TIPS: 4.0}
CHAIN_BETWEEN_FLOOR_AND_BODY = 849
LET_GO = [
    # Opened by 5 cm; the solver gives some steps up.
    pytest.param(156, id="in_a_heap_that_spins"),
    # The ground is no plane.
    pytest.param(360, id="two_chains_on_hills"),
    # No contact may slip, and none loses anything.
    pytest.param(519, id="a_free_chain_in_a_heap_without_slip"),
    # Of the heaps the largest, of grams and tonnes.
    pytest.param(615, id="among_bodies_of_grams_and_tonnes"),
    # Opened by 15 cm in the second step.
    pytest.param(762, id="a_short_chain_in_a_heap"),
]


@pytest.mark.parametrize(("seed", "duration"), FLUNG)
def test_nothing_is_flung(seed, duration):
    """These reached ten thousand rad/s: rates that loops and contacts cannot both have."""
    simulator = ph.TimeSteppingSimulator(scene(seed, only_chains=True), dt=1e-3, start="keep")
    simulator.advance(1e-3, 1)  # what contradicts the loops at the start is gone
    start, fastest = energy_of(simulator), np.abs(simulator.state[1]).max()
    for _ in range(round(duration / 5e-3)):
        simulator.advance(1e-3, 5)
        assert energy_of(simulator) < 1.3 * start  # bodies are lifted out of the floor
        assert np.abs(simulator.state[1]).max() < max(LESS_THAN.get(seed, 2.0) * fastest, 20.0)
    assert simulator.report["unconverged"] <= 1


def test_what_is_pushed_apart_gains_nothing():
    """A chain between a floor and a body: moved back and forth it doubled its speed each time."""
    between = scene(CHAIN_BETWEEN_FLOOR_AND_BODY)
    simulator = ph.TimeSteppingSimulator(between, dt=1e-3, start="keep")
    simulator.advance_to(0.04)
    assert np.abs(simulator.state[1]).max() < 40.0
    assert simulator.report["unconverged"] == 0
    assert simulator.report["loop_error"] < 1e-3


def test_a_fast_chain_on_a_loop_keeps_its_energy():
    """A free chain pinned at its tip that turned ever faster, by a tenth of a radian a step."""
    pinned = scene(FREE_CHAINS_PINNED_AT_THEIR_TIPS, only_chains=True)
    simulator = ph.TimeSteppingSimulator(pinned, dt=1e-3, start="keep")
    simulator.advance_to(0.7)
    before = energy_of(simulator)
    simulator.advance_to(1.3)
    assert energy_of(simulator) < 1.02 * before


@pytest.mark.parametrize("seed", LET_GO)
def test_loops_stay_closed(seed):
    """Chains that are jammed where they are straight: pushed apart, their tips were let go.

    They came loose by up to a metre, for hundreds of steps.
    """
    simulator = ph.TimeSteppingSimulator(scene(seed), dt=1e-3, start="keep")
    simulator.advance_to(0.2)
    assert simulator.report["loop_error"] < 2e-4
