"""The inner loops of a ufunc: machine code that is made when first entered."""

from __future__ import annotations

from functools import partial

from ..codegen.descriptor import Descriptor
from ..codegen.machine import Format, wide_lanes
from . import pool
from .native import give_interpreter, publish, runtime
from .sharing import states_worth_sharing
from .source import Source

_SCALAR_UP_TO = 2  # states of a batch that still run one after the other
_NEVER = 2**62


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
