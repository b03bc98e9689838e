"""Worlds of scenes with springs, ranges, soft and rolling contact: the same bits at any width."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.simulation.lanes.one_world import OneWorld
from polhode.simulation.lanes.programs import step_programs
from polhode.simulation.lanes.worlds import LaneWorlds
from stepping.test_lane_lengths import arm, pinned
from stepping.test_lane_rolling import LAWS, biped
from stepping.test_lane_soft import leg
from stepping.test_lane_springs import hung, legs

STEP = 2e-3
SCENES = {
    "springs": legs,
    "bushing": hung,
    "loop": lambda: pinned(-0.9, lower=0.1, upper=0.9, coulomb_friction=0.5, viscous_friction=0.2),
    "tendon": lambda: ph.Scene("arm").add_machine(
        arm(limits=(0.6, 0.66), friction=3.0), "arm", q=[0.8, -0.5]
    ),
    "soft": lambda: leg(mu_coulomb=0.2, mu_viscous=0.5, penalty_kp=3e3, penalty_kv=60.0),
    "rolling": lambda: biped(**LAWS[3]),
}


@pytest.mark.parametrize("name", SCENES)
def test_one_world_has_the_bits_of_its_place_in_a_batch(name):
    """One world steps at width one; 21 fill registers, the last of them in part."""
    scene, rng, n = SCENES[name](), np.random.default_rng(0), 21
    programs, nv = step_programs(scene), scene.model.nv
    start = {"q": np.tile(scene.q0, (n, 1)), "qd": 0.5 * rng.normal(size=(n, nv)),
             "x": np.zeros((n, programs.kept.n_kept))}  # fmt: skip
    many = LaneWorlds(programs, [start[k].copy() for k in programs.state], STEP)
    for _ in range(200):
        many.step([np.zeros((n, nv))])
    assert not many.unsolved.any()
    for k in (0, 7, 8, n - 1):
        one = OneWorld(programs)
        for key in programs.state:
            one.state[key][:] = start[key][k]
        assert one.advance(200, STEP) == 200
        for key, x in zip(programs.state, many.now, strict=True):
            assert one.state[key].tobytes() == x[k].tobytes()
