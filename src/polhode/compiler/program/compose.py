"""Programs called on traced values: what they compute becomes part of another program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import TraceError
from ..graph import Value
from ..graph.replay import replay

if TYPE_CHECKING:
    from .program import Program

Shape = tuple[int, ...]


class Interface:
    """How arguments and results of a program look to callers: here they are as they are."""

    def scalars(self, name: str, value: Any) -> Any:
        """An argument of traced values as nested sequences of the input's shape."""
        return value

    def results(self, outputs: Any) -> Any:
        """What a call returns of the output or the tuple of outputs."""
        return outputs

    def of_derivatives(self) -> Interface:
        """The interface of this program's derivatives, whose outputs are others."""
        return self


def is_traced(x: Any) -> bool:
    """Whether a traced value is in ``x``, however deep in sequences and mappings."""
    left, seen = [x], {}  # what was seen is kept, so that no other object gets its id
    while left:
        x = left.pop()
        if isinstance(x, Value):
            return True
        if getattr(getattr(x, "dtype", None), "hasobject", False):
            x = x.tolist()
        if isinstance(x, Mapping):
            x = tuple(x.values())
        if isinstance(x, (list, tuple)) and id(x) not in seen:
            seen[id(x)] = x
            left.extend(x)
    return False


def inlined(program: Program, arguments: tuple[Any, ...]) -> Any:
    """The outputs of a program as nested lists of traced values.

    Raises
    ------
    TraceError
        If an argument does not have the core shape of its input.
    """
    inputs = program.inputs
    if len(arguments) != len(inputs):
        raise TraceError(
            f"expected {len(inputs)} arguments ({', '.join(inputs)}) of {program.name}, "
            f"got {len(arguments)}"
        )
    scalars: list[Any] = []
    for (name, shape), argument in zip(inputs.items(), arguments, strict=True):
        value = program.interface.scalars(name, argument)
        scalars += checked_scalars(value, shape, f"{name} of {program.name}")
    outputs = iter(replay(program.graph, program._source.values, scalars))
    results = tuple(nested(outputs, shape) for shape in program.output_shapes)
    return results[0] if len(results) == 1 else results


def checked_scalars(value: Any, shape: Shape, what: str) -> Iterator[Any]:
    """The scalars of nested sequences in row-major order.

    Raises
    ------
    TraceError
        If the sequences do not have this shape.
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    is_sequence = isinstance(value, (list, tuple)) or hasattr(value, "__iter__")
    if not shape and not is_sequence:
        yield value
        return
    entries = list(value) if is_sequence and shape else []
    if not shape or len(entries) != shape[0]:
        got = f"{len(entries)} entries" if is_sequence else f"a {type(value).__name__}"
        raise TraceError(
            f"expected traced values of shape {shape} for {what}, got {got}; "
            "inside a traced function there are no batch axes"
        )
    for entry in entries:
        yield from checked_scalars(entry, shape[1:], what)


def scalars_of(x: Any) -> Iterator[Any]:
    """The scalars of a nested sequence, in row-major order."""
    if isinstance(x, (list, tuple)):
        for row in x:
            yield from scalars_of(row)
    else:
        yield x


def nested(scalars: Iterator[Any], shape: Shape) -> Any:
    """As many scalars as an array of this shape has, as nested lists."""
    if not shape:
        return next(scalars)
    return [nested(scalars, shape[1:]) for _ in range(shape[0])]
