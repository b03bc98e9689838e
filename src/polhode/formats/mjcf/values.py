"""Attributes of MJCF elements to numbers, words and truths, with file and line in every error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...errors import ModelError
from ...spatial import Vec3
from ..literals import is_infinity, is_number
from ..names import near, shorten
from ..urdf.values import describe
from ..xml import Element

TRUTH = {"true": True, "false": False}


@contextmanager
def errors_at(element: Element) -> Iterator[None]:
    """Errors of the parts that an element becomes are told at that element."""
    try:
        yield
    except ModelError as error:
        raise element.error(f"{describe(element)}: {error}") from None
    except ArithmeticError:
        raise element.error(f"{describe(element)}: expected numbers that are not as large or as "
                            "small") from None  # fmt: skip


def required(element: Element, key: str) -> str:
    """A required attribute's text."""
    found = text(element, key)
    if found is None:
        raise element.error(f"{describe(element)} has no attribute '{key}'")
    return found


def text(element: Element, key: str) -> str | None:
    """An attribute's text; None if it is not there or empty."""
    return element.attributes.get(key, "").strip() or None


def word(element: Element, key: str) -> str | None:
    """The text of an attribute that says something if it is there; None if it is not."""
    found = text(element, key)
    if found is None and key in element.attributes:
        raise element.error(f"expected a word in {describe(element)} '{key}', found ''")
    return found


def numbers(
    element: Element, key: str, least: int, most: int | None = None, *, finite: bool = True
) -> tuple[float, ...]:
    """The numbers of an attribute, between ``least`` and ``most`` of them; () if it is absent."""
    if key not in element.attributes:
        return ()
    words = element.attributes[key].split()
    most = least if most is None else most
    if not least <= len(words) <= most:
        count = f"{least}" if least == most else f"{least} to {most}"
        raise element.error(
            f"expected {count} numbers in {describe(element)} '{key}', found {len(words)}: "
            f"'{shorten(element.attributes[key])}'"
        )
    return tuple(_number(element, key, word, finite) for word in words)


def many(element: Element, key: str, most: int) -> tuple[float, ...]:
    """All numbers of an attribute, at most so many."""
    return numbers(element, key, 0, most)


def vector(element: Element, key: str, default: Sequence[float]) -> Vec3:
    """Three numbers."""
    return Vec3(*(numbers(element, key, 3) or default))


def number(element: Element, key: str, default: float) -> float:
    """One number."""
    return (numbers(element, key, 1) or (default,))[0]


def integer(element: Element, key: str, default: int) -> int:
    """One whole number."""
    value = number(element, key, float(default))
    if value != int(value) or abs(value) > 2**31:
        found = shorten(element.attributes[key])
        raise element.error(f"expected a whole number in {describe(element)} '{key}', found "
                            f"'{found}'")  # fmt: skip
    return int(value)


def integers(element: Element, key: str, most: int) -> tuple[int, ...]:
    """All whole numbers of an attribute, at most so many."""
    values = many(element, key, most)
    if any(value != int(value) for value in values):
        raise element.error(f"expected whole numbers in {describe(element)} '{key}'")
    return tuple(int(value) for value in values)


def flag(element: Element, key: str, default: bool) -> bool:
    """True or false."""
    return TRUTH[choice(element, key, tuple(TRUTH), "true" if default else "false")]


def choice(element: Element, key: str, known: Sequence[str], default: str) -> str:
    """One of the known words."""
    found = element.attributes.get(key, default).strip()
    if found not in known:
        raise element.error(
            f"expected {key} = {' or '.join(known)} in {describe(element)}, found "
            f"'{shorten(found)}'{near(found, known) if found else ''}"
        )
    return found


def _number(element: Element, key: str, word: str, finite: bool) -> float:
    if is_infinity(word) and not finite:
        return float(word)
    if not is_number(word):
        raise element.error(
            f"expected a number in {describe(element)} '{key}', found '{shorten(word)}'"
        )
    value = float(word)
    if math.isinf(value):
        raise element.error(f"{describe(element)} '{key}' is too large: '{shorten(word)}'")
    return value
