"""The answer of the process that ran a model file, read as untrusted input."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .child import MAX_DEPTH, MAX_FILES, MAX_VALUES, SLOW

_KINDS = ("nil", "boolean", "number", "string", "table", "function", "thread", "userdata")


@dataclass(frozen=True)
class Table:
    """A Lua table: its array part, its string keys, and the names of all other keys."""

    array: list[Any]
    keys: dict[str, Any]
    other: list[str]


@dataclass(frozen=True)
class Opaque:
    """A Lua value that is not data, such as a function."""

    kind: str


@dataclass(frozen=True)
class Answer:
    """A table as JSON text, or one reason why there is none; and what was seen on the way.

    ``place`` is a number of ``files`` and a line; ``tail`` the name of a slow function.
    """

    table: str | None = None
    error: str | None = None
    returned: str | None = None
    refused: str | None = None
    seconds: float | None = None
    memory: int | None = None
    files: tuple[str, ...] = ("",)
    place: tuple[int, int] | None = None
    tail: str | None = None
    printed: tuple[str, ...] = ()


def answer_of(data: bytes) -> Answer:
    """The answer that the child printed.

    Raises
    ------
    ValueError
        If it is none that our child prints.
    """
    head, _, rest = data.partition(b"\n")
    said = _plain(head.decode("ascii"))
    _require(isinstance(said, dict), "named fields")
    return checked(said, rest.decode("utf-8", "replace") or None)


def checked(said: dict[str, Any], table: str | None = None) -> Answer:
    """An answer with every field of the right type; raises ValueError as `answer_of`."""
    texts = {key: said.pop(key, None) for key in ("error", "returned", "refused", "tail")}
    numbers = {key: said.pop(key, None) for key in ("seconds", "memory")}
    files, printed = said.pop("files", [""]), said.pop("printed", [])
    place = said.pop("place", None)
    _require(not said, "no other fields")
    _require(all(x is None or isinstance(x, str) for x in texts.values()), "texts")
    _require(all(x is None or type(x) in (int, float) for x in numbers.values()), "numbers")
    _require(texts["tail"] in (None, *SLOW), "a known function")
    for names in (files, printed):
        _require(isinstance(names, list) and all(isinstance(x, str) for x in names), "texts")
    _require(0 < len(files) <= MAX_FILES, "a number of files")
    if place is not None:
        _require(isinstance(place, list) and len(place) == 2, "a place")
        _require(all(type(x) is int and x >= 0 for x in place), "whole numbers")
        _require(place[0] < len(files), "a file")
        place = place[0], place[1]
    reasons = [texts["error"], texts["returned"], texts["refused"], *numbers.values()]
    _require((table is None) == any(x is not None for x in reasons), "a table or a reason")
    return Answer(
        table=table, files=tuple(files), place=place, printed=tuple(printed), **texts, **numbers
    )


def table_of(text: str) -> Table:
    """The table that a JSON text of the child stands for; raises ValueError as `answer_of`."""
    table = _value(_plain(text), 0, [MAX_VALUES + 1])
    if not isinstance(table, Table):
        raise ValueError("expected a table")
    return table


def _value(value: Any, depth: int, left: list[int]) -> Any:
    """A value of the child's answer: a `Table`, an `Opaque`, or what it is."""
    left[0] -= 1
    _require(left[0] >= 0 and depth <= MAX_DEPTH + 1, "few values, nested less deep")
    if not isinstance(value, dict):
        is_plain = isinstance(value, (bool, float, str))
        _require(is_plain or (type(value) is int and abs(value) <= 2**63), "a value")
        return value
    if value.keys() == {"f"}:
        _require(value["f"] in _KINDS, "a kind of value")
        return Opaque(value["f"])
    _require(value.keys() == {"a", "k", "o"}, "a table")
    array, keys, other = value["a"], value["k"], value["o"]
    _require(isinstance(array, list) and isinstance(keys, dict), "a table's parts")
    _require(isinstance(other, list) and all(isinstance(x, str) for x in other), "keys as text")
    return Table(
        [_value(item, depth + 1, left) for item in array],
        {key: _value(item, depth + 1, left) for key, item in keys.items()},
        other,
    )


def _plain(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"expected {what}")
