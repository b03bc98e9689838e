"""Arguments that are no arrays: numbers, counts, names, flags; converted or refused by name."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from .arrays import as_array
from .errors import ArgumentError, shown, suggestion

MOST_COUNT = 2**31 - 1
MOST_ENTRIES = 2**31
"""Of an array whose shape is an argument."""


def as_number(
    name: str,
    value: Any,
    where: str = "",
    *,
    least: float = -math.inf,
    above: float = -math.inf,
    finite: bool = True,
) -> float:
    """A real number of Python or NumPy, or an array of no axes, as a float.

    Parameters
    ----------
    name : str
        Of the argument, for the message.
    least, above : float
        The smallest number allowed, and the largest that is too small.
    finite : bool
        Refuse infinity; NaN is refused always.

    Raises
    ------
    ArgumentError
        For anything else, booleans included, and numbers out of range.
    """
    number = value if type(value) is float else _as_float(value)
    if number is None or math.isnan(number) or (finite and math.isinf(number)):
        word = "finite number" if finite else "number"
        raise ArgumentError(f"expected a {word} as {name}, got {shown(value)}{where}")
    if number < least:
        raise ArgumentError(f"expected {name} of at least {least:g}, got {number:g}{where}")
    if number <= above and above > -math.inf:
        word = "a positive" if above == 0.0 else f"more than {above:g} as"
        raise ArgumentError(f"expected {word} {name}, got {number:g}{where}")
    return number


def as_count(
    name: str, value: Any, where: str = "", *, least: int = 0, most: int = MOST_COUNT
) -> int:
    """A whole number of Python or NumPy from ``least`` to ``most``.

    Raises
    ------
    ArgumentError
        For anything else, booleans and floats included.
    """
    if type(value) is int and least <= value <= most:
        return value
    value = _scalar(value)
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise ArgumentError(f"expected a whole number as {name}, got {shown(value)}{where}")
    count = int(value)
    if not least <= count <= most:
        raise ArgumentError(f"expected {name} from {least} to {most}, got {shown(count)}{where}")
    return count


def as_choice(name: str, value: Any, known: Sequence[str], where: str = "") -> str:
    """One of a few texts.

    Raises
    ------
    ArgumentError
        For any other; a text that is near is suggested.
    """
    if isinstance(value, str) and value in known:
        return value
    options = " or ".join(map(repr, known)) if len(known) < 3 else f"one of {', '.join(known)}"
    hint = suggestion(value, known) if isinstance(value, str) else ""
    raise ArgumentError(f"expected {name} {options}, got {shown(value)}{where}{hint}")


def as_text(name: str, value: Any, where: str = "") -> str:
    """A text.

    Raises
    ------
    ArgumentError
        For anything else.
    """
    if isinstance(value, str):
        return value
    raise ArgumentError(f"expected a text as {name}, got {shown(value)}{where}")


def as_flag(name: str, value: Any, where: str = "") -> bool:
    """True or False, also of NumPy, or as 1 or 0.

    Raises
    ------
    ArgumentError
        For anything else.
    """
    if isinstance(value, (bool, np.bool_)) or (type(value) is int and value in (0, 1)):
        return bool(value)
    raise ArgumentError(f"expected True or False as {name}, got {shown(value)}{where}")


def as_mask(name: str, value: Any, length: int, where: str = "") -> tuple[bool, ...]:
    """A row of flags.

    Raises
    ------
    ArgumentError
        Unless it holds ``length`` booleans, ones or zeros.
    """
    array = as_array(name, value, where)
    if not array.ndim or not np.isin(array, (0, 1)).all():
        raise ArgumentError(f"expected a row of booleans as {name}, got {shown(value)}{where}")
    if array.shape != (length,):
        got = len(array) if array.ndim == 1 else f"shape {array.shape}"
        raise ArgumentError(f"expected {length} entries in {name}, got {got}{where}")
    return tuple(array.astype(bool).tolist())


def as_shape(
    name: str, value: Any, where: str = "", *, least: int = 0, most: int = MOST_ENTRIES
) -> tuple[int, ...]:
    """The shape of an array: a length, or a sequence of them, each of at least ``least``.

    Raises
    ------
    ArgumentError
        For anything else, and for a shape of more than ``most`` entries.
    """
    lengths = (value,) if isinstance(value, Integral) else value
    is_row = isinstance(lengths, np.ndarray) and lengths.ndim == 1
    if not is_row and not isinstance(lengths, (tuple, list)):
        raise ArgumentError(f"expected a length or a shape as {name}, got {shown(value)}{where}")
    shape = tuple(as_count(name, n, where, least=least) for n in lengths)
    if len(shape) > 32 or math.prod(shape) > most:
        raise ArgumentError(
            f"expected {name} of at most 32 axes and {most} entries, got "
            f"{shown(math.prod(shape))} entries on {len(shape)} axes{where}"
        )
    return shape


def as_generator(name: str, value: Any, where: str = "") -> np.random.Generator:
    """A generator of random numbers: itself, or a new one for a seed or for None.

    Raises
    ------
    ArgumentError
        For anything else.
    """
    if value is None or isinstance(value, (np.random.Generator, np.random.BitGenerator)):
        return np.random.default_rng(value)
    if isinstance(value, (np.random.SeedSequence, np.random.RandomState)):
        return np.random.default_rng(value)
    if isinstance(value, (list, tuple)) and value:
        return np.random.default_rng([as_count(name, x, where, most=2**128) for x in value])
    if isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) < 2**4096:
        return np.random.default_rng(int(value))
    raise ArgumentError(
        f"expected a numpy.random.Generator, a seed of at least 0, or None as {name}, "
        f"got {shown(value)}{where}"
    )


def as_texts(name: str, value: Any, where: str = "") -> tuple[str, ...]:
    """Several texts, such as names.

    Raises
    ------
    ArgumentError
        For a text that stands alone, and for anything but texts.
    """
    names = tuple(as_items(name, value, "names", where))
    for each in names:
        if not isinstance(each, str):
            raise ArgumentError(f"expected names in {name}, got {shown(each)}{where}")
    return names


def as_items(name: str, value: Any, what: str, where: str = "") -> list[Any]:
    """The entries of anything that can be iterated over, but for texts and mappings.

    Raises
    ------
    ArgumentError
        For anything else; ``what`` says what was expected in it.
    """
    is_one = isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable)
    if is_one or (isinstance(value, np.ndarray) and not value.ndim):
        raise ArgumentError(f"expected a sequence of {what} as {name}, got {shown(value)}{where}")
    return list(value)


def as_shapes(
    name: str, value: Any, *, least: int = 0, most: int = MOST_ENTRIES
) -> dict[str, tuple[int, ...]]:
    """Shapes by names.

    Raises
    ------
    ArgumentError
        For anything but a mapping of texts to shapes.
    """
    shapes = as_mapping(name, value)
    for each in shapes:
        if not isinstance(each, str):
            raise ArgumentError(f"expected names as keys of {name}, got {shown(each)}")
    return {
        each: as_shape(f"{name}[{each!r}]", shape, least=least, most=most)
        for each, shape in shapes.items()
    }


def as_mapping(name: str, value: Any, where: str = "") -> Mapping[Any, Any]:
    """A dict, or another mapping.

    Raises
    ------
    ArgumentError
        For anything else.
    """
    if isinstance(value, Mapping):
        return value
    raise ArgumentError(f"expected a dict as {name}, got {shown(value)}{where}")


def check_callable(name: str, value: Any, where: str = "") -> None:
    """Check that an argument is a function, or can be called like one.

    Raises
    ------
    ArgumentError
        If it cannot, and for a class.
    """
    if not callable(value) or isinstance(value, type):
        raise ArgumentError(f"expected a function as {name}, got {shown(value)}{where}")


def check_called_with(name: str, function: Any, parameters: Sequence[str]) -> None:
    """Check that an argument is a function of so many positional parameters.

    Raises
    ------
    ArgumentError
        If it cannot be called, or not with these.
    """
    check_callable(name, function)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of some functions written in C it is not known
        return
    try:
        signature.bind(*parameters)
    except TypeError:
        raise ArgumentError(
            f"expected {name} to be called as ({', '.join(parameters)}), got a function of "
            f"{shown(str(signature))}"
        ) from None


def _scalar(value: Any) -> Any:
    """The number in an array of no axes; anything else is itself."""
    is_number = isinstance(value, np.ndarray) and not value.ndim and value.dtype.kind in "fiu"
    return value[()] if is_number and not isinstance(value, np.ma.MaskedArray) else value


def _as_float(value: Any) -> float | None:
    value = _scalar(value)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        return None
