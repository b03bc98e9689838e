"""From an algorithm over records to a function over plain scalars, and back.

An algorithm's parameters are known by name: ``q`` is a value for each body, ``point``
a vector.  The compiler sees nested tuples of scalars.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..errors import TraceError, suggestion
from ..model import Model
from ..spatial import Force, Mat3, Motion, Vec3

Shape = tuple[int, ...]

_PER_Q = ("q", "q0", "q1")
_PER_V = ("qd", "qdd", "tau", "v")
_VECTORS = ("point", "normal")
_SCALARS = ("dt",)
_BASE_STATE = "x"  # quaternion, position and velocity of a floating base
_Q_BEYOND = "q_joints"  # of the joints beyond a floating base
_V_BEYOND = ("qd_joints", "qdd_joints", "tau_joints")


def input_shapes(
    function: Callable, model: Model, own: Mapping[str, Shape] | None = None
) -> dict[str, Shape]:
    """The core shape of each required parameter of ``function`` after the model.

    ``own`` gives shapes of parameters that are plain nested scalars to the function.

    Raises
    ------
    TraceError
        For a parameter whose meaning is not known by its name.
    """
    shapes: dict[str, Shape] = {}
    parameters = list(inspect.signature(function).parameters.values())[1:]
    for parameter in parameters:
        if parameter.default is not parameter.empty or parameter.kind is parameter.KEYWORD_ONLY:
            continue
        name = parameter.name
        shapes[name] = own[name] if own and name in own else _shape(name, function, model)
    return shapes


def _shape(name: str, function: Callable, model: Model) -> Shape:
    if name in _PER_Q:
        return (model.nq,)
    if name in _PER_V:
        return (model.nv,)
    if name == "f_ext":
        return (model.n_bodies, 6)
    if name in _VECTORS:
        return (3,)
    if name in _SCALARS:
        return ()
    if name == _BASE_STATE:
        return (13,)
    if name == _Q_BEYOND:
        return (model.nq - 7,)
    if name in _V_BEYOND:
        return (model.nv - 6,)
    known = (*_PER_Q, *_PER_V, "f_ext", *_VECTORS, *_SCALARS)
    raise TraceError(
        f"parameter '{name}' of {function.__name__} is none of {', '.join(known)}"
        f"{suggestion(name, known)}"
    )


def is_position(name: str) -> bool:
    """Whether a parameter of this name is a position of the joints."""
    return name in _PER_Q


def as_argument(name: str, values: Any, model: Model) -> Any:
    """Nested scalars as what an algorithm expects under this parameter name."""
    if name in _PER_Q:
        return model.split_q(values)
    if name in _PER_V:
        return model.split_v(values)
    if name == "f_ext":
        return {i: tuple(values[i - 1]) for i in model.bodies}
    if name == _Q_BEYOND:
        index = {i: tuple(k - 6 if k < model.nv else k - 7 for k in model.q_index[i])
                 for i in model.bodies[2:]}  # fmt: skip
        return {i: tuple(values[k] for k in index[i]) for i in index}
    if name in _V_BEYOND:
        return {i: tuple(values[k - 6] for k in model.v_index[i]) for i in model.bodies[2:]}
    return Vec3.of(values) if name in _VECTORS else values


def as_output(value: Any, model: Model) -> Any:
    """What an algorithm returned as nested lists; a tuple stands for several outputs."""
    if isinstance(value, tuple):
        return tuple(as_output(x, model) for x in value)
    if isinstance(value, Mapping):
        rows = [value[i] for i in model.bodies]
        if all(isinstance(row, tuple) for row in rows):
            return [x for row in rows for x in row]
        return [as_output(row, model) for row in rows]
    if isinstance(value, (Vec3, Motion, Force)):
        return list(value)
    if isinstance(value, Mat3):
        return [list(row) for row in value]
    if isinstance(value, list):
        return [as_output(x, model) for x in value]
    return value


def traceable(
    function: Callable,
    model: Model,
    static: Mapping[str, Any],
    own: Mapping[str, Shape] | None = None,
) -> Callable:
    """``function`` of this model over nested scalars, as the compiler wants it.

    Iterating over the bodies of the model marks the steps of the loop in the graph.
    """
    names = list(input_shapes(function, model, own))

    def build(*values: Any) -> Any:
        graph = next((g for g in map(_graph_of, values) if g is not None), None)
        stepped = _with_steps(model, graph.mark) if graph is not None else model
        arguments = [as_argument(n, v, stepped) for n, v in zip(names, values, strict=True)]
        return as_output(function(stepped, *arguments, **static), model)

    return build


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
    return twin


def _graph_of(value: Any) -> Any:
    while isinstance(value, (tuple, list)) and value:
        value = value[0]
    return getattr(value, "graph", None)
