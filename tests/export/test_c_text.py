"""Exported C of any function: elementary functions, random expressions, names, the file itself."""

from __future__ import annotations

import math
import random
import re
import subprocess

import numpy as np
import pytest

from compiler.examples import branches, elementary, pendulum, program, same_bits, states
from compiler.test_random_graphs import BINARY, N_INPUTS, UNARY, expressions
from export.c_code import call, gcc, library, needs_gcc, results
from polhode.compiler.codegen import c
from polhode.compiler.program.export import export_c
from polhode.scalar import cos, sin, where

pytestmark = needs_gcc
SPECIAL = (0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, 1e-310, 2.0**1000, 1e308, -1.0, 0.5)
EXACT = {"fma", "fmaf", "sqrt", "sqrtf", "floor", "floorf", "rint", "rintf", "memcpy"}


def angles() -> np.ndarray:
    """Near multiples of a right angle, on both sides of the border, and of every size."""
    rng = np.random.default_rng(3)
    k = np.concatenate([rng.integers(-60000, 60000, 400), rng.integers(0, 10**15, 100)])
    near = np.nextafter(k * (np.pi / 2), rng.choice([-np.inf, np.inf], k.size))
    sizes = rng.standard_normal(500) * 10.0 ** rng.uniform(-300, 300, 500)
    border = np.array(
        [1e5, np.nextafter(1e5, 0), -1e5, np.nextafter(1e5, 2e5), math.ldexp(6381956970095103, 797)]
    )
    return np.concatenate([near, sizes, border, SPECIAL, rng.uniform(-20, 20, 1000 - 16)])


def pairs(dtype: str) -> list[np.ndarray]:
    """Every special number with every other, then numbers of every size."""
    rng = np.random.default_rng(4)
    special = np.array([*SPECIAL, 1e5, 3.0, 700.0, -745.0, 1e-3])
    x, y = (a.ravel() for a in np.meshgrid(special, special))
    more = rng.standard_normal((2, 512)) * 10.0 ** rng.uniform(-8, 8, (2, 512))
    with np.errstate(over="ignore"):
        return [np.concatenate([a, b]).astype(dtype) for a, b in zip((x, y), more, strict=True)]


def check(made, arrays, folder, dtype="float64", lanes=1, *flags):
    """The exported C of a program gives the program's bits."""
    functions = library(made.source("c", dtype, lanes), folder, *flags)
    got = call(getattr(functions, made.name), made, arrays, lanes)
    with np.errstate(all="ignore"):
        expected = results(made, arrays)
    for ours, its in zip(expected, got, strict=True):
        assert same_bits(np.ascontiguousarray(ours), its)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sine_and_cosine(dtype, lanes, tmp_path):
    """Of inputs, which is a loop of its own, and of computed angles."""
    made = program(lambda x: [sin(x), cos(x), sin(-x * 0.5), cos(x * 0.5)], "angles", x=())
    x = angles()
    with np.errstate(over="ignore"):
        x = x[: len(x) // 4 * 4].astype(dtype)
    check(made, [x], tmp_path, dtype, lanes)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_library_functions(dtype, lanes, tmp_path):
    """Exponential, logarithm and arctangent, at zeros, infinities, NaN and between."""
    x, y = pairs(dtype)
    made = program(
        lambda x, y: [x.exp(), x.log(), x.atan2(y), *elementary(x, y)], "elementary", x=(), y=()
    )
    check(made, [x, y], tmp_path, dtype, lanes)


@pytest.mark.parametrize("lanes", [1, 4])
def test_choices_and_repeated_outputs(lanes, tmp_path):
    """Conditions, extremes, rounding; outputs that are constants, inputs or each other."""
    x = np.concatenate([states(64, 3), np.round(states(61, 3)), states(3, 3) * np.nan])
    x[1::7, 1] = x[1::7, 2]
    check(program(branches, "branches", x=(3,)), [x], tmp_path, "float64", lanes)


@pytest.mark.parametrize("lanes", [1, 4])
def test_values_between_sections(monkeypatch, lanes, tmp_path):
    """A program cut into functions of seven operations, with conditions that cross the cuts."""

    def build(q, qd, length):
        is_long = length > 0.5
        rates = pendulum(q, qd, length)
        return [where(is_long & (r < 0.2), r.sin(), r) for r in rates], is_long

    monkeypatch.setattr(c, "SECTION_OPS", 7)
    made = program(build, "cut", q=(6,), qd=(6,), length=())
    arrays = [states(16, 6), states(16, 6, seed=1), states(16, seed=2)]
    assert made.source("c").count("static void cut_") > 5
    check(made, arrays, tmp_path, "float64", lanes)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_multiply_adds(dtype, tmp_path):
    """All four signs of a multiply-add, where sums vanish, and where they do not."""

    def build(x, y):
        a, b, c, d = (x * 2.0**k for k in range(4))  # products that are used once
        return [a * y + a, b * y - b, c - c * y, -(d * y + d)]

    made = program(build, "multiply_adds", x=(), y=())
    assert {"fma", "fms", "fnma", "fnms"} <= {op.name for op in made.code.ops}
    check(made, pairs(dtype), tmp_path, dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_constants(dtype, tmp_path):
    """Constants of every size, infinite ones and NaN are read back as they were."""
    rng = np.random.default_rng(7)
    numbers = [*rng.standard_normal(300) * 10.0 ** rng.uniform(-40, 40, 300), 1e16, 123456789.0]
    numbers += [math.inf, -math.inf, math.nan, -0.0, 5e-324, 2.0**-149, 3.5e38]
    made = program(lambda x: ([x + float(c) for c in numbers], numbers), "constants", x=())
    check(made, [np.array([0.0, 1.0, -3.0], dtype)], tmp_path, dtype)


def test_random_expressions(tmp_path):
    """Thirty random graphs in one file."""
    choice, programs = random.Random(8), {}
    for n in range(30):
        recipe = [
            (choice.choice([*UNARY, *BINARY]), choice.randrange(999), choice.randrange(999))
            for _ in range(choice.randrange(5, 60))
        ]
        build = lambda x, recipe=recipe: expressions(recipe, x)  # noqa: E731
        programs[f"f{n}"] = program(build, f"f{n}", x=(N_INPUTS,))
    functions = library(export_c(programs).source, tmp_path)
    x = np.concatenate([states(40, N_INPUTS) * 100, np.round(states(20, N_INPUTS))])
    x[::9, 2], x[4::11, 0] = np.nan, np.inf
    for name, made in programs.items():
        with np.errstate(all="ignore"):
            (expected,) = results(made, [x])
        (got,) = call(getattr(functions, name), made, [x])
        assert same_bits(np.ascontiguousarray(expected), got), name


def test_processor_options(tmp_path):
    """The fused multiply-add of the processor, and the vectorizer, change no bit."""
    x, y = pairs("float64")
    made = program(lambda x, y: [*elementary(x, y), x * y + 1.25, x / y - x], "tuned", x=(), y=())
    check(made, [x, y], tmp_path, "float64", 8, "-O3", "-march=native", "-fno-math-errno")


def test_needs_nothing_else(tmp_path):
    """The only symbols from outside are correctly rounded functions of math.h and memcpy."""
    made = program(elementary, "elementary", x=(), y=())
    (tmp_path / "alone.c").write_text(made.source("c"), encoding="ascii")
    gcc(tmp_path, "-std=c99", "-O0", "-fno-builtin", "-c", "alone.c", "-o", "alone.o")
    listing = subprocess.run(
        ["nm", "-P", "alone.o"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    outside = {line.split()[0] for line in listing.splitlines() if line.split()[1] == "U"}
    visible = {line.split()[0] for line in listing.splitlines() if line.split()[1] == "T"}
    assert "fma" in outside
    assert outside <= EXACT | {"fabs", "copysign", "__signbit", "_GLOBAL_OFFSET_TABLE_"}
    assert visible == {"elementary"}


def test_fast_math_is_refused(tmp_path):
    """Approximate arithmetic stops the compiler with the reason."""
    (tmp_path / "fast.c").write_text(program(elementary, x=(), y=()).source("c"))
    said = gcc(tmp_path, "-std=c99", "-ffast-math", "-c", "fast.c", fails=True)
    assert "-ffast-math" in said


def test_names(tmp_path):
    """Words of C, of the printer, and of other alphabets become names; all differ."""

    def build(*x):
        total = 0.0
        for value in x:
            total = total * 2.0 + value
        return [total.sin(), total.cos()], total

    words = (
        "double",
        "v1",
        "w",
        "l",
        "sin",
        "größe",
        "gr__e",
        "out_0",
        "double_",
        "2nd",
        "xor",
        "polhode_x",
    )
    made = program(build, "main", **dict.fromkeys(words, ()))
    functions = library(made.source("c"), tmp_path)
    arrays = [states(4, seed=k) for k in range(len(words))]
    for ours, its in zip(results(made, arrays), call(functions.main_, made, arrays), strict=True):
        assert same_bits(np.ascontiguousarray(ours), its)
    prototype = made.source("h").split("void main_(")[1]
    names = re.findall(r"(\w+)\[1\]", prototype)
    assert len(set(names)) == len(words) + 1


@pytest.mark.parametrize("name", ["hypot", "remainderf", "not", "printf me", "uint64_t", "v7"])
def test_taken_function_names(name, tmp_path):
    """A function called like one of math.h, or like a word of the language."""
    made = program(elementary, name, x=(), y=())
    library(made.source("c"), tmp_path)
    (tmp_path / "it.h").write_text(made.source("h"))
    gcc(tmp_path, "-x", "c++", "-fsyntax-only", "-include", "math.h", "it.h")


def test_header(tmp_path):
    """A caller in C and one in C++ compile against the header; the unused input is no warning."""
    made = program(lambda x, unused: [x[0] + x[1], 2.5], "sum_of", x=(2,), unused=(3,))
    (tmp_path / "sum_of.c").write_text(made.source("c"))
    (tmp_path / "sum_of.h").write_text(made.source("h"))
    (tmp_path / "main.c").write_text(
        '#include <stdio.h>\n#include "sum_of.h"\n'
        "int main(void) { double x[2] = {1.5, 2.0}, u[3] = {0}, y[2];\n"
        'sum_of(x, u, y); printf("%g %g\\n", y[0], y[1]); return 0; }\n'
    )
    strict = ("-std=c99", "-Wall", "-Wextra", "-Werror")
    gcc(tmp_path, *strict, "main.c", "sum_of.c", "-o", "main", "-lm")
    run = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    assert run.stdout == "3.5 2.5\n"
    gcc(tmp_path, "-x", "c++", "-Wall", "-Werror", "-fsyntax-only", "sum_of.h")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "pascal"}, "a language of llvm, c, h, ptx, wasm; got 'pascal'"),
        ({"language": "c", "dtype": "int32"}, "float64 or float32, got int32"),
        ({"language": "c", "lanes": 0}, "from 1 to 64 lanes, got 0"),
    ],
)
def test_errors(options, message):
    """What was expected and what came."""
    with pytest.raises(ValueError, match=re.escape(message)):
        program(elementary, x=(), y=()).source(**options)
