"""Exporting an algorithm of a machine, and comparing it with the program it came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from compiler.examples import same_bits
from export.c_code import call, library, results


def states(model: ph.Model, inputs: dict, n: int, dtype: Any, seed: int = 5) -> list[np.ndarray]:
    """Random states for the inputs of a program, by their names."""
    rng = np.random.default_rng(seed)
    arrays = []
    for name, shape in inputs.items():
        if name in ("q", "q0", "q1"):
            arrays.append(ph.random_configuration(model, rng, size=(n,)).astype(dtype))
        else:
            arrays.append(rng.standard_normal((n, *shape)).astype(dtype))
    return arrays


def check(
    algorithm: Any, model: ph.Model, folder: Path, dtype: str = "float64", lanes: int = 1
) -> None:
    """Exported C of an algorithm gives the bits of its program."""
    program = ph.compile(algorithm, model)
    functions = library(program.source("c", dtype, lanes), folder)
    arrays = states(model, program.inputs, 4 * lanes, dtype)
    function = getattr(functions, algorithm.__name__)
    got = call(function, program, arrays, lanes)
    for ours, its in zip(results(program, arrays), got, strict=True):
        assert same_bits(np.ascontiguousarray(ours), its)
