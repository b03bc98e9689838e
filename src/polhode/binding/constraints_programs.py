"""Find or build the program of an algorithm for a model and a constraint set, and call it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..arrays import Array, as_array
from ..constraint_sets import ConstraintSet, Custom
from ..constraint_sets.checks import check_bodies
from ..errors import ModelError, ShapeError
from ..model import Model
from ..once import kept
from .plain import declined, is_plain_only, run_plain
from .program_derivatives import tangents
from .programs import (
    Check,
    Entry,
    called_program,
    check_shape,
    checked,
    program_key,
    require_model,
)
from .tracing import Shape, input_shapes, optional_inputs, traceable


def evaluate_constrained(
    function: Callable[..., Any],
    constraints: ConstraintSet,
    arguments: tuple[Any, ...],
    out: Any = None,
    **static: Any,
) -> Any:
    """Call the program of ``function`` for a set; one state takes the short way in.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model or the set.
    """
    key = (function, len(arguments), *static.items())
    entry = constraints.programs.get(key)
    if entry is not None:
        result = entry.fast(*arguments, out)
        if result is not NotImplemented:
            return result
    else:
        optional = optional_inputs(function, len(arguments))
        entry = kept(
            constraints.programs, key, lambda: _entry(function, constraints, optional, static)
        )
    model = constraints.model
    if entry.fast is declined:
        arrays = checked(entry.shapes, arguments, model, check_of(constraints))
        fixed = {"constraints": constraints.constraints, **static}
        return run_plain(function, model, arrays, out, entry.shapes, **fixed)
    return called_program(entry.program, arguments, out, model, check_of(constraints))


def check_of(constraints: ConstraintSet) -> Check:
    """How arguments of a set's programs are checked: ``v_plus`` has an entry for each row."""

    def check(name: str, shape: Shape, array: np.ndarray, model: Model) -> None:
        if name == "v_plus":
            check_rows(name, array, constraints)
        else:
            check_shape(name, shape, array, model)

    return check


def build(
    function: Callable[..., Any], model: Model, own: Mapping[str, Shape], static: Mapping[str, Any],
    optional: tuple[str, ...] = (),
) -> Entry:  # fmt: skip
    """The program of ``function``, some of whose parameters have shapes of their ``own``.

    Unlike the public ``compile`` it leaves out a key when a constraint is the user's own code.
    """
    from ..compiler import Program

    opaque = any(isinstance(c, Custom) for c in static.get("constraints", ()))
    shapes = input_shapes(function, model, own, (), optional)
    program = Program(
        traceable(function, model, static, own, optional),
        shapes,
        name=function.__name__,
        key=None if opaque else _shaped_key(function, model, own, static, optional),
        recipe=(_rebuild, (function, model, dict(own), dict(static), optional)),
        tangents=tangents(shapes, model),
    )
    return Entry(program, declined if is_plain_only(model) else program.fast, shapes)


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
    """An argument as an array of float64 with ``length`` on its last axis, or a ShapeError."""
    if type(value) is np.ndarray and value.dtype == float and value.shape == (length,):
        return value
    array = as_array(name, value, f" (model '{model.name}')")
    check_shape(name, (length,), array, model)
    return array


def row_vector(name: str, value: Any, constraints: ConstraintSet) -> Array:
    """An argument as an array of float64 with an entry for each row, or a ShapeError."""
    array = as_array(name, value, f" (model '{constraints.model.name}')")
    check_rows(name, array, constraints)
    return array


def common_batch(arguments: Mapping[str, tuple[Any, int]], model: Model) -> tuple[int, ...]:
    """The batch axes of arguments, each with how many axes a state of it has.

    Raises
    ------
    ShapeError
        If they do not broadcast.
    """
    shapes = {name: np.shape(x) for name, (x, _) in arguments.items()}
    batches = {name: shapes[name][: len(shapes[name]) - d] for name, (_, d) in arguments.items()}
    first, *others = batches.values()
    if all(batch == first for batch in others):
        return first
    try:
        return np.broadcast_shapes(*batches.values())
    except ValueError:
        got = ", ".join(f"{name} {batch}" for name, batch in batches.items())
        raise ShapeError(
            f"expected batch axes that broadcast, got {got} (model '{model.name}')"
        ) from None


def check_rows(name: str, array: np.ndarray, constraints: ConstraintSet) -> None:
    """Raise a ShapeError unless the last axis has an entry for each row."""
    if array.shape[-1:] != (constraints.n_rows,):
        got = array.shape[-1] if array.ndim else "a number"
        raise ShapeError(
            f"expected {constraints.n_rows} on the last axis of {name}, one for each row, "
            f"got {got} (model '{constraints.model.name}')"
        )


def _entry(
    function: Callable[..., Any], constraints: ConstraintSet, optional: tuple[str, ...],
    static: Mapping[str, Any],
) -> Entry:  # fmt: skip
    check_bodies(constraints.constraints, constraints.model)
    own = {"v_plus": (constraints.n_rows,), "weights": (constraints.model.nv,)}
    fixed = {"constraints": constraints.constraints, **static}
    return build(function, constraints.model, own, fixed, optional)


def _rebuild(function, model, own, static, optional):
    return build(function, model, own, static, optional).program


def _shaped_key(function, model, own, static, optional) -> bytes | None:
    key = program_key(function, model, {**static, "optional": optional})
    return key and hashlib.sha256(key + repr(sorted(own.items())).encode()).digest()
