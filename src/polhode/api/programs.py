"""Find or build the program of an algorithm for a model, check arguments, and call it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import ModelError, ShapeError
from ..model import Custom, Model
from .plain import run_plain
from .program_derivatives import tangents
from .tracing import input_shapes, traceable

if TYPE_CHECKING:
    from ..compiler import Program

_lock = Lock()
_PROGRAM_SOURCES = ("spatial", "model", "constraints", "algorithms", "api", "rbdl", "spatial_v2")
"""Packages with functions that are compiled, or that those functions call."""


def compile(
    function: Callable, model: Model, *, parameters: Sequence[str] = (), **static: Any
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
    **static
        Keyword arguments that are fixed for this program, such as ``body="hand"``.

    Returns
    -------
    program : Program
        Called with arrays, leading axes are batch axes; a tuple of results becomes
        several outputs.

    Raises
    ------
    TraceError
        If a parameter's name has no known meaning, or the function cannot be traced.
    ModelError
        If the model has no such parameters.
    """
    require_model(model)
    if parameters:
        from .parameters import compile_with_parameters

        return compile_with_parameters(function, model, parameters, static)
    from ..compiler import Program

    return Program(
        traceable(function, model, static),
        input_shapes(function, model),
        name=function.__name__,
        key=program_key(function, model, static),
        recipe=(_recompile, (function, model, static)),
        tangents=tangents(function, model),
    )


def _recompile(function: Callable, model: Model, static: Mapping[str, Any]) -> Program:
    return compile(function, model, **static)


def program_of(function: Callable, model: Model, **static: Any) -> Program:
    """The program of a built-in algorithm for a model, kept with the model."""
    require_model(model)
    if "body" in static:
        static["body"] = model.body(static["body"]).id
    key = (function, *sorted(static.items()))
    with _lock:
        if key not in model.programs:
            model.programs[key] = compile(function, model, **static)
        return model.programs[key]


class Entry(NamedTuple):
    """A program of a model and what its door needs to know."""

    program: Program
    fast: Callable[..., Any]
    shapes: dict[str, tuple[int, ...]]


def evaluate(
    function: Callable, model: Model, arguments: tuple, out: Any = None, **static: Any
) -> Any:
    """Call the program of ``function`` for ``model``; one state takes the short way in.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    """
    key = (evaluate, function, *static.values()) if static else (evaluate, function)
    try:
        entry = model.programs.get(key)
    except AttributeError:
        entry = None
    if entry is None:
        entry = _enter(key, function, model, static)
    else:
        result = entry.fast(*arguments, out)
        if result is not NotImplemented:
            return result
    arrays = checked(entry.shapes, arguments, model)
    if not model.nv:
        return run_plain(function, model, arrays, out, **static)
    return entry.program(*arrays, out=out)


def checked(
    shapes: Mapping[str, tuple[int, ...]],
    arguments: Sequence[Any],
    model: Model,
    check: Callable[[str, tuple[int, ...], np.ndarray, Model], None] | None = None,
) -> list[np.ndarray]:
    """The arguments as arrays, or a ShapeError; ``check`` stands in for `check_shape`."""
    arrays = [np.asanyarray(argument) for argument in arguments]
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


def _enter(key: tuple, function: Callable, model: Model, static: dict[str, Any]) -> Entry:
    program = program_of(function, model, **static)
    entry = Entry(program, program.fast, input_shapes(function, model))
    model.programs[key] = entry
    return entry


def check_shape(name: str, shape: tuple[int, ...], array: np.ndarray, model: Model) -> None:
    """Raise a ShapeError unless the last axes of ``array`` are ``shape``."""
    core = array.shape[max(array.ndim - len(shape), 0) :]
    if core == shape:
        return
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


def program_key(function: Callable, model: Model, static: Mapping[str, Any]) -> bytes | None:
    """What tells this program from any other; None when only its graph can."""
    own = function.__module__.startswith("polhode.")
    if not own or any(isinstance(model.joint[i], Custom) for i in model.bodies):
        return None
    text = repr((
        function.__module__, function.__qualname__, sorted(static.items()),
        model.fingerprint, _library_digest(),
    ))  # fmt: skip
    return hashlib.sha256(text.encode()).digest()


@cache
def _library_digest() -> str:
    """A digest of the sources that decide what an algorithm's program computes."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256((root / "scalar.py").read_bytes())
    for package in _PROGRAM_SOURCES:
        for path in sorted((root / package).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
