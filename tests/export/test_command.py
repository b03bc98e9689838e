"""``polhode export``: files, names, what it says, how it fails; and the example in the docs."""

from __future__ import annotations

import json
import re
import subprocess
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from compiler.examples import same_bits
from export.c_code import STRICT, call, gcc, library, needs_gcc, results
from export.machines import states
from polhode import algorithms
from polhode.cli import main
from polhode.cli.export_functions import FUNCTIONS

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def arm(tmp_path, monkeypatch):
    """The path of the shipped arm; the working folder is empty."""
    monkeypatch.chdir(tmp_path)
    with as_file(files("polhode") / "examples" / "arm.urdf") as path:
        yield str(path)


@needs_gcc
def test_every_function(arm, tmp_path, capsys):
    """All functions in one file: each gives the bits of its program."""
    assert main(["export", arm, "--c", "all.c", "--body", "flange", "--function", *FUNCTIONS]) == 0
    said = capsys.readouterr().out
    assert "all.c and all.h: float64, one state a call" in said
    functions = library(Path("all.c").read_text(), tmp_path)
    model = ph.load(arm)
    for name, function in FUNCTIONS.items():
        static = {"body": model.body("flange").id} if function.has_body else {}
        program = ph.compile(getattr(algorithms, function.algorithm), model, **static)
        arrays = states(model, program.inputs, 3, "float64")
        got = call(getattr(functions, f"all_{name}"), program, arrays)
        for ours, its in zip(results(program, arrays), got, strict=True):
            assert same_bits(np.ascontiguousarray(ours), its), name
        assert f"all_{name}: {program.ops} operations" in said


@needs_gcc
def test_example_of_the_docs(arm, tmp_path):
    """The C program that the docs show prints the torques of `inverse_dynamics`."""
    (text,) = re.findall(r"^```c\n(.*?)^```", (DOCS / "export.md").read_text(), re.M | re.S)
    Path("main.c").write_text(text)
    assert main(["export", arm, "--c", "arm.c", "--quiet"]) == 0
    gcc(tmp_path, *STRICT, "main.c", "arm.c", "-o", "main", "-lm")
    run = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    q, qd = ([float(x) for x in row.split(",")] for row in re.findall(r"6\] = {(.*,.*)}", text))
    expected = ph.inverse_dynamics(ph.load(arm), q, qd, np.zeros(6))
    assert [float(line) for line in run.stdout.split()] == expected.tolist()


def test_files_and_json(arm, capsys):
    """Lanes and type reach the text; JSON names the files and counts operations."""
    options = ["--dtype", "float32", "--lanes", "4", "--json"]
    assert main(["export", arm, "--c", "my-arm.c", *options]) == 0
    said = json.loads(capsys.readouterr().out)
    ops = ph.compile(algorithms.inverse_dynamics, ph.load(arm)).ops
    assert said == {
        "source": "my-arm.c", "header": "my-arm.h", "dtype": "float32", "lanes": 4,
        "functions": {"my_arm_inverse_dynamics": ops},
    }  # fmt: skip
    header = Path("my-arm.h").read_text()
    assert "const float q[24]" in header and "float tau[24]" in header
    assert "POLHODE_MY_ARM_H" in header
    assert "void my_arm_inverse_dynamics(" in Path("my-arm.c").read_text()


def test_cuda_kernels(arm, capsys):
    """PTX of two functions, for a number type and an architecture; JSON says so."""
    options = ["--dtype", "float32", "--arch", "sm_90", "--json"]
    functions = ["--function", "forward_dynamics", "point_jacobian", "--body", "flange"]
    assert main(["export", arm, "--ptx", "my-arm.ptx", *functions, *options]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["source"] == "my-arm.ptx" and said["arch"] == "sm_90"
    assert list(said["functions"]) == ["my_arm_forward_dynamics", "my_arm_point_jacobian"]
    text = Path("my-arm.ptx").read_text()
    for name in said["functions"]:
        assert f".visible .entry {name}(" in text
    assert ".target sm_90" in text and "fma.rn.f32" in text and "//   to   qdd: 6" in text
    assert main(["export", arm, "--ptx", "arm.ptx"]) == 0
    assert "arm.ptx: float64, one state a thread" in capsys.readouterr().out


def test_gravity(arm):
    """The options of a model are those of the other commands."""
    assert main(["export", arm, "--c", "a.c", "--function", "gravity_forces"]) == 0
    assert main([
        "export", arm, "--c", "a0.c", "--function", "gravity_forces", "--gravity", "0", "0", "0"
    ]) == 0  # fmt: skip
    assert "tau[0] = 0.0;" in Path("a0.c").read_text()
    assert len(Path("a0.c").read_text()) < len(Path("a.c").read_text())


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--c", "arm.x"], 1, "a name that ends in .c after --c, got 'arm.x'"),
        (["--c", "arm.c", "--function", "mass_matrx"], 2, "did you mean 'mass_matrix'"),
        (["--c", "arm.c", "--function", "point_jacobian"], 1, "--body NAME for the function point"),
        (["--c", "arm.c", "--function", "body_jacobian", "--body", "hnd"], 1, "no body 'hnd'"),
        (["--c", "arm.c", "--lanes", "100"], 1, "from 1 to 64 lanes, got 100"),
        (["--c", "nowhere/arm.c"], 1, "no such file or folder: nowhere/arm.c"),
        ([], 2, "--c"),
        (["--c", "arm.c", "--ptx", "arm.ptx"], 2, "not allowed with"),
        (["--ptx", "arm.c"], 1, "a name that ends in .ptx after --ptx, got 'arm.c'"),
        (["--ptx", "arm.ptx", "--lanes", "2"], 1, "no --lanes with --ptx"),
        (["--ptx", "arm.ptx", "--arch", "sm_1"], 1, "sm_70, sm_72"),
        (["--wasm", "arm.wasm", "--dtype", "float32"], 1, "float64 with --wasm, got float32"),
    ],
)
def test_failures(arm, capsys, options, status, message):
    """One line says what is wrong, and nothing is written."""
    assert main(["export", arm, *options]) == status
    assert message in capsys.readouterr().err
    assert not list(Path().glob("*.[chpw]*"))
