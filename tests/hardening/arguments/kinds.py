"""Kinds of values that users pass by mistake, and what each plainly means, if anything."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

NOTHING = object()
"""What a value means that means nothing: it must be refused."""


class Kind(NamedTuple):
    """A value made of a good one, and what it means to an array of numbers."""

    make: Callable[[Any], Any]
    plain: Callable[[Any], Any] | None = None

    def meaning(self, value: Any) -> Any:
        """The plain array that this value stands for, or `NOTHING`."""
        return NOTHING if self.plain is None else self.plain(value)


class _Fails:
    """An object that NumPy asks for an array in vain."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise RuntimeError("no array\n" * 10)


def _floats(value: Any) -> np.ndarray:
    return np.asarray(value).astype(float)


def _nested(depth: int) -> list:
    return [_nested(depth - 1)] if depth else [0.0]


def _endless() -> list:
    inner: list = []
    inner.append(inner)
    return inner


def _array(good: Any) -> np.ndarray:
    try:
        array = np.array(good, float)
    except (TypeError, ValueError):
        array = np.empty(0)
    return array if array.size else np.array([0.5, 0.5])


def _strided(good: Any) -> np.ndarray:
    return np.repeat(_array(good), 2, axis=-1)[..., ::2] if _array(good).ndim else _array(good)


def _backwards(good: Any) -> np.ndarray:
    array = _array(good)
    return np.ascontiguousarray(array[..., ::-1])[..., ::-1] if array.ndim else array


def _read_only(good: Any) -> np.ndarray:
    array = _array(good)
    array.flags.writeable = False
    return array


def _masked(good: Any, mask: bool) -> np.ma.MaskedArray:
    array = np.ma.array(_array(good), mask=False)
    if mask:
        array[...] = np.ma.masked
    return array


def _unaligned(good: Any) -> np.ndarray:
    array = _array(good)
    raw = np.frombuffer(b"\0" + array.tobytes(), np.uint8)[1:].view(float)
    return raw.reshape(array.shape)


def _rows(good: Any) -> np.matrix:
    array = _array(good)
    return array.reshape(-1, array.shape[-1] if array.ndim else 1).view(np.matrix)


KINDS: dict[str, Kind] = {
    "None": Kind(lambda good: None),
    "True": Kind(lambda good: True, _floats),
    "0-d array": Kind(lambda good: np.array(0.5), _floats),
    "nan": Kind(lambda good: math.nan, _floats),
    "infinity": Kind(lambda good: math.inf, _floats),
    "-1": Kind(lambda good: -1, _floats),
    "-1.0": Kind(lambda good: -1.0, _floats),
    "0": Kind(lambda good: 0, _floats),
    "1e308": Kind(lambda good: 1e308, _floats),
    "1e-320": Kind(lambda good: 1e-320, _floats),
    "10**30": Kind(lambda good: 10**30, _floats),
    "10**400": Kind(lambda good: 10**400),
    "list of huge integers": Kind(lambda good: [10**400] * 3),
    "1j": Kind(lambda good: 1j),
    "complex array": Kind(lambda good: _array(good) + 0j),
    "text": Kind(lambda good: "abc"),
    "number as text": Kind(lambda good: "1.0"),
    "empty text": Kind(lambda good: ""),
    "list of text": Kind(lambda good: ["0.5"] * 3),
    "array of text": Kind(lambda good: _array(good).astype(str)),
    "long text": Kind(lambda good: "x" * 10_000),
    "control characters": Kind(lambda good: "a\n\x1b[31mb\x07"),
    "nul": Kind(lambda good: "a\0b"),
    "lone surrogate": Kind(lambda good: "a\ud800b"),
    "bytes": Kind(lambda good: b"abc"),
    "array of bytes": Kind(lambda good: _array(good).astype("S")),
    "dict": Kind(lambda good: {"a": 1.0}),
    "empty dict": Kind(lambda good: {}),
    "set": Kind(lambda good: {0.5}),
    "generator": Kind(lambda good: (x for x in (0.5, 0.5))),
    "range": Kind(lambda good: range(3), _floats),
    "object": Kind(lambda good: object()),
    "array of objects": Kind(lambda good: _array(good).astype(object)),
    "array of None": Kind(lambda good: np.full(_array(good).shape, None)),
    "Decimal": Kind(lambda good: Decimal("0.5")),
    "Fraction": Kind(lambda good: Fraction(1, 2), _floats),
    "ragged": Kind(lambda good: [[0.0], [0.0, 1.0]]),
    "70 levels": Kind(lambda good: _nested(70)),
    "list in itself": Kind(lambda good: _endless()),
    "empty list": Kind(lambda good: [], _floats),
    "one number in a list": Kind(lambda good: [0.5], _floats),
    "many numbers": Kind(lambda good: [0.5] * 97, _floats),
    "64 axes": Kind(lambda good: np.zeros((1,) * 64)),
    "masked": Kind(lambda good: _masked(good, True)),
    "masked nowhere": Kind(lambda good: _masked(good, False), lambda value: _floats(value.data)),
    "matrix": Kind(_rows, _floats),
    "integers": Kind(lambda good: np.ones_like(_array(good)).astype(np.int8), _floats),
    "longdouble": Kind(lambda good: _array(good).astype(np.longdouble), _floats),
    "longdouble scalar": Kind(lambda good: np.longdouble(0.5), _floats),
    "float16": Kind(lambda good: _array(good).astype(np.float16), _floats),
    "float32": Kind(lambda good: _array(good).astype(np.float32), _floats),
    "big-endian": Kind(lambda good: _array(good).astype(">f8"), _floats),
    "read-only": Kind(_read_only, _floats),
    "strided": Kind(_strided, _floats),
    "backwards": Kind(_backwards, _floats),
    "unaligned": Kind(_unaligned, _floats),
    "memoryview": Kind(lambda good: memoryview(np.ascontiguousarray(_array(good))), _floats),
    "date": Kind(lambda good: datetime.date(2020, 1, 1)),
    "datetime64": Kind(lambda good: np.full(_array(good).shape, np.datetime64("2020-01-01"))),
    "timedelta64": Kind(lambda good: np.full(_array(good).shape, np.timedelta64(1, "s"))),
    "records": Kind(lambda good: np.zeros(3, [("x", float)])),
    "unreadable": Kind(lambda good: _Fails()),
    "function": Kind(lambda good: len),
    "type": Kind(lambda good: float),
    "module": Kind(lambda good: math),
    "ellipsis": Kind(lambda good: ...),
    "path": Kind(lambda good: Path("/nonexistent/file")),
}

OUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "list": lambda good: good.tolist(),
    "text": lambda good: np.full(good.shape, "abc"),
    "integers": lambda good: np.full(good.shape, 7),
    "booleans": lambda good: np.full(good.shape, True),
    "complex": lambda good: np.full(good.shape, 7j),
    "objects": lambda good: np.full(good.shape, None),
    "dates": lambda good: np.full(good.shape, np.datetime64("2020-01-01")),
    "masked": lambda good: np.ma.array(np.full(good.shape, 7.0), mask=True),
    "one entry less": lambda good: np.full((*good.shape[:-1], good.shape[-1] - 1), 7.0)
    if good.ndim else np.full(2, 7.0),
    "one axis more": lambda good: np.full((1, *good.shape), 7.0),
    "read-only": lambda good: np.broadcast_to(7.0, good.shape),
    "one entry for all": lambda good: np.lib.stride_tricks.as_strided(
        np.full(1, 7.0), good.shape, (0,) * good.ndim
    ) if good.size > 1 else np.full(good.shape, 7),
    "number": lambda good: 0.5,
    "object": lambda good: object(),
    "type": lambda good: np.ndarray,
    "dict": lambda good: {"a": good},
    "empty tuple": lambda good: (),
    "pair": lambda good: (np.full(good.shape, 7.0), None),
    "memoryview": lambda good: memoryview(np.full(good.shape, 7.0)),
}  # fmt: skip
"""Arrays for results that cannot hold them."""


def contents(out: Any) -> Iterator[bytes]:
    """The bytes in all arrays of ``out``."""
    if isinstance(out, np.ndarray):
        yield np.asarray(out).tobytes() if not out.dtype.hasobject else repr(out.tolist()).encode()
    elif isinstance(out, (tuple, list)):
        for each in out:
            yield from contents(each)
