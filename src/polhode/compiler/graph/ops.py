"""The op table: one row per primitive, with what folding, counting and printing need."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ... import scalar

if TYPE_CHECKING:
    from .loop import Loop


@dataclass(frozen=True, eq=False, slots=True)
class Op:
    """A primitive of the expression graph.

    Attributes
    ----------
    name : str
        Name in printed graphs, and the key of every printer's table.
    arity : int
        Number of operands; -1 if it varies.
    evaluate : callable
        Value on Python floats (bools for conditions); NaN and infinities flow.
    cost : int
        What it adds to the op count: an ``fma`` counts 2, a sign or a comparison 0.
    is_condition : bool
        Whether its value is a truth value.
    is_library : bool
        Whether printers call a library function for it instead of one instruction.
    derivative : callable, optional
        Called with the node and its operands: the factor by which the change of each operand
        enters that of the node.  A condition stands for the factor 1 where it holds, else 0;
        without a rule the op is constant wherever it has a derivative.
    ulps : float
        Bound on the error of compiled code, in units in the last place of the exact result:
        0.5 is the nearest number, 0 an exact result.
    loop : Loop, optional
        What a loop computes, whose value is a list of numbers.
    part : int
        Which of those numbers this op takes; -1 of others.
    """

    name: str
    arity: int
    evaluate: Callable[..., Any]
    cost: int = 0
    is_condition: bool = False
    is_library: bool = False
    derivative: Callable[..., tuple] | None = None
    ulps: float = 0.5
    loop: Loop | None = None
    part: int = -1

    def __repr__(self) -> str:
        return self.name


def fma(a: float, b: float, c: float) -> float:
    """``a * b + c`` rounded once."""
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    from fractions import Fraction

    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c  # the sign of a zero follows the IEEE sum
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _divide(a: float, b: float) -> float:
    try:
        return a / b
    except ZeroDivisionError:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _outside_is_nan(function: Callable[..., float]) -> Callable[..., float]:
    def guarded(*x: float) -> float:
        try:
            return function(*x)
        except (ValueError, OverflowError):
            return math.nan

    return guarded


def _log(x: float) -> float:
    return -math.inf if x == 0 else _outside_is_nan(math.log)(x)


def _entry(place: float, *table: float) -> float:
    """The entry of a table at a whole number, the first or last beyond its ends."""
    return place if place != place else table[int(min(max(place, 0.0), len(table) - 1.0))]


def _of_entry(y: Any, place: Any, *table: Any) -> tuple:
    last = len(table) - 1
    if not last:
        return 0.0, 1.0
    inner = (place.equal(float(k)) for k in range(1, last))
    return 0.0, place < 1.0, *inner, place >= float(last)


def _of_quotient(y: Any, a: Any, b: Any) -> tuple:
    reciprocal = 1.0 / b
    return reciprocal, -(y * reciprocal)


def _of_angle(angle: Any, y: Any, x: Any) -> tuple:
    over_square = 1.0 / (x * x + y * y)
    return x * over_square, -(y * over_square)


def _library(
    name: str, arity: int, evaluate: Callable, ulps: float, derivative: Callable[..., tuple]
) -> Op:
    return Op(name, arity, evaluate, is_library=True, derivative=derivative, ulps=ulps)


INPUT = Op("input", 0, lambda: math.nan)
CONST = Op("const", 0, lambda: math.nan)
ADD = Op("add", 2, lambda a, b: a + b, cost=1, derivative=lambda y, a, b: (1.0, 1.0))
SUB = Op("sub", 2, lambda a, b: a - b, cost=1, derivative=lambda y, a, b: (1.0, -1.0))
MUL = Op("mul", 2, lambda a, b: a * b, cost=1, derivative=lambda y, a, b: (b, a))
DIV = Op("div", 2, _divide, cost=1, derivative=_of_quotient)
NEG = Op("neg", 1, lambda a: -a, ulps=0, derivative=lambda y, a: (-1.0,))
SQRT = Op("sqrt", 1, _outside_is_nan(math.sqrt), derivative=lambda y, a: (0.5 / y,))
FMA = Op("fma", 3, fma, cost=2, derivative=lambda y, a, b, c: (b, a, 1.0))
FMS = Op(
    "fms", 3, lambda a, b, c: fma(a, b, -c), cost=2, derivative=lambda y, a, b, c: (b, a, -1.0)
)
FNMA = Op(
    "fnma", 3, lambda a, b, c: fma(-a, b, c), cost=2, derivative=lambda y, a, b, c: (-b, -a, 1.0)
)
FNMS = Op(
    "fnms", 3, lambda a, b, c: fma(-a, b, -c), cost=2, derivative=lambda y, a, b, c: (-b, -a, -1.0)
)
SIN = _library("sin", 1, _outside_is_nan(math.sin), 1.0, lambda y, a: (a.cos(),))
COS = _library("cos", 1, _outside_is_nan(math.cos), 1.0, lambda y, a: (-a.sin(),))
EXP = _library("exp", 1, scalar.exp, 1.5, lambda y, a: (y,))
LOG = _library("log", 1, _log, 1.5, lambda y, a: (1.0 / a,))
ATAN2 = _library("atan2", 2, math.atan2, 1.5, _of_angle)
ABS = Op("abs", 1, abs, ulps=0, derivative=lambda y, a: ((a < 0.0).where(-1.0, 1.0),))
MIN = Op("min", 2, scalar.minimum, ulps=0, derivative=lambda y, a, b: (a < b, ~(a < b)))
MAX = Op("max", 2, scalar.maximum, ulps=0, derivative=lambda y, a, b: (a > b, ~(a > b)))
FLOOR = Op("floor", 1, scalar.floor, ulps=0)
RINT = Op("rint", 1, scalar.rint, ulps=0)
LT = Op("lt", 2, lambda a, b: a < b, is_condition=True)
LE = Op("le", 2, lambda a, b: a <= b, is_condition=True)
EQ = Op("eq", 2, lambda a, b: a == b, is_condition=True)
AND = Op("and", 2, lambda a, b: a and b, is_condition=True)
OR = Op("or", 2, lambda a, b: a or b, is_condition=True)
NOT = Op("not", 1, lambda a: not a, is_condition=True)
WHERE = Op("where", 3, lambda c, a, b: a if c else b, derivative=lambda y, c, a, b: (0.0, c, ~c))
BRANCH = Op("branch", 1, lambda c: c, is_condition=True)  # a condition worth skipping code by
GATHER = Op("gather", -1, _entry, ulps=0, derivative=_of_entry)

OPS = {op.name: op for op in list(globals().values()) if isinstance(op, Op)}
