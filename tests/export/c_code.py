"""Compiling exported C the way a reader would, and calling it on batches."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
import pytest

from polhode.compiler import Program

STRICT = (
    "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wmissing-prototypes",
    "-O2", "-ffp-contract=off",
)  # fmt: skip
GCC = which("gcc")
needs_gcc = pytest.mark.skipif(GCC is None, reason="gcc is not installed")


def gcc(folder: Path, *arguments: str, fails: bool = False) -> str:
    """Run gcc in a folder; what it said."""
    run = subprocess.run([GCC or "", *arguments], cwd=folder, capture_output=True, text=True)
    assert (run.returncode != 0) == fails, run.stderr[:4000]
    return run.stderr


def library(text: str, folder: Path, *more: str) -> ctypes.CDLL:
    """The functions of a C file, compiled without a warning."""
    name = f"exported{len(list(folder.glob('*.so')))}"  # a library's name is loaded once
    (folder / f"{name}.c").write_text(text, encoding="ascii")
    gcc(folder, *STRICT, *more, "-shared", "-fPIC", f"{name}.c", "-o", f"{name}.so", "-lm")
    return ctypes.CDLL(str(folder / f"{name}.so"))


def call(function: Any, program: Program, arrays: Sequence[np.ndarray], lanes: int = 1) -> tuple:
    """The outputs for a batch whose length is a multiple of ``lanes``, as a program gives them."""
    dtype, groups = arrays[0].dtype, len(arrays[0]) // lanes
    inputs = [_side_by_side(x, groups, lanes) for x in arrays]
    sizes = [int(np.prod(shape, dtype=int)) for shape in program.output_shapes]
    outputs = [np.full((groups, n, lanes), -77.0, dtype) for n in sizes]
    for g in range(groups):
        function(*(ctypes.c_void_p(x[g].ctypes.data) for x in (*inputs, *outputs)))
    return tuple(
        np.ascontiguousarray(x.transpose(0, 2, 1)).reshape(-1, *shape)
        for x, shape in zip(outputs, program.output_shapes, strict=True)
    )


def results(program: Program, arrays: Sequence[np.ndarray]) -> tuple:
    """The outputs of a program, always as a tuple."""
    out = program(*arrays)
    return out if isinstance(out, tuple) else (out,)


def _side_by_side(x: np.ndarray, groups: int, lanes: int) -> np.ndarray:
    return np.ascontiguousarray(x.reshape(groups, lanes, -1).transpose(0, 2, 1))
