"""The errors of the public functions: expected, got, where, and a suggestion."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Record = TypeVar("Record", bound=type)


MOST_CHARACTERS = 900
"""Of a message; a longer one loses its middle."""


class ArgumentError(ValueError):
    """An argument that is not what its function takes; each message is one printable line."""

    def __init__(self, *messages: str):
        super().__init__(*map(one_line, messages))

    def __str__(self) -> str:
        return "\n".join(self.args)


class ModelError(ArgumentError):
    """A model that cannot be built, or a name that is not in it."""


class ShapeError(ArgumentError):
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


def one_line(text: str, most: int = MOST_CHARACTERS) -> str:
    """A text as one printable line of bounded length: escapes for control characters."""
    text = _without_middle(str(text), most)
    if text.isprintable():
        return text
    escaped = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return _without_middle(escaped, most)


def _without_middle(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most * 2 // 3]} ... {text[-most // 4 :]}"


def shown(value: object) -> str:
    """A value in a message: numbers and short texts as they are, of all else the type's name."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 100:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, (str, bytes)) and len(value) > 40:
        return one_line(f"{value[:30]!r}... ({len(value)} characters)")
    if value is None or type(value) in (str, bytes, bool, int, float, complex):
        return one_line(repr(value), 100)
    return one_line(type(value).__name__, 60)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Text ``"; did you mean 'x'?"`` for the known name nearest to ``name``, or nothing."""
    if len(name) > MOST_CHARACTERS:
        return ""
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
