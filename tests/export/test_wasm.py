"""WebAssembly of programs, run by Node: the same arithmetic but for multiply-adds."""

from __future__ import annotations

import math
import random
import re
import subprocess
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from compiler.examples import (
    branches,
    elementary,
    pendulum,
    program,
    same_bits,
    skipped,
    states,
    turning,
)
from compiler.test_random_graphs import BINARY, N_INPUTS, UNARY, expressions
from export.c_code import results
from export.machines import states as states_of
from models import example
from polhode import algorithms, compile, inverse_dynamics, mass_matrix
from polhode.cli import main
from polhode.compiler import Program
from polhode.compiler.codegen import wasm
from polhode.compiler.graph import Code
from polhode.compiler.program.export_wasm import export_wasm
from polhode.scalar import gather, where

NODE = which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
ARM = Path(algorithms.__file__).parents[1] / "examples" / "arm.urdf"
RUN = Path(__file__).with_name("run.mjs")
FUSED = {
    "fma": lambda a, b, c: a * b + c,
    "fms": lambda a, b, c: a * b - c,
    "fnma": lambda a, b, c: c - a * b,
    "fnms": lambda a, b, c: -(a * b) - c,
}


def run(
    module: bytes, made: Program, arrays: list, folder: Path, name: str = ""
) -> list[np.ndarray]:
    """The outputs of a function of a module for arrays with one batch axis."""
    n = len(arrays[0])
    (folder / "it.wasm").write_bytes(module)
    np.hstack([np.reshape(x, (n, -1)) for x in arrays]).astype(float).tofile(folder / "in")
    shapes = [*made.inputs.values(), *made.output_shapes]
    sizes = [str(math.prod(shape)) for shape in shapes]
    counts = [str(n), str(len(arrays)), *sizes]
    command = [NODE or "", str(RUN), "it.wasm", name or made.name, "in", *counts]
    ran = subprocess.run(command, cwd=folder, capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode()
    numbers = np.frombuffer(ran.stdout).reshape(n, -1)
    ends = np.cumsum([int(size) for size in sizes[len(arrays) :]])
    parts = np.split(numbers, ends[:-1], axis=1)
    return [x.reshape(n, *shape) for x, shape in zip(parts, made.output_shapes, strict=True)]


def unfused(code: Code, inputs: list[float]) -> list[float]:
    """The outputs, with products and sums of multiply-adds rounded apart."""
    values: list = []
    for op, args in zip(code.ops, code.args, strict=True):
        if op.name == "input":
            values.append(inputs[args[0]])
        elif op.name == "const":
            values.append(args[0])
        else:
            values.append(FUSED.get(op.name, op.evaluate)(*(values[a] for a in args)))
    return [float(values[k]) for k in code.outputs]


@needs_node
def test_random_expressions(tmp_path):
    """Random graphs of exact operations, to the bit."""
    choice, programs = random.Random(10), {}
    for n in range(12):
        recipe = [
            (choice.choice([*UNARY, *BINARY]), choice.randrange(999), choice.randrange(999))
            for _ in range(choice.randrange(5, 60))
        ]
        build = lambda x, recipe=recipe: expressions(recipe, x)  # noqa: E731
        programs[f"f{n}"] = program(build, f"f{n}", x=(N_INPUTS,))
    module = export_wasm(programs)
    x = np.concatenate([states(20, N_INPUTS) * 100, np.round(states(20, N_INPUTS))])
    x[::9, 2], x[4::11, 0] = np.nan, np.inf
    for made in programs.values():
        (got,) = run(module, made, [x], tmp_path)
        expected = [unfused(made.code, row.tolist()) for row in x]
        assert same_bits(np.reshape(expected, got.shape), got), made.name


def cut(q, qd, length):
    """Values and conditions that cross sections, constants and inputs among the outputs."""
    is_long = length > 0.5
    rates = pendulum(q, qd, length)
    return [where(is_long & (r < 0.2), r.sin(), r) for r in rates], is_long, [q[0], 2.5, 2.5]


@needs_node
@pytest.mark.parametrize("section_ops", [7, 2500])
def test_values_between_sections(monkeypatch, section_ops, tmp_path):
    """A program of several functions; library functions; choices."""
    monkeypatch.setattr(wasm, "SECTION_OPS", section_ops)
    made = program(cut, "cut", q=(4,), qd=(4,), length=())
    arrays = [states(30, 4), states(30, 4, seed=1), states(30, seed=2)]
    check(made, arrays, tmp_path)
    check(program(branches, "branches", x=(3,)), [states(30, 3)], tmp_path)
    check(program(elementary, "elementary", x=(), y=()), [*states(2, 30)], tmp_path)
    check(program(skipped, "skipped", x=(3,)), [states(30, 3)], tmp_path)
    check(program(turning, "turning", x=(2,)), [states(30, 2)], tmp_path)
    check(program(long_table, "long_table", x=()), [states(30)], tmp_path)


def long_table(x):
    """Entries of a table of constants that is longer than a page of memory."""
    table = np.sin(np.arange(9000.0)).tolist()
    return gather(table, 4000.0 + 1000.0 * x) + gather([x, 2.0], x) + gather(table[:5], x)


def check(made: Program, arrays: list, folder: Path, tolerance: float = 1e-13) -> None:
    """Numbers agree to a part of the largest of their array."""
    for ours, its in zip(
        results(made, arrays), run(made.source("wasm"), made, arrays, folder), strict=True
    ):
        np.testing.assert_allclose(its, ours, rtol=0.0, atol=tolerance * abs(ours).max())


@needs_node
@pytest.mark.parametrize(
    ("machine", "names"),
    [
        ("arm.urdf", ("rnea", "rnea_derivatives", "aba", "aba_derivatives")),
        ("walker.lua", ("rnea", "aba", "integrate", "poses")),
    ],
)
def test_algorithms(machine, names, tmp_path):
    """The shipped machines' dynamics; dividing by the inertia H loses as much as H's condition."""
    model = example(machine)
    for name in names:
        made = compile(getattr(algorithms, name), model)
        arrays = states_of(model, made.inputs, 4, "float64")
        condition = np.linalg.cond(mass_matrix(model, arrays[0])).max()
        rounding = np.finfo(float).eps * condition if name.startswith("aba") else 1e-13
        check(made, arrays, tmp_path, rounding)


@needs_node
def test_command(tmp_path, monkeypatch, capsys):
    """A file of two functions, each called as it is named there."""
    monkeypatch.chdir(tmp_path)
    arm = example("arm.urdf")
    functions = ["inverse_dynamics", "mass_matrix"]
    assert main(["export", str(ARM), "--wasm", "arm.wasm", "--function", *functions]) == 0
    assert "arm.wasm: float64, one state a call" in capsys.readouterr().out
    module = Path("arm.wasm").read_bytes()
    for function in functions:
        made = compile(getattr(algorithms, function), arm)
        arrays = states_of(arm, made.inputs, 3, "float64")
        (got,) = run(module, made, arrays, tmp_path, f"arm_{function}")
        (ours,) = results(made, arrays)
        np.testing.assert_allclose(got, ours, rtol=1e-13, atol=1e-13 * abs(ours).max())


@needs_node
def test_example_of_the_docs(tmp_path, monkeypatch):
    """The script that the docs show prints the torques of `inverse_dynamics`."""
    page = Path(__file__).resolve().parents[2] / "docs" / "export.md"
    (text,) = re.findall(r"^```js\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    monkeypatch.chdir(tmp_path)
    Path("main.mjs").write_text(text)
    assert main(["export", str(ARM), "--wasm", "arm.wasm", "--quiet"]) == 0
    ran = subprocess.run([NODE or "", "main.mjs"], capture_output=True, text=True, check=True)
    q, qd = ([float(x) for x in row.split(",")] for row in re.findall(r"set\(\[(.*)\]\)", text))
    expected = inverse_dynamics(example("arm.urdf"), q, qd, np.zeros(6))
    got = [float(line) for line in ran.stdout.split()]
    np.testing.assert_allclose(got, expected, rtol=0.0, atol=1e-13 * abs(expected).max())


@pytest.mark.parametrize("options", [{"dtype": "float32"}, {"lanes": 4}])
def test_errors(options):
    """Only double precision, one state a call."""
    with pytest.raises(ValueError, match="expected float64 and one lane of WebAssembly; got"):
        program(elementary, x=(), y=()).source("wasm", **options)


def test_nothing_to_export():
    """A module of no functions."""
    with pytest.raises(ValueError, match="at least one program"):
        export_wasm({})
