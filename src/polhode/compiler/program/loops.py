"""The ufunc of a program, and its inner loops: machine code that is made when first entered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...arrays import batch_of
from ...errors import TraceError
from ..codegen.descriptor import Descriptor
from ..codegen.machine import Format, wide_lanes
from . import pool
from .native import give_interpreter, publish, runtime
from .numpy_api import gufunc
from .sharing import states_worth_sharing
from .source import Source

_SCALAR_UP_TO = 2  # states of a batch that still run one after the other
_NEVER = 2**62


class NoSignature(ValueError):
    """A program whose outputs are empty while none of its inputs is."""


def ufunc_of(source: Source) -> np.ufunc:
    """The gufunc of a program.

    Raises
    ------
    NoSignature
        If NumPy has no name for the shapes of its outputs, all of which are empty.
    TraceError
        If some of them are.
    """
    shapes = source.shapes()
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


def empty_results(source: Source, arrays: Sequence[np.ndarray]) -> Any:
    """The results of a program all of whose outputs NumPy cannot name: they hold nothing."""
    batch = batch_of(source.inputs, arrays)
    results = tuple(np.zeros(batch + shape) for shape in source.shapes().outputs)
    return results[0] if len(results) == 1 else results


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
