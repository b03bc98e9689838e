"""Free bodies that spin fast: nothing turns them, so energy and momentum stay."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.model.shapes import Box

ROUNDING = 1e-14  # of the energy in a step, that is let pass
DT, DURATION = 1e-3, 2.0
AXES = {"tumbling": (0.5, 0.6, 0.3), "unstable axis": (1.0, 1e-9, 0.0), "steady": (0, 0, 1.0)}


@pytest.mark.parametrize("axis", AXES.values(), ids=AXES)
@pytest.mark.parametrize("rate", [100.0, 300.0, 800.0])
def test_a_fast_spin_keeps_energy_and_momentum(axis, rate):
    """At 800 rad/s half a step turns a quarter of a radian, where the integration errs most."""
    scene = ph.Scene(gravity=(0, 0, 0)).add_body(
        "box", Box((0.1, 0.2, 0.05)), mass=1.0, spin=tuple(rate * np.array(axis))
    )
    recording = ph.simulate(scene, DURATION, dt=DT, progress=False)
    change = recording.kinetic / recording.kinetic[0] - 1.0
    assert np.abs(change).max() < 2.0 * ROUNDING * DURATION / DT  # two drifts a step
    momentum = ph.momentum(scene.model, recording.q, recording.qd)
    assert momentum == pytest.approx(np.broadcast_to(momentum[0], momentum.shape), abs=1e-10)
