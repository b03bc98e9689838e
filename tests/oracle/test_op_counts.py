"""Operation counts of real robots stay below those of the design's feasibility sketch."""

from __future__ import annotations

import polhode as ph
import pytest
from oracle.robots import urdf
from polhode import algorithms

pytestmark = pytest.mark.oracle

LIMITS = {  # robot, floating base: RNEA, ABA
    ("panda", False): (1195, 2438),
    ("anymal", True): (2447, 5173),
    ("talos_reduced", True): (6063, 13689),
}


@pytest.mark.parametrize(("name", "floating"), LIMITS)
def test_operations(name, floating):
    """Simplification gets at least as far as it did in the sketch."""
    model = ph.load(urdf(name), floating_base=floating)
    rnea, aba = LIMITS[name, floating]
    assert ph.compile(algorithms.rnea, model).ops <= rnea
    assert ph.compile(algorithms.aba, model).ops <= aba
