"""Find or build the program of an algorithm for a model, check arguments, and call it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import ModelError, ShapeError
from ..model import Custom, Model
from ..model.parameters import parametrized
from ..once import kept
from .door_errors import explained, not_numbers, uneven
from .plain import declined, is_plain_only, run_plain
from .program_derivatives import tangents
from .tracing import as_output, called, caller, check_names, flat_argument, input_shapes

if TYPE_CHECKING:
    from ..compiler import Program
    from .outputs import Structure

_PROGRAM_SOURCES = ("spatial", "model", "constraints", "algorithms", "api", "rbdl", "spatial_v2")
"""Packages with functions that are compiled, or that those functions call."""


def compile(
    function: Callable[..., Any],
    model: Model,
    *,
    parameters: Sequence[str] = (),
    shapes: Mapping[str, int | tuple[int, ...]] | None = None,
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
    """
    require_model(model)
    from ..compiler import Program
    from .outputs import FunctionInterface, Structure
    from .parameters import checked_names, parameter_shapes

    own = {k: (n,) if isinstance(n, int) else tuple(n) for k, n in (shapes or {}).items()}
    names = checked_names(parameters)
    check_names(function, own, static)
    inputs = input_shapes(function, model, own, static)
    fixed = dict(static) | ({"shapes": own} if own else {})
    fixed |= {"parameters": names} if names else {}
    structure = None if _is_built_in(function) else Structure()
    return Program(
        _build(function, model, names, static, own, structure),
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
    structure: Structure | None,
) -> Callable[..., Any]:
    """``function`` over nested scalars; the last of them are parameters of the model."""

    def build(*values: Any) -> Any:
        n, machine = len(values) - len(names), model
        if names:
            machine = parametrized(model, dict(zip(names, values[n:], strict=True)))
        call = caller(function, machine, static, own)
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


def program_of(function: Callable[..., Any], model: Model, **static: Any) -> Program:
    """The program of a built-in algorithm for a model, kept with the model."""
    require_model(model)
    if "body" in static:
        static["body"] = model.body(static["body"]).id
    key = (function, *sorted(static.items()))
    return kept(model.programs, key, lambda: compile(function, model, **static))


class Entry(NamedTuple):
    """A program of a model and what its door needs to know."""

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
    key = (evaluate, function, *static.values()) if static else (evaluate, function)
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
    try:
        arrays = [np.asanyarray(argument) for argument in arguments]
    except ValueError:
        raise uneven(input_shapes(function, model), arguments, model) from None
    if any(array.dtype.hasobject for array in arrays):
        from .composing import is_traced, on_traced

        if is_traced(arguments):
            return on_traced(function, model, arguments, out, static)
    if entry is None:
        entry = _enter(key, function, model, static)
    arrays = checked(entry.shapes, arrays, model)
    if entry.fast is declined:
        return run_plain(function, model, arrays, out, **static)
    try:
        return entry.program(*arrays, out=out)
    except (TypeError, ValueError) as error:
        raise explained(error, entry.program, arrays, out, model) from None


def several(out: Any) -> Any:
    """Where several results go: a plain tuple, also for a named one; None stays None."""
    return None if out is None else tuple(out)


def checked(
    shapes: Mapping[str, tuple[int, ...]],
    arguments: Sequence[Any],
    model: Model,
    check: Callable[[str, tuple[int, ...], np.ndarray, Model], None] | None = None,
) -> list[np.ndarray]:
    """The arguments as arrays, or a ShapeError; ``check`` stands in for `check_shape`."""
    arrays = [
        np.asanyarray(flat_argument(name, x, model) if isinstance(x, Mapping) else x)
        for name, x in zip(shapes, arguments, strict=True)
    ]
    for (name, shape), array in zip(shapes.items(), arrays, strict=True):
        (check or check_shape)(name, shape, array, model)
    _check_batches(shapes, arrays, model)
    return arrays


def _check_batches(
    shapes: Mapping[str, tuple[int, ...]], arrays: list[np.ndarray], model: Model
) -> None:
    batches = {
        name: array.shape[: array.ndim - len(shape)]
        for (name, shape), array in zip(shapes.items(), arrays, strict=True)
    }
    try:
        np.broadcast_shapes(*batches.values())
    except ValueError:
        got = ", ".join(f"{name} {batch}" for name, batch in batches.items())
        raise ShapeError(
            f"expected batch axes that broadcast, got {got} (model '{model.name}')"
        ) from None


def _enter(key: tuple, function: Callable[..., Any], model: Model, static: dict[str, Any]) -> Entry:
    def make() -> Entry:
        program = program_of(function, model, **static)
        fast = declined if not model.nv or is_plain_only(model) else program.fast
        return Entry(program, fast, input_shapes(function, model))

    return kept(model.programs, key, make)


def check_shape(name: str, shape: tuple[int, ...], array: np.ndarray, model: Model) -> None:
    """Raise a ShapeError unless the last axes of ``array`` are ``shape``."""
    core = array.shape[max(array.ndim - len(shape), 0) :]
    if core == shape:
        return
    found = not_numbers(name, array, model)
    if found is not None:
        raise found
    expected = _expectation(name, shape)
    got = core[-1] if len(shape) == 1 and core else f"shape {array.shape}"
    raise ShapeError(f"expected {expected} of {name}, got {got} (model '{model.name}')")


def _expectation(name: str, shape: tuple[int, ...]) -> str:
    if name == "f_ext":
        return f"(n_bodies, 6) = {shape} on the last axes"
    size = {"q": "nq", "point": "3", "normal": "3"}.get(name.rstrip("01"), "nv")
    return f"{size if size == '3' else f'{size} = {shape[0]}'} on the last axis"


def require_model(model: Any) -> Model:
    """``model``, or a ModelError if it is none."""
    if not isinstance(model, Model):
        raise ModelError(
            f"expected a Model first, got {type(model).__name__}; load one with polhode.load"
        )
    return model


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
