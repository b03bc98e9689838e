"""Find or build the program of an algorithm for a model, check arguments, and call it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arguments import as_choice, as_shapes, as_texts, check_callable
from ..arrays import as_array, batch_of
from ..errors import ShapeError
from ..model import Body, Custom, Model
from ..model.inertias import warn_undetermined
from ..model.parameters import parametrized
from ..once import kept
from .model_argument import require_model, where_of
from .parameter_inputs import checked_names, parameter_shapes
from .plain import declined, is_plain_only, run_plain
from .program_derivatives import tangents
from .tracing import (
    as_output,
    called,
    caller,
    check_names,
    flat_argument,
    input_shapes,
    optional_inputs,
)

if TYPE_CHECKING:
    from ..compiler import Program
    from .outputs import Structure

Check = Callable[[str, tuple[int, ...], np.ndarray, Model], None]

MOST_TRACED = 100_000
"""Scalars of an input of a function's own: each is traced by itself."""

_OWN_KEYS = frozenset((str, int, tuple, Body))
"""Types of what is fixed for a program whose values equal those of no other type there."""

_LENGTHS = ("point", "normal", "quaternion", "x")
_BY_MASS = ("forward_dynamics", "crba_forward", "solve_inertia", "inverse_inertia")
"""Functions that divide by the inertia that a joint moves."""
_PROGRAM_SOURCES = (
    "spatial", "model", "constraint_sets", "algorithms", "binding", "api", "rbdl", "spatial_v2",
)  # fmt: skip
"""Packages with functions that are compiled, or that those functions call."""


def compile(
    function: Callable[..., Any],
    model: Model,
    *,
    parameters: Sequence[str] = (),
    shapes: Mapping[str, int | tuple[int, ...]] | None = None,
    optional: Sequence[str] = (),
    **static: Any,
) -> Program:
    """Trace ``function`` for ``model`` and return its program.

    Parameters
    ----------
    function : callable
        ``function(model, ...)`` written with `polhode.scalar` and `polhode.spatial`; its
        parameters are understood by their names (``q``, ``qd``, ``qdd``, ``tau``, ``v``,
        ``q0``, ``q1``: a tuple for each body; ``f_ext``; ``point``, ``normal``; ``dt``).
    model : Model
    parameters : sequence of str, optional
        Parameters of the model that become inputs, after the function's own, with batch
        axes of their own: ``"mass"``, ``"com"``, ``"inertia"``, ``"frame"``, ``"gravity"``,
        shaped as `parameters_of` returns them.
    shapes : mapping of str to int or tuple of int, optional
        Core shapes of parameters of the function's own, which it gets as nested tuples of
        scalars: ``shapes={"gain": (), "goal": 3}``.
    optional : sequence of str, optional
        Parameters of the function that have defaults and become inputs all the same, such as
        ``optional=["f_ext"]`` of dynamics.
    **static
        Keyword arguments that are fixed for this program, such as ``body="hand"``.

    Returns
    -------
    program : Program
        Called with arrays, leading axes are batch axes; a tuple of results becomes
        several outputs, a dict or named tuple is returned as such.  Called with traced
        values, inside a function that is compiled, it becomes part of that.

    Raises
    ------
    TraceError
        If a parameter's name has no known meaning; on the first call, naming the line,
        if the function cannot be traced.
    ModelError
        If the model has no such parameters.
    ArgumentError
        If ``function`` is none, or ``shapes`` holds anything but names and shapes.
    """
    require_model(model)
    from ..compiler import Program
    from .outputs import FunctionInterface, Structure

    check_callable("function", function)
    own = as_shapes("shapes", {} if shapes is None else shapes, least=1, most=MOST_TRACED)
    names = checked_names(parameters)
    extra = (optional,) if isinstance(optional, str) else as_texts("optional", optional)
    for name in extra:
        as_choice("optional", name, list(signature(function).parameters)[1:])
    check_names(function, own, static)
    inputs = input_shapes(function, model, own, static, extra)
    given = {"shapes": own, "parameters": names, "optional": extra}
    fixed = dict(static) | {name: value for name, value in given.items() if value}
    structure = None if _is_built_in(function) else Structure()
    return Program(
        _build(function, model, names, static, own, extra, structure),
        inputs | parameter_shapes(model, names),
        name=called(function),
        key=program_key(function, model, fixed),
        recipe=(_recompile, (function, model, fixed)),
        tangents=tangents(inputs, model),
        interface=FunctionInterface(model, structure),
    )


def _build(
    function: Callable[..., Any],
    model: Model,
    names: Sequence[str],
    static: Mapping[str, Any],
    own: Mapping[str, tuple[int, ...]],
    optional: tuple[str, ...],
    structure: Structure | None,
) -> Callable[..., Any]:
    """``function`` over nested scalars; the last of them are parameters of the model."""

    def build(*values: Any) -> Any:
        n, machine = len(values) - len(names), model
        if names:
            machine = parametrized(model, dict(zip(names, values[n:], strict=True)))
        call = caller(function, machine, static, own, optional)
        if structure is None:
            return as_output(call(*values[:n]), machine)
        from .outputs import check_of_one_trace
        from .trace_errors import located

        with located(function):
            result = structure.flatten(call(*values[:n]), machine)
            check_of_one_trace(values, result)
            return result

    return build


def _recompile(function: Callable[..., Any], model: Model, static: Mapping[str, Any]) -> Program:
    return compile(function, model, **static)


def program_of(
    function: Callable[..., Any], model: Model, *, optional: tuple[str, ...] = (), **static: Any
) -> Program:
    """The program of a built-in algorithm for a model, kept with the model."""
    require_model(model)
    if "body" in static:
        static["body"] = model.body(static["body"]).id
    key = (function, optional, *sorted(static.items()))
    return kept(model.programs, key, lambda: compile(function, model, optional=optional, **static))


class Entry(NamedTuple):
    """A program of a model and what a call of it needs to know."""

    program: Program
    fast: Callable[..., Any]
    shapes: dict[str, tuple[int, ...]]


def evaluate(
    function: Callable[..., Any],
    model: Model,
    arguments: tuple[Any, ...],
    out: Any = None,
    **static: Any,
) -> Any:
    """Call the program of ``function`` for ``model``; one state takes the short way in.

    Traced values, inside a function that is compiled, give traced values.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    """
    key: tuple[Any, ...] = (evaluate, function, len(arguments))
    if static:
        key = (*key, *static.values())
        if type(key[3]) not in _OWN_KEYS and isinstance(model, Model):
            static = {"body": model.body(static["body"]).id}  # True and 1.0 would find body 1
            key = (evaluate, function, len(arguments), static["body"])
    try:
        entry = model.programs.get(key)
    except (AttributeError, TypeError):  # no model, or a body that is none
        entry = None
    if entry is not None:
        result = entry.fast(*arguments, out)
        if result is not NotImplemented:
            return result
    elif not isinstance(model, Model):
        require_model(model)
    optional = optional_inputs(function, len(arguments)) if entry is None else ()
    shapes = entry.shapes if entry else input_shapes(function, model, optional=optional)
    try:
        arrays = checked(shapes, arguments, model)
    except ShapeError:
        from .composing import is_traced, on_traced

        if not is_traced(arguments):
            raise
        return on_traced(function, model, arguments, out, static)
    if entry is None:
        entry = _enter(key, function, model, shapes, static | {"optional": optional})
    if entry.fast is declined:
        return run_plain(function, model, arrays, out, **static)
    return entry.program._run(arrays, out, where_of(model))


def called_program(
    program: Program, arguments: Sequence[Any], out: Any, model: Model, check: Check | None = None
) -> Any:
    """Check arguments of a program and call it; traced values give nested lists of them.

    Raises
    ------
    ShapeError
        As `checked`, and if ``out`` cannot hold the results.
    """
    try:
        arrays = checked(program.inputs, arguments, model, check)
    except ShapeError:
        from .composing import is_traced

        if not is_traced(arguments):
            raise
        pairs = zip(program.inputs, arguments, strict=True)
        return program(*(flat_argument(name, value, model) for name, value in pairs))
    return program._run(arrays, out, where_of(model))


def checked(
    shapes: Mapping[str, tuple[int, ...]],
    arguments: Sequence[Any],
    model: Model,
    check: Check | None = None,
) -> list[np.ndarray]:
    """The arguments as arrays, or a ShapeError; ``check`` stands in for `check_shape`."""
    where = where_of(model)
    arrays = []
    for (name, shape), value in zip(shapes.items(), arguments, strict=True):
        flat = _by_body(name, value, model) if isinstance(value, Mapping) else value
        array = as_array(_public(name), flat, where, single=True)
        (check or check_shape)(name, shape, array, model)
        arrays.append(array)
    batch_of(shapes, arrays, where)
    return arrays


def _by_body(name: str, value: Mapping[Any, Any], model: Model) -> Any:
    """Values for each body in a row, as functions that are compiled pass them on."""
    try:
        return flat_argument(name, value, model)
    except (KeyError, TypeError, IndexError, ShapeError):
        raise ShapeError(
            f"expected values for each of {model.n_bodies} bodies in {_public(name)}, "
            f"got a dict with {len(value)}{where_of(model)}"
        ) from None


def _public(name: str) -> str:
    """The name of a parameter in public functions: ``q`` for that of joints beyond a base."""
    return name.removesuffix("_joints")


def _enter(
    key: tuple, function: Callable[..., Any], model: Model, shapes: dict[str, tuple[int, ...]],
    static: dict[str, Any],
) -> Entry:  # fmt: skip
    program = program_of(function, model, **static)

    def make() -> Entry:
        if function.__name__ in _BY_MASS:
            warn_undetermined(model, model.name)
        fast = declined if not model.nv or is_plain_only(model) else program.fast
        return Entry(program, fast, shapes)

    return kept(model.programs, key, make)


def check_shape(name: str, shape: tuple[int, ...], array: np.ndarray, model: Model) -> None:
    """Raise a ShapeError unless the last axes of ``array`` are ``shape``."""
    core = array.shape[max(array.ndim - len(shape), 0) :]
    if core == shape:
        return
    expected = _expectation(name, shape)
    got = core[-1] if len(shape) == 1 and core else f"shape {array.shape}"
    raise ShapeError(f"expected {expected} of {_public(name)}, got {got}{where_of(model)}")


def _expectation(name: str, shape: tuple[int, ...]) -> str:
    if name == "f_ext":
        return f"(n_bodies, 6) = {shape} on the last axes"
    if name in _LENGTHS or len(shape) != 1:
        return f"{', '.join(map(str, shape))} on the last axis"
    if name.endswith("_joints"):
        size = "nq - 7" if name.startswith("q_") else "nv - 6"
    else:
        size = "nq" if name.rstrip("01") == "q" else "nv"
    return f"{size} = {shape[0]} on the last axis"


def program_key(
    function: Callable[..., Any], model: Model, static: Mapping[str, Any]
) -> bytes | None:
    """What tells this program from any other; None when only its graph can."""
    if not _is_built_in(function) or any(isinstance(model.joint[i], Custom) for i in model.bodies):
        return None
    text = repr((
        function.__module__, function.__qualname__, sorted(static.items()),
        model.fingerprint, _library_digest(),
    ))  # fmt: skip
    return hashlib.sha256(text.encode()).digest()


def _is_built_in(function: Callable[..., Any]) -> bool:
    return (getattr(function, "__module__", None) or "").startswith("polhode.")


@cache
def _library_digest() -> str:
    """A digest of the sources that decide what an algorithm's program computes."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256((root / "scalar.py").read_bytes())
    for package in _PROGRAM_SOURCES:
        for path in sorted((root / package).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
