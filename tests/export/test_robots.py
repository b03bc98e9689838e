"""Exported code of real robots compiles without a warning and equals our code, to the bit."""

from __future__ import annotations

import pytest

from export import machines, test_ptx
from export.c_code import needs_gcc
from export.ptx_machine import Machine
from polhode import algorithms, compile
from polhode.cli.bench_models import subjects
from polhode.compiler.program.export_ptx import export_ptx

pytestmark = pytest.mark.oracle
ROBOTS = ("panda", "anymal", "talos_reduced")
NAMES = ("rnea", "aba", "rnea_derivatives", "aba_derivatives")


def model_of(robot):
    """A robot's model, as the benchmarks load it."""
    (subject,) = subjects([robot], True)
    return subject.model


@needs_gcc
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("robot", ROBOTS)
def test_c(robot, name, dtype, tmp_path):
    """C of the dynamics and their derivatives, one state a call."""
    machines.check(getattr(algorithms, name), model_of(robot), tmp_path, dtype)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("robot", ROBOTS)
def test_kernels(robot, name):
    """The text of the CUDA kernels, run for one state."""
    model = model_of(robot)
    made = compile(getattr(algorithms, name), model)
    test_ptx.check(made, machines.states(model, made.inputs, 1, "float64"))


@test_ptx.needs_ptxas
@pytest.mark.parametrize("robot", ROBOTS)
def test_kernels_assemble(robot, tmp_path):
    """NVIDIA's assembler takes the kernels of a robot's dynamics in one module."""
    model = model_of(robot)
    names = NAMES[:3] if robot == "talos_reduced" else NAMES  # it takes a minute over the last
    text = export_ptx({name: compile(getattr(algorithms, name), model) for name in names})
    assert Machine(text).kernels == set(names)
    test_ptx.assemble(text, tmp_path, "-O0")  # what it takes, not how well it does
