"""Public functions called on traced values: they become part of the function being traced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..compiler.program.compose import checked_scalars, is_traced, nested
from ..errors import TraceError
from ..model import Model
from .roles import Shape
from .tracing import as_argument, as_output, called, flat_argument


def on_traced(
    function: Callable[..., Any],
    model: Model,
    shapes: Mapping[str, Shape],
    arguments: Sequence[Any],
    out: Any,
    static: Mapping[str, Any],
) -> Any:
    """What an algorithm gives for traced values: nested lists, or a tuple of them.

    Raises
    ------
    TraceError
        If an argument has another shape than one state, or ``out`` is given.
    """
    name_of = called(function)
    if out is not None:
        raise TraceError(f"expected no out= of {name_of} inside a traced function")
    given = dict(static)
    if "body" in given:
        given["body"] = model.body(given["body"]).id
    values = []
    for (name, shape), x in zip(shapes.items(), arguments, strict=True):
        scalars = checked_scalars(flat_argument(name, x, model), shape, f"{name} of {name_of}")
        values.append(as_argument(name, nested(scalars, shape), model))
    return as_output(function(model, *values, **given), model)


__all__ = ["is_traced", "on_traced"]
