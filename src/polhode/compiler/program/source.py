"""What a program computes: the traced function, simplified and lowered, made on first need."""

from __future__ import annotations

import gc
import hashlib
import math
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...errors import TraceError
from ...once import kept
from ..codegen.kernel import LIMITS, kernel_ir
from ..codegen.machine import Format, opt_level
from ..codegen.sections import repetition
from ..codegen.side_by_side import SideBySide
from ..graph import Code, Graph, Value, count_ops, lower
from ..graph.loop import TracedGraph
from . import cache as disk
from .native import CompiledKernel, Facts, Shapes, entry_name
from .threads import get_num_threads

_SECONDS_PER_OP = 0.05e-9  # of one state in a batch, on one processor


class Source:
    """A function of arrays to be traced, and everything derived from its trace."""

    def __init__(
        self,
        build: Callable[..., Any],
        inputs: Mapping[str, tuple[int, ...]],
        name: str,
        key: bytes | None,
    ):
        self.build = build
        self.name: str = name
        self.key: bytes | None = key
        self.inputs: dict[str, tuple[int, ...]] = {
            k: tuple(int(n) for n in shape) for k, shape in inputs.items()
        }
        self._made: dict[Any, Any] = {}

    @property
    def graph(self) -> Graph:
        """The graph, traced on first need."""
        return self._trace().graph

    @property
    def code(self) -> Code:
        """Straight-line code of all outputs."""
        return self._lowered().code

    @property
    def values(self) -> list[Value | float]:
        """The traced scalar outputs, flattened."""
        return self._trace().values

    def facts(self) -> dict[str, Any]:
        """Output shapes and op count: from the cache if it has them, else from the trace."""
        return kept(self._made, "facts", self._known)

    def seconds(self) -> float:
        """About what one state of a batch takes on one processor."""
        return (self.facts()["ops"] + 50) * _SECONDS_PER_OP

    def shapes(self) -> Shapes:
        """Core shapes of inputs and outputs."""
        outputs = tuple(tuple(shape) for shape in self.facts()["output_shapes"])
        return Shapes(tuple(self.inputs.values()), outputs)

    def kernel(self, form: Format) -> CompiledKernel:
        """The compiled code in a format: made once."""
        return kept(
            self._made, form, lambda: CompiledKernel(form, *self._compiled(form), self.shapes())
        )

    def ir(self, form: Format) -> str:
        """LLVM source of the kernel in a format."""
        return kernel_ir(self.code, self._sizes(), form)[0]

    def _sizes(self) -> list[int]:
        return [math.prod(shape) for shape in self.inputs.values()]

    def _compiled(self, form: Format) -> tuple[bytes, Facts]:
        level = opt_level()

        def make() -> tuple[dict[str, Any], bytes]:
            with _no_collection(), SideBySide(get_num_threads(), level) as compiler:
                ir, layout = kernel_ir(self.code, self._sizes(), form, compiler.add)
                objects = compiler.objects(ir)
            return Facts.of(layout, objects).plain(), b"".join(objects)

        name = entry_name(self._content_key(), form, kernel_entry(level))
        facts, data = disk.found_or_made(name, make)
        return data, Facts.from_plain(facts)

    def _content_key(self) -> bytes:
        """The caller's key, or else a digest of the code."""
        if self.key is not None:
            return b"key" + self.key
        digest = hashlib.sha256(repr(self._sizes()).encode())
        _digest_code(self.code, digest)
        return b"code" + digest.digest()

    def _known(self) -> dict[str, Any]:
        if self.key is None:
            return self._lowered().facts
        name = entry_name(self.key, Format("f64", 1), "facts")
        return disk.found_or_made(name, lambda: (self._lowered().facts, b""))[0]

    def _lowered(self) -> _Lowered:
        return kept(self._made, "lowered", self._lower)

    def _lower(self) -> _Lowered:
        """Code and facts of the trace, whose graph goes unless it was asked for."""
        with _no_collection():
            trace = self._made.get("trace")
            if trace is not None:
                return trace.lowered()
            trace = self._traced()
            try:
                return trace.lowered()
            finally:
                trace.graph.clear()

    def _trace(self) -> _Trace:
        return kept(self._made, "trace", self._traced)

    def _traced(self) -> _Trace:
        with _no_collection():
            trace = _Trace(self.build, self.inputs, TracedGraph())
            if trace.is_long and trace.repetition < 0.5:
                other = _Trace(self.build, self.inputs, TracedGraph(keeps_signs=True))
                if other.repetition > trace.repetition:
                    trace, other = other, trace
                other.graph.clear()
        return trace


def kernel_entry(level: int) -> str:
    """What the cache has compiled code under: the level, and how long code is cut."""
    return f"kernel {level} {sorted(LIMITS.items())}"


def _digest_code(code: Code, digest: Any) -> None:
    """Add all that code says to a digest."""
    for op, args in zip(code.ops, code.args, strict=True):
        digest.update(op.name.encode())
        if op.name == "const":
            digest.update(struct.pack("<d", *args))
        else:
            digest.update(struct.pack(f"<{len(args)}i", *args))
        if op.loop is not None:
            digest.update(repr((op.loop.n_carried, op.loop.most)).encode())
            _digest_code(op.loop.code, digest)
    digest.update(struct.pack(f"<{len(code.outputs)}i", *code.outputs))
    digest.update(repr([(k, b) for k, b in enumerate(code.branches) if b]).encode())


@dataclass(frozen=True)
class _Lowered:
    """What drivers and printers need of a trace.

    Attributes
    ----------
    code : Code
        Straight-line code of all outputs.
    facts : dict
        Shapes of the outputs, and the operations of all of them.
    """

    code: Code
    facts: dict[str, Any]


class _Trace:
    """One run of a function on symbols; a long one is lowered at once, to see if it repeats."""

    def __init__(
        self, build: Callable[..., Any], inputs: Mapping[str, tuple[int, ...]], graph: Graph
    ):
        arguments, number = [], 0
        for shape in inputs.values():
            scalars = iter([graph.input(number + k) for k in range(math.prod(shape))])
            arguments.append(_nested(scalars, shape))
            number += math.prod(shape)
        result = build(*arguments)
        outputs = result if isinstance(result, tuple) else (result,)
        self.graph, self.shapes = graph, [shape_of(x) for x in outputs]
        self.values: list[Value | float] = []
        for x, shape in zip(outputs, self.shapes, strict=True):
            flatten(x, shape, self.values)
        self.is_long = len(graph.nodes) >= LIMITS["roll_from"]
        self.code = lower(graph, self.values) if self.is_long else None
        self.is_long = self.code is not None and len(self.code) >= LIMITS["roll_from"]

    def lowered(self) -> _Lowered:
        """The code, which holds nothing of the graph, and the facts."""
        code = self.code or lower(self.graph, self.values)
        return _Lowered(code, {"output_shapes": self.shapes, "ops": count_ops(code)})

    @property
    def repetition(self) -> float:
        """The part of the code that repeated steps make up."""
        return repetition(self.code, step_ops=LIMITS["step_ops"]) if self.code else 0.0


@contextmanager
def _no_collection() -> Iterator[None]:
    """Tracing and lowering make many objects and no garbage: searching for cycles is wasted.

    The switch is the process's; as only who holds `making` turns it, it ends as it began.
    """
    was_enabled = gc.isenabled()
    try:
        gc.disable()
        yield
    finally:
        if was_enabled:
            gc.enable()


def _nested(scalars: Iterator[Value], shape: Sequence[int]) -> Any:
    if not shape:
        return next(scalars)
    return tuple(_nested(scalars, shape[1:]) for _ in range(shape[0]))


def shape_of(x: Any) -> tuple[int, ...]:
    """Shape of a nested sequence, by its first elements."""
    shape = []
    while isinstance(x, (list, tuple)):
        shape.append(len(x))
        if not x:
            break
        x = x[0]
    return tuple(shape)


def flatten(x: Any, shape: tuple[int, ...], into: list[Value | float]) -> None:
    """Append the scalars of a nested sequence of this shape, in row-major order."""
    if not shape:
        if isinstance(x, (list, tuple)):
            raise TraceError("expected an output of one shape, got rows of different depth")
        try:
            into.append(x if isinstance(x, Value) else float(x))
        except (TypeError, ValueError):
            raise TraceError(
                f"expected numbers and traced values in an output, got {type(x).__name__}"
            ) from None
        return
    if not isinstance(x, (list, tuple)) or len(x) != shape[0]:
        raise TraceError(f"expected an output of one shape, {shape[0]} entries in each row")
    for row in x:
        flatten(row, shape[1:], into)
