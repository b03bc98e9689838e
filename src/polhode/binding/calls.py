"""From arrays to programs: find or build that of an algorithm, check the arguments, call it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arrays import as_array, batch_of
from ..constraint_sets import ConstraintSet
from ..constraint_sets.checks import check_bodies
from ..errors import ShapeError, TraceError
from ..model import Body, Model
from ..model.inertias import warn_undetermined
from ..once import kept
from .model_argument import require_model, where_of
from .plain import declined, is_plain_only, run_plain
from .programs import made, program_of
from .roles import Shape, role_of
from .tracing import flat_argument, input_shapes, optional_inputs

if TYPE_CHECKING:
    from ..compiler import Program

_OWN_KEYS = frozenset((str, int, tuple, Body))
"""Types of what is fixed for a program whose values equal those of no other type there."""

_SINGLE = np.dtype(np.float32)

_BY_MASS = ("forward_dynamics", "crba_forward", "solve_inertia", "inverse_inertia")
"""Functions that divide by the inertia that a joint moves."""


class Entry(NamedTuple):
    """A program of a model or a constraint set, and what a call of it needs to know."""

    program: Program
    fast: Callable[..., Any]
    shapes: dict[str, Shape]


def evaluate(
    function: Callable[..., Any],
    owner: Model | ConstraintSet,
    arguments: tuple[Any, ...],
    out: Any = None,
    **static: Any,
) -> Any:
    """Call the program of ``function`` for a model, or for a constraint set on one.

    One state takes the short way in.  Traced values, inside a function that is compiled, give
    traced values.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model or the set.
    """
    key: tuple[Any, ...] = (evaluate, function, len(arguments))
    if static:
        key = (*key, *static.values())
        if type(key[3]) not in _OWN_KEYS and isinstance(owner, Model):
            static = {"body": owner.body(static["body"]).id}  # True and 1.0 would find body 1
            key = (evaluate, function, len(arguments), static["body"])
    try:
        entry = owner.programs.get(key)
    except (AttributeError, TypeError):  # no model, or a body that is none
        entry = None
    if entry is not None:
        result = entry.fast(*arguments, out)
        if result is NotImplemented and any(type(x) in (tuple, list) for x in arguments):
            result = entry.fast(*map(_row, arguments), out)
        if result is not NotImplemented:
            return result
    model, own, fixed = _parts(owner, static)
    optional = () if entry else optional_inputs(function, len(arguments))
    shapes = entry.shapes if entry else input_shapes(function, model, own, optional=optional)
    arrays = checked_unless_traced(shapes, arguments, model)
    if arrays is None:
        from .composing import on_traced

        return on_traced(function, model, shapes, arguments, out, fixed)
    if entry is None:
        make = partial(_entry, function, owner, optional, static)
        entry = kept(owner.programs, key, make)
    if entry.fast is declined:
        return run_plain(function, model, arrays, out, shapes, **fixed)
    return entry.program._run(arrays, out, where_of(model))


def _row(value: Any) -> Any:
    """A tuple or list of numbers as an array; all else, and what is none, as it is."""
    if type(value) not in (tuple, list) or not value or type(value[0]) not in (float, int):
        return value
    try:
        array = np.asarray(value)
    except Exception:  # what an entry's __array__ raises, or rows of different lengths
        return value
    return array.astype(np.float64, copy=False) if array.dtype.kind in "fiu" else value


def called_program(program: Program, arguments: Sequence[Any], out: Any, model: Model) -> Any:
    """Check arguments of a program and call it; traced values give nested lists of them.

    Raises
    ------
    ShapeError
        As `checked`, and if ``out`` cannot hold the results.
    """
    arrays = checked_unless_traced(program.inputs, arguments, model)
    if arrays is None:
        pairs = zip(program.inputs, arguments, strict=True)
        return program(*(flat_argument(name, value, model) for name, value in pairs))
    return program._run(arrays, out, where_of(model))


def _parts(
    owner: Model | ConstraintSet, static: dict[str, Any]
) -> tuple[Model, dict[str, Shape], dict[str, Any]]:
    """The model, shapes of inputs that only a set knows, and what is fixed for a program."""
    if isinstance(owner, ConstraintSet):
        model = owner.model
        rows = (owner.n_rows,)
        own = {"v_plus": rows, "force": rows, "weights": (model.nv,)}
        return model, own, {"constraints": owner.constraints, **static}
    return require_model(owner), {}, static


def _entry(
    function: Callable[..., Any],
    owner: Model | ConstraintSet,
    optional: tuple[str, ...],
    static: dict[str, Any],
) -> Entry:
    if isinstance(owner, ConstraintSet):
        program = set_program(function, owner, optional, **static)
        model, has_results = owner.model, True
    else:
        program = program_of(function, owner, optional=optional, **static)
        model, has_results = owner, owner.nv > 0
        if function.__name__ in _BY_MASS:
            warn_undetermined(model, model.name)
    fast = program.fast if has_results and not is_plain_only(model) else declined
    return Entry(program, fast, program.inputs)


def set_program(
    function: Callable[..., Any],
    constraints: ConstraintSet,
    optional: tuple[str, ...] = (),
    **static: Any,
) -> Program:
    """The program of an algorithm for a constraint set."""
    check_bodies(constraints.constraints, constraints.model)
    model, own, fixed = _parts(constraints, static)
    return made(function, model, own, fixed, optional)


def checked(
    shapes: Mapping[str, Shape], arguments: Sequence[Any], model: Model
) -> list[np.ndarray]:
    """The arguments as arrays, or a ShapeError; a TraceError for traced values among them."""
    arrays = checked_unless_traced(shapes, arguments, model)
    if arrays is None:
        raise TraceError(computes_with_numbers(*map(_public, shapes)))
    return arrays


def computes_with_numbers(*names: str) -> str:
    """What a function says that cannot be traced, of arguments that may hold traced values."""
    return (
        f"expected numbers as {' and '.join(names)}, got traced values: this function computes "
        "with arrays of numbers, and cannot become part of a function that is compiled"
    )


def _checked(
    shapes: Mapping[str, Shape], arguments: Sequence[Any], model: Model
) -> list[np.ndarray]:
    """The arguments as arrays, or a ShapeError.

    What is no array, such as a default, has no precision of its own: it takes float32 where all
    arrays have it.
    """
    where = where_of(model)
    arrays = []
    for (name, shape), value in zip(shapes.items(), arguments, strict=True):
        flat = _by_body(name, value, model) if isinstance(value, Mapping) else value
        array = as_array(_public(name), flat, where, single=True)
        check_shape(name, shape, array, model)
        arrays.append(array)
    if {x.dtype for x in arguments if isinstance(x, np.ndarray | np.generic)} == {_SINGLE}:
        arrays = [array.astype(_SINGLE, copy=False) for array in arrays]
    batch_of(shapes, arrays, where)
    return arrays


def checked_unless_traced(
    shapes: Mapping[str, Shape], arguments: Sequence[Any], model: Model
) -> list[np.ndarray] | None:
    """As `checked`; None where traced values are among the arguments."""
    try:
        return _checked(shapes, arguments, model)
    except ShapeError:
        from .composing import is_traced

        if not is_traced(arguments):
            raise
        return None


def _by_body(name: str, value: Mapping[Any, Any], model: Model) -> Any:
    """Values for each body in a row, as functions that are compiled pass them on."""
    try:
        return flat_argument(name, value, model)
    except (KeyError, TypeError, IndexError, ShapeError):
        raise ShapeError(
            f"expected values for each of {model.n_bodies} bodies in {_public(name)}, "
            f"got a dict with {len(value)}{where_of(model)}"
        ) from None


def check_shape(name: str, shape: Shape, array: np.ndarray, model: Model) -> None:
    """Raise a ShapeError unless the last axes of ``array`` are ``shape``."""
    core = array.shape[max(array.ndim - len(shape), 0) :]
    if core == shape:
        return
    role = role_of(name)
    got = core[-1] if len(shape) == 1 and core else f"shape {array.shape}"
    raise ShapeError(
        f"expected {role.expected(shape)} of {_public(name)}{role.note}, got {got}{where_of(model)}"
    )


def _public(name: str) -> str:
    """The name of a parameter in public functions: ``q`` for that of joints beyond a base."""
    return name.removesuffix("_joints")
