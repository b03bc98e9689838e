"""Writing C99 by formulas over operands: a statement for each, numbers one at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .code_value import CodeValue

_TYPES = {"double": "double", "i64": "uint64_t", "i1": "int"}


class CValue(CodeValue):
    """A variable or constant of C."""

    __slots__ = ()

    def apply(self, sign: str, other: Any) -> CValue:
        """This value and another, joined by an operator or compared."""
        other = self.like(other)
        if sign in ("<", ">", ">=") and self.type == "i64":
            return self.e("i1", f"(int64_t){self.text} {sign} (int64_t){other.text}")
        is_comparison = sign in ("<", ">", ">=", "==", "!=")
        return self.e("i1" if is_comparison else self.type, f"{self.text} {sign} {other.text}")

    def __neg__(self) -> CValue:
        return self.e(self.type, f"-{self.text}")

    def bits(self, type: str | None = None) -> CValue:
        """The same bits as a number, or (by default) as an integer."""
        if type == "double":
            return self.e("double", f"polhode_number({self.text})")
        return self.e("i64", f"polhode_bits({self.text})")

    def to(self, conversion: str, element: str) -> CValue:
        """A converted value; C knows by which conversion."""
        return self.e(element, f"({_TYPES[element]}){self.text}")

    def select(self, a: CValue, b: Any) -> CValue:
        """``a`` where this condition holds, else ``b``."""
        return self.e(a.type, f"{self.text} ? {a.text} : {a.like(b).text}")


class CEmitter:
    """The statements of one function."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, type: str, text: str) -> CValue:
        name = f"x{len(self.lines)}"
        self.put(f"const {_TYPES[type]} {name} = {text};")
        return CValue(self, type, name)

    def put(self, text: str) -> None:
        """A statement without a result."""
        self.lines.append(f"    {text}")

    def constant(self, type: str, x: float) -> CValue:
        """A constant."""
        if type != "double":
            return CValue(self, type, f"{x}U")
        if not math.isfinite(x):
            text = "(double)NAN" if x != x else f"({'-' if x < 0 else ''}(double)INFINITY)"
        else:
            text = repr(x) if x >= 0 else f"({x!r})"
        return CValue(self, type, text)

    def intrinsic(self, name: str, *args: Any) -> CValue:
        """A function of the header math.h on numbers."""
        texts = [a.text if isinstance(a, CValue) else self.constant("double", a).text for a in args]
        return self("double", f"{name}({', '.join(texts)})")

    def fma(self, a: Any, b: Any, c: Any) -> CValue:
        """``a * b + c`` rounded once."""
        return self.intrinsic("fma", a, b, c)

    def function(self, head: str, results: Sequence[tuple[str, CValue]] = ()) -> str:
        """The whole function; the last of its statements sets or returns the results."""
        last = [f"    {target} {value.text};" for target, value in results]
        return "\n".join([f"static {head}", "{", *self.lines, *last, "}\n"])
