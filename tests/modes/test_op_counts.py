"""Operation counts of compiled programs: deterministic, committed, and not to rise."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

import polhode as ph
from polhode import algorithms

TABLE = Path(__file__).with_name("op_counts.json")
COUNTED = (
    algorithms.rnea,
    algorithms.aba,
    algorithms.crba,
    algorithms.inverse_inertia,
    algorithms.solve_inertia,
    algorithms.bias,
    algorithms.gravity,
    algorithms.poses,
    algorithms.energy,
)
EXAMPLES = ("arm.urdf", "walker.lua")


def count(file: str) -> dict[str, int]:
    model = ph.load(str(files("polhode") / "examples" / file))
    return {f.__name__: ph.compile(f, model).ops for f in COUNTED}


@pytest.mark.parametrize("file", EXAMPLES)
def test_operations_do_not_rise(file):
    """No algorithm costs more additions, multiplications and divisions than was committed."""
    committed = json.loads(TABLE.read_text())[file]
    now = count(file)
    assert set(now) == set(committed)
    risen = {name: (committed[name], ops) for name, ops in now.items() if ops > committed[name]}
    assert not risen, f"(committed, now): {risen}; run {Path(__file__).name} to commit a rise"


if __name__ == "__main__":
    TABLE.write_text(json.dumps({file: count(file) for file in EXAMPLES}, indent=2) + "\n")
