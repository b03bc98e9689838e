"""What the printers of several programs in one file are given, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..codegen.c_names import identifier
from ..codegen.kernel_code import KernelCode

if TYPE_CHECKING:
    from .program import Program


def number_type(dtype: Any) -> str:
    """The number type of a format: "f64" or "f32".

    Raises
    ------
    ValueError
        If ``dtype`` is neither float64 nor float32.
    """
    number = np.dtype(dtype)
    if number not in (np.float64, np.float32):
        raise ValueError(f"expected dtype float64 or float32, got {number}")
    return "f64" if number == np.float64 else "f32"


def require_programs(programs: Mapping[str, Program]) -> None:
    """Refuse to export nothing."""
    if not programs:
        raise ValueError("expected at least one program to export")


def output_names(
    program: Program, name: str, outputs: Mapping[str, Sequence[str]] | None
) -> list[str]:
    """Names of the outputs of a function: as given, or ``out``, or ``out_0, out_1, ...``."""
    n = len(program.output_shapes)
    default = ["out"] if n == 1 else [f"out_{k}" for k in range(n)]
    return list((outputs or {}).get(name) or default)


def kernel_code(program: Program, name: str) -> KernelCode:
    """A program as the printers of kernels take it."""
    inputs, outputs = program.inputs.values(), program.output_shapes
    return KernelCode(
        identifier(name),
        program.code,
        [math.prod(s) for s in inputs],
        [math.prod(s) for s in outputs],
    )
