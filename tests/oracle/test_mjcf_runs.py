"""The models of Gymnasium under random controls."""

from __future__ import annotations

import warnings

import pytest
from scripts.mjcf_runs import gymnasium_files, run

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("integrator", ["event_driven", "moreau"])
@pytest.mark.parametrize("path", gymnasium_files(), ids=lambda path: path.stem)
def test_gymnasium(path, integrator):
    """Five seconds are finite, and nowhere a millimetre deep."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not run(path, 5.0, integrator)
