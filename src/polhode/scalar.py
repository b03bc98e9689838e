"""Elementary functions of a scalar that may be a float, a NumPy array, or a traced value.

A traced value is anything with a method of the function's name.  Algorithms call
these and never ask what they were given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import reduce
from operator import or_
from typing import Any, Protocol

import numpy as np

from .errors import ArgumentError, shown

Scalar = Any  # a float, an ndarray, or a value with the methods used here


class _Unary(Protocol):
    """A function of one scalar."""

    def __call__(self, x: Scalar) -> Scalar: ...


def _unary(
    name: str, words: str, of_float: Callable[[float], float], of_array: Callable[..., Any]
) -> _Unary:
    def function(x: Scalar) -> Scalar:
        if isinstance(x, (float, int)):
            return of_float(x)
        method = getattr(x, name, None)
        return of_array(x) if method is None else method()

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The {words} of a scalar.

    Parameters
    ----------
    x : float, ndarray or traced value

    Returns
    -------
    y : of the type of `x`
    """
    return function


sin: _Unary = _unary("sin", "sine", lambda x: math.sin(x) if math.isfinite(x) else math.nan, np.sin)
cos: _Unary = _unary(
    "cos", "cosine", lambda x: math.cos(x) if math.isfinite(x) else math.nan, np.cos
)
sqrt: _Unary = _unary(
    "sqrt", "square root", lambda x: math.sqrt(x) if x >= 0 else math.nan, np.sqrt
)
exp: _Unary = _unary("exp", "exponential", lambda x: _exp(x), np.exp)
log: _Unary = _unary(
    "log", "natural logarithm", lambda x: math.log(x) if x > 0 else float(np.log(x)), np.log
)
floor: _Unary = _unary("floor", "floor", lambda x: _whole(math.floor, x), np.floor)
rint: _Unary = _unary("rint", "nearest whole number", lambda x: _whole(round, x), np.rint)
absolute: _Unary = _unary("absolute", "absolute value", abs, np.abs)


def tan(x: Scalar) -> Scalar:
    """The tangent of a scalar.

    Parameters
    ----------
    x : float, ndarray or traced value

    Returns
    -------
    value : of the type of the arguments
    """
    return sin(x) / cos(x)


def reciprocal(x: Scalar) -> Scalar:
    """``1 / x``; infinite for a zero, also of a float.

    Parameters
    ----------
    x : float, ndarray or traced value

    Returns
    -------
    value : of the type of the arguments
    """
    if isinstance(x, (float, int)) and x == 0:
        return math.copysign(math.inf, x)
    return 1.0 / x


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """The angle of the point ``(x, y)``, in (-pi, pi].

    Parameters
    ----------
    y, x : float, ndarray or traced value

    Returns
    -------
    value : of the type of the arguments
    """
    return _binary("atan2", math.atan2, np.arctan2, y, x)


def asin(x: Scalar) -> Scalar:
    """The angle in [-pi/2, pi/2] whose sine is ``x``.

    Parameters
    ----------
    x : float, ndarray or traced value

    Returns
    -------
    value : of the type of the arguments
    """
    return atan2(x, sqrt((1.0 - x) * (1.0 + x)))


def acos(x: Scalar) -> Scalar:
    """The angle in [0, pi] whose cosine is ``x``.

    Parameters
    ----------
    x : float, ndarray or traced value

    Returns
    -------
    value : of the type of the arguments
    """
    return atan2(sqrt((1.0 - x) * (1.0 + x)), x)


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """The smaller of two scalars; NaN if one is NaN.

    Parameters
    ----------
    a, b : float, ndarray or traced value

    Returns
    -------
    value : of the type of the arguments
    """
    return _binary("minimum", lambda a, b: a if a < b or a != a else b, np.minimum, a, b)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two scalars; NaN if one is NaN.

    Parameters
    ----------
    a, b : float, ndarray or traced value

    Returns
    -------
    value : of the type of the arguments
    """
    return _binary("maximum", lambda a, b: a if a > b or a != a else b, np.maximum, a, b)


def where(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """``a`` where ``condition`` holds, else ``b``; both are evaluated.

    Parameters
    ----------
    condition, a, b : float, ndarray or traced value

    Returns
    -------
    value : of the type of the arguments

    Raises
    ------
    ArgumentError
        If the condition is a number, as ``~`` makes of a plain bool.
    """
    if isinstance(condition, (bool, np.bool_)):
        return a if condition else b
    method = getattr(condition, "where", None)
    return np.where(_array_of(condition), a, b) if method is None else method(a, b)


def logical_not(condition: Scalar) -> Scalar:
    """The opposite of a condition: ``not`` of a bool, ``~`` of arrays and traced values.

    Parameters
    ----------
    condition : bool, ndarray or traced value

    Returns
    -------
    condition : of the type of the argument

    Raises
    ------
    ArgumentError
        If the condition is a number.

    Examples
    --------
    >>> logical_not(2.0 > 1.0)
    False
    """
    if isinstance(condition, bool):
        return not condition
    return ~(condition if hasattr(condition, "where") else _array_of(condition))


def when(condition: Scalar, f: Callable[..., Any], *x: Any) -> Any:
    """``f(*x)`` where ``condition`` holds, else ``x``; skipped where it holds nowhere.

    The value is that of `where`.  Compiled code jumps over all that only ``f`` needs unless
    some state that it works on wants it.

    Parameters
    ----------
    condition : bool, ndarray or traced value
    f : callable
        Takes ``x`` and returns as many values of the same structure.
    *x : scalars, or sequences, dicts and records of them

    Returns
    -------
    y : of the structure of `x`; a tuple if there are several

    Examples
    --------
    >>> when(True, lambda depth: 2.0 * depth, 3.0), when(False, lambda depth: 2.0 * depth, 3.0)
    (6.0, 3.0)
    """
    otherwise = x[0] if len(x) == 1 else x
    if isinstance(condition, np.ndarray) and condition.ndim == 0:
        condition = bool(condition)
    if isinstance(condition, (bool, np.bool_)):
        return f(*x) if condition else otherwise
    condition = guard(condition)
    if isinstance(condition, np.ndarray) and not np.any(condition):
        return otherwise
    return _mapped(lambda a, b: a if a is b else where(condition, a, b), f(*x), otherwise)


class Anything(float):
    """A number that is never looked at: `when` may leave there what it finds.

    Zero as a float.  Compiled code neither writes it nor chooses between it and a block's result.
    Whatever depends on it must not be chosen either, in any state.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "anything"


ANYTHING = Anything(0.0)


def guard(condition: Scalar) -> Scalar:
    """A condition that is to skip what only it needs, in `when` and where others are joined to it.

    Parameters
    ----------
    condition : bool, ndarray or traced value

    Returns
    -------
    condition : of the same type

    Notes
    -----
    A block of ``when(guard(a) & b, ...)`` is skipped like one in a block of ``a``, and may use what
    that one has computed.
    """
    method = getattr(condition, "branch", None)
    return condition if method is None else method()


def repeat(
    f: Callable[[Any], Any], x: Any, until: Callable[[Any], Scalar] | float, most: int
) -> Any:
    """``x = f(x)`` until a condition holds, or until ``x`` stays the same, or ``most`` times.

    A loop in compiled code.  A state that is done keeps its values, and the loop is left when
    all states that it works on are done.

    Parameters
    ----------
    f : callable
        Takes ``x`` and returns the next, of the same structure.
    x : scalar, or a sequence, dict or record of scalars
    until : callable or float
        A condition on ``x``, looked at before each turn.  Or the change of each scalar below
        which ``f`` has found a fixed point.
    most : int
        Turns at most.

    Returns
    -------
    x : of the structure of `x`

    Raises
    ------
    ValueError
        If ``until`` or ``most`` is none of those, or ``f`` returns another structure.

    Notes
    -----
    Derivatives of a fixed point are those of the solution (implicit function theorem).  They are
    iterated too, so ``f`` must contract there.  Otherwise derivatives go forward through the
    turns, and none go in reverse.

    Examples
    --------
    >>> repeat(lambda x: 0.5 * (x + 2.0 / x), 1.0, 1e-12, 20)
    1.414213562373095
    """
    _check_turns(until, most)
    goes = logical_not(until(x)) if callable(until) else True

    def step(old: Any) -> tuple[Any, Scalar]:
        new = f(old)
        return new, _goes_on(old, new, until)

    traced = _traced([goes, x])
    traced = _traced(f(x)) if traced is None else traced
    if traced is not None:
        tolerance = None if callable(until) else float(until)
        return _filled(x, traced.loop(_turn(step, x), _scalars(x), goes, most, tolerance))
    for _ in range(most):
        if not np.any(goes):
            break
        new, again = step(x)
        x = _mapped(lambda a, b, goes=goes: where(goes, a, b), new, x)
        goes = goes & again
    return x


def _check_turns(until: Any, most: Any) -> None:
    is_whole = isinstance(most, int) and not isinstance(most, bool)
    if not is_whole or most < 0:
        raise ValueError(f"expected a whole number of turns, 0 or more, for most; got {most!r}")
    if not callable(until) and not (isinstance(until, (int, float)) and until >= 0.0):
        raise ValueError(
            f"expected a condition or a tolerance, 0 or more, for until; got {until!r}"
        )


def _goes_on(old: Any, new: Any, until: Callable[[Any], Scalar] | float) -> Scalar:
    """Whether a loop goes on after a turn."""
    if callable(until):
        return logical_not(until(new))
    changes: list[Scalar] = []
    _mapped(lambda a, b: changes.append(absolute(a - b) > until), new, old)
    return reduce(or_, changes, False)


def _turn(
    step: Callable[[Any], tuple[Any, Scalar]], x: Any
) -> Callable[[list[Scalar]], tuple[list[Scalar], Scalar]]:
    """A turn as a function of the scalars of ``x``."""

    def turn(scalars: list[Scalar]) -> tuple[list[Scalar], Scalar]:
        new, again = step(_filled(x, scalars))
        found: list[Scalar] = []
        _mapped(lambda a, _: found.append(a), new, x)
        return found, again

    return turn


def gather(table: Sequence[Scalar], index: Scalar) -> Scalar:
    """The entry of a table at ``index`` rounded down; the first or last beyond its ends.

    Parameters
    ----------
    table : sequence of float, ndarray or traced value
    index : float, ndarray or traced value
        NaN gives NaN.

    Returns
    -------
    entry : of the type of the arguments

    Raises
    ------
    ValueError
        If the table is empty.

    Notes
    -----
    Constant between whole indices, where the derivative by ``index`` is zero; that by the
    entries is exact.

    Examples
    --------
    >>> gather([10.0, 20.0, 30.0], 1.0), gather([10.0, 20.0, 30.0], 7.5)
    (20.0, 30.0)
    """
    if not len(table):
        raise ValueError("expected a table with entries, got an empty one")
    method = getattr(index, "gather", None)
    if method is not None:
        return method(table)
    last = len(table) - 1.0
    place = np.floor(np.minimum(np.maximum(index, 0.0), last))
    if isinstance(index, (float, int)):
        return math.nan if math.isnan(place) else table[int(place)]
    is_nan = np.isnan(place)
    rows = np.stack(np.broadcast_arrays(*table, place)[:-1])
    places = np.where(is_nan, 0.0, place).astype(np.intp)
    found = np.take_along_axis(rows, np.broadcast_to(places, rows.shape[1:])[None], 0)[0]
    return np.where(is_nan, np.nan, found)


def sinc(x: Scalar) -> Scalar:
    """``sin(x) / x``, and 1 at zero; accurate to rounding for every ``x``.

    Parameters
    ----------
    x : float, ndarray or traced value

    Returns
    -------
    value : of the type of the arguments
    """
    near = absolute(x) < 1e-4
    safe = where(near, 1.0, x)
    return where(near, 1.0 - x * x / 6.0, sin(safe) / safe)


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _whole(function: Callable[[float], int], x: float) -> float:
    """A float that is rounded; the sign of a zero, infinities and NaN stay."""
    return math.copysign(float(function(x)), x) if math.isfinite(x) else x


def _binary(name: str, of_floats, of_arrays, a: Scalar, b: Scalar) -> Scalar:
    """Call the method of whichever operand is traced, else the float or array function."""
    if isinstance(a, (float, int)) and isinstance(b, (float, int)):
        return of_floats(a, b)
    if hasattr(a, name):
        return getattr(a, name)(b)
    if hasattr(b, name):
        return getattr(b, "r" + name)(a)
    return of_arrays(a, b)


def _mapped(function: Callable[[Scalar, Scalar], Scalar], x: Any, y: Any) -> Any:
    """What a function makes of the scalars of two values of one structure, in that structure.

    Raises
    ------
    ValueError
        If the structures differ.
    """
    parts, others = _parts(x), _parts(y)
    if parts is None and others is None:
        return function(x, y)
    if parts is None or others is None or parts.keys() != others.keys():
        raise ValueError(f"expected a result of the structure {_named(y)}, got {_named(x)}")
    made = {k: _mapped(function, a, others[k]) for k, a in parts.items()}
    if isinstance(x, dict):
        return made
    if isinstance(x, (list, tuple)):
        return type(x)(*made.values()) if hasattr(x, "_fields") else type(x)(made.values())
    return type(x)(**made)


def _scalars(x: Any) -> list[Scalar]:
    """The scalars of a value in order."""
    found: list[Scalar] = []
    _mapped(lambda a, _: found.append(a), x, x)
    return found


def _filled(x: Any, scalars: Sequence[Scalar]) -> Any:
    """A value of the structure of ``x`` with other scalars."""
    left = iter(scalars)
    return _mapped(lambda a, _: next(left), x, x)


def _traced(x: Any) -> Any:
    """The first traced value in a value; None if there is none."""
    return next((a for a in _scalars(x) if hasattr(a, "loop")), None)


def _array_of(condition: Scalar) -> np.ndarray:
    """A condition that is neither traced nor a bool: an array, or what is none is refused."""
    if isinstance(condition, (np.ndarray, np.bool_)):
        return np.asarray(condition)
    raise ArgumentError(
        f"expected a condition, got {shown(condition)}; where c is True or False, ~c is a number, "
        "and polhode.scalar.logical_not(c) a condition"
    )


def _parts(x: Any) -> dict[Any, Any] | None:
    """The parts of a sequence, dict or record by number or name; None of a scalar."""
    if isinstance(x, dict):
        return x
    if isinstance(x, (list, tuple)):
        return dict(enumerate(x))
    if is_dataclass(x):
        return {field.name: getattr(x, field.name) for field in fields(x)}
    return None


def _named(x: Any) -> str:
    parts = _parts(x)
    return "a scalar" if parts is None else f"{type(x).__name__} of {', '.join(map(str, parts))}"
