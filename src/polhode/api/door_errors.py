"""What is wrong with the arguments of a door, found out once a call has failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ShapeError, TraceError
from ..model import Model

if TYPE_CHECKING:
    from ..compiler import Program

_KINDS = {"U": "text", "S": "bytes", "c": "complex numbers", "O": "objects", "V": "records"}


def not_numbers(name: str, array: np.ndarray, model: Model) -> ShapeError | None:
    """The error of an argument that holds no real numbers, or None."""
    if array.dtype.kind in "biuf":
        return None
    what = _KINDS.get(array.dtype.kind, str(array.dtype))
    one = f" such as {array.ravel()[:1].tolist()[0]!r:.40}" if array.size else ""
    return ShapeError(f"expected real numbers as {name}, got {what}{one} (model '{model.name}')")


def uneven(names: Iterable[str], arguments: Sequence[Any], model: Model) -> ShapeError:
    """The error of arguments that are no arrays, for their rows differ in length."""
    where = "an argument"
    for name, value in zip(names, arguments, strict=False):
        try:
            np.asanyarray(value)
        except ValueError:
            where = name
    return ShapeError(
        f"expected rows of one length in {where}, got different ones (model '{model.name}')"
    )


def explained(
    error: Exception, program: Program, arrays: Sequence[np.ndarray], out: Any, model: Model
) -> Exception:
    """The error, or what is wrong with the numbers or with ``out``."""
    if isinstance(error, TraceError):
        return error
    for name, array in zip(program.inputs, arrays, strict=False):
        found = not_numbers(name, array, model)
        if found is not None:
            return found
    return _of_out(program.inputs, program.output_shapes, arrays, out, model) or error


def _of_out(
    inputs: Mapping[str, tuple[int, ...]], outputs: Sequence[tuple[int, ...]],
    arrays: Sequence[np.ndarray], out: Any, model: Model,
) -> ShapeError | None:  # fmt: skip
    given = out if isinstance(out, tuple) else (out,)
    for each in given:
        if each is not None and not isinstance(each, np.ndarray):
            return ShapeError(
                f"expected an ndarray as out, got {type(each).__name__} (model '{model.name}')"
            )
    if any(each is None for each in given):
        return None
    inner = [len(shape) for shape in inputs.values()]
    leading = [a.shape[: a.ndim - n] for a, n in zip(arrays, inner, strict=False)]
    batch = np.broadcast_shapes(*leading)
    wanted: Any = [batch + shape for shape in outputs]
    got: Any = [array.shape for array in given]
    if got == wanted:
        return None
    if len(wanted) == 1:
        wanted, got = wanted[0], got[0] if len(got) == 1 else got
    return ShapeError(f"expected out of shape {wanted}, got {got} (model '{model.name}')")
