"""From an algorithm over records to a function over plain scalars, and back.

An algorithm's parameters are known by name, as `roles` lists them: ``q`` is a value for each
body, ``point`` a vector.  The compiler sees nested tuples of scalars.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any

from ..errors import TraceError, suggestion
from ..model import Model
from ..spatial import Force, Mat3, Motion, Vec3
from .roles import KNOWN, Shape, role_of


def input_shapes(
    function: Callable[..., Any],
    model: Model,
    own: Mapping[str, Shape] | None = None,
    fixed: Container[str] = (),
    optional: Container[str] = (),
) -> dict[str, Shape]:
    """The core shape of each required parameter of ``function`` after the model.

    ``own`` gives shapes of parameters that are plain nested scalars to the function; what is
    ``fixed`` is no input.  Those named in ``optional`` are inputs although they have defaults.

    Raises
    ------
    TraceError
        For a parameter whose meaning is not known by its name.
    """
    shapes: dict[str, Shape] = {}
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        name, kind = parameter.name, parameter.kind
        is_required = not _is_optional(parameter) and kind is not kind.KEYWORD_ONLY
        if own and name in own:
            shapes[name] = own[name]
        elif name in optional or (is_required and name not in fixed):
            shapes[name] = _shape(name, function, model)
    return shapes


def optional_inputs(function: Callable[..., Any], n_arguments: int) -> tuple[str, ...]:
    """The parameters with defaults that this many arguments after the model give, as ``f_ext``."""
    positional = [
        p
        for p in list(inspect.signature(function).parameters.values())[1:]
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    return tuple(p.name for p in positional[:n_arguments] if _is_optional(p))


def _is_optional(parameter: inspect.Parameter) -> bool:
    return parameter.default is not parameter.empty or parameter.kind is parameter.VAR_KEYWORD


def check_names(
    function: Callable[..., Any], own: Container[str], fixed: Mapping[str, Any]
) -> None:
    """Check that what is fixed, or has a shape of its own, are parameters of ``function``.

    Raises
    ------
    TraceError
        For a name that is no parameter, or a keyword that is missing.
    """
    parameters = inspect.signature(function).parameters
    (first, *names), name_of = list(parameters) or [""], called(function)
    if first in KNOWN or first in own:
        raise TraceError(
            f"expected the model as the first parameter of {name_of}({', '.join(parameters)}), got "
            f"'{first}': {name_of}(model, {', '.join(parameters)}) has both"
        )
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for name in (*fixed, *own):  # type: ignore[misc]
        if name not in names and not takes_any:
            raise TraceError(
                f"expected a parameter of {name_of}({', '.join(parameters)}), got '{name}'"
                f"{suggestion(name, names)}"
            )
    for name in names:
        p = parameters[name]
        if p.kind is p.KEYWORD_ONLY and not _is_optional(p) and name not in (*fixed, *own):  # type: ignore[misc]
            raise TraceError(
                f"{name_of} needs '{name}': give it to compile, or its shape in shapes"
            )


def called(function: Callable[..., Any]) -> str:
    """The name of a function, also of a partial one or of an object that is called."""
    inner = getattr(function, "func", function)
    return getattr(inner, "__name__", type(inner).__name__)


def is_built_in(function: Callable[..., Any]) -> bool:
    """Whether a function is polhode's own."""
    return (getattr(function, "__module__", None) or "").startswith("polhode.")


def _shape(name: str, function: Callable[..., Any], model: Model) -> Shape:
    is_known = name in KNOWN or is_built_in(getattr(function, "func", function))
    shape = role_of(name).shape if is_known else None
    if shape is not None:
        return shape(model)
    raise TraceError(
        f"parameter '{name}' of {called(function)} is none of {', '.join(KNOWN)}"
        f"{suggestion(name, KNOWN)}; an input of your own needs a shape: "
        f"compile(..., shapes={{'{name}': ()}})"
    )


def as_argument(name: str, values: Any, model: Model) -> Any:
    """Nested scalars as what an algorithm expects under this parameter name."""
    return role_of(name).split(values, model)


def flat_argument(name: str, value: Any, model: Model) -> Any:
    """The inverse of `as_argument`: nested scalars out of values for each body, or a record.

    Raises
    ------
    TraceError
        For values for each body under a name that has none.
    """
    if isinstance(value, Mapping):
        join = role_of(name).join
        if join is None:
            raise TraceError(f"expected nested sequences as '{name}', got values for each body")
        return join(value, model)
    return [list(row) for row in value] if isinstance(value, Mat3) else value


def as_output(value: Any, model: Model) -> Any:
    """What an algorithm returned as nested lists; a tuple stands for several outputs."""
    if isinstance(value, tuple):
        return tuple(as_output(x, model) for x in value)
    if isinstance(value, Mapping):
        rows = [value[i] for i in model.bodies]
        if all(isinstance(row, tuple) for row in rows):
            return (model.join_q if _is_position(rows, model) else model.join_v)(value)
        return [as_output(row, model) for row in rows]
    if isinstance(value, (Vec3, Motion, Force)):
        return list(value)
    if isinstance(value, Mat3):
        return [list(row) for row in value]
    if isinstance(value, list):
        return [as_output(x, model) for x in value]
    return value


def _is_position(rows: list[tuple], model: Model) -> bool:
    """Whether values for each body can only be a position: a quaternion's w has its own place."""
    widths = [len(row) for row in rows]
    return widths == [len(k) for k in model.q_index[1:]] != [len(k) for k in model.v_index[1:]]


def caller(
    function: Callable[..., Any],
    model: Model,
    static: Mapping[str, Any],
    own: Mapping[str, Shape] | None = None,
    optional: Container[str] = (),
) -> Callable[..., Any]:
    """``function`` of this model over nested scalars; the result is what it returns.

    Iterating over the bodies of the model marks the steps of the loop in the graph.
    """
    names = list(input_shapes(function, model, own, static, optional))
    parameters = inspect.signature(function).parameters
    n_unnamed = sum(p.kind is p.POSITIONAL_ONLY for p in parameters.values()) - 1

    def call(*values: Any) -> Any:
        graph = next((g for g in map(_graph_of, values) if g is not None), None)
        stepped = _with_steps(model, graph.mark) if graph is not None else model
        pairs = [
            (n, v if own and n in own else _indexed(n, as_argument(n, v, stepped)))
            for n, v in zip(names, values, strict=True)
        ]
        unnamed = [v for _, v in pairs[: max(n_unnamed, 0)]]
        return function(stepped, *unnamed, **dict(pairs[len(unnamed) :]), **static)

    return call


def _indexed(name: str, value: Any) -> Any:
    """Values for each body that say which indices they have."""
    return OfBodies(name, value) if type(value) is dict else value


class OfBodies(dict[Any, Any]):
    """Values for each body; a TraceError for an index that is no body's."""

    def __init__(self, name: str, values: Mapping[Any, Any]):
        super().__init__(values)
        self.name = name

    def __missing__(self, body: Any) -> Any:
        raise TraceError(
            f"expected the number of a moving body, 1 to {len(self)}, as an index of {self.name}, "
            f"got {body!r}; model.body(name).moving is that of a name"
        )


class _Steps(tuple):
    """The bodies of a model; each turn of a loop over them calls ``mark``."""

    mark: Callable[[], None]

    def __iter__(self) -> Iterator[Any]:
        for body in super().__iter__():
            self.mark()
            yield body

    def __reversed__(self) -> Iterator[Any]:
        for body in self[::-1]:
            self.mark()
            yield body


def _with_steps(model: Model, mark: Callable[[], None]) -> Model:
    twin = object.__new__(type(model))
    twin.__dict__.update(model.__dict__)
    steps = _Steps(model.bodies)
    steps.mark = mark
    twin.__dict__["bodies"] = steps
    twin.__dict__["programs"] = {}  # what is compiled within a trace does not outlive it
    return twin


def _graph_of(value: Any) -> Any:
    while isinstance(value, (tuple, list)) and value:
        value = value[0]
    return getattr(value, "graph", None)
