"""Run an algorithm directly on NumPy arrays: the readable definition of every program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import algorithms
from ..arrays import written
from ..model import Custom, Model
from .tracing import as_argument, as_output, input_shapes, optional_inputs

_OF_NOTHING = {
    algorithms.poses: (0, 4, 4),
    algorithms.joint_reactions: (0, 6),
    algorithms.crba: (0, 0),
    algorithms.mass_matrix: (0, 0),
    algorithms.coriolis_matrix: (0, 0),
    algorithms.inverse_inertia: (0, 0),
    algorithms.rnea_derivatives: (0, 0),
    algorithms.aba_derivatives: (0, 0),
    algorithms.rnea_second_derivatives: (0, 0, 0),
    algorithms.rnea_regressor: (0, 0),
}
"""Core shapes of results for a model without degrees of freedom; others are (0,)."""


def is_plain_only(model: Model) -> bool:
    """Whether a joint of the user's own knows floats alone: nothing of the model is compiled."""
    kinds = (link.joint for link in model.links)
    return any(isinstance(k, Custom) and hasattr(k.function, "for_floats") for k in kinds)


def declined(*_: Any) -> Any:
    """The short way in where nothing is compiled: the algorithm is run as it is written."""
    return NotImplemented


def run_plain(
    function: Callable[..., Any],
    model: Model,
    arrays: Sequence[Any],
    out: Any = None,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    **static: Any,
) -> Any:
    """Evaluate ``function`` without compiling it; every scalar is an array over the batch.

    Parameters
    ----------
    arrays : sequence of array_like
        One for each parameter of ``function`` after the model, batch axes first; those with
        defaults may be left out.
    out : ndarray or tuple of ndarray, optional
        Where to put the result, or results.
    shapes : mapping of str to tuple of int, optional
        Core shapes of the arrays, where parameters have some of their own.
    """
    if shapes is None:
        shapes = input_shapes(function, model, optional=optional_inputs(function, len(arrays)))
    arrays = [np.asarray(a) for a in arrays]
    batches = [a.shape[: a.ndim - len(s)] for a, s in zip(arrays, shapes.values(), strict=True)]
    batch = np.broadcast_shapes(*batches) if batches else ()
    arguments = [
        as_argument(name, _scalars(array, len(shape)), model)
        for array, (name, shape) in zip(arrays, shapes.items(), strict=True)
    ]
    outputs = as_output(function(model, *arguments, **static), model)
    nothing = np.zeros((*batch, *_OF_NOTHING.get(function, (0,))))
    if isinstance(outputs, tuple):
        results: Any = tuple(_stack(x, batch, nothing) for x in outputs)
    else:
        results = _stack(outputs, batch, nothing)
    return written(results, out, f" (model '{model.name}')")


def _scalars(array: np.ndarray, depth: int) -> Any:
    """The core axes as nested tuples, the batch axes inside."""
    if depth == 0:
        return array if array.ndim else array[()]
    axis = array.ndim - depth
    return tuple(_scalars(array.take(k, axis), depth - 1) for k in range(array.shape[axis]))


def _stack(values: Any, batch: tuple[int, ...], nothing: np.ndarray) -> np.ndarray:
    is_nothing = isinstance(values, list) and not values
    return nothing if is_nothing else _nested(values, batch)


def _nested(values: Any, batch: tuple[int, ...]) -> np.ndarray:
    if not isinstance(values, list):
        return np.broadcast_to(np.asarray(values, dtype=np.result_type(values, 0.0)), batch)
    if not values:
        return np.zeros((*batch, 0))
    return np.stack([_nested(x, batch) for x in values], axis=len(batch))
