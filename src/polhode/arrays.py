"""Array arguments: their types in signatures, and the one conversion to arrays of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .errors import ShapeError, shown

Array: TypeAlias = np.ndarray
Numbers: TypeAlias = Sequence[float] | np.ndarray
"""A few numbers in a row."""

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as NumpyArrayLike

    from .compiler.graph import Value

    ArrayLike: TypeAlias = NumpyArrayLike | Sequence[Any] | Mapping[Any, Any] | Value
else:  # NumPy's union takes time to import
    ArrayLike = Any

Shape: TypeAlias = tuple[int, ...]

MOST_AXES = 32
"""Axes of an array argument; results may have some more, and NumPy stops at 64."""

_FLOAT64, _FLOAT32 = np.dtype(np.float64), np.dtype(np.float32)
_KINDS = {
    "U": "text", "T": "text", "S": "bytes", "c": "complex numbers", "O": "objects",
    "V": "records", "M": "dates", "m": "durations",
}  # fmt: skip


def as_array(
    name: str,
    value: Any,
    where: str = "",
    *,
    shape: Shape | None = None,
    single: bool = False,
    finite: bool = False,
) -> np.ndarray:
    """An argument as a plain array of float64.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    value : array_like
        Real numbers: integers, booleans, and floats of any width, which are rounded.
    where : str
        Ends the message, such as ``" (model 'arm')"``.
    shape : tuple of int, optional
        The shape that the whole array must have.
    single : bool
        Leave float32 as it is.
    finite : bool
        Refuse infinite numbers and NaN.

    Returns
    -------
    array : ndarray
        The argument itself if it is such an array already, of any layout.

    Raises
    ------
    ShapeError
        For a value that is no array of real numbers: text, dates, complex numbers (also with a zero
        imaginary part), records, objects. Also for masked entries, rows of different lengths,
        numbers beyond float64, more than `MOST_AXES` axes, and another shape.
    """
    if type(value) is np.ndarray and value.dtype is _FLOAT64 and value.ndim <= MOST_AXES:
        array = value
    else:
        array = _converted(name, value, where, single)
    if shape is not None and array.shape != shape:
        raise ShapeError(f"expected shape {shape} of {name}, got {array.shape}{where}")
    if finite and not np.isfinite(array).all():
        bad = array[~np.isfinite(array)].flat[0]
        raise ShapeError(f"expected finite numbers as {name}, got {bad}{where}")
    return array


def as_arrays(cores: Mapping[str, Shape], values: Sequence[Any], where: str = "") -> list[Array]:
    """One array for each name, of float32 or float64, with its core shape on the last axes.

    Parameters
    ----------
    cores : mapping of str to tuple of int
        The core shape of each argument; the axes before it are batch axes.
    values : sequence of array_like
    where : str
        Ends messages.

    Returns
    -------
    arrays : list of ndarray

    Raises
    ------
    ShapeError
        As `as_array`; for other core shapes, and batch axes that do not broadcast.
    TypeError
        For another number of arguments.
    """
    if len(values) != len(cores):
        raise TypeError(
            f"expected {len(cores)} arrays ({', '.join(cores)}), got {len(values)}{where}"
        )
    arrays, batches = [], set()
    for (name, core), value in zip(cores.items(), values, strict=True):
        array = as_array(name, value, where, single=True)
        n_batch = array.ndim - len(core)
        if n_batch < 0 or array.shape[n_batch:] != core:
            raise ShapeError(
                f"expected {core} on the last axes of {name}, got shape {array.shape}{where}"
            )
        arrays.append(array)
        batches.add(array.shape[:n_batch])
    if len(batches) > 1:
        batch_of(cores, arrays, where)
    return arrays


def batch_of(cores: Mapping[str, Shape], arrays: Sequence[Array], where: str = "") -> Shape:
    """The axes of several arrays before those of their core shapes, broadcast.

    Raises
    ------
    ShapeError
        If they do not broadcast.
    """
    batches = [
        array.shape[: array.ndim - len(core)]
        for core, array in zip(cores.values(), arrays, strict=True)
    ]
    longest = max(batches, key=len, default=())
    if all(batch == longest or not batch for batch in batches):
        return longest
    try:
        return np.broadcast_shapes(*batches)
    except ValueError:
        got = ", ".join(f"{name} {batch}" for name, batch in zip(cores, batches, strict=True))
        raise ShapeError(f"expected batch axes that broadcast, got {got}{where}") from None


def check_out(out: Any, shapes: Sequence[Shape], where: str = "", name: str = "out") -> None:
    """Check arrays for results before anything is written to them.

    Parameters
    ----------
    out : ndarray, or tuple of ndarray
        One array for one result, also in a tuple of one; a tuple for several.
    shapes : sequence of tuple of int
        Whole shapes of the results.

    Raises
    ------
    ShapeError
        Unless each is a writable array of real floating-point numbers of its shape, and no
        entry is there twice.
    """
    given = out if isinstance(out, tuple) else (out,)
    if len(given) == len(shapes) == 1 and _is_plain_target(given[0], shapes[0]):
        return
    for array in given:
        _check_target(name, array, where)
    wanted: Any = list(shapes)
    got: Any = [array.shape for array in given]
    if got != wanted:
        if len(wanted) == 1:
            wanted, got = wanted[0], got[0] if len(got) == 1 else got
        raise ShapeError(f"expected {name} of shape {wanted}, got {got}{where}")
    for k, array in enumerate(given):
        if _meets_itself(array) or any(_meet(array, other) for other in given[:k]):
            raise ShapeError(f"expected {name} without entries that share memory{where}")


def written(results: Any, out: Any, where: str = "") -> Any:
    """The results, an array or a tuple of them, or ``out`` with them in it.

    Raises
    ------
    ShapeError
        As `check_out`; nothing is written then.
    """
    if out is None:
        return results
    pieces = results if isinstance(results, tuple) else (results,)
    check_out(out, [np.shape(piece) for piece in pieces], where)
    for target, piece in zip(out if isinstance(out, tuple) else (out,), pieces, strict=True):
        target[...] = piece
    return out


def several(out: Any, where: str = "") -> tuple[Any, ...] | None:
    """Arrays for several results: a plain tuple, also for a named one; None stays None.

    Raises
    ------
    ShapeError
        For what is no sequence.
    """
    if out is None:
        return None
    if isinstance(out, (tuple, list)):
        return tuple(out)
    raise ShapeError(f"expected a tuple of arrays as out, got {shown(out)}{where}")


def _converted(name: str, value: Any, where: str, single: bool) -> np.ndarray:
    if isinstance(value, np.ndarray) and _is_masked(value):
        raise ShapeError(
            f"expected real numbers as {name}, got masked entries{where}; "
            "fill them, or leave them out"
        )
    try:
        array = np.asarray(value)
    except MemoryError:
        raise
    except Exception as error:  # whatever an object's __array__ raises
        raise _unreadable(name, value, error, where) from None
    if array.dtype is _FLOAT64 and array.ndim <= MOST_AXES:
        return array
    if array.dtype.kind not in "fiub":
        raise _not_numbers(name, value, array, where)
    if array.ndim > MOST_AXES:
        raise ShapeError(f"expected at most {MOST_AXES} axes of {name}, got {array.ndim}{where}")
    if single and array.dtype.kind == "f" and array.dtype.itemsize == 4:
        return array.astype(_FLOAT32, copy=False)
    if array.dtype.itemsize <= 8:
        return array.astype(_FLOAT64, copy=False)
    with np.errstate(over="ignore"):
        rounded = array.astype(_FLOAT64)
    if np.isinf(rounded).any() and np.any(np.isinf(rounded) & np.isfinite(array)):
        raise ShapeError(f"expected numbers within float64 as {name}, got larger ones{where}")
    return rounded


def _is_masked(array: np.ndarray) -> bool:
    """Whether entries are marked as missing; a mask that marks none does no harm."""
    return isinstance(array, np.ma.MaskedArray) and bool(np.ma.is_masked(array))


def _unreadable(name: str, value: Any, error: Exception, where: str) -> ShapeError:
    """The error of something that NumPy makes no array of."""
    if "inhomogeneous" in str(error):
        return ShapeError(f"expected rows of one length in {name}, got different ones{where}")
    if "maximum number of dimension" in str(error):
        return ShapeError(f"expected at most {MOST_AXES} axes of {name}, got more{where}")
    return ShapeError(
        f"expected real numbers as {name}, got {shown(value)}, of which NumPy makes no array "
        f"({type(error).__name__}){where}"
    )


def _not_numbers(name: str, value: Any, array: np.ndarray, where: str) -> ShapeError:
    """The error of an array that holds no real numbers, with one of them."""
    kind = array.dtype.kind
    if kind == "O" and not array.ndim:
        what = shown(value)
    else:
        what = _KINDS.get(kind, str(array.dtype))
        if array.size:
            what += f" such as {shown(_first_wrong(array))}"
    return ShapeError(f"expected real numbers as {name}, got {what}{where}")


def _first_wrong(array: np.ndarray) -> Any:
    """An entry that is no real number, if there is one among the first."""
    entries = array.ravel()[:100].tolist()
    wrong = (x for x in entries if not isinstance(x, (int, float)))
    return next(wrong, entries[0])


def _check_target(name: str, array: Any, where: str) -> None:
    if not isinstance(array, np.ndarray):
        raise ShapeError(f"expected an ndarray as {name}, got {shown(array)}{where}")
    if isinstance(array, np.ma.MaskedArray):
        raise ShapeError(f"expected a plain array as {name}, got a masked one{where}")
    if array.dtype.kind != "f":
        raise ShapeError(
            f"expected an array of floating-point numbers as {name}, got {array.dtype}{where}"
        )
    if not array.flags.writeable:
        raise ShapeError(f"expected a writable array as {name}, got one that is read-only{where}")


def _is_plain_target(array: Any, shape: Shape) -> bool:
    """Whether it is what most calls give, so that nothing more need be asked."""
    return (
        type(array) is np.ndarray
        and array.dtype is _FLOAT64
        and array.shape == shape
        and array.flags.c_contiguous
        and array.flags.writeable
    )


def _meets_itself(array: np.ndarray) -> bool:
    """Whether entries of one array share memory; axes must reach further from small to large."""
    if array.flags.c_contiguous:
        return False
    reach = array.itemsize
    axes = zip(array.strides, array.shape, strict=True)
    for stride, length in sorted((abs(stride), n) for stride, n in axes if n > 1):
        if stride < reach:
            return array.size > 0
        reach += stride * (length - 1)
    return False


def _meet(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays share memory, also if that takes too long to find out."""
    try:
        return np.shares_memory(a, b, max_work=1000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True
