"""What the printers of CUDA kernels and of WebAssembly take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..graph.code import Code


@dataclass(frozen=True)
class KernelCode:
    """What a function is called, computes and takes.

    Attributes
    ----------
    name : str
    code : Code
    inputs, outputs : sequence of int
        Numbers of one state in each array.
    """

    name: str
    code: Code
    inputs: Sequence[int]
    outputs: Sequence[int]
