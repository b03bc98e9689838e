"""Elementary functions of a scalar that may be a float, a NumPy array, or a traced value.

A traced value is anything with a method of the function's name.  Algorithms call
these and never ask what they were given.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

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
exp: _Unary = _unary("exp", "exponential", math.exp, np.exp)
log: _Unary = _unary(
    "log", "natural logarithm", lambda x: math.log(x) if x > 0 else float(np.log(x)), np.log
)
floor: _Unary = _unary("floor", "floor", lambda x: float(math.floor(x)), np.floor)
rint: _Unary = _unary("rint", "nearest whole number", lambda x: float(round(x)), np.rint)
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
    """The smaller of two scalars.

    Parameters
    ----------
    a, b : float, ndarray or traced value

    Returns
    -------
    value : of the type of the arguments
    """
    return _binary("minimum", min, np.minimum, a, b)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two scalars.

    Parameters
    ----------
    a, b : float, ndarray or traced value

    Returns
    -------
    value : of the type of the arguments
    """
    return _binary("maximum", max, np.maximum, a, b)


def where(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """``a`` where ``condition`` holds, else ``b``; both are evaluated.

    Parameters
    ----------
    condition, a, b : float, ndarray or traced value

    Returns
    -------
    value : of the type of the arguments
    """
    if isinstance(condition, (bool, np.bool_)):
        return a if condition else b
    method = getattr(condition, "where", None)
    return np.where(condition, a, b) if method is None else method(a, b)


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


def _binary(name: str, of_floats, of_arrays, a: Scalar, b: Scalar) -> Scalar:
    """Call the method of whichever operand is traced, else the float or array function."""
    if isinstance(a, (float, int)) and isinstance(b, (float, int)):
        return of_floats(a, b)
    if hasattr(a, name):
        return getattr(a, name)(b)
    if hasattr(b, name):
        return getattr(b, "r" + name)(a)
    return of_arrays(a, b)
