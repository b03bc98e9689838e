"""Kernels on a device give the bits of the CPU; skipped where there is no device."""

from __future__ import annotations

import numpy as np
import pytest

from compiler.examples import branches, elementary, program, same_bits, states
from export.c_code import results
from export.machines import states as states_of
from export.test_c_text import angles, pairs
from models import example
from polhode import algorithms, compile, cuda
from polhode.compiler import Program
from polhode.compiler.codegen import ptx
from polhode.cuda.driver import bindings
from polhode.scalar import cos, sin


def missing() -> str:
    """What there is no device to test with for."""
    try:
        bindings()
    except (ImportError, RuntimeError) as error:
        return str(error)
    return "" if cuda.is_available() else "found no CUDA device on this computer"


pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


def check(made: Program, arrays: list, **options) -> None:
    """The device's outputs have the bits of the CPU's."""
    out = cuda.compile(made, **options)(*arrays)
    with np.errstate(all="ignore"):
        expected = results(made, arrays)
    for ours, its in zip(expected, out if isinstance(out, tuple) else (out,), strict=True):
        assert same_bits(np.ascontiguousarray(ours), its.numpy())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_elementary_functions(dtype):
    """Of numbers of every size, infinities and NaN."""
    made = program(lambda x: [sin(x), cos(x), sin(-x * 0.5), cos(x * 0.5)], "angles", x=())
    with np.errstate(over="ignore"):
        check(made, [angles().astype(dtype)])
    made = program(
        lambda x, y: [x.exp(), x.log(), x.atan2(y), *elementary(x, y)], "elementary", x=(), y=()
    )
    check(made, pairs(dtype))
    x = np.concatenate([states(300, 3), np.round(states(300, 3)), states(3, 3) * np.nan])
    check(program(branches, "branches", x=(3,)), [x.astype(dtype)])


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n", [1, 33, 5000])
def test_dynamics(n, dtype, layout):
    """The shipped arm's dynamics and their derivatives, in batches of several sizes."""
    model = example("arm.urdf")
    for name in ("rnea", "aba", "crba", "rnea_derivatives", "aba_derivatives"):
        made = compile(getattr(algorithms, name), model)
        check(made, states_of(model, made.inputs, n, dtype), layout=layout)


@pytest.mark.parametrize("section", [200, 2500])
def test_long_kernels(section, monkeypatch):
    """The walker's dynamics, cut into a few functions and into many."""
    monkeypatch.setattr(ptx, "SECTION_OPS", section)
    model = example("walker.lua")
    for name in ("aba", "integrate", "rnea_derivatives"):
        made = compile(getattr(algorithms, name), model)
        check(made, states_of(model, made.inputs, 700, "float64"), block=64)


def test_batch_axes_and_outputs():
    """Axes that broadcast crosswise, results as inputs of the next call, arrays to write to."""
    model = example("arm.urdf")
    made = compile(algorithms.rnea, model)
    kernel = cuda.compile(made)
    q, qd = states(6, 1, model.nv), states(5, model.nv, seed=1)
    qdd = states(model.nv, seed=2)
    tau = kernel(q, qd, qdd)
    assert same_bits(made(q, qd, qdd), tau.numpy())
    again = kernel(tau, tau, tau, out=tau)
    assert again is tau
    first = made(q, qd, qdd)
    assert same_bits(made(first, first, first), tau.numpy())
