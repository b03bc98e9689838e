"""Programs as source text: of any language, and as files of C."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...arguments import as_choice, as_count, as_text
from ...errors import ArgumentError, shown, suggestion
from ..codegen.c_file import c_header, c_source, make_signature
from ..codegen.machine import Format
from .export_ptx import export_ptx
from .export_wasm import export_wasm
from .exported import number_type, output_names, require_programs

if TYPE_CHECKING:
    from .program import Program


MOST_LANES = 64
LANGUAGES = ("llvm", "c", "h", "ptx", "wasm")


def source_text(program: Program, language: str, dtype: Any, lanes: int, arch: str) -> str | bytes:
    """A program as LLVM's text, one file of C, its header, PTX, or a module of WebAssembly.

    Raises
    ------
    ValueError
        If ``language``, ``dtype``, ``lanes`` or ``arch`` is none that can be printed.
    """
    language = as_text("language", language)
    lanes, dtype = as_count("lanes", lanes), _name_of(dtype)
    if language == "llvm":
        as_count("lanes", lanes, least=1, most=MOST_LANES)
        as_choice("dtype", dtype, ("float64", "float32"))
        return program._source.ir(Format(number_type(dtype), lanes))
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


def _name_of(dtype: Any) -> str:
    """The name of a type of numbers that NumPy knows; not yet one that programs have."""
    try:
        if isinstance(dtype, (str, type, np.dtype)):
            return np.dtype(dtype).name
    except (TypeError, ValueError):
        pass
    raise ArgumentError(f"expected dtype float64 or float32, got {shown(dtype)}")


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
    form = number_type(dtype)
    if lanes not in range(1, MOST_LANES + 1):
        raise ValueError(f"expected from 1 to {MOST_LANES} lanes, got {lanes!r}")
    require_programs(programs)
    functions, remarks = [], []
    for name, program in programs.items():
        shapes = zip(output_names(program, name, outputs), program.output_shapes, strict=True)
        signature = make_signature(name, program.inputs, list(shapes), form, lanes)
        functions.append((program.code, signature))
        remarks.append(f"{program.ops} operations on numbers for each state.")
    header = c_header([signature for _, signature in functions], stem)
    return CText(c_source(functions, remarks), header)
