"""The errors of the public functions: expected, got, where, and a suggestion."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher
from functools import wraps
from heapq import nlargest
from itertools import islice
from typing import Any, TypeVar

_PACKAGE = "polhode."

Function = TypeVar("Function", bound=Callable[..., Any])
Record = TypeVar("Record", bound=type)


LONGEST = 500  # characters of a message

_MOST_NAMES, _LONGEST_NAME = 1000, 100
_MOST_COMPARED = 50  # letter by letter, which costs the product of their lengths


def one_line(text: str, longest: int = LONGEST, keep: str = "") -> str:
    """A text with control characters spelt out, cut in the middle if it is too long.

    Characters that cannot be printed become ``\\x1b``, ``\\n``, ``\\udc80``; those in ``keep``
    stay.
    """
    if len(text) > longest:
        head = 2 * (longest - 5) // 3
        text = f"{text[:head]} ... {text[len(text) - (longest - 5 - head) :]}"
    if text.isprintable():
        return text
    spelt = "".join(c if c.isprintable() or c in keep else repr(c)[1:-1] for c in text)
    return spelt if len(spelt) <= longest else one_line(spelt, longest, keep)


class Refusal(Exception):
    """What polhode's errors have in common: their text is short and can be printed."""

    _longest = LONGEST
    _kept = ""

    def __init__(self, *arguments: object):
        fit = (
            one_line(a, self._longest, self._kept) if isinstance(a, str) else a for a in arguments
        )
        super().__init__(*fit)


class ArgumentError(Refusal, ValueError):
    """An argument that is not what its function takes; each message is one printable line."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.args))


class ModelError(ArgumentError):
    """A model that cannot be built, or a name that is not in it."""


class ShapeError(ArgumentError):
    """An array whose shape or type does not fit the model."""


class TraceError(Refusal, TypeError):
    """A function that cannot be traced into a program."""

    _longest = 2000  # with lines of the function
    _kept = "\n"


class ModelWarning(UserWarning):
    """A model that was read as written, although it is probably not what was meant."""


class StartWarning(UserWarning):
    """A simulation that starts where it cannot stay: overlaps, open loops, limits exceeded."""


class SimulationWarning(UserWarning):
    """A run that came to its end, although its motion is probably not what was meant."""


class ParseError(Refusal, ValueError):
    """A file that cannot be read; the text begins with ``file:line:``.

    Attributes
    ----------
    file : str or None
        The file, as it was named by the caller.
    line : int or None
        Line in it, counted from 1.
    """

    def __init__(self, message: str, file: str | None = None, line: int | None = None):
        place = None if file is None else one_line(str(file), LONGEST // 2)
        where = ":".join(str(part) for part in (place, line) if part is not None)
        room = LONGEST - len(where) - 2 if where else LONGEST
        told = one_line(message, room)
        super().__init__(f"{where}: {told}" if where else told)
        self.message: str = told
        self.file = file
        self.line: int | None = line

    def __reduce__(self) -> tuple[type[ParseError], tuple[str, str | None, int | None]]:
        return ParseError, (self.message, self.file, self.line)


def shown(value: object) -> str:
    """A value in a message: numbers and short texts as they are, of all else the type's name."""
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 100:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, (str, bytes)) and len(value) > 40:
        return one_line(f"{value[:30]!r}... ({len(value)} characters)")
    if value is None or type(value) in (str, bytes, bool, int, float, complex):
        return one_line(repr(value), 100)
    return one_line(type(value).__name__, 60)


def warn_caller(message: str, category: type[Warning]) -> None:
    """Give a warning at the line outside of polhode that led to it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


_MOST_TOLD = 10_000
_told: set[str] = set()


def is_news(message: str) -> bool:
    """Whether this process has not given a message before; from now on it has."""
    if message in _told:
        return False
    if len(_told) >= _MOST_TOLD:
        _told.clear()
    _told.add(message)
    return True


def warn_once(message: str, category: type[Warning]) -> None:
    """`warn_caller`, but for a message that this process has given before."""
    if is_news(message):
        warn_caller(message, category)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Text ``"; did you mean 'x'?"`` for the known name nearest to ``name``, or nothing."""
    close = close_names(name, known, 1)
    return f"; did you mean '{close[0]}'?" if close else ""


def close_names(name: str, known: Iterable[str], count: int, cutoff: float = 0.6) -> list[str]:
    """The known names nearest to ``name``, in bounded time also for hostile names."""
    if not 0 < len(name) <= _LONGEST_NAME:
        return []
    short = (key for key in known if 0 < len(key) <= _LONGEST_NAME)
    matcher = SequenceMatcher(b=name)
    likely: list[tuple[float, str]] = []
    for key in islice(short, _MOST_NAMES):
        matcher.set_seq1(key)
        if matcher.real_quick_ratio() >= cutoff and matcher.quick_ratio() >= cutoff:
            likely.append((matcher.quick_ratio(), key))
    close: list[tuple[float, str]] = []
    for _, key in nlargest(_MOST_COMPARED, likely):
        matcher.set_seq1(key)
        if matcher.ratio() >= cutoff:
            close.append((matcher.ratio(), key))
    return [key for _, key in nlargest(count, close)]


_RULES = "it is a rule for pairs of bodies, Scene.contact({0}=...)"
_RENAMED = {
    "integrator": {
        "method": "integrator= says how time advances, contact= which law and solver",
        "scheme": "integrator= says how time advances",
        "gravity": "it belongs to the model or scene, polhode.Scene(gravity=...)",
    },
    "shape": {
        "friction": _RULES.format("mu_coulomb"),
        "mu_coulomb": _RULES.format("mu_coulomb"),
        "restitution": _RULES.format("restitution"),
        "pose": "position= and quaternion= place it",
        "transform": "position= and quaternion= place it",
        "inertia": "its shape and mass give that, and Scene.add_machine takes a model with any",
    },
    "penalty_kp": {
        "stiffness": "compliance= is 1 / stiffness [m/N], and penalty_kp= of compliant geometries",
        "damping": "penalty_kv= is that of compliant geometries, Scene.add_body(is_compliant=True)",
    },
}
"""What to do instead of giving an option to functions that have the first one."""


def suggests_options(function: Function) -> Function:
    """Make a function that gets an option it does not know say which one was perhaps meant."""
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    name = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]

    @wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        for option in options:
            if option not in known:
                hint = suggestion(_option(option, known), known)
                for owner, reasons in _RENAMED.items():
                    if owner in known and option in reasons:
                        hint = f"; {reasons[option]}"
                raise TypeError(f"{name}() got an unexpected option '{option}'{hint}")
        return function(*arguments, **options)

    return checked  # type: ignore[return-value]


def _option(option: str, known: tuple[str, ...]) -> str:
    """The option that another library's name means, if there is that one."""
    from .other_names import OPTIONS, meaning

    return meaning(option, {name: OPTIONS[name] for name in OPTIONS if name in known}) or option


def suggests_attributes(record: Record) -> Record:
    """Make objects of a class say of an attribute that they lack which one was perhaps meant."""

    def absent(self: Any, name: str) -> Any:
        if hasattr(record, name):  # a property that failed, for a reason of its own
            return object.__getattribute__(self, name)
        hint = "" if name.startswith("_") else _of_attribute(record, name)
        # With a name of its own Python adds no suggestion to this one.
        raise AttributeError(f"{record.__name__} has no attribute '{name}'{hint}", name=name)

    record.__getattr__ = absent  # type: ignore[attr-defined]
    return record


def _of_attribute(record: type, name: str) -> str:
    """Which attribute of objects of a class was meant by a name, or what stands for it."""
    from .other_names import meaning_for

    fields = getattr(record, "__annotations__", ())  # those without a default are not in `dir`
    known = {each for each in (*dir(record), *fields) if not each.startswith("_")}
    here = meaning_for(record.__name__, name)
    return f"; use {here}" if here and here not in known else suggestion(here or name, known)


def suggests_fields(record: Record) -> Record:
    """Make the constructor of a record say which field was perhaps meant."""
    build, most = suggests_options(record.__init__), len(record.__match_args__)

    @wraps(build)
    def checked(self: Any, *values: Any, **options: Any) -> None:
        if len(values) > most:
            name = record.__name__
            hint = f"; did you mean {name}({one_line(repr(values), 80)})?" if most == 1 else ""
            raise TypeError(f"{name}() takes {most} values, got {len(values)}{hint}")
        build(self, *values, **options)

    record.__init__ = checked
    return record
