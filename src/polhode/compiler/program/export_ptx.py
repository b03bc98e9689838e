"""Programs as CUDA kernels in a file of PTX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..codegen.ptx import device_ir
from ..codegen.ptx_target import OLDEST, assembly
from .exported import kernel_code, number_type, output_names, require_programs

if TYPE_CHECKING:
    from .program import Program

_OPENING = """\
// Made by polhode: do not edit.
//
// A thread works on one state.  The parameters of each kernel: the number of states, 64 bits
// wide, and then for each array its address, the way from a state to the next (0: all states
// share one) and the way from an entry of a state to the next, both 64 bits wide and counted
// in numbers.  Entries are counted in row-major order.
"""


def export_ptx(
    programs: Mapping[str, Program],
    *,
    dtype: Any = "float64",
    arch: str = OLDEST,
    outputs: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """One PTX module with a kernel for each program.

    Parameters
    ----------
    programs : mapping of str to Program
        By the names that the kernels shall have.
    dtype : {"float64", "float32"}
    arch : str
        The oldest devices that shall run it, as ``sm_70``.
    outputs : mapping of str to sequence of str, optional
        Names of the outputs of some kernels, for the comments.

    Raises
    ------
    ValueError
        If ``dtype`` or ``arch`` is none of those, or ``programs`` is empty.
    """
    number = number_type(dtype)
    require_programs(programs)
    kernels, comments = [], []
    for name, program in programs.items():
        kernel = kernel_code(program, name)
        kernels.append(kernel)
        comments.append(_comment(kernel.name, program, output_names(program, name, outputs)))
    return "\n".join([_OPENING, *comments, assembly(device_ir(kernels, number), arch)])


def _comment(name: str, program: Program, outputs: Sequence[str]) -> str:
    arrays = [("from", k, shape) for k, shape in program.inputs.items()]
    arrays += [("to", k, s) for k, s in zip(outputs, program.output_shapes, strict=True)]
    lines = [f"// {name}: {program.ops} operations on numbers for each state"]
    for word, array, shape in arrays:
        size = " x ".join(map(str, shape)) if shape else "one number"
        lines.append(f"//   {word:4} {ascii(array)[1:-1]}: {size}")
    return "\n".join(lines) + "\n"
