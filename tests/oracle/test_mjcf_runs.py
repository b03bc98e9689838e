"""The models of Gymnasium under random controls; `scripts/mjcf_runs.py` runs them for longer."""

from __future__ import annotations

import warnings

import pytest
from scripts.mjcf_runs import fault, gymnasium_files, run

from polhode.simulation.integrators import integrator_names

pytestmark = pytest.mark.oracle

INTEGRATORS = [name for name in ("event_driven", "moreau") if name in integrator_names()]
SECONDS = {"ant": 0.5, "humanoid": 0.5, "humanoidstandup": 0.5}  # 2.0 for others


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("path", gymnasium_files(), ids=lambda path: path.stem)
def test_gymnasium(path, integrator):
    """Finite, and nowhere a millimetre deep."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        recording = run(path, SECONDS.get(path.stem, 2.0), integrator)
    assert not fault(recording)
