"""Arguments of public functions about constraints: the set, vectors, and their batch axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Array, as_array, batch_of
from ..constraint_sets import ConstraintSet
from ..errors import ModelError, ShapeError, TraceError
from ..model import Model
from .calls import check_shape, computes_with_numbers
from .composing import is_traced
from .model_argument import require_model, where_of


def require_set(model: Any, constraints: Any) -> ConstraintSet:
    """``constraints``, or a ModelError unless it is a set of this model with rows in it."""
    if isinstance(constraints, ConstraintSet) and constraints.model is model:
        if constraints.constraints:
            return constraints
    elif not isinstance(constraints, ConstraintSet):
        raise ModelError(
            f"expected a ConstraintSet, got {type(constraints).__name__} as constraints; "
            "make one with polhode.constraints.ConstraintSet(model)"
        )
    elif constraints.model != require_model(model):
        raise ModelError(
            f"expected constraints of model '{model.name}', got some of '{constraints.model.name}'"
        )
    if not constraints.constraints:
        raise ModelError(
            f"expected at least one constraint on model '{constraints.model.name}', got none"
        )
    return constraints


def vector(name: str, value: Any, length: int, model: Model) -> Array:
    """An argument as an array of float64 with ``length`` on its last axis, or a ShapeError.

    A TraceError for traced values.
    """
    if type(value) is np.ndarray and value.dtype == float and value.shape == (length,):
        return value
    array = numbers(name, value, model)
    check_shape(name, (length,), array, model)
    return array


def numbers(name: str, value: Any, model: Model, *, finite: bool = False) -> Array:
    """An argument as an array of float64, or a ShapeError; a TraceError for traced values."""
    try:
        return as_array(name, value, f" (model '{model.name}')", finite=finite)
    except ShapeError:
        if is_traced(value):
            raise TraceError(computes_with_numbers(name)) from None
        raise


def common_batch(arguments: Mapping[str, tuple[Any, int]], model: Model) -> tuple[int, ...]:
    """The batch axes of arguments, each with how many axes a state of it has.

    Raises
    ------
    ShapeError
        If they do not broadcast.
    """
    cores = {name: (1,) * n_axes for name, (_, n_axes) in arguments.items()}
    return batch_of(cores, [np.asarray(x) for x, _ in arguments.values()], where_of(model))
