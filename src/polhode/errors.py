"""The errors polhode raises at its doors: expected, got, where, and a suggestion."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Record = TypeVar("Record", bound=type)


class ModelError(ValueError):
    """A model that cannot be built, or a name that is not in it."""


class ShapeError(ValueError):
    """An array whose shape or type does not fit the model."""


class TraceError(TypeError):
    """A function that cannot be traced into a program."""


class ModelWarning(UserWarning):
    """A model that was read as written, although it is probably not what was meant."""


class ParseError(ValueError):
    """A file that cannot be read; the text begins with ``file:line:``.

    Attributes
    ----------
    file : str or None
        The file, as it was named by the caller.
    line : int or None
        Line in it, counted from 1.
    """

    def __init__(self, message: str, file: str | None = None, line: int | None = None):
        where = ":".join(str(part) for part in (file, line) if part is not None)
        super().__init__(f"{where}: {message}" if where else message)
        self.message: str = message
        self.file = file
        self.line: int | None = line

    def __reduce__(self) -> tuple[type[ParseError], tuple[str, str | None, int | None]]:
        return ParseError, (self.message, self.file, self.line)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Text ``"; did you mean 'x'?"`` for the known name nearest to ``name``, or nothing."""
    close = get_close_matches(name, [k for k in known if k], n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def suggests_options(function: Function) -> Function:
    """Make a function that gets an option it does not know say which one was perhaps meant."""
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    name = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]

    @wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        for option in options:
            if option not in known:
                hint = suggestion(option, known)
                raise TypeError(f"{name}() got an unexpected option '{option}'{hint}")
        return function(*arguments, **options)

    return checked  # type: ignore[return-value]


def suggests_fields(record: Record) -> Record:
    """Make the constructor of a record say which field was perhaps meant."""
    record.__init__ = suggests_options(record.__init__)
    return record
