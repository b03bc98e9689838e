"""Programs as a module of WebAssembly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..codegen.wasm import wasm_module
from .exported import kernel_code, require_programs

if TYPE_CHECKING:
    from .program import Program


def export_wasm(programs: Mapping[str, Program]) -> bytes:
    """One module with a function for each program, in double precision.

    Parameters
    ----------
    programs : mapping of str to Program
        By the names that the functions shall have.

    Raises
    ------
    ValueError
        If ``programs`` is empty.
    """
    require_programs(programs)
    return wasm_module([kernel_code(program, name) for name, program in programs.items()])
