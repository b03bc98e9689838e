"""What all adapters need to know of a program: its shapes, and its derivatives, made once."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from ..compiler import Program

Shape = tuple[int, ...]
Derivative = Callable[[tuple[str, ...]], "Differentiated"]


class Differentiated:
    """A program, and the programs of its derivatives, each made when first asked for."""

    def __init__(self, program: Program):
        self.program = program
        self.names: tuple[str, ...] = tuple(program.inputs)
        self.inputs: tuple[tuple[int, ...], ...] = tuple(program.inputs.values())
        self.outputs: tuple[tuple[int, ...], ...] = program.output_shapes
        self.jacobian: Derivative = cache(self._jacobian)
        self.jvp: Derivative = cache(self._jvp)
        self.vjp: Derivative = cache(self._vjp)

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """The outputs, always as a tuple, however the program nests them."""
        return leaves(self.program(*arrays))

    def _jacobian(self, names: tuple[str, ...]) -> Differentiated:
        return Differentiated(self.program.jacobian(names))

    def _jvp(self, names: tuple[str, ...]) -> Differentiated:
        return Differentiated(self.program.jvp(names))

    def _vjp(self, names: tuple[str, ...]) -> Differentiated:
        return Differentiated(self.program.vjp(names))


def leaves(results: Any) -> tuple[Any, ...]:
    """The arrays in a dict, in a tuple, or standing alone, one after the other."""
    if isinstance(results, dict):
        results = tuple(results.values())
    if isinstance(results, tuple):
        return tuple(x for part in results for x in leaves(part))
    return (results,)


def size_of(shape: Shape) -> int:
    """Scalars in an array of this shape."""
    return math.prod(shape)
