"""Exported C of the shipped machines compiles without a warning and equals our code, to the bit."""

from __future__ import annotations

import pytest

from export.c_code import needs_gcc
from export.machines import check
from models import example
from polhode import algorithms

pytestmark = needs_gcc
DYNAMICS = ("rnea", "aba", "rnea_derivatives", "aba_derivatives")
REST = ("crba", "poses", "integrate", "difference", "energy", "solve_inertia")


@pytest.fixture(scope="module")
def models():
    return {"arm": example("arm.urdf"), "walker": example("walker.lua")}


@pytest.mark.parametrize(
    ("machine", "name"),
    [
        *(("arm", name) for name in DYNAMICS),
        *(("walker", name) for name in DYNAMICS[:2]),
        # gcc takes long over these
        *(pytest.param("walker", name, marks=pytest.mark.oracle) for name in DYNAMICS[2:]),
    ],
)
def test_dynamics(models, machine, name, tmp_path):
    """Dynamics and their derivatives, one state a call."""
    check(getattr(algorithms, name), models[machine], tmp_path)


@pytest.mark.parametrize("name", REST)
def test_other_algorithms(models, name, tmp_path):
    """Matrices, poses, quaternions and several outputs, of a machine with spherical joints."""
    check(getattr(algorithms, name), models["walker"], tmp_path)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("lanes", [1, 3, 4, 8])
def test_lanes_and_types(models, dtype, lanes, tmp_path):
    """Several states side by side, and single precision."""
    check(algorithms.aba, models["arm"], tmp_path, dtype, lanes)
    check(algorithms.integrate, models["walker"], tmp_path, dtype, lanes)


def test_sections_side_by_side(models, tmp_path):
    """A long program in single precision: several C functions, values between them, in lanes."""
    check(algorithms.aba, models["walker"], tmp_path, "float32", 4)
