"""What single PTX instructions compute, from bits to bits."""

from __future__ import annotations

import ctypes
import ctypes.util
import math
import operator
import struct
from collections.abc import Sequence
from typing import Any

_LIBM = ctypes.CDLL(ctypes.util.find_library("m"))
_LIBM.fma.restype, _LIBM.fma.argtypes = ctypes.c_double, [ctypes.c_double] * 3
_LIBM.fmaf.restype, _LIBM.fmaf.argtypes = ctypes.c_float, [ctypes.c_float] * 3
_ORDER = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip
_ROUNDED = ("add", "sub", "mul", "div", "rcp", "sqrt", "fma")


def width_of(kind: str) -> int:
    """Bits of a type such as ``s64``; a predicate is one."""
    return 1 if kind == "pred" else int(kind[1:])


def number(bits: int, kind: str) -> float:
    """The float of some bits."""
    code = ("<Q", "<d") if kind == "f64" else ("<I", "<f")
    return struct.unpack(code[1], struct.pack(code[0], bits))[0]


def bits_of(x: float, kind: str) -> int:
    """The bits of a float, rounded to the type."""
    if kind == "f64":
        return struct.unpack("<Q", struct.pack("<d", x))[0]
    return struct.unpack("<I", bytes(ctypes.c_float(x)))[0]


def signed(bits: int, kind: str) -> int:
    """Bits as a number of the type: negative if they are and the type has a sign."""
    n = width_of(kind)
    bits &= (1 << n) - 1
    return bits - (1 << n) if kind[0] == "s" and bits >> (n - 1) else bits


def compared(parts: Sequence[str], a: int, b: int) -> int:
    """``setp``: comparisons of numbers fail on NaN, unless their name ends in u."""
    _, order, kind = parts
    if kind[0] != "f":
        return int(_ORDER[order](signed(a, kind), signed(b, kind)))
    x, y = number(a, kind), number(b, kind)
    is_unordered = math.isnan(x) or math.isnan(y)
    if order in ("nan", "num"):
        return int(is_unordered == (order == "nan"))
    if is_unordered:
        return int(order.endswith("u"))
    return int(_ORDER[order.removesuffix("u")](x, y))


def computed(parts: Sequence[str], values: Sequence[int]) -> int:
    """The result of an instruction."""
    name, kind = parts[0], parts[-1]
    if name == "cvt":
        return _converted(parts, values[0])
    if kind[0] == "f":
        return bits_of(_floating(parts, [number(x, kind) for x in values]), kind)
    result = _integer(parts, [signed(x, kind) for x in values], values)
    n = 64 if "wide" in parts else width_of(kind)
    return result & ((1 << n) - 1)


def _floating(parts: Sequence[str], x: Sequence[float]) -> float:
    name, kind = parts[0], parts[-1]
    assert list(parts[1:-1]) == (["rn"] if name in _ROUNDED else [])  # no ftz, approx, sat
    if name == "fma":
        return (_LIBM.fma if kind == "f64" else _LIBM.fmaf)(*x)
    if name == "sqrt":
        return math.sqrt(x[0]) if x[0] >= 0.0 else math.nan if x[0] != 0.0 else x[0]
    if name == "copysign":
        return math.copysign(x[1], x[0])
    if name in ("div", "rcp"):
        return _quotient(*(x if name == "div" else (1.0, x[0])))
    if name in ("min", "max"):
        a, b = x
        return b if math.isnan(a) else a if math.isnan(b) else (min if name == "min" else max)(a, b)
    # double arithmetic is exact enough that rounding its result to float is the only rounding
    forms: dict[str, Any] = {
        "add": operator.add, "sub": operator.sub, "mul": operator.mul,
        "neg": operator.neg, "abs": abs,
    }  # fmt: skip
    return forms[name](*x)


def _quotient(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _integer(parts: Sequence[str], x: Sequence[int], raw: Sequence[int]) -> int:
    name, n = parts[0], width_of(parts[-1])
    if name == "mul":
        product = x[0] * x[1]
        return product >> n if parts[1] == "hi" else product
    if name == "shl":
        return x[0] << x[1] if raw[1] < n else 0
    if name == "shr":
        return x[0] >> min(raw[1], n)
    if name == "not":
        return ~x[0]
    if name == "bfe":
        return (raw[0] >> x[1]) & ((1 << x[2]) - 1)
    if name == "shf":
        assert list(parts[1:]) == ["l", "wrap", "b32"]
        return (((x[1] << 32) | x[0]) << (x[2] & 31)) >> 32
    if name == "cvta":
        return x[0]
    forms: dict[str, Any] = {
        "add": operator.add, "sub": operator.sub, "neg": operator.neg,
        "and": operator.and_, "or": operator.or_, "xor": operator.xor,
    }  # fmt: skip
    return forms[name](*x)


def _converted(parts: Sequence[str], x: int) -> int:
    """Between integers; between an integer and a float; between floats, or to a whole one."""
    *middle, to, source = parts[1:]
    if source[0] != "f":
        if to[0] != "f":
            return signed(x, source) & ((1 << width_of(to)) - 1)
        assert middle == ["rn"]
        return bits_of(float(signed(x, source)), to)
    value = number(x, source)
    if to[0] != "f":
        assert middle == ["rzi"] and abs(value) < 2.0 ** (width_of(to) - 1)  # else it saturates
        return int(value) & ((1 << width_of(to)) - 1)
    if middle in (["rmi"], ["rni"]):
        whole = math.floor if middle == ["rmi"] else round
        value = math.copysign(whole(value), value) if math.isfinite(value) else value
    else:
        assert middle == (["rn"] if (to, source) == ("f32", "f64") else [])
    return bits_of(value, to)
