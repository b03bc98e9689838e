"""Compile an algorithm for a model: its program, and the key that it is stored under."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arguments import as_choice, as_shapes, as_texts, check_callable
from ..constraint_sets import Custom as CustomRows
from ..errors import ModelError
from ..model import Custom, Model
from ..model.parameters import parametrized
from ..once import kept
from ..reprs import exact
from .model_argument import require_model, where_of
from .parameter_inputs import checked_names, parameter_shapes
from .program_derivatives import tangents
from .roles import Shape
from .tracing import as_output, called, caller, check_names, input_shapes, is_built_in

if TYPE_CHECKING:
    from ..compiler import Program
    from .outputs import Structure

MOST_TRACED = 100_000
"""Scalars of an input of a function's own: each is traced by itself."""

_WITHOUT_TENDONS = frozenset((
    "rnea_regressor", "rnea_derivatives", "aba_derivatives", "rnea_second_derivatives",
    "coriolis_matrix", "energy_derivatives", "constrained_derivatives", "impulse_derivatives",
))  # fmt: skip
"""Algorithms with inertia that leave out that of tendons."""

_PROGRAM_SOURCES = (
    "spatial", "model", "constraint_sets", "algorithms", "binding", "api", "rbdl", "spatial_v2",
    "simulation/lanes",
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
    check_callable("function", function)
    own = as_shapes("shapes", {} if shapes is None else shapes, least=1, most=MOST_TRACED)
    names = checked_names(parameters)
    extra = (optional,) if isinstance(optional, str) else as_texts("optional", optional)
    for name in extra:
        as_choice("optional", name, list(signature(function).parameters)[1:])
    check_names(function, own, static)
    return made(function, model, own, static, extra, names)


def made(
    function: Callable[..., Any],
    model: Model,
    own: Mapping[str, Shape],
    static: Mapping[str, Any],
    optional: tuple[str, ...] = (),
    parameters: tuple[str, ...] = (),
) -> Program:
    """What `compile` makes of arguments that are checked; ``own`` are its ``shapes``."""
    from ..compiler import Program
    from .outputs import FunctionInterface, Structure

    _check_tendons(function, model)
    structure = None if is_built_in(function) else Structure()
    inputs = input_shapes(function, model, own, static, optional)
    return Program(
        _build(function, model, parameters, static, own, optional, structure),
        inputs | parameter_shapes(model, parameters),
        name=called(function),
        key=program_key(function, model, static, (*sorted(own.items()), optional, parameters)),
        recipe=(made, (function, model, dict(own), dict(static), optional, parameters)),
        tangents=tangents(inputs, model),
        interface=FunctionInterface(model, structure),
    )


def _check_tendons(function: Callable[..., Any], model: Model) -> None:
    """Raise a ModelError where the armature of a tendon would be left out."""
    if called(function) not in _WITHOUT_TENDONS or not is_built_in(function):
        return
    for tendon in model.tendons:
        if tendon.armature:
            raise ModelError(f"the armature of tendon '{tendon.name}' is not in this function"
                             f"{where_of(model)}")  # fmt: skip


def _build(
    function: Callable[..., Any],
    model: Model,
    names: Sequence[str],
    static: Mapping[str, Any],
    own: Mapping[str, Shape],
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


def program_of(
    function: Callable[..., Any], model: Model, *, optional: tuple[str, ...] = (), **static: Any
) -> Program:
    """The program of a built-in algorithm for a model, kept with the model."""
    require_model(model)
    if "body" in static:
        static["body"] = model.body(static["body"]).id
    key = (function, optional, *sorted(static.items()))
    return kept(model.programs, key, lambda: compile(function, model, optional=optional, **static))


def program_key(
    function: Callable[..., Any], model: Model, static: Mapping[str, Any], inputs: tuple[Any, ...]
) -> bytes | None:
    """What tells this program from any other; None when only its graph can.

    ``inputs`` says which inputs it has beside those that the function always has.
    """
    if not is_built_in(function):
        return None
    constraints = static.get("constraints", ())
    parts = *(model.joint[i] for i in model.bodies), *constraints
    if any(isinstance(part, (Custom, CustomRows)) for part in parts):
        return None
    text = exact((
        function.__module__, function.__qualname__, sorted(static.items()), inputs,
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
