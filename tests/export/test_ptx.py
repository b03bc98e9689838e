"""CUDA kernels: the PTX assembles, and running its text gives the bits of the program."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from compiler.examples import branches, elementary, pendulum, program, same_bits, states
from compiler.test_random_graphs import BINARY, LOOPS, N_INPUTS, UNARY, expressions
from export.c_code import results
from export.machines import states as states_of
from export.ptx_machine import Machine
from export.test_c_text import angles, pairs
from models import example
from polhode import algorithms, compile, compile_step
from polhode.compiler import Program
from polhode.compiler.codegen import ptx
from polhode.compiler.program.export_ptx import export_ptx
from polhode.model import Box, Plane
from polhode.scalar import cos, sin, where
from polhode.scene import Scene

BLOCK = 4  # threads; few enough that the last block has some without a state
PTXAS = which("ptxas")
needs_ptxas = pytest.mark.skipif(PTXAS is None, reason="ptxas is not installed")


def run(machine: Machine, made: Program, name: str, arrays: list) -> tuple:
    """The outputs of a kernel for arrays with one batch axis, whatever their strides."""
    n, dtype = max(len(x) for x in arrays), arrays[0].dtype
    outputs = [np.full((n, *shape), -77.0, dtype) for shape in made.output_shapes]
    arguments = [n]
    for x in (*arrays, *outputs):
        machine.allow(x.ctypes.data, x.itemsize + sum(s * (k - 1) for s, k in _extent(x)))
        step = x.strides[-1] // x.itemsize if x.ndim > 1 else 1
        arguments += [x.ctypes.data, 0 if len(x) == 1 else x.strides[0] // x.itemsize, step]
    machine.launch(name, -(-n // BLOCK), BLOCK, arguments)
    return tuple(outputs)


def _extent(x: np.ndarray) -> list:
    return list(zip(x.strides, x.shape, strict=True))


def check(made: Program, arrays: list, dtype: str = "float64") -> None:
    """The PTX of a program gives the program's bits."""
    got = run(Machine(made.source("ptx", dtype)), made, made.name, arrays)
    with np.errstate(all="ignore"):
        expected = results(made, arrays)
    for ours, its in zip(expected, got, strict=True):
        assert same_bits(np.ascontiguousarray(ours), its)


def assemble(text: str, folder: Path, *options: str) -> None:
    """Let NVIDIA's assembler make a device's code of a module."""
    (folder / "all.ptx").write_text(text, encoding="ascii")
    command = [PTXAS or "", "-arch=sm_90", *options, "all.ptx", "-o", "all.cubin"]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert (folder / "all.cubin").stat().st_size > 1000


@pytest.fixture
def short_sections(monkeypatch):
    """Kernels are cut into functions of seven operations."""
    monkeypatch.setattr(ptx, "SECTION_OPS", 7)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sine_and_cosine(dtype):
    """Of inputs and of computed angles: near multiples of a right angle, huge, infinite, NaN."""
    made = program(lambda x: [sin(x), cos(x), sin(-x * 0.5), cos(x * 0.5)], "angles", x=())
    with np.errstate(over="ignore"):
        check(made, [angles()[::7].astype(dtype)], dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_library_functions(dtype):
    """Exponential, logarithm and arctangent, at zeros, infinities, NaN and between."""
    made = program(
        lambda x, y: [x.exp(), x.log(), x.atan2(y), *elementary(x, y)], "elementary", x=(), y=()
    )
    check(made, [x[::3] for x in pairs(dtype)], dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_choices_and_repeated_outputs(dtype):
    """Conditions, extremes, rounding; outputs that are constants, inputs or each other."""
    x = np.concatenate([states(30, 3), np.round(states(20, 3)), states(3, 3) * np.nan])
    x[1::7, 1] = x[1::7, 2]
    check(program(branches, "branches", x=(3,)), [x.astype(dtype)], dtype)


def cut(q, qd, length):
    """Values and conditions that cross sections, constants and inputs among the outputs."""
    is_long = length > 0.5
    rates = pendulum(q, qd, length)
    return [where(is_long & (r < 0.2), r.sin(), r) for r in rates], is_long, [q[0], 2.5]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_values_between_sections(short_sections, dtype):
    """A kernel of several functions, which find each other's values in local memory."""
    made = program(cut, "cut", q=(4,), qd=(4,), length=())
    assert made.source("ptx").count(".func cut$") > 5
    arrays = [states(7, 4), states(7, 4, seed=1), states(7, seed=2)]
    check(made, [x.astype(dtype) for x in arrays], dtype)


def test_random_expressions():
    """Twenty random graphs in one module."""
    choice, programs = random.Random(9), {}
    for n in range(20):
        recipe = [
            (choice.choice([*UNARY, *BINARY, *LOOPS]), choice.randrange(999), choice.randrange(999))
            for _ in range(choice.randrange(5, 50))
        ]
        build = lambda x, recipe=recipe: expressions(recipe, x)  # noqa: E731
        programs[f"f{n}"] = program(build, f"f{n}", x=(N_INPUTS,))
    machine = Machine(export_ptx(programs))
    x = np.concatenate([states(10, N_INPUTS) * 100, np.round(states(8, N_INPUTS))])
    x[::9, 2], x[4::11, 0] = np.nan, np.inf
    for name, made in programs.items():
        with np.errstate(all="ignore"):
            (expected,) = results(made, [x])
        (got,) = run(machine, made, name, [x])
        assert same_bits(np.ascontiguousarray(expected), got), name


@pytest.mark.parametrize("is_long", [False, True])
def test_strides_and_shared_states(is_long, monkeypatch):
    """Arrays by columns, every other state, and one state that all threads share."""
    if is_long:
        monkeypatch.setattr(ptx, "SECTION_OPS", 7)
    made = program(pendulum, "pendulum", q=(3,), qd=(3,), length=())
    q, qd = np.asfortranarray(states(9, 3)), states(18, 3, seed=1)[::2]
    (got,) = run(Machine(made.source("ptx")), made, "pendulum", [q, qd, np.array([0.7])])
    assert same_bits(made(q, qd, 0.7), got)


@pytest.mark.parametrize("name", ["rnea", "aba", "crba", "integrate", "rnea_derivatives"])
def test_algorithms(name):
    """Dynamics of the shipped arm, and the quaternions of the walker."""
    model = example("walker.lua" if name in ("crba", "integrate") else "arm.urdf")
    made = compile(getattr(algorithms, name), model)
    check(made, states_of(model, made.inputs, 2, "float64"))


def test_steps_with_contact():
    """A box that rests, slides, tips over and flies: worlds leave loops when they are done."""
    ground = Scene("slide").add_fixed("ground", Plane()).contact(mu_coulomb=0.4)
    scene = ground.add_body("box", Box((0.2, 0.3, 0.4)), mass=2.0, position=(0, 0, 0.2))
    made, n = compile_step(scene).program, 4
    rows = {name: np.zeros((n, *shape)) for name, shape in made.inputs.items()}
    rows["q"][:], rows["dt"][:] = scene.q0, 2e-3
    rows["qd"][1:3] = (1.5, 0.2, 0.0, 0.0, 0.0, 0.3), (0.1, 0.0, -0.2, 2.0, 1.0, 0.0)
    rows["q"][3, 2] += 0.5
    q, qd, x, error, _ = made(*rows.values())
    largest = abs(x.reshape(n, -1, 4)[..., 1:]).max((1, 2))  # behind the number of each point
    assert error.max() < 1e-6 and largest[:3].min() > 1e-3 and largest[3] == 0.0
    check(made, [q, qd, x, rows["tau"], rows["dt"]])


def test_arithmetic_is_exact_about_rounding():
    """Every operation on numbers says that it rounds to nearest, and none may be fused later."""
    text = compile(algorithms.aba, example("arm.urdf")).source("ptx")
    names = set(re.findall(r"^\t((?:add|sub|mul|div|sqrt|rcp|fma)\.\S*f\d\d) ", text, re.M))
    assert {"add.rn.f64", "mul.rn.f64", "fma.rn.f64"} <= names
    assert all(name.split(".")[1:-1] == ["rn"] for name in names)


@needs_ptxas
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_assembles(dtype, tmp_path, monkeypatch):
    """NVIDIA's assembler takes the modules, for an old architecture and a new one."""
    monkeypatch.setattr(ptx, "SECTION_OPS", 500)
    programs = {
        "aba": compile(algorithms.aba, example("arm.urdf")),
        "aba_derivatives": compile(algorithms.aba_derivatives, example("arm.urdf")),
        "elementary": program(elementary, x=(), y=()),
        "branches": program(branches, x=(3,)),
    }
    for arch in ("sm_70", "sm_90"):
        assemble(export_ptx(programs, dtype=dtype, arch=arch), tmp_path)


def test_names():
    """Names that are no identifiers, and how the comments call the arrays."""
    made = program(lambda größe: [größe * 2.0], "2nd try", größe=())
    text = made.source("ptx")
    assert ".visible .entry _2nd_try(" in text and text.isascii()
    (got,) = run(Machine(text), made, "_2nd_try", [np.array([1.5, 2.0])])
    assert got.tolist() == [[3.0], [4.0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtype": "int32"}, "float64 or float32, got int32"),
        ({"lanes": 4}, "one lane, the thread, of a CUDA kernel; got lanes=4"),
        ({"arch": "sm_12"}, "sm_70, sm_72, .*; got 'sm_12'"),
    ],
)
def test_errors(options, message):
    """What was expected and what came."""
    with pytest.raises(ValueError, match=message):
        program(elementary, x=(), y=()).source("ptx", **options)


def test_nothing_to_export():
    """A module of no kernels."""
    with pytest.raises(ValueError, match="at least one program"):
        export_ptx({})
