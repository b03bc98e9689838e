"""Values of code that is being written, with the operators of arithmetic.

What a formula over them becomes, instructions of LLVM or statements of C, is up to the subclass.
"""

from __future__ import annotations

from typing import Any, Self


class CodeValue:
    """One value: its emitter, its type as LLVM names it, and its text."""

    __slots__ = ("e", "text", "type")

    def __init__(self, e: Any, type: str, text: str):
        self.e: Any = e
        self.type: str = type
        self.text: str = text

    def apply(self, sign: str, other: Any) -> Self:
        """This value and another, joined by an operator or compared."""
        raise NotImplementedError

    def __neg__(self) -> Self:
        raise NotImplementedError

    def bits(self, type: str | None = None) -> Self:
        """The same bits as another type (default: an integer of the same width)."""
        raise NotImplementedError

    def to(self, conversion: str, element: str) -> Self:
        """A converted value: ``x.to("fpext", "double")``."""
        raise NotImplementedError

    def select(self, a: Self, b: Any) -> Self:
        """``a`` where this condition holds, else ``b``."""
        raise NotImplementedError

    def like(self, x: Any) -> Self:
        """``x`` as a value of this type."""
        return x if isinstance(x, CodeValue) else self.e.constant(self.type, x)  # type: ignore[return-value]

    def __add__(self, other: Any) -> Self:
        return self.apply("+", other)

    def __sub__(self, other: Any) -> Self:
        return self.apply("-", other)

    def __mul__(self, other: Any) -> Self:
        return self.apply("*", other)

    def __truediv__(self, other: Any) -> Self:
        return self.apply("/", other)

    def __mod__(self, other: Any) -> Self:
        return self.apply("%", other)

    def __and__(self, other: Any) -> Self:
        return self.apply("&", other)

    def __or__(self, other: Any) -> Self:
        return self.apply("|", other)

    def __xor__(self, other: Any) -> Self:
        return self.apply("^", other)

    def __lshift__(self, other: Any) -> Self:
        return self.apply("<<", other)

    def __rshift__(self, other: Any) -> Self:
        return self.apply(">>", other)

    def __lt__(self, other: Any) -> Self:
        return self.apply("<", other)

    def __gt__(self, other: Any) -> Self:
        return self.apply(">", other)

    def __ge__(self, other: Any) -> Self:
        return self.apply(">=", other)

    def equals(self, other: Any) -> Self:
        """Whether the two are equal; false of NaN."""
        return self.apply("==", other)

    def differs(self, other: Any) -> Self:
        """Whether the two differ; true of NaN."""
        return self.apply("!=", other)
