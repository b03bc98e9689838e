"""Functions with the parameters of RBDL's Python wrapper, which also know earlier names."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from ..errors import shown
from .errors import RBDLInvalidParameterError
from .vocabulary import described

PACKAGE = __name__.rpartition(".")[0]
OBJECTS = frozenset({"model", "CS"})

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

EARLIER = {
    "Q": "q", "QDot": "qdot", "QDDot": "qddot", "Tau": "tau", "f_ext": "f_external",
    "QInit": "qinit", "Qinit": "qinit", "Qres": "qres", "QDotInit": "qdot_init",
    "QDotMinus": "qdot_minus", "QDotPlus": "qdot_plus", "QDDotDesired": "qddot",
    "QDDotControls": "qddot", "QDDotOutput": "qddot_out", "TauOutput": "tau",
    "point_position": "body_point_position", "base_point_position": "body_point_position",
    "body_id": "index", "body_name": "name", "group_index": "groupIndex",
    "user_defined_id": "userDefinedId", "assigned_id": "assignedId", "position_error": "posErr",
    "velocity_error": "velErr", "constraint_axis": "axis",
    "enable_stabilization": "baumgarte_enabled", "stabilization_param": "T_stab_inv",
    "actuated_dof": "actuated_dof_upd", "values": "python_values",
}  # fmt: skip
"""C++ names of parameters, and names of our own before, with those of the Python wrapper."""


def spelled(
    returns: str = "", out: str = "", **earlier: str
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Make a function take earlier keywords too, and describe its parameters in its docstring.

    Parameters
    ----------
    returns : str
        Names of the results in `vocabulary`; those of ``out`` if omitted.
    out : str
        Names of the parameters that are filled, with blanks between.
    **earlier : str
        Earlier keywords of this function alone, with those of the wrapper.
    """

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        known = inspect.signature(function).parameters
        names = {a: b for a, b in (EARLIER | earlier).items() if b in known and a not in known}
        if not names and OBJECTS.isdisjoint(known):
            return described(returns, out)(function)
        others = frozenset(names)

        @wraps(function)
        def call(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
            try:
                if keywords:
                    if not others.isdisjoint(keywords):
                        keywords = _renamed(function.__qualname__, names, keywords)  # type: ignore[assignment]
                    return function(*arguments, **keywords)
                return function(*arguments)  # type: ignore[call-arg]
            except (AttributeError, TypeError):
                # Looked for only now: calls that are right take as long as without.
                _refuse_others(function, arguments, keywords)
                raise

        return described(returns, out)(call)

    return decorate


def _refuse_others(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> None:
    """Refuse a model, or a set of constraints, that is none of RBDL's."""
    signature = inspect.signature(function)
    try:
        found = signature.bind_partial(*arguments, **keywords).arguments
    except TypeError:  # which Python has told
        return
    for name in OBJECTS & found.keys():
        kind, value = str(signature.parameters[name].annotation), found[name]
        if not any(c.__name__ == kind and c.__module__.startswith(PACKAGE)
                   for c in type(value).__mro__):  # fmt: skip
            hint = "; rbdl.loadModel reads one from a file" if name == "model" else ""
            raise RBDLInvalidParameterError(
                f"expected an rbdl.{kind} as {name} of {function.__name__}, got "
                f"{_called(value)}{hint}"
            ) from None


def _called(value: object) -> str:
    """A value in a message; objects of this library by their names in it."""
    kind = type(value)
    inside = kind.__module__.startswith(PACKAGE.partition(".")[0])
    return f"a polhode {kind.__name__}" if inside else shown(value)


def _renamed(function: str, names: dict[str, str], keywords: dict[str, Any]) -> dict[str, Any]:
    renamed: dict[str, Any] = {}
    for name, value in keywords.items():
        now = names.get(name, name)
        if now in renamed or (now != name and now in keywords):
            raise TypeError(f"{function}() got '{now}' twice, also as '{name}'")
        renamed[now] = value
    return renamed
