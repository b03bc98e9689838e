"""Operation counts of real robots stay below those of the design's feasibility sketch."""

from __future__ import annotations

import pytest

import polhode as ph
from modes import op_counts
from modes.op_counts import MACHINES, ROBOTS
from oracle.robots import FOLDER
from polhode import algorithms

pytestmark = pytest.mark.oracle

LIMITS = {  # file, floating base: RNEA, ABA
    ("panda_description/urdf/panda.urdf", False): (1195, 2438),
    ("anymal_b_simple_description/robots/anymal.urdf", True): (2447, 5173),
    ("talos_data/robots/talos_reduced.urdf", True): (6063, 13689),
}


@pytest.mark.parametrize(("file", "floating"), LIMITS)
def test_operations(file, floating):
    """Simplification gets at least as far as it did in the sketch."""
    model = ph.load(FOLDER / file, floating_base=floating)
    rnea, aba = LIMITS[file, floating]
    assert ph.compile(algorithms.inverse_dynamics, model).ops <= rnea
    assert ph.compile(algorithms.forward_dynamics, model).ops <= aba


@pytest.mark.filterwarnings("ignore::polhode.errors.StartWarning")  # neutral is no start
@pytest.mark.parametrize("name", MACHINES[ROBOTS])
def test_operations_do_not_rise(name):
    """No program of any public function costs more than was committed."""
    now = op_counts.counted(name)
    said = op_counts.differences(now, op_counts.committed(ROBOTS)[name], ROBOTS)
    assert not said, said
