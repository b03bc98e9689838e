"""What a traced function takes and returns, as the compiler's arrays and back."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from numbers import Real
from typing import Any

import numpy as np

from ..compiler.graph import Value
from ..compiler.program.compose import Interface, scalars_of
from ..compiler.program.source import shape_of
from ..errors import TraceError
from ..model import Model
from .tracing import as_output, flat_argument

_LEAF = object()


class FunctionInterface(Interface):
    """The interface of a function of a model: values for each body, several outputs by name."""

    def __init__(self, model: Model, structure: Structure | None):
        self._model, self._structure = model, structure

    def scalars(self, name: str, value: Any) -> Any:
        """An argument for each body of the model, or as a record, as nested sequences."""
        return flat_argument(name, value, self._model)

    def results(self, outputs: Any) -> Any:
        """The outputs nested as the function returned them."""
        return outputs if self._structure is None else self._structure.nest(outputs)

    def of_derivatives(self) -> Interface:
        """The same for arguments; outputs are plain."""
        return FunctionInterface(self._model, None)


class Structure:
    """How a function's outputs nest: known once it was traced."""

    def __init__(self) -> None:
        self._template: Any = None

    def flatten(self, value: Any, model: Model) -> Any:
        """The outputs one after the other; a single one that stands alone is itself."""
        leaves: list[Any] = []
        self._template = _taken_apart(value, model, leaves)
        return leaves[0] if self._template is _LEAF else tuple(leaves)

    def nest(self, outputs: Any) -> Any:
        """The inverse of `flatten`, for any values in the place of the outputs."""
        if self._template is _LEAF or self._template is None:
            return outputs
        leaves = list(outputs) if isinstance(outputs, tuple) else [outputs]
        return _put_together(self._template, leaves)


def _taken_apart(value: Any, model: Model, leaves: list[Any], what: str = "") -> Any:
    """The nesting of dicts with names, of named tuples, and of a tuple at the top."""
    is_top, what = not what, what or "the result"
    if isinstance(value, Mapping) and any(isinstance(key, str) for key in value):
        return {k: _taken_apart(x, model, leaves, f"output {k!r}") for k, x in value.items()}
    if isinstance(value, tuple) and (is_top or hasattr(value, "_fields")):
        if not value:
            raise TraceError("expected at least one output, got an empty tuple")
        parts = [_taken_apart(x, model, leaves, f"output {k}") for k, x in enumerate(value)]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    leaves.append(_array(as_output(value, model), what))
    return _LEAF


def _put_together(template: Any, leaves: list[Any]) -> Any:
    if template is _LEAF:
        return leaves.pop(0)
    if isinstance(template, Mapping):
        return {k: _put_together(x, leaves) for k, x in template.items()}
    parts = [_put_together(x, leaves) for x in template]
    return type(template)(*parts) if hasattr(template, "_fields") else tuple(parts)


def check_of_one_trace(inputs: Any, outputs: Any) -> None:
    """Check that only values of this trace were used, and none kept from another.

    Raises
    ------
    TraceError
        If there is another.
    """
    graph = next((x.graph for x in scalars_of(inputs) if isinstance(x, Value)), None)
    used = [x for x in scalars_of(outputs) if isinstance(x, Value)]
    if graph is not None:
        used += [a for node in graph.nodes if node.op.arity for a in node.args]
    if any(x.graph is not graph for x in used):
        raise TraceError(
            "a traced value of another program is used, kept from when that was traced; "
            "what a function needs must be among its parameters"
        )


def _array(value: Any, what: str) -> Any:
    """An output as nested lists of numbers and traced values, rows of one length.

    A condition is 1.0 where it holds.
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        rows = [_array(x, what) for x in value]
        shapes = {shape_of(row) for row in rows}
        if len(shapes) > 1:
            raise TraceError(
                f"expected rows of one length in {what}, got shapes "
                f"{' and '.join(map(str, sorted(shapes, key=len)))}; "
                "several arrays are returned as a tuple or a dict"
            )
        return rows
    if isinstance(value, Value):
        return value.where(1.0, 0.0) if value.op.is_condition else value
    if isinstance(value, Real) or getattr(value, "shape", None) == ():
        return float(value)
    raise TraceError(
        f"expected numbers and traced values in {what}, got {_described(value)}; return "
        "scalars, records such as Vec3, values for each body, or sequences or dicts of these"
    )


def _described(value: Any) -> str:
    if value is None:
        return "None (is there a return?)"
    if isinstance(value, Generator):
        return "a generator (make a list of it)"
    return type(value).__name__
