"""Exported C of real robots compiles without a warning and equals our code, to the bit."""

from __future__ import annotations

import pytest

from export.c_code import needs_gcc
from export.machines import check
from polhode import algorithms
from polhode.cli.bench_models import subjects

pytestmark = [pytest.mark.oracle, needs_gcc]


@pytest.mark.parametrize("name", ["rnea", "aba", "rnea_derivatives", "aba_derivatives"])
@pytest.mark.parametrize("robot", ["panda", "anymal", "talos_reduced"])
def test_robot(robot, name, tmp_path):
    """Dynamics and their derivatives, one state a call."""
    (subject,) = subjects([robot], True)
    check(getattr(algorithms, name), subject.model, tmp_path)
