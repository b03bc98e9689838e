"""Programs as files of C source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import shown, suggestion
from ..codegen.c_file import c_header, c_source, make_signature
from .export_ptx import export_ptx
from .export_wasm import export_wasm

if TYPE_CHECKING:
    from .program import Program


LANGUAGES = ("llvm", "c", "h", "ptx", "wasm")


def source_text(program: Program, language: str, dtype: Any, lanes: int, arch: str) -> str | bytes:
    """A program as one file of C, its header, PTX, or a module of WebAssembly.

    Raises
    ------
    ValueError
        If ``language``, ``dtype``, ``lanes`` or ``arch`` is none that can be printed.
    """
    if language in ("c", "h"):
        text = export_c({program.name: program}, dtype=dtype, lanes=lanes)
        return text.source if language == "c" else text.header
    if language == "ptx":
        if lanes != 1:
            raise ValueError(
                f"expected one lane, the thread, of a CUDA kernel; got lanes={lanes!r}"
            )
        return export_ptx({program.name: program}, dtype=dtype, arch=arch)
    if language == "wasm":
        if lanes != 1 or np.dtype(dtype) != np.float64:
            raise ValueError(
                f"expected float64 and one lane of WebAssembly; got {dtype} and lanes={lanes!r}"
            )
        return export_wasm({program.name: program})
    hint = suggestion(language, LANGUAGES)
    raise ValueError(f"expected a language of {', '.join(LANGUAGES)}; got {shown(language)}{hint}")


class CText(NamedTuple):
    """A C file, and the header that declares its functions."""

    source: str
    header: str


def export_c(
    programs: Mapping[str, Program],
    *,
    dtype: Any = "float64",
    lanes: int = 1,
    outputs: Mapping[str, Sequence[str]] | None = None,
    stem: str | None = None,
) -> CText:
    """One C99 file with a function for each program, and its header.

    Parameters
    ----------
    programs : mapping of str to Program
        By the names that the functions shall have.
    dtype : {"float64", "float32"}
    lanes : int
        States that each call works on: number ``k`` of state ``l`` is then element
        ``k * lanes + l`` of its array.
    outputs : mapping of str to sequence of str, optional
        Names of the outputs of some functions; ``out`` or ``out_0, out_1, ...`` otherwise.
    stem : str, optional
        What the header's include guard is made from; the first function's name by default.

    Raises
    ------
    ValueError
        If ``dtype`` or ``lanes`` is none of those, or ``programs`` is empty.
    """
    number = np.dtype(dtype)
    if number not in (np.float64, np.float32):
        raise ValueError(f"expected dtype float64 or float32, got {number}")
    if lanes not in range(1, 65):
        raise ValueError(f"expected from 1 to 64 lanes, got {lanes!r}")
    if not programs:
        raise ValueError("expected at least one program to export")
    form = "f64" if number == np.float64 else "f32"
    functions, remarks = [], []
    for name, program in programs.items():
        names = list((outputs or {}).get(name) or _output_names(program))
        shapes = zip(names, program.output_shapes, strict=True)
        signature = make_signature(name, program.inputs, list(shapes), form, lanes)
        functions.append((program.code, signature))
        remarks.append(f"{program.ops} operations on numbers for each state.")
    header = c_header([signature for _, signature in functions], stem)
    return CText(c_source(functions, remarks), header)


def _output_names(program: Program) -> list[str]:
    n = len(program.output_shapes)
    return ["out"] if n == 1 else [f"out_{k}" for k in range(n)]
