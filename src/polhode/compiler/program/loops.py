"""The ufunc of a program, and its inner loops: machine code that is made when first entered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from ...arrays import batch_of
from ...errors import TraceError
from ..codegen.descriptor import Descriptor
from ..codegen.machine import Format, wide_lanes
from ..graph.code import interpret
from . import pool
from .native import give_interpreter, publish, runtime
from .numpy_api import gufunc
from .sharing import states_worth_sharing
from .source import Source

_SCALAR_UP_TO = 2  # states of a batch that still run one after the other
_NEVER = 2**62


class NoSignature(ValueError):
    """A program that NumPy has no gufunc for.

    It has no inputs, or its outputs are empty while none of its inputs is.
    """


def ufunc_of(source: Source) -> np.ufunc:
    """The gufunc of a program.

    Raises
    ------
    NoSignature
        If there are no inputs, or NumPy has no name for the shapes of the outputs, all of which
        are empty.
    TraceError
        If some of them are.
    """
    shapes = source.shapes()
    if not shapes.inputs:
        raise NoSignature("NumPy has no gufunc without inputs")
    is_empty = [0 in s for s in shapes.outputs]
    if any(is_empty) and not any(0 in s for s in shapes.inputs):
        if all(is_empty):
            raise NoSignature(f"NumPy has no gufunc with outputs {shapes.outputs}")
        raise TraceError(
            f"expected outputs with entries, got core shapes {shapes.outputs} ({source.name})"
        )
    made = {dtype: Loops(source, dtype) for dtype in ("f64", "f32")}
    loops = [(k, v.function, v.descriptor.address) for k, v in made.items()]
    n_inputs, n_outputs = len(shapes.inputs), len(shapes.outputs)
    return gufunc(source.name, shapes.signature(), n_inputs, n_outputs, loops, made)


def plain_results(source: Source, arrays: Sequence[np.ndarray], out: Any) -> Any:
    """The results of a program without a gufunc: constants, or arrays that hold nothing."""
    batch, shapes = batch_of(source.inputs, arrays), source.shapes().outputs
    values = iter([] if source.inputs else interpret(source.code, ()))
    results = tuple(
        np.array([*islice(values, math.prod(shape))], float).reshape(batch + shape)
        for shape in shapes
    )
    if out is None:
        results = tuple(result[()] for result in results)  # numbers as a gufunc gives them
        return results[0] if len(results) == 1 else results
    for place, result in zip(out if isinstance(out, tuple) else (out,), results, strict=True):
        place[...] = result
    return out


class Loops:
    """The inner loops of one number type: compiled when first entered.

    The ufunc calls the dispatcher, which finds the kernels in a descriptor.  Those that are not
    there yet it has made here, by a plain call of Python, from whose errors and interrupts
    nothing is lost.
    """

    def __init__(self, source: Source, dtype: str):
        self.source: Source = source
        self.dtype: str = dtype
        self.function: int = runtime(Format("f64", 1)).address("dispatch")
        self.descriptor: Descriptor = Descriptor()
        self.descriptor["threshold"] = _SCALAR_UP_TO
        self.descriptor["pool"], self.descriptor["share_from"] = pool.address(), _NEVER
        give_interpreter(self.descriptor)
        self._makers = [partial(self.compile, kind) for kind in ("scalar", "wide")]
        for maker in self._makers:  # the descriptor has their addresses
            self.descriptor[f"make_{maker.args[0]}"] = id(maker)

    def compile(self, kind: str) -> None:
        """Make the scalar or the wide kernel and lead the dispatcher to it."""
        lanes = 1 if kind == "scalar" else wide_lanes(self.dtype)
        kernel = self.source.kernel(Format(self.dtype, lanes))  # which the source keeps
        if kind == "wide":
            self.descriptor["share_from"] = states_worth_sharing(self.source.seconds())
        publish(self.descriptor, kind, kernel.descriptor.address)
